//! # mem/associativity - Lines that compete for one set
//!
//! How many lines whose addresses fall on the same set can a cache hold at
//! once?
//!
//! ## Counts
//! `latency`: one dependent load in a chain through a few lines that lie a
//! large power of two apart, and so compete for the same set. `spread`: the
//! same number of lines in the same pages, each moved to a set of its own.
//! `net`: what the competition costs, the difference of the two.
//!
//! ## Does not count
//! Translation: both chains need the same pages, so what that costs is in both
//! and cancels in `net`. Page faults and the building of the chains.
//!
//! ## Origin
//! Regime 2.c of Saavedra and Smith, IEEE Transactions on Computers 44(10),
//! 1995 (few elements far apart do not miss, however large the array), turned
//! into a search; Thomborson and Yu for counting ways by conflict sets.
//!
//! ## Theory
//! A cache of capacity C with a ways is C/a bytes "deep": addresses that
//! differ by a multiple of C/a share a set, and the set holds a of them. Walk
//! round k such lines: up to k = a every load hits, and with one line more a
//! least-recently-used set throws out exactly the line that is wanted next, so
//! the time of **every** load rises at k = a + 1. Caches that choose their
//! victim at random or nearly so (many ARM cores, most second levels) lose
//! only some of the lines; their riser is a ramp that *begins* at a + 1, and may
//! be read as a few ways too many. This
//! is also why more ways mean fewer misses: regime 2.c, where an array far
//! larger than the cache still never misses, reaches further.
//!
//! How large must the distance be? Below C/a the same lines spread over several sets, and
//! twice as many fit at half the distance: what fits times the distance is then the capacity.
//! So the number is searched at one distance after the other. While it halves with each
//! doubled distance, the product is C; where it stays, it is a, and the first such distance is
//! C/a. This gives the capacity without a large set ever being filled.
//!
//! First levels that are indexed below the page offset go by the virtual address, as on all
//! x86 processors. Others, and second levels, are indexed by the physical address, of which
//! base pages only fix the low bits; only within huge pages do equal distances stay equal. A
//! line that misses the first level and hits the second takes the time of the second: so each
//! curve has a riser for each level, recognised by its height. Last levels are out of reach:
//! they spread lines over slices by a secret hash of the address.
//!
//! Pages far apart by powers of two compete for the sets of the translation
//! buffer as well, and earlier than for those of the cache. A curve without
//! its control would show the ways of the wrong buffer.

mod findings;

use catalogue::{AxisSpec, Experiment, Figure, Grid, KIB, MIB, Preset};
use engines::memory::card::card_line;
use engines::memory::chain::UNROLL;
use engines::memory::{Chain, Mapping, Pages};
use harness::{Context, Fault, Point, SetupError, Subject};
use record::{FigureHead, MachineCard, Unit};
use stats::Rng;
use std::rc::Rc;

const AXES: &[AxisSpec] = &[
    AxisSpec::number("lines", Unit::Count, "lines in the chain"),
    AxisSpec::bytes("stride", "distance of neighbouring lines, a power of two"),
    AxisSpec::word(
        "pages",
        "base pages of the kernel or transparent huge pages",
        Pages::WORDS,
    ),
];

/// The two chains of one point, competing and spread.
struct Sets {
    conflict: Chain,
    spread: Chain,
}

const SPREAD: u16 = EXPERIMENT.part("spread");

impl Subject for Sets {
    fn batch(&mut self, part: u16, ops: u64) {
        match part {
            SPREAD => self.spread.walk(ops),
            _ => self.conflict.walk(ops),
        }
    }

    fn quantum(&self) -> u64 {
        UNROLL
    }

    fn verify(&mut self) -> Result<(), Fault> {
        self.conflict.verify()?;
        self.spread.verify()
    }

    fn notes(&self) -> Vec<String> {
        vec![self.conflict.note()]
    }
}

