//! `pontage copies`: a live profile of the copies that the kernel makes.

pub mod arguments;
mod profile;
mod render;
mod store;

use crate::failure::{Failure, NOTHING_RUNS, Outcome, say_skip};
use crate::{dma, output};
use arguments::Copies;
use machine::tunable::POSSIBLE_CPUS;
use profile::Profile;
use render::Ended;
use std::io::IsTerminal;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};
use store::Store;
use uapi::Device;
use uapi::trace::{Capture, CaptureSettings, Record, RecordRing, State, Taken};

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
    dma::is_machine(&arguments.root)?;
    let device = match Device::open_below(&arguments.root) {
        Ok(device) => device,
        Err(error) => return refused(&error, None),
    };
    if !device.features().trace {
        let reason = "module cftu was built without the recorder";
        let remedy =
            "rebuild it: make -C kernel && sudo rmmod cftu && sudo insmod kernel/cftu/cftu.ko";
        say_skip(WHAT, reason, remedy);
        return Ok(NOTHING_RUNS);
    }
    let capture = match Capture::start(&device, &recording) {
        Ok(capture) => capture,
        Err(error) => return refused(&error, device.recorder().ok().as_ref()),
    };
    let symbols = probe::tracefs::functions(Path::new("/"));
    let machine = machine::read(&arguments.root);
    let parent = arguments.out.as_ref();
    let mut store = parent
        .map(|parent| Store::create(parent, &machine, &symbols))
        .transpose()?;
    let recorded = record(arguments, &capture, &mut store)?;
    let ended = Ended {
        profile: &recorded.profile,
        state: &recorded.state,
        symbols: &symbols,
        lost_records: recorded.lost,
        callers: arguments.callers as usize,
        emulated: machine.virtualisation.emulated.is_some(),
    };
    if let Some(store) = store {
        store.close(&ended, recorded.cut_at)?;
    }
    output::study(
        arguments.format,
        || render::document(&ended),
        || render::json(&ended),
    )
}

fn recording(arguments: &Copies) -> Result<CaptureSettings, Failure> {
    let (min, max) = (arguments.min_size.unwrap_or(0), arguments.max_size);
    if let Some(max) = max.filter(|max| *max < min) {
        return Err(Failure::new(format!(
            "cannot record copies: no size is at least {min} and at most {max} bytes"
        ))
        .hint("--min-size must not be above --max-size"));
    }
    let (records_per_cpu, slots_per_cpu) = match arguments.records {
        true => (RECORDS_PER_CPU, 0),
        false => (0, SLOTS_PER_CPU),
    };
    let cpus = arguments.cpu.iter();
    Ok(CaptureSettings {
        records_per_cpu,
        slots_per_cpu,
        length_min_bytes: min,
        length_max_bytes: max,
        cpus: cpus.flat_map(machine::CpuList::iter).collect(),
        without_process: Some(std::process::id()),
        ..CaptureSettings::default()
    })
}

/// What came of a capture.
struct Recorded {
    profile: Profile,
    state: State,
    /// Gaps of the sequence numbers, where records were read.
    lost: Option<u64>,
    /// Seconds that were asked for, where a signal ended it before.
    cut_at: Option<u64>,
}

/// Waits, empties the rings, tells how it goes, and ends in order.
fn record(
    arguments: &Copies,
    capture: &Capture,
    store: &mut Option<Store<'_>>,
) -> Result<Recorded, Failure> {
    let stop = harness::signals::stop_flag()
        .map_err(|e| Failure::new(format!("cannot catch signals: {e}")))?;
    let mut profile = Profile::default();
    let cpus = possible_cpus();
    let ringed: &[u32] = if arguments.records { &cpus } else { &[] };
    let rings = ringed.iter().map(|cpu| capture.ring(*cpu));
    let mut rings: Vec<RecordRing> = rings.collect::<Result<_, _>>().map_err(Failure::new)?;
    let mut taking = Taking {
        profile: &mut profile,
        store,
        portion: Vec::new(),
    };
    // From here on a signal ends it in order, and every copy is read.
    harness::message!(
        "recording the kernel's copies for {} s; Ctrl-C ends it",
        arguments.seconds
    );
    let whole = wait(arguments.seconds, &stop, capture, &mut rings, &mut taking)?;
    let state = capture.stop().map_err(Failure::new)?;
    for ring in &mut rings {
        taking.from(ring, RecordRing::finish)?;
    }
    if !arguments.records {
        for cpu in cpus {
            let slots = capture.histogram(cpu).map_err(Failure::new)?;
            slots.iter().for_each(|slot| profile.add_slot(slot));
        }
    }
    let lost = rings.iter().map(|r| r.sequences().lost_in_all()).sum();
    Ok(Recorded {
        profile,
        state,
        lost: arguments.records.then_some(lost),
        cut_at: (!whole).then_some(arguments.seconds),
    })
}

/// Where records go as they are read.
struct Taking<'a, 'b> {
    profile: &'a mut Profile,
    store: &'a mut Option<Store<'b>>,
    portion: Vec<Record>,
}

type Take = fn(&mut RecordRing, &mut dyn FnMut(&Record)) -> Result<Taken, uapi::Error>;

impl Taking<'_, '_> {
    /// What a ring holds is counted, and stored before the next ring is read.
    fn from(&mut self, ring: &mut RecordRing, take: Take) -> Result<(), Failure> {
        self.portion.clear();
        take(ring, &mut |record| {
            self.profile.add_record(record);
            if self.store.is_some() {
                self.portion.push(*record);
            }
        })
        .map_err(Failure::new)?;
        match self.store {
            Some(store) => store.append(ring.cpu(), &self.portion),
            None => Ok(()),
        }
    }
}

/// Whether it waited as long as was asked for: no signal came.
fn wait(
    seconds: u64,
    stop: &AtomicBool,
    capture: &Capture,
    rings: &mut [RecordRing],
    taking: &mut Taking<'_, '_>,
) -> Result<bool, Failure> {
    let shows_progress = std::io::stderr().is_terminal();
    // Emptying rings takes its time, which must not make the capture longer.
    let began = Instant::now();
    let mut shown = 0;
    loop {
        if stop.load(Ordering::Relaxed) {
            return Ok(false);
        }
        let now = began.elapsed().as_secs();
        if now >= seconds {
            return Ok(true);
        }
        sleep(TAKE_EVERY);
        for ring in rings.iter_mut() {
            taking.from(ring, RecordRing::take)?;
        }
        if shows_progress && now > shown {
            let state = capture.state().map_err(Failure::new)?;
            harness::message!("{}", render::progress(now, &state));
            shown = now;
        }
    }
}

/// A ring or a histogram for each CPU that may ever come.
fn possible_cpus() -> Vec<u32> {
    let list: machine::CpuList = POSSIBLE_CPUS.value().unwrap_or_default();
    match list.is_empty() {
        true => vec![0],
        false => list.iter().collect(),
    }
}

/// Where no probe could be attached, each says what it met.
fn refused(error: &uapi::Error, state: Option<&State>) -> Outcome {
    let status = dma::refused(WHAT, error)?;
    let probes = state.iter().flat_map(|s| &s.probes);
    for probe in probes.filter(|p| p.errno != 0) {
        let cause = std::io::Error::from_raw_os_error(probe.errno.abs());
        harness::message!("note: cannot probe {}: {cause}", probe.symbol);
    }
    Ok(status)
}
