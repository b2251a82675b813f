//! Runs faults, each in a folder of its own.

use crate::fault::{Fault, Needs, Refused};
use crate::refusal::Refusal;
use std::fs::Permissions;
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// A run that hangs is ended after this, by timeout(1), with status 124.
const LONGEST_S: &str = "120";
const NOBODY: &str = "65534";
/// A script's own way to say that the machine lacks what it needs.
const LACKS: i32 = 77;
/// What a program prints that ends by a fault of its own.
const DEATHS: [&str; 3] = ["panicked at", "stack backtrace", "has overflowed its stack"];

/// What a line begins with that says why something was not done.
const CAUSES: [&str; 2] = ["pontage: cannot", "SKIP"];

/// How a fault went.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    AsExpected {
        status: i32,
        says: String,
    },
    Differs {
        status: i32,
        says: String,
        why: String,
        stderr: String,
    },
    Skipped {
        reason: String,
    },
}

/// A place to run faults in.
#[derive(Debug)]
pub struct Bench {
    folder: tempfile::TempDir,
    program: PathBuf,
    is_root: bool,
}

impl Bench {
    /// # Errors
    /// When a temporary folder cannot be made, or the program not be put there.
    pub fn new(program: &Path) -> io::Result<Self> {
        let folder = tempfile::Builder::new()
            .prefix("pontage-faults-")
            .tempdir()?;
        open_to_all(folder.path())?;
        let is_root = std::fs::metadata("/proc/self")?.uid() == 0;
        let mut program = std::path::absolute(program)?;
        if is_root {
            // Where nobody can reach it too.
            let reachable = folder.path().join("pontage");
            std::fs::hard_link(&program, &reachable)
                .or_else(|_| std::fs::copy(&program, &reachable).map(drop))?;
            program = reachable;
        }
        Ok(Bench {
            folder,
            program,
            is_root,
        })
    }

    /// Injects one fault.
    ///
    /// # Errors
    /// When it cannot be injected at all.
    pub fn inject(&self, fault: &Fault) -> io::Result<Verdict> {
        if fault.needs == Needs::Root && !self.is_root {
            let reason = "needs root: sudo cargo xtask faults".to_owned();
            return Ok(Verdict::Skipped { reason });
        }
        let here = self.folder.path().join(fault.name.replace('/', "-"));
        std::fs::create_dir(&here)?;
        open_to_all(&here)?;
        let mut command = self.command(fault, &here);
        let output = match refusal(fault) {
            Some(Err(reason)) => return Ok(Verdict::Skipped { reason }),
            Some(Ok(refusal)) => refusal.output(&mut command)?,
            None => command.output()?,
        };
        Ok(judged(fault, &output))
    }

    fn command(&self, fault: &Fault, here: &Path) -> Command {
        let mut command = Command::new("timeout");
        command.args(["-k", "5", LONGEST_S]);
        if fault.needs == Needs::User && self.is_root {
            command.args(["setpriv", "--reuid", NOBODY, "--regid", NOBODY]);
            command.arg("--clear-groups");
        }
        command
            .args(["bash", "-c", &fault.runnable()])
            .current_dir(here)
            .stdin(Stdio::null())
            .env("PONTAGE", &self.program)
            .env("PONTAGE_STATE_DIR", here.join("journal"))
            .env("LC_ALL", "C")
            .env("NO_COLOR", "1");
        command
    }
}

fn open_to_all(folder: &Path) -> io::Result<()> {
    std::fs::set_permissions(folder, Permissions::from_mode(0o1777))
}

fn refusal(fault: &Fault) -> Option<Result<Refusal, String>> {
    match fault.refused {
        Refused::Nothing => None,
        Refused::Calls(calls, errno) => Some(Refusal::of(calls, errno)),
        Refused::Deadly(calls) => Some(Refusal::deadly(calls)),
        Refused::Threads => Some(Refusal::threads()),
    }
}

fn judged(fault: &Fault, output: &Output) -> Verdict {
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    // As a shell reports it: 128 and the number of the signal.
    let of_signal = output.status.signal().map_or(-1, |signal| 128 + signal);
    let status = output.status.code().unwrap_or(of_signal);
    // What comes before it is progress.
    let cause = stderr
        .lines()
        .find(|line| CAUSES.iter().any(|word| line.starts_with(word)));
    let cause = cause.or_else(|| stderr.lines().next());
    let says = cause.unwrap_or_default().to_owned();
    if status == LACKS && !fault.status.contains(&LACKS) {
        return Verdict::Skipped { reason: says };
    }
    let death = DEATHS.iter().find(|death| stderr.contains(**death));
    let why = if let Some(death) = death {
        format!("it {death}")
    } else if !fault.status.contains(&status) {
        "its exit status".to_owned()
    } else if !stderr.contains(fault.says) {
        format!("it does not say {:?}", fault.says)
    } else {
        return Verdict::AsExpected { status, says };
    };
    Verdict::Differs {
        status,
        says,
        why,
        stderr,
    }
}