/// Offsets of the competing lines in random order, and those of their
/// counterparts, which never share a line with any of them.
fn offsets(lines: usize, stride: usize, line: usize, seed: u64) -> (Vec<usize>, Vec<usize>) {
    let mut order: Vec<usize> = (0..lines).collect();
    let mut random = Rng::new(seed);
    for last in (1..lines).rev() {
        order.swap(last, random.below(last + 1));
    }
    let sets = (stride.min(4096) / line).max(2);
    let conflict = order.iter().map(|i| i * stride).collect();
    let spread = order
        .iter()
        .map(|i| i * stride + (1 + i % (sets - 1)) * line);
    (conflict, spread.collect())
}

fn setup(point: &Point, context: &Context) -> Result<Box<dyn Subject>, SetupError> {
    let (lines, stride) = (point.size("lines"), point.size("stride"));
    let line = card_line(&context.card).unwrap_or(64);
    if lines == 0 || !stride.is_power_of_two() || stride < 2 * line {
        let reason = format!("{lines} lines {stride} B apart do not compete for a set");
        let remedy = "choose a power of two: --axis stride=4KiB";
        return Err(SetupError::skip(reason, remedy));
    }
    let pages = Pages::from_word(point.word("pages"));
    let mapping = Rc::new(Mapping::new(lines.saturating_mul(stride), pages, context)?);
    let (conflict, spread) = offsets(lines, stride, line, u64::from(point.index) + 1);
    Ok(Box::new(Sets {
        conflict: Chain::visiting(Rc::clone(&mapping), &conflict)?,
        spread: Chain::visiting(mapping, &spread)?,
    }))
}

/// Numbers of lines around each number of ways that caches have, and around twice that.
const NEAR_WAYS: [i64; 22] = [
    1, 2, 3, 4, 5, 6, 8, 9, 10, 11, 12, 13, 16, 17, 20, 21, 24, 25, 32, 33, 40, 41,
];

/// Distances that first caches repeat at, then those of second ones. The number that fits is
/// only known to be the number of ways where two distances show the same.
fn grids(preset: Preset, card: &MachineCard) -> Vec<Grid> {
    let grid = |ms, lines: &[i64], strides: &[i64], pages: &[&str]| {
        Grid::new(ms)
            .ints("lines", lines.iter().copied())
            .ints("stride", strides.iter().copied())
            .words("pages", pages)
    };
    let near = [KIB, 2 * KIB, 4 * KIB, 8 * KIB, 16 * KIB, 32 * KIB];
    let mut far = vec![64 * KIB, 128 * KIB, 256 * KIB, 512 * KIB, MIB];
    // A way of a second cache of 8 MiB and more may be longer than half of that.
    let second = card.caches.iter().filter(|c| c.level == 2);
    if second.map(|c| c.size_bytes).max() >= Some(8 << 20) {
        far.push(2 * MIB);
    }
    let huge = matches!(
        card.transparent_hugepages.as_deref(),
        Some("always" | "madvise")
    );
    let all: Vec<i64> = (1..=48).collect();
    match preset {
        Preset::Quick if huge => vec![
            grid(8, &NEAR_WAYS, &near, &["thp"]),
            grid(10, &NEAR_WAYS, &far, &["thp"]),
        ],
        // Base pages fix an address below the page only; of the first cache the set is chosen
        // by virtual addresses often enough.
        Preset::Quick => vec![grid(8, &NEAR_WAYS, &near[..5], &["base"])],
        Preset::Full => vec![
            grid(60, &all, &near[..5], &["base"]),
            grid(60, &all, &[near.as_slice(), &far].concat(), &["thp"]),
        ],
    }
}

fn figures() -> Vec<FigureHead> {
    let figure = Figure::of("Cost of competing for one set", "lines", "net");
    vec![figure.series(&["stride", "pages"]).reading(
        "Zero while all the lines fit. The last count before a curve rises is what fits at that \
         distance: it halves with each doubled distance until it is the number of ways. A second \
         rise, with huge pages, is that of the second cache.",
    )]
}

pub static EXPERIMENT: Experiment = Experiment {
    axes: AXES,
    parts: &[
        (
            "latency",
            "time of one load among lines that compete for a set",
        ),
        (
            "spread",
            "the same lines in the same pages, in sets of their own",
        ),
    ],
    grids,
    setup,
    figures,
    claims: findings::CLAIMS,
    answers: findings::answers,
    in_cycles: true,
    ..Experiment::EMPTY
};
