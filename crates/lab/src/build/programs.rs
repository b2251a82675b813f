//! Test programs: C files, each a static program of its own for the guest's
//! processor; scripts go as they are.

use super::{C_FLAGS, tree};
use crate::command;
use crate::data::{Architecture, Scenario};
use crate::stop::Stop;
use crate::workshop::Workshop;
use std::path::{Path, PathBuf};

const FLAGS: [&str; 2] = ["-static", "-pthread"];

/// The programs of `scenario`, ready to be copied into its guest.
///
/// # Errors
/// Whatever the compiler says, warnings included.
pub fn build(
    shop: Workshop,
    scenario: &Scenario,
    root: &Path,
    architecture: Architecture,
) -> Result<Vec<PathBuf>, Stop> {
    let folder = shop.folder(&format!("programs/{}", architecture.debian()))?;
    // Small enough to be compiled each time, so that a changed header counts.
    let compiled = |source: PathBuf| {
        let program = folder.join(source.file_stem().unwrap_or_default());
        let mut compiler = command::tied(&architecture.compiler());
        compiler.args(C_FLAGS).args(FLAGS);
        compiler.args(&scenario.program_flags);
        compiler.arg("-o").args([&program, &source]);
        let doing = format!("compile {}", source.display());
        shop.run(compiler.current_dir(root), &doing)?;
        Ok(program)
    };
    let mut programs = Vec::new();
    for pattern in &scenario.programs {
        for source in tree::matching(root, pattern)? {
            let is_c = source.extension().is_some_and(|e| e == "c");
            programs.push(if is_c { compiled(source)? } else { source });
        }
    }
    Ok(programs)
}
