//! The whole source of a kernel, out of the package that holds it.

use super::apt::Apt;
use super::package::unpack_source;
use crate::stop::Stop;
use crate::workshop::Workshop;
use std::path::PathBuf;

/// The source in `package`, unpacked once (1.5 GB); never written into.
///
/// # Errors
/// As apt and tar.
pub fn fetch(shop: Workshop, apt: &Apt, package: &str) -> Result<PathBuf, Stop> {
    let name = format!("trees/{}", apt.newest(package)?);
    shop.cache.whole(&name, |folder| {
        let files = apt.fetch(&[package.to_owned()])?;
        (shop.say)(&format!("unpacking {package}"));
        let doing = format!("unpack {package}");
        files
            .iter()
            .try_for_each(|file| unpack_source(shop, (file, package), "", folder, &doing))
    })
}
