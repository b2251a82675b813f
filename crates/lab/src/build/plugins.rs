//! Plugins of QEMU: the C files of a folder, made into a shared object for the
//! host by its own compiler.

use super::{C_FLAGS, tree};
use crate::command;
use crate::stop::{Stop, cannot};
use crate::workshop::{Workshop, own_name};
use std::path::{Path, PathBuf};

/// Whatever compiler the host calls its own: the object is loaded by a program of
/// the host.
pub const COMPILER: &str = "cc";

const FLAGS: [&str; 3] = ["-fPIC", "-fvisibility=hidden", "-shared"];

/// The shared object of plugin `name`, a folder of the clone's `lab/plugins`.
///
/// # Errors
/// Whatever the compiler says, warnings included.
pub fn build(shop: Workshop, root: &Path, name: &str) -> Result<PathBuf, Stop> {
    let real = root.canonicalize().map_err(cannot("find", root))?;
    let folder = shop.folder(&format!("plugins/{}", own_name(name, real)))?;
    let object = folder.join(format!("{name}.so"));
    let sources = tree::matching(root, &format!("lab/plugins/{name}/*.c"))?;
    let mut compiler = command::tied(COMPILER);
    compiler
        .args(C_FLAGS)
        .args(FLAGS)
        .arg("-o")
        .arg(&object)
        .args(sources);
    shop.run(&mut compiler, &format!("compile plugin {name}"))?;
    Ok(object)
}
