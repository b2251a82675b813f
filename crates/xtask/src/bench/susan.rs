//! SUSAN smoothing against a straightforward program in C of the same result, compiled
//! here and now.

use super::compiler::{compile, must_be_there};
use super::ours::Ours;
use super::row::{Row, Rows};
use super::turns::Turns;
use crate::command::{cargo, pinned, succeed};
use std::cell::RefCell;
use std::path::Path;

const SOURCE: &str = include_str!("susan_smooth.c");
const EXAMPLE: &str = "time_smoothing";
/// As both programs call the images, and how large they are.
const SIZES: [(&str, &str); 2] = [("large", "108 KiB"), ("huge", "1 MiB")];
/// Turns of each, in alternation, of so much measuring.
const TURNS: usize = 9;
const BUDGET_MS: &str = "500";
/// Not slower; and what the machine itself differs by from turn to turn.
const MOST: f64 = 1.0 + 0.03;

/// Time of an image, ours against the C program.
pub fn smoothing(ours: &Ours) -> Rows {
    must_be_there("SUSAN smoothing against C at -O2")?;
    let mut build = cargo(&ours.root);
    build.args(["build", "--release", "-q", "-p", "pontage-workload"]);
    succeed(build.args(["--example", EXAMPLE]))?;
    let mine = ours.binary.with_file_name("examples").join(EXAMPLE);
    let theirs = compile(&ours.folder, "susan_smooth", SOURCE)?;
    let rows = SIZES.map(|(size, bytes)| compared(ours.cpu, size, bytes, &mine, &theirs));
    Ok(rows.into_iter().collect::<Result<_, _>>()?)
}

fn compared(cpu: u32, size: &str, bytes: &str, ours: &Path, peer: &Path) -> Result<Row, String> {
    let digests = RefCell::new(Vec::new());
    let image_ms = |program: &Path| {
        let (digest, ns) = image(cpu, program, size)?;
        digests.borrow_mut().push(digest);
        Ok(ns / 1e6)
    };
    let turns = Turns::about(TURNS, "ms", || image_ms(ours), || image_ms(peer))?;
    let mut digests = digests.into_inner();
    digests.dedup();
    if digests.len() > 1 {
        return Err(format!("cannot compare: images came out as {digests:?}"));
    }
    let what = format!("SUSAN smoothing of {bytes}");
    Ok(turns.row(&what, "C at -O2", 0.0..=MOST))
}

/// Digest of the image, and the time that it took, ns.
fn image(cpu: u32, program: &Path, size: &str) -> Result<(String, f64), String> {
    let mut command = pinned(cpu, &program.to_string_lossy());
    read(&succeed(command.args([size, BUDGET_MS]))?.stdout)
}

fn read(text: &str) -> Result<(String, f64), String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let [digest, ns] = words.as_slice() else {
        return Err(format!("cannot read a digest and a time from {text:?}"));
    };
    let ns = ns
        .parse()
        .map_err(|e| format!("cannot read the time {ns:?} of an image: {e}"))?;
    Ok(((*digest).to_owned(), ns))
}

#[cfg(test)]
mod tests {
    use super::read;

    #[test]
    fn a_digest_and_a_time_are_read() {
        assert_eq!(read("00ff 1234\n"), Ok(("00ff".to_owned(), 1234.0)));
        assert!(read("00ff\n").is_err() && read("00ff x").is_err());
    }
}
