//! # offload/latency - One copy between user and kernel, by the CPU or by DMA
//!
//! What does one copy between user memory and a kernel buffer cost by a DMA
//! engine, what by the CPU, from which size on is the engine cheaper, and where
//! does its time go?
//!
//! ## Counts
//! One copy of `size` bytes inside the kernel, from the call of the routine to
//! its return, read from the kernel's monotonic clock by the module cftu
//! (`latency`). With `context=cpu` that is copy_from_user or copy_to_user. With
//! DMA it is everything that a driver has to do: finding a channel, pinning the
//! user's pages (only with `pages=pin_per_copy`), mapping them for the engine,
//! submitting, waiting for the end, unmapping, unpinning; heads and tails that an
//! engine cannot take are copied by the CPU, and that is counted too. A copy in
//! chunks counts all of them.
//!
//! A second pass times each of these phases (`gate` to `cpu_copy`); reading the
//! clock between them lengthens the copy, which `phased` tells and `latency` is
//! spared. A third pass, never flushed, gives the CPU time that the calling task
//! spends on a copy (`cpu_time`).
//!
//! ## Does not count
//! The system call that asks for the copy, and what two readings of the clock cost:
//! measured with nothing between them, it is given as floor with every time and is
//! taken off the value. Pinning of `pages=pinned`: once, before the first copy.
//! Flushing. `cpu_time` is the calling task's only: interrupts, threads and soft
//! interrupts of the engine's driver are not in it, so that a software engine looks
//! as if it cost no CPU at all. It includes a small share of the call, less the same
//! call around nothing.
//!
//! ## Origin
//! The micro-benchmark of latency of the I/OAT-CFTU documentation (A. Papa,
//! Universita di Roma Tor Vergata, 2013), figures 2.1 to 2.8: 300 repetitions of
//! 1 B to 32 MiB, warm and with flushed caches, by CPU, exclusive and shared
//! channel. It pinned the pages before the clock started; so does
//! `pages=pinned`. The phases are ours.
//!
//! ## Theory
//! The CPU copies at once: no preparation, a few bytes per cycle, and the bytes end
//! up in its caches, whether anybody wants them there or not. A DMA engine has a
//! price of admission that does not depend on the size: a descriptor, a write to the
//! device, an interrupt, a wake-up. Then it moves bytes at its own rate, from and to
//! memory, while the CPU is free. So the two curves are a line from the origin and a
//! line with an offset. They cross where the offset has been earned back, or never:
//! where one channel is slower per byte than a core, no size is large enough. The
//! finding `break_even` says which of the two this machine shows.
//!
//! Pinning has a price per page, some tens of nanoseconds each for pinning and
//! unpinning, and mapping may have one, too (an IOMMU, or bounce buffers). Copying a
//! page of 4 KiB that is in the cache costs a CPU about as much. This is why offload
//! of ordinary user memory so often loses: what the engine saves is spent on asking
//! for the pages. Huge pages make it 512 times cheaper, registered buffers free.
//! Compare `pages` and `memory`.
//!
//! Time and CPU time have different break-evens. Asleep until the interrupt, the
//! task spends CPU only on preparation and wake-up, so that offload may win CPU time
//! long before it wins time. Polling gives all of that back for a shorter wait.
//!
//! *Warm* is kind to the CPU, which finds both sides in its cache; the engine does
//! not see a cache and may even be held up by dirty lines in it. *Flushed* is what a
//! copy meets whose data came from a device a while ago.

mod figures;
mod findings;
mod floor;
mod grid;
#[cfg(test)]
mod tests;

use catalogue::{AxisSpec, Experiment, Tally, joined, moment};
use engines::offload::axes::{self, CACHE, KERNEL_BUFFER, MEMORY, PAGES, SIZE, WAIT};
use engines::offload::desk::{self, Copier, Desk};
use engines::offload::ends::{Ends, Manner, Material};
use engines::offload::refused;
use engines::verdict;
use floor::once;
use harness::{Context, Fault, Point, Reading, SetupError, Shape, Subject};
use std::rc::Rc;
use uapi::{Class, Engine, Error, Measuring, Reason, Sample};

/// As in the study.
const REPETITIONS: u32 = 300;

const PARTS: &[(&str, &str)] = &[
    ("latency", "time of one copy"),
    (
        "phased",
        "time of one copy whose phases are timed too, which lengthens it",
    ),
    (
        "cpu_time",
        "CPU time of the calling task for one copy, not flushed; interrupts and threads of the \
         engine are not included",
    ),
];
const LATENCY: u16 = EXPERIMENT.metric("latency");
const PHASED: u16 = EXPERIMENT.metric("phased");
const CPU_TIME: u16 = EXPERIMENT.metric("cpu_time");

