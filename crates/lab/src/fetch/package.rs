//! Packages that apt fetched.

use crate::command;
use crate::stop::Stop;
use std::path::Path;
use std::sync::atomic::AtomicBool;

/// Into a folder of ours: nothing is installed.
pub(super) fn unpack(file: &Path, root: &Path, stop: &AtomicBool) -> Result<(), Stop> {
    let doing = format!("unpack {}", file.display());
    command::run(
        command::tied("dpkg").arg("-x").args([file, root]),
        &doing,
        stop,
    )
    .map(|_| ())
}
