//! The C compiler, for peers whose source is ours.

use super::command::{finish, succeed};
use std::path::{Path, PathBuf};
use std::process::Command;

const COMPILER: &str = "cc";
/// Command that installs a C compiler.
pub const INSTALL: &str = "apt install gcc libc6-dev";

/// Whether a C compiler can be run.
pub fn is_there() -> bool {
    finish(Command::new(COMPILER).arg("--version")).is_ok()
}

/// The program `name` of this source, in `folder`, with -O2.
pub fn compile(folder: &Path, name: &str, source: &str) -> Result<PathBuf, String> {
    let (file, program) = (folder.join(format!("{name}.c")), folder.join(name));
    std::fs::write(&file, source).map_err(|e| format!("cannot write {}: {e}", file.display()))?;
    let mut compiler = Command::new(COMPILER);
    compiler.args(["-O2", "-o"]).arg(&program).arg(&file);
    succeed(compiler.arg("-lm"))?;
    Ok(program)
}
