//! # pollute/victim - What copies cost a program on a neighbouring CPU
//!
//! A program computes on one CPU, and a copier runs on another that shares a cache
//! with it: by the CPU, or by a DMA engine. How much slower does the program become?
//!
//! ## Counts
//! `time`: one run of the victim, from its input to its checked result (of loads and
//! reads: once through the whole set), 300 runs of each point, with no copier
//! (`copier=none`), with copies by the CPU and with copies by DMA in turn, run by run;
//! the first run after each change of copier is not counted, because the caches are as
//! the copier before has left them. `copied` is what was copied during the run. With
//! `--counters dcache` as many runs again, in turn with these (A B B A), count the victim's
//! references to the second-level cache and its misses: times are of the runs without counters,
//! counts of those with, and `probe_effect` is the ratio of their times. Where the machine has
//! no such counters, `pollute/probe` measures what is evicted. On one CPU (`same_cpu`)
//! nothing can copy at the same time: there `total` bytes are copied before each run.
//!
//! ## Does not count
//! Building the input. The other side's loss: the rate of the copies is no result here.
//!
//! ## Origin
//! A. Papa, I/OAT-CFTU (Universita di Roma Tor Vergata, 2013), section 2.5: three
//! programs of an image recogniser and two sorts on one core of a Xeon 5150, a daemon
//! that copies on the other, one second-level cache of 4 MiB for both. The programs
//! here are our own, after the published algorithms (S. M. Smith and J. M. Brady,
//! "SUSAN", IJCV 23(1), 1997; C. A. R. Hoare, "Quicksort", 1962), on inputs of the same
//! sizes; blocks are those that its tracer saw most: 16, 224, 1124, 1448, 4096 and
//! 16064 bytes.
//!
//! ## Theory
//! A copy brings its two blocks into the cache of the copying CPU, and evicts what has
//! been there longest. If that cache is the victim's too, and full, the victim's
//! next loads miss. Nothing of it happens while both fit: copies in place of 16 KiB
//! next to a program of 100 KiB are no pollution for a cache of 1 MiB. Then a difference
//! between the three is of another kind: memory that is busy, a clock that falls, an
//! interrupt. So there are victims cut to this machine's caches (`chase_l2`, `chase_llc`,
//! `stream_llc` ...) in addition to those of the study, and walking copies in addition to
//! those in place. While no copier runs, the other CPU spins: an idle CPU would be another
//! difference.

use crate::pollute::probe::BUFFERS;
use catalogue::moment::OF_MONOTONIC;
use catalogue::{AxisSpec, Experiment, Figure, Grid, MIB, Preset, Tally, joined};
use engines::cache_probe::stage;
use engines::placement::near;
use engines::tasks::axes::{DEADLINE, DEADLINE_NS, KINDS, PLACEMENT};
use engines::tasks::kinds::heads;
use engines::tasks::occupancy::OCCUPANCY;
use harness::Shape;
use record::{FigureHead, MachineCard, Unit};

/// Words of the axis `direction`.
pub const DIRECTIONS: &[&str] = &["from_user", "to_user", "both"];
const COPIERS: &[&str] = &["none", "cpu", "dma"];

const AXES: &[AxisSpec] = &[
    AxisSpec::word(
        "victim",
        "the program to measure (pontage colocate --list), or a command",
        KINDS,
    ),
    AxisSpec::word(
        "direction",
        "copy_from_user, copy_to_user, or one after the other",
        DIRECTIONS,
    ),
    AxisSpec::bytes("size", "bytes of a copy"),
    AxisSpec::word(
        "buffer",
        "one block repeatedly, or adjacent blocks through memory",
        BUFFERS,
    ),
    PLACEMENT,
    AxisSpec::bytes(
        "total",
        "bytes copied before each run if both share a CPU; otherwise copies run all the time",
    ),
    DEADLINE,
    AxisSpec::word(
        "copier",
        "none, the CPU, or DMA channels under the shared policy",
        COPIERS,
    )
    .compared(),
];

const COPIED: Tally = Tally::new(
    "copied",
    Unit::Bytes,
    "bytes that were copied during the run",
)
.explains();
const OF_RUN: [Tally; 3] = joined(&OF_MONOTONIC, &[COPIED]);
const TALLIES: &[Tally] = &joined::<_, 7>(&OF_RUN, &OCCUPANCY);

/// As in the study.
const REPETITIONS: u32 = 300;
/// Copied before each run on one CPU.
const TOTAL: i64 = 16 * MIB;

/// Victims that are cut to the machine.
const CUT: &[&str] = &[
    "chase_l2",
    "chase_llc",
    "chase_llc_half",
    "stream_l2",
    "stream_llc_8th",
    "stream_llc",
];

struct Copies {
    direction: &'static str,
    size: i64,
    buffer: &'static str,
}

fn grid(budget_ms: u64, victims: &[&str], copies: &Copies, placement: &str) -> Grid {
    Grid::new(budget_ms)
        .words("victim", victims)
        .words("direction", &[copies.direction])
        .ints("size", [copies.size])
        .words("buffer", &[copies.buffer])
        .words("placement", &[placement])
        .ints("total", [TOTAL])
        .ints("deadline", [DEADLINE_NS])
}

fn grids(preset: Preset, card: &MachineCard) -> Vec<Grid> {
    let walking = Copies {
        direction: "to_user",
        size: 16064,
        buffer: "walking",
    };
    let in_place = Copies {
        buffer: "in_place",
        ..walking
    };
    match preset {
        // Few machines have the module; `offload/*` say so already.
        Preset::Quick => {
            vec![grid(25, &["chase_llc"], &walking, near(card)).words("copier", &COPIERS[..2])]
        }
        Preset::Full => [
            grid(2_000, STUDY, &in_place, near(card)),
            grid(2_000, STUDY, &walking, near(card)),
            grid(2_000, CUT, &walking, near(card)),
            grid(2_000, CUT, &in_place, near(card)),
            grid(2_000, CUT, &walking, "same_cpu"),
        ]
        .map(|grid| grid.words("copier", COPIERS))
        .into(),
    }
}

/// The study's programs.
pub const STUDY: &[&str] = &[
    "susan_s_small",
    "susan_e_small",
    "susan_c_small",
    "susan_s_large",
    "susan_e_large",
    "susan_c_large",
    "susan_s_huge",
    "susan_e_huge",
    "susan_c_huge",
    "qsort_small",
    "qsort_large",
];

fn figures() -> Vec<FigureHead> {
    let figure = |buffer, title: &str| {
        let figure = Figure::of(title, "victim", "time").log_y();
        let figure = figure.series(&["copier"]).only(&[("buffer", buffer)]);
        figure.reading(
            "One run of each program without copies, with copies by the CPU, and by DMA if there \
             is a channel.",
        )
    };
    vec![
        figure("in_place", "Programs during copies in place"),
        figure("walking", "Programs during walking copies"),
    ]
}

pub static EXPERIMENT: Experiment = Experiment {
    axes: AXES,
    parts: &[("time", "one run of the victim")],
    tallies: TALLIES,
    shape: |_| Shape::Single {
        repetitions: REPETITIONS,
    },
    grids,
    setup: stage::setup,
    figures,
    findings: |table, _| findings::findings(table),
    kinds: heads,
    ..Experiment::EMPTY
};

mod findings;
#[cfg(test)]
mod tests;
