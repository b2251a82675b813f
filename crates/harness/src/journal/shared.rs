//! The way back for files of tracefs that everybody shares: the tracer of the
//! machine's own ring, its filters, lists of probes.

use super::entry::{Held, Joined, effective};
use super::kind::FileKind;
use super::outcome::Outcome;
use super::target::{Ground, Target};
use std::io::{self, ErrorKind};
use std::time::Duration;

/// How long a killed process may take to let go of its files.
pub const LETTING_GO: Duration = Duration::from_millis(40);
/// How often, [`LETTING_GO`] apart.
pub const TRIES: u32 = 50;

/// Writes the old value, unless another process has taken the file since.
pub fn let_go(ground: &Ground, target: &Target, held: &Held) -> Outcome {
    let failed = |cause: String| Outcome::Failed {
        wanted: held.old.clone(),
        cause,
    };
    let found = match target.read(ground) {
        Ok(text) => effective(&text).to_owned(),
        Err(e) => return failed(e.to_string()),
    };
    let done = Outcome::PutBack {
        value: held.old.clone(),
    };
    if found == held.old && !found.is_empty() {
        return done;
    }
    if !held.ours.is_empty() && !held.ours.contains(&found) {
        return Outcome::LeftToOthers {
            found,
            ours: held.ours.join(" or "),
        };
    }
    match patiently(|| target.write(ground, &held.old)) {
        Ok(()) => done,
        Err(e) => failed(e.to_string()),
    }
}

/// A killed process may take a while to let go of the ring.
pub fn patiently(mut attempt: impl FnMut() -> io::Result<()>) -> io::Result<()> {
    for _ in 0..TRIES {
        match attempt() {
            Err(e) if e.kind() == ErrorKind::ResourceBusy => std::thread::sleep(LETTING_GO),
            ended => return ended,
        }
    }
    attempt()
}

/// What is to be done once the tracer is off.
pub fn kept(held: &Held) -> Outcome {
    Outcome::Failed {
        wanted: held.old.clone(),
        cause: "the tracer that it limits is still on".to_owned(),
    }
}

/// Whether a tracer goes on, ours or another's.
pub fn is_still_on(target: &Target, outcome: &Outcome) -> bool {
    match outcome {
        Outcome::NotRemoved { .. } => true,
        Outcome::Failed { .. } | Outcome::LeftToOthers { .. } => {
            target.kind() == FileKind::Tracer || target.path().ends_with("function_profile_enabled")
        }
        _ => false,
    }
}

/// Takes away what joined; a list that does not mention it, or that is gone,
/// holds nothing of ours.
pub fn leave(ground: &Ground, target: &Target, joined: &Joined) -> Outcome {
    let failed = |e: io::Error| Outcome::Failed {
        wanted: format!("what it was before {}", joined.mention),
        cause: e.to_string(),
    };
    match target.read(ground) {
        Ok(text) if !text.contains(&joined.mention) => return Outcome::Left,
        Err(e) if e.kind() == ErrorKind::NotFound => return Outcome::Left,
        Err(e) => return failed(e),
        Ok(_) => {}
    }
    match patiently(|| target.append(ground, &joined.leave)) {
        Ok(()) => Outcome::Left,
        Err(e) => failed(e),
    }
}
