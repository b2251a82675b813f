//! # mem/line - The size of a cache line
//!
//! How many bytes come into the cache together?
//!
//! ## Counts
//! `walk`: one `a[i] *= a[i]` on 4-byte integers, going up through 20 MiB in
//! the step of the point. `pair`: one of two dependent loads, the second a
//! step away from the first, in blocks visited at random that all fit into the
//! second cache but not into the first. `flush`: one word is dropped from the
//! caches by the processor's instruction for it, then the word a step away is
//! loaded. `bring`: both words are dropped and loaded one after the other; the
//! time is that of the second load alone. `coherence`: one addition to a word
//! while a second CPU adds to the word a step away. `handed`: both words are dropped, a
//! second CPU loads one, and the time is that of a load of the other here.
//!
//! ## Does not count
//! Page faults: the array is touched first. Without that the walk of a fresh
//! array shows page faults and nothing else.
//!
//! ## Origin
//! The stride experiment of the NCKU 2015 ARM-Linux lab, after example 2 of
//! Igor Ostrovsky's gallery of processor cache effects; regime 2 of Saavedra
//! and Smith, IEEE Transactions on Computers 44(10), 1995. The pairs are ours.
//!
//! ## Theory
//! Caches do not fetch bytes, they fetch lines. Walk an array much larger than
//! the caches in steps of s bytes: as long as s is below the line size b, every
//! line is fetched whatever s is, so the whole walk costs much the same and
//! each access costs its share of a miss, D s/b. From s = b on each access
//! has a miss of its own: the time **per access** stops growing, the time of
//! the whole walk begins to halve with each doubling of s. The knee is the
//! line. Look at slopes, not heights: a fast core shows the flat part as flat,
//! a slow one is still busy multiplying there.
//!
//! That was the whole story before prefetchers. Today the walk is a sequence
//! that hardware foresees, so its accesses cost bandwidth rather than latency;
//! and many processors, on a miss, fetch the other half of an aligned pair of
//! lines as well. On those the knee of the walk is at **two** lines: a
//! curve may answer 128 where the line is 64. Both answers are true, each to
//! its own question: what is tagged and kept together, and what is fetched
//! together.
//!
//! `pair` asks the first question in a way that prefetchers cannot answer for
//! us. Each block is entered at an aligned place that nothing foretells; the
//! second load goes one step further (or, in half of the blocks, the other
//! way round, which spoils rules for ascending addresses). Within a line the
//! second load hits the first cache. In another line it waits for the second
//! cache. All of it is already in the second cache, where the fetching of
//! pairs takes place, so a pair brings nothing nearer. The curve over the step
//! has two levels, and the first step of the upper level is the line.
//!
//! Newer prefetchers learn even that: one that keeps, for each instruction, which
//! lines of a region were used after the first brings the second line of every
//! pair, and `pair` rises too late. Two methods give it nothing to learn.
//! `flush` loads one word only: it misses where the word that was dropped was in
//! its line, and no load was there to bring a neighbour. `coherence` asks who
//! takes a line from whom: two CPUs that add to words of one line pay for each
//! addition as much as for a message between them (false sharing), in two lines
//! nothing. The line is concluded from methods that agree; one that says more
//! is held to be misled by prefetching.
//!
//! A processor that counts the lines which come into its first cache (`--counters dcache`)
//! says the same of the pairs without a clock: a pair in one line brings one, a pair in two
//! lines two. Stolen time and a neighbour on the caches do not move that; a prefetcher into
//! the first cache does.
//!
//! What is fetched together is asked by `bring`: both words are in memory only, so
//! the second load is quick only if the first brought its line too. Pairs of one
//! step are timed among others of all steps, which leaves nothing to be learned.
//! Where lines come in pairs, two CPUs that write to both halves of a pair disturb
//! each other as well, a little: a second, lower step of `coherence`.
//!
//! The same two CPUs show what they share. Threads of one core add to one line nearly
//! as fast as to two; cores take it from each other each time. A line that the other
//! CPU has just brought (`handed`) comes faster than from memory where a cache of both
//! has it or passes it on, and as fast as a hit where they are threads of one core.

mod brought;
mod findings;
mod flushed;
mod handed;
mod shared;
mod walk;

use super::Chased;
use crate::quantities::line::{BRING, COHERENCE, FLUSH, PAIR, WALK};
use crate::quantities::sharing::HANDED;
use brought::Brought;
use catalogue::{AxisSpec, Experiment, Figure, Grid, Preset};
use engines::memory::cycle::single_cycle;
use engines::memory::{Chain, Mapping, Pages};
use flushed::Flushed;
use handed::Handed;
use harness::{Context, Point, SetupError, Subject};
use record::{FigureHead, MachineCard, MarkKind};
use shared::Shared;
use stats::Rng;
use std::rc::Rc;
use walk::Walk;

/// Steps of the walk: 1 4 6 8 10 12 14 16 32 64 128 256 integers of 4 bytes.
const WALK_STEPS: [i64; 12] = [4, 16, 24, 32, 40, 48, 56, 64, 128, 256, 512, 1024];
const PAIR_STEPS: [i64; 7] = [8, 16, 32, 64, 128, 256, 512];

/// In the line that was handed over, and in none.
const HANDED_STEPS: [i64; 2] = [8, 512];

