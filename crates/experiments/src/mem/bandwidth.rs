//! # mem/bandwidth - How fast memory can be read, written, copied and filled
//!
//! How many bytes per second go through one CPU, and through all of them at
//! once, by where the data are and by which instructions move them?
//!
//! ## Counts
//! One pass over the working set: every byte of `size` read, written, copied
//! or filled once, by one kernel. Bytes are counted once: a copy of 1 MiB
//! counts 1 MiB, not the 2 MiB that were read and written. With several CPUs
//! each works on buffers of its own of this size; an operation is one pass by
//! all of them, and its bytes are the bytes of all. GB/s are 10^9 bytes per
//! second.
//!
//! ## Does not count
//! Page faults (all pages are touched first) and getting the workers of other
//! CPUs to the starting line. What the processor moves on top is not counted as
//! bytes: a store that misses first reads the line it will overwrite, so an
//! ordinary copy moves three bytes over the memory bus for each byte counted
//! here. The time until the slowest CPU has finished does count.
//!
//! ## Origin
//! The convention of lmbench `bw_mem` (McVoy and Staelin, USENIX 1996), which
//! counts the bytes of the size argument; STREAM (McCalpin, 1995) counts reads
//! and writes and so prints twice our figure for a copy. The choice of methods
//! follows `perf bench mem` and the optimisation manuals of the processors.
//!
//! ## Theory
//! While both buffers fit into the first-level cache, the limit is how many
//! loads and stores the core can start per cycle and how wide each is: 512-bit
//! vectors move a whole line at once, machine words an eighth of it. There the
//! instruction set is everything.
//!
//! Beyond the first level the limit becomes the number of lines that a core can
//! have under way. A core has some ten to fifty places for outstanding lines;
//! with a latency of 100 ns each, fifty lines of 64 bytes make 32 GB/s, and no
//! instruction can make it more. Little's law again: bandwidth is concurrency
//! divided by latency. Prefetching, by hardware or by instruction, helps as far
//! as it fills places that would have stayed empty, and hurts where it only adds
//! instructions.
//!
//! An ordinary store to a line that is not in the cache reads it first
//! (write-allocate). A non-temporal store does not: it collects a whole line and
//! sends it to memory. That saves one of three transfers of a copy and half of
//! the transfers of a fill, and it leaves the caches to others; but the line is
//! then *not* in the cache when it is needed. So non-temporal stores lose by
//! a factor of several while the data fit and win beyond. Where the two curves
//! cross is a property of the machine, and one of the findings. `rep movsb` lets
//! the microcode choose, and it may use a protocol that software cannot.
//!
//! All CPUs together are faster than one until they meet at something shared:
//! the last cache level, the memory controllers, the interconnect. In private
//! caches the sum grows with the number of CPUs; in memory a few CPUs fill the
//! controllers. On a virtual machine the neighbours share them too.
//!
//! *Fill* stores one byte value everywhere, as memset does; *write* stores a
//! different value in every word. They differ only where the hardware treats
//! constant data specially. For the same reason a large copy is also made from
//! a source of nothing but zeros (`content=zeros`): some memory systems move
//! those faster, and a benchmark that copies freshly cleared memory (`perf bench
//! mem` does) then promises what no program with data in its buffers will see.

mod claims;
mod crew;
mod findings;
mod plan;
mod points;
#[cfg(test)]
mod tests;
mod work;
mod zeros;

use catalogue::{AxisSpec, Experiment, Figure};
use crew::{Crew, Order};
use engines::{loops, verdict};
use harness::{Context, Fault, Point, SetupError, Subject};
use record::axis::human_bytes;
use record::{FigureHead, MachineCard, MarkKind, Unit};
use std::cell::RefCell;
use std::rc::Rc;
use work::Work;

const OPERATIONS: &[&str] = &["read", "write", "copy", "fill"];

/// What the source holds: words that all differ, or zeros.
const CONTENTS: &[&str] = &["data", "zeros"];

const AXES: &[AxisSpec] = &[
    AxisSpec::word("operation", "what is done with the working set", OPERATIONS),
    AxisSpec::word("method", "instructions that move the bytes", loops::METHODS).compared(),
    AxisSpec::bytes(
        "size",
        "working set of each CPU; a copy has a second buffer of this size",
    ),
    AxisSpec::number(
        "cores",
        Unit::Count,
        "CPUs that work at once, each on buffers of its own",
    ),
    AxisSpec::word(
        "content",
        "what the source holds: words that all differ, or zeros",
        CONTENTS,
    )
    .compared(),
];

/// Passes before each batch bring the caches to the state that the method itself
/// leaves there, not the one measured before it. One is not always enough: after
/// non-temporal stores a large last-level cache takes lines back only slowly.
const WARM_PASSES: usize = 3;
/// Nor may they take much longer than a batch: all of them together cover no more
/// than this, or one pass over a larger set. That one stays: a last-level cache
/// full of another method's dirty lines is written back at this one's expense.
const WARM_BYTES: usize = 32 << 20;

struct Bandwidth {
    warm_passes: u64,
    crew: Rc<RefCell<Crew>>,
    work: Work,
    notes: Vec<String>,
    /// Why a turn had no end.
    lost: RefCell<Option<Fault>>,
}

impl Bandwidth {
    fn run(&self, crew: &mut Crew, ops: u64) {
        let work = self.work;
        if let Err(lost) = crew.turn(Order::Run { work, ops }) {
            self.lost.borrow_mut().get_or_insert(lost);
        }
    }
}

