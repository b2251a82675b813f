//! # mem/prefetch - What is fetched before it is asked for
//!
//! After how many loads in order, and at which strides, is the next line in a cache before the
//! program asks for it?
//!
//! ## Counts
//! `latency`: one load, timed by itself, after `run` loads of the same page, `stride` bytes from
//! one to the next. All of their lines were dropped from the caches before. `order` says how
//! they lie: upwards, downwards, or at random among the places that the stride has in a page.
//! With `kept` they were not dropped: what a load takes whose line is there. Two orders go to
//! places of which each has a page to itself, round and round: `again` always in the one random
//! order, `scattered` in a new one each round.
//!
//! ## Does not count
//! The loads before it, and the instruction that drops lines. Reading the counter before and
//! after is in every time, so only differences between points mean anything, and `kept` shows
//! what a hit looks like.
//!
//! ## Origin
//! Ours. Timed single loads after a dropped line are as old as cache side channels (Yarom and
//! Falkner, 2014); that what a program did not load is there shows who fetched it (Shin and
//! others, "Unveiling hardware-based data prefetcher", 2018).
//!
//! ## Theory
//! A processor that sees loads go through memory in equal steps fetches the next ones ahead.
//! It needs some loads to believe in a step, follows steps up to a length, and stops at the
//! end of a page, because the next page may lie anywhere. So the time of the load after a run
//! falls from that of memory to that of a cache where the run is long enough and the stride
//! short enough: the corner of the two is the prefetcher.
//!
//! A walk over a large array shows prefetching as well: in order it is many times as fast as at
//! random (`mem/latency`). But order has other gains, a translation for each page instead of
//! each load and rows of memory that are open already, so a gain of two is no proof. Here all
//! loads of a run are in one page, and the order alone differs. What is fooled here is the
//! other way round: a prefetcher that remembers which lines of a region were used together
//! brings the line in any order that comes back. Each run is therefore in a page of thousands
//! that is drawn at random and begins anywhere in it, and loads at random places lie between
//! runs, so that no stride is known when one begins.
//!
//! A prefetcher may also remember which miss followed which, and fetch the next lines of a random
//! order that comes back. It makes a chain through a large set look nearer than it lies, round
//! after round. `again` shows it: no two of its loads share a page, no step comes twice, and
//! nothing but the order tells its loads from those of `scattered`.

mod findings;
mod pool;
mod runs;
#[cfg(test)]
mod tests;

use catalogue::{AxisSpec, Experiment, Figure, Grid, Preset};
use harness::{Context, Point, SetupError, Subject};
use record::{FigureHead, MachineCard, Unit};
use runs::{Order, Runs};

/// A page; every machine's pages are as large or larger.
const PAGE: usize = 4096;
const WORDS: [&str; 6] = ["up", "down", "random", "kept", "scattered", "again"];
/// Those whose loads lie in one page.
const IN_A_PAGE: &[&str] = WORDS.split_at(4).0;
const UP: &str = WORDS[0];
const RANDOM: &str = WORDS[2];
const KEPT: &str = WORDS[3];
const SCATTERED: &str = WORDS[4];
const AGAIN: &str = WORDS[5];

const AXES: &[AxisSpec] = &[
    AxisSpec::bytes("stride", "distance of neighbouring loads"),
    AxisSpec::number("run", Unit::Count, "loads before the one that is timed"),
    AxisSpec::word(
        "order",
        "loads go up, go down, or jump at random in their page; kept: up, with all lines in the \
         caches; scattered: each in a page of its own; again: the same in an order that comes back",
        &WORDS,
    ),
];

/// The longest run that is measured with few strides.
const LONG: i64 = 15;
/// Loads that lie anywhere have no stride; this one is measured for all orders.
const USUAL_LINE: i64 = 64;

fn setup(point: &Point, context: &Context) -> Result<Box<dyn Subject>, SetupError> {
    let (stride, run) = (point.size("stride"), point.size("run"));
    let fits = stride.is_multiple_of(8) && stride > 0 && run > 0;
    if !fits || (run + 1).saturating_mul(stride) > PAGE {
        return Err(SetupError::skip(
            format!("{run} loads {stride} B apart and one more do not lie in a page of {PAGE} B"),
            "choose a shorter run or stride: --axis run=3 --axis stride=256",
        ));
    }
    let order = match point.word("order") {
        UP => Order::Up,
        RANDOM | SCATTERED | AGAIN => Order::Random,
        KEPT => Order::Kept,
        _ => Order::Down,
    };
    let seed = u64::from(point.index) + 1;
    let runs = Runs::new(stride, run, order, seed, context)?;
    Ok(Box::new(match point.word("order") {
        SCATTERED => runs.round(false),
        AGAIN => runs.round(true),
        _ => runs,
    }))
}

fn grids(preset: Preset, _: &MachineCard) -> Vec<Grid> {
    let grid = |strides: &[i64], runs: &[i64], orders: &[&str]| {
        let grid = Grid::new(12 * preset.choose(1, 10));
        let grid = grid.ints("stride", strides.iter().copied());
        grid.ints("run", runs.iter().copied())
            .words("order", orders)
    };
    let lines = [32, 64, 128];
    let mut all = vec![
        grid(&lines, &[LONG], &[UP, RANDOM, KEPT]),
        grid(&[USUAL_LINE], &[LONG], &[SCATTERED, AGAIN]),
        grid(&[64, 128, 256], &[1, 2, 3, 5, 7], &[UP]),
    ];
    if preset == Preset::Full {
        all.push(grid(
            &[64, 128, 256],
            &[1, 2, 3, 4, 5, 6, 7, 11, LONG],
            IN_A_PAGE,
        ));
        all.push(grid(&[512], &[1, 2, 3, 4, 5, 6, 7], IN_A_PAGE));
        all.push(grid(&[1024], &[1, 2, 3], IN_A_PAGE));
    }
    all
}

fn figures() -> Vec<FigureHead> {
    let title = "Time of the load after a run of loads in order";
    let figure = Figure::of(title, "run", "latency").series(&["stride"]);
    vec![figure.only(&[("order", UP)]).reading(
        "High: the load waits for memory. A curve falls where the run is long enough for a \
         prefetcher to believe in it, and stays high at strides that none follows.",
    )]
}

pub static EXPERIMENT: Experiment = Experiment {
    axes: AXES,
    parts: &[(
        "latency",
        "time of one load, and of reading the counter around it",
    )],
    grids,
    setup,
    figures,
    findings: findings::findings,
    claims: findings::CLAIMS,
    answers: findings::answers,
    ..Experiment::EMPTY
};
