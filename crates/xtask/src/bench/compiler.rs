//! The C compiler, for peers whose source is ours.

use super::row::{Row, Unmeasured};
use crate::command::{finish, succeed};
use crate::files;
use std::path::{Path, PathBuf};
use std::process::Command;

const COMPILER: &str = "cc";
/// Command that installs a C compiler.
const INSTALL: &str = "apt install gcc libc6-dev";

/// Skips `what` where no C compiler can be run.
pub fn must_be_there(what: &str) -> Result<(), Unmeasured> {
    match finish(Command::new(COMPILER).arg("--version")) {
        Ok(_) => Ok(()),
        Err(_) => Err(Unmeasured::Skipped(Row::skipped(
            what,
            "no C compiler",
            INSTALL,
        ))),
    }
}

/// The program `name` of this source, in `folder`, with -O2.
pub fn compile(folder: &Path, name: &str, source: &str) -> Result<PathBuf, String> {
    let (file, program) = (folder.join(format!("{name}.c")), folder.join(name));
    files::write(&file, source)?;
    let mut compiler = Command::new(COMPILER);
    compiler.args(["-O2", "-o"]).arg(&program).arg(&file);
    succeed(compiler.arg("-lm"))?;
    Ok(program)
}
