//! Programs of the host: found, started so that they end with us, listened to.

use crate::stop::Stop;
use std::env;
use std::ffi::OsStr;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::atomic::{AtomicBool, Ordering};

/// Last lines of a failed program's output that a message repeats.
const TAIL_LINES: usize = 12;

/// Where a program is. Folders of the administrator count too: depmod and
/// others need no rights for what is done here.
pub fn find(name: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let more = ["/usr/sbin", "/sbin"].map(PathBuf::from);
    env::split_paths(&path)
        .chain(more)
        .map(|folder| folder.join(name))
        .find(|file| {
            let meta = file.metadata();
            meta.is_ok_and(|m| m.is_file() && m.permissions().mode() & 0o111 != 0)
        })
}

/// A program that the kernel kills when we die, even by kill -9: setpriv asks
/// for it and then becomes the program, so the process number is its own.
pub fn tied(name: &str) -> Command {
    let program = find(name).unwrap_or_else(|| PathBuf::from(name));
    let mut command = Command::new("setpriv");
    command.args(["--pdeathsig", "KILL"]).arg(program);
    command.env("LC_ALL", "C");
    command
}

/// Runs to the end; returns standard output.
///
/// # Errors
/// When it cannot be started or fails, with its last lines.
pub fn run(command: &mut Command, doing: &str, stop: &AtomicBool) -> Result<String, Stop> {
    let output = output(command, doing, stop)?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    Err(Stop::failed(format!(
        "cannot {doing}: {}\n{}",
        output.status,
        tail(&both(&output))
    )))
}

/// As `run`, for programs whose failure is judged by the caller.
pub fn output(command: &mut Command, doing: &str, stop: &AtomicBool) -> Result<Output, Stop> {
    let output = command.output();
    // Ctrl-C ends the program too; that is then not its own failure.
    if stop.load(Ordering::Relaxed) {
        return Err(Stop::Interrupted);
    }
    output.map_err(|e| {
        let program = command.get_program().to_string_lossy().into_owned();
        Stop::failed(format!("cannot {doing}: cannot start {program}: {e}"))
    })
}

/// Standard output and standard error of a program.
pub fn both(output: &Output) -> String {
    let mut text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.push_str(&String::from_utf8_lossy(&output.stderr));
    text
}

/// The last lines of a text.
pub fn tail(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let from = lines.len().saturating_sub(TAIL_LINES);
    lines[from..].join("\n")
}

/// A word in single quotes for the shell.
pub fn quoted(path: &Path) -> String {
    let text: &OsStr = path.as_os_str();
    format!("'{}'", text.to_string_lossy().replace('\'', r"'\''"))
}
