//! # pollute/probe - What a copy leaves of another program's working set
//!
//! A set of lines is in the caches. Another program copies some bytes. What share of the
//! set is gone?
//!
//! ## Counts
//! `evicted_all`: the share of the set's lines, of one in each KiB taken at random, that
//! are in no cache any more: whose next load takes longer than a threshold. First the
//! set is flushed (`history=fresh`), then all lines are read three times in random
//! order, then `copied` bytes are copied by `method` in blocks of `block`, then the
//! sampled lines are read, each load timed. The threshold is the one that errs least on
//! two controls, lines just read and lines just flushed; `control_error` is how often it
//! still errs in the middle one of their turns, and is given with each result. The time
//! is that of all the copying. `method=none` copies nothing, `flush` drops `copied` bytes
//! of the set itself: an eviction of known share.
//!
//! `evicted_near`: the share that has left the caches below the last level, which are the
//! CPU's own on most machines, for the last level or for memory. One such miss is shorter
//! than a clock tick, so the share is estimated from the fraction of slow loads among
//! those that hit, calibrated on a set just read (0 %) and on one just evicted by loads
//! of other data (100 %); `near_error` is the error of the estimate on such sets.
//!
//! Between two turns there is one without copies, as long as the copying took and 2 ms
//! at least: `alone_all` and `alone_near` are what neighbours evict meanwhile. A turn counts
//! for `evicted_all` where, on both its sides, neighbours alone evict little in the time of the
//! copying: of a set that fits the caches below the last level 0.01, of a larger one 0.1. It
//! counts for `evicted_near` where they also evicted at most 0.1 from those caches, in whatever
//! time: the other thread of a core has its part of them at once.
//! Turns go on until enough of them count, up to four times as many.
//!
//! ## Does not count
//! Lines that moved from the first to the second level: too little to be seen. What the
//! reading of clocks and counters between copy and probe evicts is in `method=none`.
//!
//! ## Origin
//! Prime and probe as of D. A. Osvik, A. Shamir and E. Tromer, "Cache Attacks and
//! Countermeasures" (CT-RSA 2006), put to a peaceful use; the question is that of
//! I/OAT-CFTU (A. Papa, Universita di Roma Tor Vergata, 2013), which had counters.
//!
//! ## Theory
//! A copy in place touches its two blocks and nothing else, however often it is made:
//! what fits the cache together with the set evicts nothing. A copy that walks through memory
//! brings in twice its bytes, and under strict least-recently-used replacement the set
//! would be gone when these come to the size of the cache. A last level that is shared
//! protects what has come back to it before: with `history=reused` the set is not
//! flushed between turns, with and without a copy, and after some tens of them little of
//! it is evicted. What such a cache does with lines that are new depends on what it has
//! seen of everybody, other tenants of the machine included: where copies come to between
//! the second level and the whole last one, `evicted_all` changes from one second to the
//! next, far more than `evicted_near` does. Non-temporal stores are to go past the caches;
//! whether their reads do is the processor's choice. A copy on another CPU cannot reach a
//! second-level cache that is not shared, unless a last level that is inclusive drops the
//! line for all. A copy by a DMA engine reaches none, unless it writes into the last level
//! (DCA, DDIO).
//!
//! Neighbouring lines must not be asked for one after the other: the miss on one
//! fetches the other. One in a KiB errs on none of two thousand, one in two lines on
//! one of twenty.

use catalogue::{AxisSpec, Experiment, Tally, joined};
use engines::cache_probe::resident::Resident;
use engines::cache_probe::turn::{Polluter, Probe};
use engines::copier::{Copier, METHODS, Wanted};
use engines::crew::body::Host;
use engines::memory::card::card_line;
use engines::placement::partner_cpu;
use engines::tasks::kinds::WorkKind;
use engines::tasks::task::{Seat, Task};
use harness::{Context, Point, SetupError, Shape, Subject};
use record::Placement;

/// Besides the methods that copy.
const NOTHING: &str = "none";
const KNOWN: &str = "flush";

const WORDS: [&str; METHODS.len() + 2] = joined(&[NOTHING, KNOWN], METHODS);

const AXES: &[AxisSpec] = &[
    AxisSpec::bytes("set", "size of the resident set"),
    AxisSpec::word(
        "placement",
        "CPU of the copies relative to the CPU of the set",
        Placement::WORDS,
    ),
    AxisSpec::word(
        "buffer",
        "one block repeatedly, or adjacent blocks through memory",
        BUFFERS,
    ),
    AxisSpec::word(
        "history",
        "the set is new in the caches, or was reloaded turn after turn",
        HISTORIES,
    ),
    AxisSpec::bytes("block", "bytes of a copy"),
    AxisSpec::word(
        "method",
        "what copies: the program, the kernel (from_user, to_user: a cached file in memory; \
         read_file: on the scratch folder's file system), a DMA engine; none, or a flush of known \
         share",
        &WORDS,
    ),
    AxisSpec::bytes("copied", "bytes copied between priming and probing"),
];
/// Words of the axis `buffer`.
pub const BUFFERS: &[&str] = &["walking", "in_place"];
const FRESH: &str = "fresh";
const REUSED: &str = "reused";
const HISTORIES: &[&str] = &[FRESH, REUSED];

