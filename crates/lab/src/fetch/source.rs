//! Single files of the kernel's own source, out of the package that holds all
//! of it. Taking them out goes through the whole archive, so every file that
//! any scenario names is taken at once, and kept.

use super::apt::Apt;
use super::package::unpack_source;
use crate::cache::emptied;
use crate::command::quoted;
use crate::data::Data;
use crate::stop::{Stop, cannot};
use crate::workshop::Workshop;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The folder with the files of `package` that scenarios name.
///
/// # Errors
/// As apt; fails where the source has one of them not.
pub fn fetch(shop: Workshop, data: &Data, suite: &str, package: &str) -> Result<PathBuf, Stop> {
    let apt = Apt::open(shop, suite)?;
    let name = format!("sources/{}", apt.newest(package)?);
    let wanted = wanted(data, package);
    let place = shop.cache.path(&name);
    if wanted.iter().all(|file| place.join(file).is_file()) {
        return Ok(place);
    }
    // Another scenario came since.
    if place.exists() {
        emptied(&place)?;
        fs::remove_dir(&place).map_err(cannot("remove", &place))?;
    }
    shop.cache.whole(&name, |folder| {
        let files = apt.fetch(&[package.to_owned()])?;
        (shop.say)(&format!("taking {} files out of {package}", wanted.len()));
        let member = |name: &String| quoted(&Path::new(package).join(name));
        let members: Vec<String> = wanted.iter().map(member).collect();
        let members = members.join(" ");
        let doing = format!("take files out of {package}");
        files
            .iter()
            .try_for_each(|file| unpack_source(shop, (file, package), &members, folder, &doing))
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
