//! `pontage copies`: a live profile of the copies that the kernel makes.

pub mod arguments;
mod profile;
mod render;
mod symbols;

use crate::arguments::TextOrJson;
use crate::failure::{Failure, NOTHING_RUNS, Outcome};
use crate::output;
use arguments::Copies;
use profile::Profile;
use render::Ended;
use std::io::IsTerminal;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::sleep;
use std::time::Duration;
use symbols::Symbols;
use uapi::Device;
use uapi::trace::{Capture, Recording, Ring, State};

const WHAT: &str = "copies";
const RECORDS_PER_CPU: u32 = 1 << 16;
const SLOTS_PER_CPU: u32 = 1 << 14;
/// Rings are emptied this often, so that 65536 places last for 600,000 copies
/// a second on a CPU.
const TAKE_EVERY: Duration = Duration::from_millis(100);

/// # Errors
/// Sizes that exclude each other, or what the module refused.
pub fn run(arguments: &Copies) -> Outcome {
    let recording = recording(arguments)?;
    let device = match Device::open_below(&arguments.root) {
        Ok(device) => device,
        Err(error) => return refused(&error, None),
    };
    if !device.features().trace {
        tell_skip(
            "module cftu was built without the recorder",
            "rebuild it: make -C kernel && sudo rmmod cftu && sudo insmod kernel/cftu/cftu.ko",
        );
        return Ok(NOTHING_RUNS);
    }
    let capture = match Capture::start(&device, &recording) {
        Ok(capture) => capture,
        Err(error) => return refused(&error, device.recorder().ok().as_ref()),
    };
    let (profile, state, lost_records) = record(arguments, &capture)?;
    let kallsyms = std::fs::read_to_string("/proc/kallsyms").unwrap_or_default();
    let ended = Ended {
        profile: &profile,
        state: &state,
        symbols: &Symbols::parse(&kallsyms),
        lost_records,
        callers: arguments.callers as usize,
        emulated: machine::read(&arguments.root)
            .virtualisation
            .emulated
            .is_some(),
    };
    match arguments.format {
        TextOrJson::Text => output::data(&render::text(&ended)),
        TextOrJson::Json => output::json(&render::json(&ended)),
    }
}

fn recording(arguments: &Copies) -> Result<Recording, Failure> {
    let (min, max) = (arguments.min_size.unwrap_or(0), arguments.max_size);
    if let Some(max) = max.filter(|max| *max < min) {
        return Err(Failure::new(format!(
            "cannot record copies: no size is at least {min} and at most {max} bytes"
        ))
        .hint("--min-size must not be above --max-size"));
    }
    Ok(Recording {
        records_per_cpu: if arguments.records {
            RECORDS_PER_CPU
        } else {
            0
        },
        slots_per_cpu: if arguments.records { 0 } else { SLOTS_PER_CPU },
        operations: Vec::new(),
        length_min_bytes: min,
        length_max_bytes: max,
        cpus: arguments
            .cpu
            .iter()
            .flat_map(machine::CpuList::iter)
            .collect(),
        without_process: Some(std::process::id()),
    })
}

/// Waits, empties the rings, tells how it goes, and ends in order.
fn record(arguments: &Copies, capture: &Capture) -> Result<(Profile, State, Option<u64>), Failure> {
    let stop = harness::signals::stop_flag()
        .map_err(|e| Failure::new(format!("cannot catch signals: {e}")))?;
    let mut profile = Profile::default();
    let cpus = possible_cpus();
    let mut rings = match arguments.records {
        true => cpus
            .iter()
            .map(|cpu| capture.ring(*cpu))
            .collect::<Result<_, _>>(),
        false => Ok(Vec::new()),
    }
    .map_err(|e| Failure::new(&e))?;
    wait(arguments.seconds, &stop, capture, &mut rings, &mut profile)?;
    let state = capture.stop().map_err(|e| Failure::new(&e))?;
    for ring in &mut rings {
        ring.finish(|r| profile.add_record(r))
            .map_err(|e| Failure::new(&e))?;
    }
    if !arguments.records {
        for cpu in cpus {
            let slots = capture.histogram(cpu).map_err(|e| Failure::new(&e))?;
            slots.iter().for_each(|slot| profile.add_slot(slot));
        }
    }
    let lost = rings.iter().map(|r| r.sequences().lost_in_all()).sum();
    Ok((profile, state, arguments.records.then_some(lost)))
}

fn wait(
    seconds: u64,
    stop: &AtomicBool,
    capture: &Capture,
    rings: &mut [Ring],
    profile: &mut Profile,
) -> Result<(), Failure> {
    let told = std::io::stderr().is_terminal();
    let steps = seconds * 10;
    for step in 1..=steps {
        if stop.load(Ordering::Relaxed) {
            break;
        }
        sleep(TAKE_EVERY);
        for ring in rings.iter_mut() {
            ring.take(|r| profile.add_record(r))
                .map_err(|e| Failure::new(&e))?;
        }
        if told && step % 10 == 0 {
            let state = capture.state().map_err(|e| Failure::new(&e))?;
            eprintln!("{}", render::progress(step / 10, &state));
        }
    }
    Ok(())
}

/// A ring or a histogram for each CPU that may ever come.
fn possible_cpus() -> Vec<u32> {
    let text = std::fs::read_to_string("/sys/devices/system/cpu/possible").unwrap_or_default();
    let list: machine::CpuList = text.trim().parse().unwrap_or_default();
    match list.is_empty() {
        true => vec![0],
        false => list.iter().collect(),
    }
}

/// Absence is a SKIP; where no probe could be attached, each says what it met.
fn refused(error: &uapi::Error, state: Option<&State>) -> Outcome {
    let Some((reason, remedy)) = error.skip() else {
        let failure = Failure::new(error);
        return Err(match error.hint() {
            Some(hint) => failure.hint(hint),
            None => failure,
        });
    };
    tell_skip(&reason, &remedy);
    for probe in state
        .iter()
        .flat_map(|s| &s.probes)
        .filter(|p| p.errno != 0)
    {
        let cause = std::io::Error::from_raw_os_error(probe.errno.abs());
        eprintln!("note: cannot probe {}: {cause}", probe.symbol);
    }
    Ok(NOTHING_RUNS)
}

fn tell_skip(reason: &str, remedy: &str) {
    eprintln!("SKIP {WHAT}: {reason}\nenable: {remedy}");
}
