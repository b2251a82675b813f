//! Plugins of QEMU: the C files of a folder, made into a shared object for the
//! host by its own compiler.

use super::tree;
use crate::cache::Cache;
use crate::command;
use crate::stop::{Stop, cannot};
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

/// Whatever compiler the host calls its own: the object is loaded by a program of
/// the host.
pub const COMPILER: &str = "cc";

const FLAGS: [&str; 9] = [
    "-std=gnu11",
    "-O2",
    "-g",
    "-Wall",
    "-Wextra",
    "-Werror",
    "-fPIC",
    "-fvisibility=hidden",
    "-shared",
];

/// The shared object of plugin `name`, a folder of the clone's `lab/plugins`.
///
/// # Errors
/// Whatever the compiler says, warnings included.
pub fn build(cache: &Cache, root: &Path, name: &str, stop: &AtomicBool) -> Result<PathBuf, Stop> {
    // Two clones on one machine share the cache.
    let mut hasher = DefaultHasher::new();
    root.canonicalize()
        .map_err(cannot("find", root))?
        .hash(&mut hasher);
    let place = format!("{name}-{:016x}", hasher.finish());
    let folder = cache.path("plugins").join(place);
    fs::create_dir_all(&folder).map_err(cannot("make", &folder))?;
    let object = folder.join(format!("{name}.so"));
    let sources = tree::matching(root, &format!("lab/plugins/{name}/*.c"))?;
    let mut compiler = command::tied(COMPILER);
    compiler.args(FLAGS).arg("-o").arg(&object).args(sources);
    command::run(&mut compiler, &format!("compile plugin {name}"), stop)?;
    Ok(object)
}
