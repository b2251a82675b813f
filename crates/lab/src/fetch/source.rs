//! Single files of the kernel's own source, out of the package that holds all
//! of it. Taking them out goes through the whole archive, so every file that
//! any scenario names is taken at once, and kept.

use super::apt::Apt;
use crate::cache::{Cache, emptied};
use crate::command::{self, quoted};
use crate::data::Data;
use crate::stop::{Stop, cannot};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::AtomicBool;

/// The folder with the files of `package` that scenarios name.
///
/// # Errors
/// As apt; fails where the source has one of them not.
pub fn fetch(
    cache: &Cache,
    data: &Data,
    suite: &str,
    package: &str,
    say: &dyn Fn(&str),
    stop: &AtomicBool,
) -> Result<PathBuf, Stop> {
    let apt = Apt::open(cache, suite, say, stop)?;
    let name = format!("sources/{}", apt.newest(package)?);
    let wanted = wanted(data, package);
    let place = cache.path(&name);
    if wanted.iter().all(|file| place.join(file).is_file()) {
        return Ok(place);
    }
    // Another scenario came since.
    if place.exists() {
        emptied(&place)?;
        fs::remove_dir(&place).map_err(cannot("remove", &place))?;
    }
    cache.whole(&name, |folder| {
        let files = apt.fetch(&[package.to_owned()], say)?;
        say(&format!("taking {} files out of {package}", wanted.len()));
        for file in &files {
            extract(file, package, &wanted, folder, stop)?;
        }
        Ok(())
    })
}

fn wanted(data: &Data, package: &str) -> BTreeSet<String> {
    data.scenarios
        .values()
        .flat_map(|s| &s.from_source)
        .filter(|from| from.package == package)
        .flat_map(|from| from.files.iter().cloned())
        .collect()
}

/// The archive lies inside the package and is never written out.
fn extract(
    file: &Path,
    package: &str,
    wanted: &BTreeSet<String>,
    folder: &Path,
    stop: &AtomicBool,
) -> Result<(), Stop> {
    let member = |name: &String| quoted(&Path::new(package).join(name));
    let members: Vec<String> = wanted.iter().map(member).collect();
    let script = format!(
        "set -o pipefail; dpkg --fsys-tarfile {} | tar -xO ./usr/src/{package}.tar.xz | \
         tar -xJ -C {} --strip-components=1 {}",
        quoted(file),
        quoted(folder),
        members.join(" ")
    );
    let doing = format!("take files out of {package}");
    let mut shell: Command = command::tied("bash");
    command::run(shell.args(["-c", &script]), &doing, stop).map(|_| ())
}
