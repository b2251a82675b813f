//! The whole source of a kernel, out of the package that holds it.

use super::apt::Apt;
use crate::cache::Cache;
use crate::command::{self, quoted};
use crate::stop::Stop;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

/// The source in `package`, unpacked once (1.5 GB); never written into.
///
/// # Errors
/// As apt and tar.
pub fn fetch(
    cache: &Cache,
    apt: &Apt,
    package: &str,
    say: &dyn Fn(&str),
    stop: &AtomicBool,
) -> Result<PathBuf, Stop> {
    let name = format!("trees/{}", apt.newest(package)?);
    cache.whole(&name, |folder| {
        let files = apt.fetch(&[package.to_owned()], say)?;
        say(&format!("unpacking {package}"));
        for file in &files {
            let script = format!(
                "set -o pipefail; dpkg --fsys-tarfile {} | tar -xO ./usr/src/{package}.tar.xz | \
                 tar -xJ -C {} --strip-components=1",
                quoted(file),
                quoted(folder),
            );
            command::run(
                command::tied("bash").args(["-c", &script]),
                &format!("unpack {package}"),
                stop,
            )?;
        }
        Ok(())
    })
}
