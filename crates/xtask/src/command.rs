//! Running a command: its output, its time, its last lines when it failed.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

/// A command that has ended; `code` is None where a signal ended it.
pub struct Done {
    pub stdout: String,
    pub stderr: String,
    pub seconds: f64,
    pub code: Option<i32>,
}

/// Runs the command to its end, whatever its exit status, and prints nothing.
pub fn observe(command: &mut Command) -> Result<Done, String> {
    let began = Instant::now();
    let output = command
        .stdin(Stdio::null())
        .output()
        .map_err(|e| format!("cannot run {}: {e}", name(command)))?;
    Ok(Done {
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        seconds: began.elapsed().as_secs_f64(),
        code: output.status.code(),
    })
}

/// Runs the command to its end, whatever its exit status; what it said is printed if it failed.
pub fn finish(command: &mut Command) -> Result<Done, String> {
    observe(command).inspect(|done| {
        if done.code != Some(0) {
            eprint!("{}", done.stderr);
        }
    })
}

/// Runs the command; any exit status but 0 is an error.
pub fn succeed(command: &mut Command) -> Result<Done, String> {
    let done = finish(command)?;
    if done.code == Some(0) {
        return Ok(done);
    }
    let status = done
        .code
        .map_or("a signal".to_owned(), |c| format!("status {c}"));
    Err(format!(
        "cannot finish {}: it ended with {status}",
        name(command)
    ))
}

/// The cargo that runs this program, in the repository's root.
pub fn cargo(root: &Path) -> Command {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(root);
    cargo
}

/// A command bound to one CPU.
pub fn pinned(cpu: u32, program: &str) -> Command {
    let mut command = Command::new("taskset");
    command.args(["-c", &cpu.to_string(), program]);
    command
}

fn name(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words
        .map(|word| word.to_string_lossy().into_owned())
        .collect::<Vec<_>>()
        .join(" ")
}

#[cfg(test)]
mod tests {
    use super::{finish, succeed};
    use std::process::Command;

    #[test]
    fn failures_name_the_command() {
        let error = succeed(&mut Command::new("false")).map(|_| ()).unwrap_err();
        assert_eq!(error, "cannot finish false: it ended with status 1");
        let error = finish(&mut Command::new("/nowhere/x"))
            .map(|_| ())
            .unwrap_err();
        assert!(error.starts_with("cannot run /nowhere/x: "), "{error}");
    }
}
