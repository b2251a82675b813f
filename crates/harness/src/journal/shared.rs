//! The way back for files of tracefs that everybody shares: the tracer of the
//! machine's own ring, its filters, lists of probes.

use super::entry::{Held, Joined, effective};
use super::undo::{LETTING_GO, Outcome, TRIES};
use super::write_setting;
use crate::error::HarnessError;
use std::fs::OpenOptions;
use std::io::{self, ErrorKind, Write};
use std::path::Path;

/// Files that switch tracers.
const TRACERS: [&str; 2] = ["current_tracer", "function_profile_enabled"];

/// Writes the old value, unless somebody else has taken the file since.
pub fn let_go(held: &Held) -> Outcome {
    let failed = |cause: String| Outcome::Failed {
        wanted: held.old.clone(),
        cause,
    };
    let found = match std::fs::read_to_string(&held.path) {
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
    match patiently(held) {
        Ok(()) => done,
        Err(e) => failed(e.to_string()),
    }
}

/// A killed process may take a while to let go of the ring.
fn patiently(held: &Held) -> Result<(), HarnessError> {
    for _ in 0..TRIES {
        match write_setting(&held.path, &held.old) {
            Err(HarnessError::File { source, .. }) if source.kind() == ErrorKind::ResourceBusy => {
                std::thread::sleep(LETTING_GO);
            }
            ended => return ended,
        }
    }
    write_setting(&held.path, &held.old)
}

/// What is to be done once the tracer is off.
pub fn kept(held: &Held) -> Outcome {
    Outcome::Failed {
        wanted: held.old.clone(),
        cause: "the tracer that it keeps small is still on".to_owned(),
    }
}

/// Whether a tracer goes on, ours or another's.
pub fn is_still_on(path: &Path, outcome: &Outcome) -> bool {
    match outcome {
        Outcome::NotRemoved { .. } => true,
        Outcome::Failed { .. } | Outcome::LeftToOthers { .. } => {
            let name = path.file_name().unwrap_or_default();
            TRACERS.iter().any(|tracer| name == *tracer)
        }
        _ => false,
    }
}

/// Takes away what joined; a list that does not mention it, or that is gone,
/// holds nothing of ours.
pub fn leave(joined: &Joined) -> Outcome {
    let failed = |e: io::Error| Outcome::Failed {
        wanted: format!("what it was before {}", joined.mention),
        cause: e.to_string(),
    };
    match std::fs::read_to_string(&joined.path) {
        Ok(text) if !text.contains(&joined.mention) => return Outcome::Left,
        Err(e) if e.kind() == ErrorKind::NotFound => return Outcome::Left,
        Err(e) => return failed(e),
        Ok(_) => {}
    }
    for _ in 0..TRIES {
        match append(&joined.path, &joined.leave) {
            Ok(()) => return Outcome::Left,
            Err(e) if e.kind() == ErrorKind::ResourceBusy => std::thread::sleep(LETTING_GO),
            Err(e) => return failed(e),
        }
    }
    failed(ErrorKind::ResourceBusy.into())
}

/// Truncating a list would empty it.
pub fn append(path: &Path, text: &str) -> io::Result<()> {
    let mut file = OpenOptions::new().append(true).open(path)?;
    // The kernel takes a command by a write.
    file.write_all(text.as_bytes())
}
