//! Conclusions about simulated machines, held against what these are: the program of crate zoo.

use crate::command::cargo;
use std::path::Path;

/// Runs it; all words go to it.
pub fn run(root: &Path, words: &[&str]) -> Result<String, String> {
    let status = cargo(root)
        .args(["run", "-q", "--release", "-p", "zoo", "--"])
        .args(words)
        .status()
        .map_err(|e| format!("cannot run the zoo: {e}"))?;
    match status.success() {
        true => Ok(String::new()),
        false => Err(format!("the zoo ended with {status}")),
    }
}