const TALLIES: &[Tally] = &[
    Tally::ratio(
        "evicted_all",
        "share of the set's sampled lines that are no longer in any cache",
    ),
    Tally::ratio(
        "control_error",
        "share of loads that the threshold misclassifies on lines known to be cached and lines \
         known to be evicted, median of 15 turns",
    )
    .explains(),
    Tally::ratio(
        "evicted_near",
        "share of the set's sampled lines that left the caches before the last level",
    ),
    Tally::ratio(
        "near_error",
        "error of that share on sets known to be there and sets known to have left them",
    )
    .explains(),
    Tally::ratio(
        "alone_all",
        "share of the set's sampled lines that are in no cache after an equally long time, at \
         least 2 ms, in which nothing was copied: what neighbours evict",
    )
    .explains(),
    Tally::ratio(
        "alone_near",
        "share of them that left the caches before the last level in that time",
    )
    .explains(),
    Tally::ratio(
        "raw_all",
        "evicted_all of every turn, including those that do not count because neighbours evicted \
         lines; these have no evicted_all",
    )
    .explains(),
    Tally::ratio("raw_near", "evicted_near of every turn, likewise").explains(),
];
/// Metrics behind the time.
const EVICTED_ALL: u16 = EXPERIMENT.metric("evicted_all");
const CONTROL_ERROR: u16 = EXPERIMENT.metric("control_error");
const EVICTED_NEAR: u16 = EXPERIMENT.metric("evicted_near");
const NEAR_ERROR: u16 = EXPERIMENT.metric("near_error");
const ALONE_ALL: u16 = EXPERIMENT.metric("alone_all");

/// A walk goes through so many times what is copied between two probes, where there
/// is room: the next one shall not find its blocks in a cache.
const WALK: usize = 16;

/// Above this share of errors there is no answer.
const USELESS: f64 = 0.1;

fn setup(point: &Point, context: &Context) -> Result<Box<dyn Subject>, SetupError> {
    let there = partner_cpu(point.word("placement"), context)?;
    let line = card_line(&context.card).unwrap_or(64);
    let wanted = wanted(point);
    let mut notes = Vec::new();
    // First: its memory shall not push the set out of huge pages.
    let polluter = match (point.word("method"), there == context.test_cpu) {
        (NOTHING, _) => Polluter::None,
        (KNOWN, _) => Polluter::Flush(point.size("copied")),
        (_, true) => {
            let copier = Copier::new(&wanted, context)?;
            notes.push(copier.note());
            Polluter::Here(copier)
        }
        (_, false) => {
            let seat = Seat {
                number: 0,
                cpu: there,
                host: Host::Process,
                shared: false,
            };
            let mut task = Task::start(&WorkKind::copier(wanted), seat, context)?;
            notes.push(task.ready()?);
            notes.push(format!("copied on CPU {there}"));
            Polluter::There(task)
        }
    };
    let resident = Resident::new(point.size("set"), line, context)?;
    let control = &resident.control;
    if control.error > USELESS {
        let reason = format!(
            "hits and misses cannot be separated: {:.0} % of the controls are misclassified ({} \
             and {} ticks)",
            control.error * 100.0,
            control.hit_ticks,
            control.miss_ticks
        );
        let remedy = "use a set that fits in the caches: --axis set=512KiB; or reduce noise: \
                      --fifo";
        return Err(SetupError::skip(reason, remedy));
    }
    let reused = point.word("history") == REUSED;
    let probe = Probe::new(resident, polluter, reused, plan::turns(point), notes);
    Ok(Box::new(probe))
}

fn wanted(point: &Point) -> Wanted {
    Wanted {
        method: point.word("method").to_owned(),
        block_bytes: point.size("block").min(point.size("copied").max(1)),
        walk_bytes: match point.word("buffer") {
            "walking" => point.size("copied").saturating_mul(WALK),
            _ => 0,
        },
        unit_bytes: point.size("copied") as u64,
    }
}

pub static EXPERIMENT: Experiment = Experiment {
    axes: AXES,
    parts: &[(
        "copying",
        "time of all the copying between priming and probing",
    )],
    tallies: TALLIES,
    shape: |point| Shape::Single {
        repetitions: plan::tries(point),
    },
    bytes_per_op: |point| match point.word("method") {
        NOTHING | KNOWN => None,
        _ => Some(point.size("copied") as u64),
    },
    grids: plan::grids,
    setup,
    figures: figures::figures,
    claims: findings::CLAIMS,
    findings: |table, _| findings::findings(table),
    ..Experiment::EMPTY
};

mod figures;
mod findings;
mod plan;
#[cfg(test)]
mod tests;
