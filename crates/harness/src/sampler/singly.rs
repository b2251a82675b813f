//! Single operations after the batches, for what these average away.
//!
//! A batch of a thousand operations of which every tenth takes three times as long has one
//! time, and no number of batches shows the two kinds. Timed one by one they show, where an
//! operation is long against the clock.

use super::cell::{Cell, Raw};
use super::stopping::Limits;
use super::{Bench, Ended, Member, time_batch};
use crate::counters::Counted;
use crate::sampling::Shape;
use crate::subject::Subject;
use stats::quantile::median;
use stats::whole;

/// Most in one process: five together find a kind that is a twentieth.
const MOST: usize = 100;
/// Operations before the first that counts.
const WARM: usize = 2;
/// Share of the point's budget that they may take.
const SHARE: f64 = 0.03;
/// An operation is to last so many steps of the clock, or a step looks like a kind.
const STEPS: f64 = 20.0;

/// Times operations of each primary part one by one, where that says something.
pub fn take(
    cells: &mut [Cell],
    members: &mut [Member<'_>],
    bench: &mut Bench<'_>,
    limits: &Limits,
    ended: Ended,
) {
    // Counted or simulated, one operation is mostly what surrounds it.
    if bench.counters.is_some() || matches!(ended, Ended::Stopped | Ended::Deadline) {
        return;
    }
    for cell in cells.iter_mut().filter(|c| is_averaged(c)) {
        if long_enough(cell, bench) && !limits.past_deadline(cell, bench.clock.now_ns()) {
            cell.singles = one_by_one(cell, &mut *members[cell.member].subject, bench);
        }
    }
}

/// Whether its batches hold several operations that may be timed apart.
fn is_averaged(cell: &Cell) -> bool {
    let apart = cell.sampling.singly && cell.quantum == 1 && cell.recorded.is_none();
    let batched = cell.sampling.shape == Shape::Batched && cell.ops > 1;
    cell.part == 0 && apart && batched
}

/// Against the clock's step, and against the reading of the clock, which is taken off. Against a
/// step that is not known, nothing is.
fn long_enough(cell: &Cell, bench: &Bench<'_>) -> bool {
    let (step_ns, floor_ns) = (STEPS * bench.resolution_ns, bench.floor_ns);
    median(&cell.values()).is_ok_and(|op_ns| op_ns >= step_ns && op_ns >= floor_ns)
}

fn one_by_one(cell: &Cell, subject: &mut dyn Subject, bench: &mut Bench<'_>) -> Vec<Raw> {
    let until_ns = whole(cell.sampling.budget_ns as f64 * SHARE);
    let until_ns = bench.clock.now_ns().saturating_add(until_ns);
    let mut taken = Vec::with_capacity(MOST + WARM);
    while taken.len() < MOST + WARM && !bench.stopped() && bench.clock.now_ns() < until_ns {
        taken.push(single(subject, bench));
    }
    taken.drain(..taken.len().min(WARM));
    for raw in &mut taken {
        raw.index = bench.index_of(raw, &mut None);
    }
    taken
}

/// One operation under the watch alone: the yardstick takes longer than most of them.
fn single(subject: &mut dyn Subject, bench: &mut Bench<'_>) -> Raw {
    subject.prepare(0);
    bench.watch.before();
    let elapsed_ns = time_batch(bench.clock, subject, 0, 1);
    let seen = bench.watch.after();
    // Of single operations nothing is tallied, but a subject may rely on being asked.
    let _ = subject.tally(0);
    Raw {
        index: 0,
        turn: None,
        ops: 1,
        elapsed_ns,
        whole_ns: elapsed_ns,
        floor_ns: bench.floor_ns,
        seen,
        watched: true,
        place: None,
        counted: Counted::default(),
        wall_ns: whole(elapsed_ns),
        tallies: Vec::new(),
    }
}