impl Subject for Bandwidth {
    fn batch(&mut self, _part: u16, ops: u64) {
        self.run(&mut self.crew.borrow_mut(), ops);
    }

    fn prepare(&mut self, _part: u16) {
        let mut crew = self.crew.borrow_mut();
        self.run(&mut crew, self.warm_passes);
        crew.gather();
    }

    fn verify(&mut self) -> Result<(), Fault> {
        verdict::kept(self.lost.borrow().as_ref())?;
        crew::check(&mut self.crew.borrow_mut(), self.work)
    }

    fn notes(&self) -> Vec<String> {
        self.notes.clone()
    }
}

fn setup(point: &Point, context: &Context) -> Result<Box<dyn Subject>, SetupError> {
    let (operation, method) = (point.word("operation"), point.word("method"));
    let work = choose(operation, method)?;
    let others = other_cpus(point.size("cores"), context)?;
    let size = point.size("size");
    enough_memory(size, others.len() + 1, context)?;
    let mut cpus = others.iter().copied();
    cpus.try_for_each(harness::affinity::bindable)?;
    let crew = crew::shared(size, point.word("content") == "zeros", &others)?;
    Ok(Box::new(Bandwidth {
        warm_passes: (WARM_BYTES / size.max(1)).clamp(1, WARM_PASSES) as u64,
        crew,
        work,
        notes: notes(method, &context.card),
        lost: RefCell::new(None),
    }))
}

fn choose(operation: &str, method: &str) -> Result<Work, SetupError> {
    let kernels = loops::find(method).map_err(|m| SetupError::skip(m.reason, m.remedy))?;
    Work::pick(operation, &kernels).ok_or_else(|| {
        let executable = loops::executable();
        let mut others = methods_for(operation, std::env::consts::ARCH);
        others.retain(|other| executable.contains(other));
        SetupError::skip(
            format!("method {method} has no {operation}"),
            format!("choose one that has: --axis method={}", others.join(",")),
        )
    })
}

/// Methods of an architecture that know an operation, whether or not this
/// processor has the instructions.
fn methods_for(operation: &str, arch: &str) -> Vec<&'static str> {
    let without: &[&str] = match operation {
        "read" => &["libc", "memmove", "movsb", "nt"],
        "write" => &["libc", "memmove", "movsb"],
        "fill" => &["memmove"],
        _ => &[],
    };
    let mut methods = loops::methods_of(arch);
    methods.retain(|m| !without.contains(m));
    methods
}

/// CPUs for the workers in addition to the calling thread.
fn other_cpus(cores: usize, context: &Context) -> Result<Vec<u32>, SetupError> {
    let others = context.cpus.iter().filter(|c| **c != context.test_cpu);
    let chosen: Vec<u32> = others.copied().take(cores.saturating_sub(1)).collect();
    match chosen.len() + 1 {
        usable if usable < cores => Err(SetupError::skip(
            format!("{cores} CPUs are wanted and this process may use {usable}"),
            format!("--axis cores=1..{usable}"),
        )),
        _ => Ok(chosen),
    }
}

fn enough_memory(size: usize, cores: usize, context: &Context) -> Result<(), SetupError> {
    let wanted = 2 * size as u64 * cores as u64;
    let limit = context.memory_available_bytes / 2;
    if wanted <= limit {
        return Ok(());
    }
    Err(SetupError::skip(
        format!(
            "the buffers take {}, and at most {} may be used",
            human_bytes(wanted),
            human_bytes(limit)
        ),
        format!("--axis size=64..{}", limit / 2 / cores as u64),
    ))
}

fn notes(method: &str, card: &MachineCard) -> Vec<String> {
    match method {
        "nt" | "prefetch" => vec![format!("{} bit vectors", loops::widest_bits())],
        "movsb" => {
            let mut fast = vec!["erms", "fsrm"];
            fast.retain(|f| card.features.iter().any(|have| have == f));
            vec![match fast.as_slice() {
                [] => "the processor does not announce fast string moves".to_owned(),
                some => format!("the processor announces {}", some.join(" and ")),
            }]
        }
        _ => Vec::new(),
    }
}

fn figures() -> Vec<FigureHead> {
    let figure = |title: &str, x| Figure::of(title, x, "bandwidth").log_x().log_y();
    let one_cpu = |operation: &&str| {
        figure(&format!("{operation} by one CPU"), "size")
            .series(&["method"])
            .only(&[("operation", operation)])
            .at("cores", 1)
            .only(&[("content", "data")])
            .marks(&[MarkKind::CacheSizes])
            .reading(
                "GB/s = 10^9 bytes per second, each byte of the working set counted once \
                 (copied, not read + written; STREAM would print twice the figure for a copy). \
                 A copy has two buffers of this size, so it leaves a cache at half the marked \
                 size.",
            )
    };
    let several = figure("copying on several CPUs at once (libc)", "cores")
        .series(&["size"])
        .only(&[
            ("operation", "copy"),
            ("method", "libc"),
            ("content", "data"),
        ])
        .reading(
            "GB/s of all CPUs together, each byte counted once (copied, not read + written). A \
             line that rises in proportion is private to each CPU; one that stays flat is shared \
             by them.",
        );
    OPERATIONS.iter().map(one_cpu).chain([several]).collect()
}

pub static EXPERIMENT: Experiment = Experiment {
    axes: AXES,
    parts: &[("latency", "time of one pass over the working set")],
    bytes_per_op: |point| Some(point.size("size") as u64 * point.size("cores") as u64),
    grids: plan::grids,
    setup,
    figures,
    claims: claims::CLAIMS,
    findings: findings::findings,
    ..Experiment::EMPTY
};