/// Phases of a copy, in the order of the tallies.
const PHASES: [Tally; 8] = [
    Tally::time("gate", "waiting for the policy's gate and a channel"),
    Tally::time("pin", "pinning the user's pages"),
    Tally::time("map", "mapping both sides for the engine"),
    Tally::time("submit", "preparing and submitting descriptors"),
    Tally::time("wait", "waiting for the engine"),
    Tally::time("unmap", "unmapping"),
    Tally::time("unpin", "unpinning"),
    Tally::time(
        "cpu_copy",
        "bytes that the CPU copied instead of the engine",
    ),
];

const TALLIES: &[Tally] = &joined::<_, 10>(&moment::OF_MONOTONIC, &PHASES);

const CONTEXTS: &[&str] = &["cpu", "exclusive", "shared"];

const AXES: &[AxisSpec] = &[
    axes::direction(&["from_user", "to_user"]),
    CACHE,
    axes::context(CONTEXTS),
    PAGES,
    WAIT,
    MEMORY,
    KERNEL_BUFFER,
    SIZE,
];

/// Copies of a sample of CPU time: enough that the call around them is a small
/// part, and no more bytes than this where one is enough.
const CPU_TIME_COPIES: u32 = 64;
const CPU_TIME_BYTES: usize = 256 << 10;

struct Latency {
    ends: Ends,
    manner: Manner,
    flush: bool,
    cpu_copies: u32,
    floor_ns: f64,
    cpu_floor_ns: f64,
    last: Last,
    /// The first thing that went wrong.
    fault: Option<Fault>,
    /// Copies of the first pass of which the CPU did a part, and why.
    mended: u32,
    reason: Reason,
    taken: u32,
    // Dropped last: the policy outlives what uses it.
    desk: Rc<Desk>,
}

/// What the module reported of the last batch.
enum Last {
    Nothing,
    Copy(Sample),
    CpuTime { elapsed_ns: u64 },
}

impl Latency {
    fn new(
        desk: Rc<Desk>,
        mut ends: Ends,
        manner: Manner,
        flush: bool,
    ) -> Result<Self, SetupError> {
        let copies = CPU_TIME_BYTES / ends.bytes().max(1);
        let cpu_copies = u32::try_from(copies).unwrap_or(u32::MAX);
        let cpu_copies = cpu_copies.clamp(1, CPU_TIME_COPIES);
        let floor_ns = floor::of_clock(&mut ends, manner).map_err(|e| refused(&e))?;
        let cpu_floor_ns = floor::of_cpu_time(&mut ends, manner, cpu_copies);
        let cpu_floor_ns = cpu_floor_ns.map_err(|e| refused(&e))?;
        Ok(Latency {
            ends,
            manner,
            flush,
            cpu_copies,
            floor_ns,
            cpu_floor_ns,
            last: Last::Nothing,
            fault: None,
            mended: 0,
            reason: Reason::None,
            taken: 0,
            desk,
        })
    }

    /// One copy. Warm, it follows another one in the same call, as its
    /// predecessor leaves the caches, not what this program does in between.
    fn copy(&mut self, phases: bool) -> Result<Last, Error> {
        let measured = self.ends.measure(
            self.manner,
            Measuring {
                repetitions: if self.flush { 1 } else { 2 },
                flush: self.flush,
                phases,
                ..once(1)
            },
        )?;
        Ok(measured
            .samples
            .into_iter()
            .next_back()
            .map_or(Last::Nothing, Last::Copy))
    }

    fn cpu_time(&mut self) -> Result<Last, Error> {
        let measured = self.ends.measure(self.manner, once(self.cpu_copies))?;
        Ok(Last::CpuTime {
            elapsed_ns: measured.thread_cpu_ns,
        })
    }

    /// Whose bytes were they? Of the copies that count.
    fn note_engine(&mut self) {
        let Last::Copy(sample) = &self.last else {
            return;
        };
        self.taken += 1;
        if self.manner.engine == Engine::Policy && sample.dma_bytes < self.ends.bytes() as u64 {
            self.mended += 1;
            self.reason = sample.reason;
        }
    }
}

