//! Test programs: C files, each a static program of its own for the guest's
//! processor; scripts go as they are.

use crate::cache::Cache;
use crate::command;
use crate::data::{Architecture, Scenario};
use crate::stop::{Stop, cannot};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use super::tree;

const FLAGS: [&str; 8] = [
    "-std=gnu11",
    "-O2",
    "-g",
    "-Wall",
    "-Wextra",
    "-Werror",
    "-static",
    "-pthread",
];

/// The programs of `scenario`, ready to be copied into its guest.
///
/// # Errors
/// Whatever the compiler says, warnings included.
pub fn build(
    cache: &Cache,
    scenario: &Scenario,
    root: &Path,
    architecture: Architecture,
    stop: &AtomicBool,
) -> Result<Vec<PathBuf>, Stop> {
    let folder = cache.path("programs").join(architecture.debian());
    fs::create_dir_all(&folder).map_err(cannot("make", &folder))?;
    let mut programs = Vec::new();
    for pattern in &scenario.programs {
        for source in tree::matching(root, pattern)? {
            let is_c = source.extension().is_some_and(|e| e == "c");
            programs.push(match is_c {
                true => compiled(
                    &source,
                    &folder,
                    &scenario.program_flags,
                    root,
                    architecture,
                    stop,
                )?,
                false => source,
            });
        }
    }
    Ok(programs)
}

/// Small enough to be compiled each time, so that a changed header counts.
fn compiled(
    source: &Path,
    folder: &Path,
    flags: &[String],
    root: &Path,
    architecture: Architecture,
    stop: &AtomicBool,
) -> Result<PathBuf, Stop> {
    let program = folder.join(source.file_stem().unwrap_or_default());
    let mut compiler = command::tied(&architecture.compiler());
    compiler.args(FLAGS).args(flags).current_dir(root);
    compiler.arg("-o").args([&program, source]);
    command::run(
        &mut compiler,
        &format!("compile {}", source.display()),
        stop,
    )?;
    Ok(program)
}
