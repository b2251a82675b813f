//! The one program that every guest has: shell, insmod, mount and the rest.

use super::apt::Apt;
use super::package::unpack;
use crate::data::Architecture;
use crate::stop::{Stop, cannot};
use crate::workshop::Workshop;
use std::fs;
use std::path::{Path, PathBuf};

/// busybox by itself, for kernels that do not come as packages.
///
/// # Errors
/// As apt.
pub fn fetch(shop: Workshop, apt: &Apt, architecture: Architecture) -> Result<PathBuf, Stop> {
    let package = [format!("busybox-static:{}", architecture.debian())];
    let folder = format!("busybox/{}", apt.newest(&package[0])?);
    let place = shop.cache.whole(&folder, |root| {
        for file in apt.fetch(&package)? {
            unpack(shop, &file, root)?;
        }
        lift(root)
    })?;
    Ok(place.join("busybox"))
}

/// From where its package has it to the top; newer distributions keep programs
/// under /usr only.
pub(super) fn lift(root: &Path) -> Result<(), Stop> {
    let found = ["bin/busybox", "usr/bin/busybox"]
        .iter()
        .map(|below| root.join(below))
        .find(|path| path.is_file())
        .ok_or_else(|| Stop::failed("cannot find busybox: its package does not contain it"))?;
    fs::rename(&found, root.join("busybox")).map_err(cannot("move", &found))
}
