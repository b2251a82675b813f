//! What a newcomer waits for: the clean build, and the program's start.

use super::numbers::median;
use super::ours::Ours;
use super::row::{Row, Rows};
use crate::command::{cargo, succeed};
use std::fs;
use std::process::Command;

const BUILD_LIMIT_MIN: f64 = 4.0;
const SIZE_LIMIT_MB: f64 = 12.0;
const START_LIMIT_MS: f64 = 20.0;
const STARTS: usize = 50;

/// A release build from nothing, without a compiler cache. Crates that cargo
/// has downloaded already are not downloaded again.
pub fn clean(ours: &Ours) -> Rows {
    let target = ours.folder.join("build");
    let mut build = cargo(&ours.root);
    build
        .args(["build", "--release", "-q", "-p", "pontage", "--target-dir"])
        .arg(&target)
        .env_remove("RUSTC_WRAPPER")
        .env_remove("CARGO_BUILD_RUSTC_WRAPPER");
    let minutes = succeed(&mut build)?.seconds / 60.0;
    Ok(vec![Row::limit(
        "clean release build",
        minutes,
        BUILD_LIMIT_MIN,
        "min",
    )])
}

/// Size of the binary, and `pontage --version` from spawn to exit.
pub fn start(ours: &Ours) -> Rows {
    let path = &ours.binary;
    let bytes = fs::metadata(path)
        .map_err(|e| format!("cannot stat {}: {e}", path.display()))?
        .len();
    let mut starts = Vec::with_capacity(STARTS);
    for _ in 0..STARTS {
        let done = succeed(Command::new(path).arg("--version"))?;
        starts.push(done.seconds * 1000.0);
    }
    Ok(vec![
        Row::limit(
            "size of the binary",
            bytes as f64 / 1e6,
            SIZE_LIMIT_MB,
            "MB",
        ),
        Row::limit(
            "start (median of 50)",
            median(&starts),
            START_LIMIT_MS,
            "ms",
        ),
    ])
}