/// Space of one pair. Entries are at multiples of `ENTRY`, which is taken to
/// be a multiple of every line size.
const BLOCK: usize = 2048;
const ENTRY: usize = 256;
const LARGEST_PAIR_STEP: usize = 1024;

const AXES: &[AxisSpec] = &[
    AxisSpec::bytes("step", "distance of neighbouring accesses"),
    AxisSpec::word(
        "method",
        "a walk through an array; pairs of loads at random places; words dropped and words \
         loaded; words that two CPUs add to; words near one that the other CPU has just loaded",
        &[WALK, PAIR, FLUSH, BRING, COHERENCE, HANDED],
    ),
];

/// Offsets of the loads: for each block, in random order, an entry and the
/// place one step on, in half of the blocks the other way round.
fn pair_offsets(blocks: u32, step: usize, seed: u64) -> Vec<usize> {
    let mut random = Rng::new(seed);
    let next = single_cycle(blocks, seed);
    let mut offsets = Vec::with_capacity(2 * next.len());
    let mut block = 0;
    for _ in 0..next.len() {
        let room = (BLOCK - LARGEST_PAIR_STEP) / ENTRY;
        let entry = block * BLOCK + random.below(room) * ENTRY;
        let mut pair = [entry, entry + step];
        if random.below(2) == 1 {
            pair.reverse();
        }
        offsets.extend(pair);
        block = next[block] as usize;
    }
    offsets
}

/// Blocks whose entries overflow the first data cache. Entries use a quarter of the sets, so
/// as many blocks as the cache has lines are four times what it holds of them; far more would
/// begin to overflow the same quarter of the next cache.
fn blocks(card: &MachineCard) -> u32 {
    let caches = card.data_caches();
    let bytes = caches.first().map_or(64 << 10, |c| c.size_bytes);
    u32::try_from(bytes / 64)
        .unwrap_or(u32::MAX)
        .clamp(512, 1 << 12)
}

fn setup(point: &Point, context: &Context) -> Result<Box<dyn Subject>, SetupError> {
    let step = point.size("step");
    let method = point.word("method");
    let (unit, most) = match method {
        WALK => (4, walk::BYTES),
        _ => (size_of::<usize>(), LARGEST_PAIR_STEP),
    };
    if step == 0 || !step.is_multiple_of(unit) || step >= most {
        return Err(SetupError::skip(
            format!("{method} takes steps in multiples of {unit} B below {most} B, not {step} B"),
            "choose such a step with --axis step=64",
        ));
    }
    let seed = u64::from(point.index) + 1;
    Ok(match method {
        WALK => Box::new(Walk::new(step / 4, context)?),
        FLUSH => Box::new(Flushed::new(step, seed, context)?),
        BRING => Box::new(Brought::new(step, seed, context)?),
        HANDED => Box::new(Handed::new(step, seed, context)?),
        COHERENCE => Box::new(Shared::new(step, seed, context)?),
        _ => Box::new(pairs(step, seed, context)?),
    })
}

/// The second CPU.
fn partner(context: &Context) -> Result<u32, SetupError> {
    context.partner_cpu.ok_or_else(|| {
        SetupError::skip(
            "two CPUs are needed, and this process may use one",
            "give the process a second CPU (taskset, cpuset)",
        )
    })
}

/// The numbers below `count` in random order.
fn shuffled(count: usize, seed: u64) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    let mut random = Rng::new(seed);
    for last in (1..count).rev() {
        order.swap(last, random.below(last + 1));
    }
    order
}

fn pairs(step: usize, seed: u64, context: &Context) -> Result<Chased, SetupError> {
    let blocks = blocks(&context.card);
    let mapping = Mapping::new(blocks as usize * BLOCK, Pages::Base, context)?;
    let offsets = pair_offsets(blocks, step, seed);
    Ok(Chased(Chain::visiting(Rc::new(mapping), &offsets)?))
}

fn grids(preset: Preset, _: &MachineCard) -> Vec<Grid> {
    let grid = |ms: u64, method, steps: &[i64]| {
        let grid = Grid::new(ms * preset.choose(1, 10));
        let steps = grid.ints("step", steps.iter().copied());
        steps.words("method", &[method])
    };
    vec![
        grid(25, WALK, &WALK_STEPS),
        grid(60, PAIR, &PAIR_STEPS),
        grid(30, FLUSH, &PAIR_STEPS),
        grid(30, BRING, &PAIR_STEPS),
        grid(30, COHERENCE, &PAIR_STEPS),
        grid(30, HANDED, &HANDED_STEPS),
    ]
}

fn figures() -> Vec<FigureHead> {
    let title = "Time of one access by its distance from the last";
    let figure = Figure::of(title, "step", "latency").log_x().log_y();
    let figure = figure.series(&["method"]);
    let marks = [MarkKind::LineSize, MarkKind::Knees];
    vec![figure.marks(&marks).reading(
        "Each curve has two levels. flush and coherence fall, pair rises at the line size; \
         bring rises at the size of what is fetched together. handed is low where the CPUs have a \
         cache in common. The walk rises up to \
         the line (or, with lines fetched in pairs, to two lines) and grows slowly or not at all \
         beyond.",
    )]
}

pub static EXPERIMENT: Experiment = Experiment {
    axes: AXES,
    parts: &[("latency", "time of one access")],
    grids,
    setup,
    figures,
    claims: findings::CLAIMS,
    answers: findings::answers,
    ..Experiment::EMPTY
};
