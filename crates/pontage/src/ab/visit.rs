//! A process started afresh, that ends before anything goes on.

use super::{Ended, stopped};
use crate::failure::Failure;
use harness::children::{end_group, has_ended, signal_group};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Between two looks at the signals.
const LOOK: Duration = Duration::from_millis(50);
/// For a child that was asked to end in order.
const PATIENCE: Duration = Duration::from_secs(10);
/// SIGINT is 2 on every architecture of Linux.
const INTERRUPT: i32 = 2;

/// Starts `command` and waits until it has ended. The process has a group of its own, so that
/// Ctrl-C reaches it once, from here.
///
/// # Errors
/// Where it cannot be started; when a signal asked to end.
pub fn ended(command: &mut Command, stop: &AtomicBool) -> Result<ExitStatus, Ended> {
    let name = command.get_program().to_string_lossy().into_owned();
    let failed = |doing: &str, e: std::io::Error| {
        Ended::Failed(Failure::new(format!("cannot {doing} {name}: {e}")))
    };
    let started = command.process_group(0).spawn();
    let mut child = started.map_err(|e| failed("start", e))?;
    while !has_ended(child.id(), LOOK) {
        if stopped(stop) {
            interrupt(&mut child);
            return Err(Ended::Interrupted);
        }
    }
    let status = child.wait().map_err(|e| failed("wait for", e))?;
    // Asked to end while it ended by itself.
    match stopped(stop) {
        true => Err(Ended::Interrupted),
        false => Ok(status),
    }
}

fn interrupt(child: &mut Child) {
    signal_group(child.id(), INTERRUPT);
    if !has_ended(child.id(), PATIENCE) {
        end_group(child.id());
    }
    // Nothing is left to be done about one that cannot be collected.
    let _ = child.wait();
}