impl Subject for Latency {
    fn batch(&mut self, part: u16, _ops: u64) {
        let ns = match part {
            CPU_TIME => self.cpu_time(),
            _ => self.copy(part == PHASED),
        };
        self.last = ns.unwrap_or_else(|error| {
            self.fault.get_or_insert(Fault::wrong(error.to_string()));
            Last::Nothing
        });
        if part == LATENCY {
            self.note_engine();
        }
    }

    fn sampling_begins(&mut self) {
        (self.taken, self.mended) = (0, 0);
    }

    fn reading(&mut self, _part: u16) -> Option<Reading> {
        match &self.last {
            Last::Copy(sample) => Some(Reading {
                ops: 1,
                elapsed_ns: sample.end_ns.saturating_sub(sample.start_ns) as f64,
                floor_ns: self.floor_ns,
                cpu: u16::try_from(sample.cpu_end).ok(),
                turn: None,
            }),
            Last::CpuTime { elapsed_ns } => Some(Reading {
                ops: u64::from(self.cpu_copies),
                elapsed_ns: *elapsed_ns as f64,
                floor_ns: self.cpu_floor_ns,
                cpu: None,
                turn: None,
            }),
            // `verify` says why, and the point fails.
            Last::Nothing => None,
        }
    }

    fn tally(&mut self, part: u16) -> Vec<f64> {
        let mut all = vec![f64::NAN; TALLIES.len()];
        match (&self.last, part) {
            (Last::Copy(sample), LATENCY) => {
                all[..2].copy_from_slice(&moment::tallies(sample.start_ns, 1));
            }
            (Last::Copy(sample), PHASED) => {
                let p = &sample.phases;
                let phases = [
                    p.gate_ns,
                    p.pin_ns,
                    p.map_ns,
                    p.submit_ns,
                    p.wait_ns,
                    p.unmap_ns,
                    p.unpin_ns,
                    p.cpu_copy_ns,
                ];
                all[2..].copy_from_slice(&phases.map(|ns| ns as f64));
            }
            _ => {}
        }
        all
    }

    fn verify(&mut self) -> Result<(), Fault> {
        verdict::kept(self.fault.as_ref())?;
        self.ends.check(self.manner).map(|_| ())
    }

    fn notes(&self) -> Vec<String> {
        let mut notes = self.desk.notes();
        notes.extend(self.ends.notes());
        notes.push(format!(
            "the module's clock reads {:.0} ns around nothing",
            self.floor_ns
        ));
        if self.mended > 0 {
            let (mended, taken, why) = (self.mended, self.taken, self.reason.sentence());
            notes.push(format!(
                "the CPU did a part of {mended} of {taken} copies: {why}"
            ));
        }
        notes
    }
}

fn setup(point: &Point, context: &Context) -> Result<Box<dyn Subject>, SetupError> {
    let desk = desk::opened(Copier::of(point, 0, 0))?;
    let flush = point.word("cache") == "flushed";
    if flush && !desk.device.features().flush {
        let reason = "the module cannot flush cache lines on this processor";
        return Err(SetupError::skip(reason, "--axis cache=warm"));
    }
    let manner = Manner {
        direction: axes::direction_of(point),
        engine: desk.copier.engine(),
        wait: axes::wait_of(point),
        class: Class::Low,
    };
    let mut ends = Ends::new(&desk.device, Material::of(point), context)?;
    by_the_engine(&mut ends, manner)?;
    Ok(Box::new(Latency::new(desk, ends, manner, flush)?))
}

/// A copy of which the engine takes no byte is none by DMA.
fn by_the_engine(ends: &mut Ends, manner: Manner) -> Result<(), SetupError> {
    if manner.engine != Engine::Policy {
        return Ok(());
    }
    let copied = ends.check(manner)?;
    if copied.dma_bytes > 0 {
        return Ok(());
    }
    let (why, remedy) = (copied.reason.sentence(), copied.reason.remedy());
    Err(SetupError::skip(
        format!("the engine takes no byte of it: {why}"),
        remedy.unwrap_or("none at this size: larger copies go by DMA"),
    ))
}

pub static EXPERIMENT: Experiment = Experiment {
    axes: AXES,
    parts: PARTS,
    tallies: TALLIES,
    shape: |_| Shape::Single {
        repetitions: REPETITIONS,
    },
    bytes_per_op: |point| Some(point.size("size") as u64),
    grids: |preset, _| grid::grids(preset),
    setup,
    figures: figures::figures,
    toll: |_| figures::toll(),
    claims: findings::CLAIMS,
    findings: |table, _| findings::findings(table),
    ..Experiment::EMPTY
};
