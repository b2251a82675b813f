//! # mem/line - The size of a cache line
//!
//! How many bytes come into the cache together?
//!
//! ## Counts
//! `walk`: one `a[i] *= a[i]` on 4-byte integers, going up through 20 MiB in
//! the step of the point. `pair`: one of two dependent loads, the second a
//! step away from the first, in blocks visited at random that all fit into the
//! second cache but not into the first. `pair_far`: the same with so many
//! blocks that the second cache does not hold them.
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
//! `pair_far` repeats it from beyond the second cache, where the fetching of
//! pairs does show: if its riser is at twice the line, lines come in pairs.

mod findings;

use super::Chased;
use catalogue::{AxisSpec, Experiment, Figure, Grid, Preset};
use engines::memory::chain::single_cycle;
use engines::memory::{Chain, Mapping, Pages};
use engines::verdict::must;
use harness::{Context, Fault, Point, SetupError, Subject};
use record::{FigureHead, MachineCard, MarkKind};
use stats::Rng;
use std::rc::Rc;

pub(crate) const WALK: &str = "walk";
pub(crate) const PAIR: &str = "pair";
pub(crate) const PAIR_FAR: &str = "pair_far";

/// Steps of the walk: 1 4 6 8 10 12 14 16 32 64 128 256 integers of 4 bytes.
const WALK_STEPS: [i64; 12] = [4, 16, 24, 32, 40, 48, 56, 64, 128, 256, 512, 1024];
const PAIR_STEPS: [i64; 7] = [8, 16, 32, 64, 128, 256, 512];

/// The array of the walk: 64 * 1024 * 80 integers.
const WALK_INTEGERS: usize = 64 * 1024 * 80;

/// Space of one pair. Entries are at multiples of `ENTRY`, which is taken to
/// be a multiple of every line size.
const BLOCK: usize = 2048;
const ENTRY: usize = 256;
const LARGEST_PAIR_STEP: usize = 1024;

const AXES: &[AxisSpec] = &[
    AxisSpec::bytes("step", "distance of neighbouring accesses"),
    AxisSpec::word(
        "method",
        "through an array, or in pairs at random places near or far",
        &[WALK, PAIR, PAIR_FAR],
    ),
];

struct Walk {
    integers: Mapping,
    /// Integers between neighbouring accesses.
    step: usize,
    at: usize,
    walked: u64,
}

/// Not 0 or 1, whose squares are themselves; odd, so that no square is 0.
const START: u32 = 3;

impl Walk {
    fn new(step: usize, context: &Context) -> Result<Self, SetupError> {
        let integers = Mapping::new(WALK_INTEGERS * 4, Pages::Base, context)?;
        let mut walk = Walk {
            integers,
            step,
            at: 0,
            walked: 0,
        };
        walk.slice().fill(START);
        Ok(walk)
    }

    fn slice(&mut self) -> &mut [u32] {
        let base = self.integers.base().as_ptr().cast::<u32>();
        // SAFETY: the mapping is page-aligned, initialised by the kernel, at
        // least this long, and lent out only through &mut self.
        unsafe { std::slice::from_raw_parts_mut(base, WALK_INTEGERS) }
    }
}

impl Subject for Walk {
    fn batch(&mut self, _part: u16, ops: u64) {
        let (step, mut at) = (self.step, self.at);
        let array = self.slice();
        for _ in 0..ops {
            let value = &mut array[at];
            *value = value.wrapping_mul(*value);
            at += step;
            if at >= WALK_INTEGERS {
                at = 0;
            }
        }
        self.at = at;
        self.walked += ops;
    }

    fn verify(&mut self) -> Result<(), Fault> {
        let step = self.step;
        let places = WALK_INTEGERS.div_ceil(step);
        let touched = usize::try_from(self.walked).map_or(places, |w| w.min(places));
        let array = self.slice();
        // 3 squared again and again modulo 2^32 never comes back to 3.
        let visited = array.iter().step_by(step).filter(|v| **v != START).count();
        let changed = array.iter().filter(|v| **v != START).count();
        must(
            (visited, changed) == (touched, touched),
            format!(
                "{changed} integers changed, {visited} of them on the walk; expected \
                     {touched}"
            ),
        )
    }

    fn notes(&self) -> Vec<String> {
        vec![self.integers.note().to_owned()]
    }
}

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

/// Blocks whose entries overflow the first data cache (near) or the second
/// (far). Entries use a quarter of the sets, so as many blocks as the cache
/// has lines are four times what it holds of them; far more would begin to
/// overflow the same quarter of the next cache.
fn blocks(far: bool, card: &MachineCard) -> u32 {
    let caches = card.data_caches();
    let (index, usual, least, most) = match far {
        false => (0, 64 << 10, 512, 1 << 12),
        true => (1, 1 << 20, 1 << 13, 1 << 17),
    };
    let bytes = caches.get(index).map_or(usual, |c| c.size_bytes);
    u32::try_from(bytes / 64).unwrap_or(most).clamp(least, most)
}

fn setup(point: &Point, context: &Context) -> Result<Box<dyn Subject>, SetupError> {
    let step = point.size("step");
    let method = point.word("method");
    let (unit, most) = match method {
        WALK => (4, WALK_INTEGERS * 4),
        _ => (size_of::<usize>(), LARGEST_PAIR_STEP),
    };
    if step == 0 || !step.is_multiple_of(unit) || step >= most {
        return Err(SetupError::skip(
            format!("{method} takes steps in multiples of {unit} B below {most} B, not {step} B"),
            "choose such a step with --axis step=64",
        ));
    }
    if method == WALK {
        return Ok(Box::new(Walk::new(step / 4, context)?));
    }
    let blocks = blocks(method == PAIR_FAR, &context.card);
    let mapping = Mapping::new(blocks as usize * BLOCK, Pages::Base, context)?;
    let offsets = pair_offsets(blocks, step, u64::from(point.index) + 1);
    let chain = Chain::visiting(Rc::new(mapping), &offsets)?;
    Ok(Box::new(Chased(chain)))
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
        grid(40, PAIR_FAR, &PAIR_STEPS),
    ]
}

fn figures() -> Vec<FigureHead> {
    let title = "Time of one access by its distance from the last";
    let figure = Figure::of(title, "step", "latency").log_x().log_y();
    let figure = figure.series(&["method"]);
    let marks = [MarkKind::LineSize, MarkKind::Knees];
    vec![figure.marks(&marks).reading(
        "The pair curves have two levels: pair rises at the line size, pair_far at the size of \
         what is fetched together. The walk rises up to the line (or, with lines fetched in \
         pairs, to two lines) and grows slowly or not at all beyond.",
    )]
}

pub static EXPERIMENT: Experiment = Experiment {
    axes: AXES,
    parts: &[("latency", "time of one access")],
    grids,
    setup,
    figures,
    claims: findings::CLAIMS,
    findings: findings::findings,
    ..Experiment::EMPTY
};
