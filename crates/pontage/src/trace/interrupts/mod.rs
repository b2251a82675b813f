//! `pontage trace interrupts`: what /proc/interrupts, /proc/softirqs and
//! /proc/stat counted around a command.

mod table;

use super::arguments::Interrupts;
use super::command::{self, Running};
use crate::commands;
use crate::failure::{Failure, Outcome};
use crate::output;
use machine::CpuList;
use probe::interrupts::Reading;
use std::io;
use std::path::Path;
use std::time::{Duration, Instant};
use table::Counted;

/// Where neither a time nor a command is given.
const USUAL: Duration = Duration::from_secs(1);

/// # Errors
/// A CPU that is not there, a command that cannot be started.
pub fn run(arguments: &Interrupts) -> Outcome {
    commands::check_program(&arguments.command)?;
    let root = Path::new("/");
    let before = match Reading::take(root) {
        Ok(reading) => reading,
        Err(cause) => return absent(&cause),
    };
    let wanted = wanted(arguments.cpu.as_ref(), before.cpus())?;
    let stop = harness::signals::stop_flag()
        .map_err(|e| Failure::new(format!("cannot watch for signals: {e}")))?;
    // The table is read again, so that what came before does not count.
    let before = Reading::take(root).unwrap_or(before);
    let began = Instant::now();
    let mut running = Running::start_any(&arguments.command)?;
    let usual = || running.is_none().then_some(USUAL);
    let time = arguments.seconds.or_else(usual);
    command::look_on(running.as_mut(), time, &stop, || false);
    let seconds = began.elapsed().as_secs_f64();
    let after = Reading::take(root)
        .map_err(|e| Failure::new(format!("cannot read /proc/interrupts: {e}")))?;
    let counted = Counted {
        seconds,
        command: command::described(&arguments.command),
        passed: before.until(&after, wanted),
    };
    let document = || counted.document(output::width());
    output::study(arguments.format, document, || &counted)?;
    command::ended(running)
}

fn absent(cause: &io::Error) -> Outcome {
    let remedy = match cause.kind() {
        io::ErrorKind::NotFound => "sudo mount -t proc proc /proc",
        io::ErrorKind::PermissionDenied => "sudo pontage trace interrupts ...",
        _ => "none: it needs a kernel that counts interrupts by CPU",
    };
    let reason = format!("cannot read /proc/interrupts: {cause}");
    Ok(super::absent("interrupts", &reason, remedy))
}

fn wanted<'a>(asked: Option<&'a CpuList>, known: &[u32]) -> Result<Option<&'a [u32]>, Failure> {
    let Some(asked) = asked else { return Ok(None) };
    if let Some(missing) = asked.iter().find(|cpu| !known.contains(cpu)) {
        let known: CpuList = known.iter().copied().collect();
        return Err(
            Failure::new(format!("cannot count on CPU {missing}: it is not online"))
                .hint(format!("online: {known}")),
        );
    }
    Ok(Some(asked.numbers()))
}
