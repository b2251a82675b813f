//! Packages that apt fetched.

use crate::command::{self, quoted};
use crate::stop::Stop;
use crate::workshop::Workshop;
use std::path::Path;

/// Into a folder of ours: nothing is installed.
pub(super) fn unpack(shop: Workshop, file: &Path, root: &Path) -> Result<(), Stop> {
    let doing = format!("unpack {}", file.display());
    let mut dpkg = command::tied("dpkg");
    shop.run(dpkg.arg("-x").args([file, root]), &doing)
        .map(drop)
}

/// Takes the source of a kernel out of its package, or those `members` of it. The archive
/// lies inside the package and is never written out.
pub(super) fn unpack_source(
    shop: Workshop,
    (file, package): (&Path, &str),
    members: &str,
    folder: &Path,
    doing: &str,
) -> Result<(), Stop> {
    let script = format!(
        "dpkg --fsys-tarfile {} | tar -xO ./usr/src/{package}.tar.xz | \
         tar -xJ -C {} --strip-components=1 {members}",
        quoted(file),
        quoted(folder),
    );
    shop.script(&script, doing)
}
