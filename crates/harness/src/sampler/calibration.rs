//! How many operations fill a batch, and when the subject is warm.
//!
//! Always ends: the number of batches is limited, and so is the time. It asks
//! for a batch of about the right length, never for reproducible lengths.

use super::cell::{Cell, Raw};
use super::stopping::Limits;
use super::{Bench, Member};
use crate::sampling::Shape;
use stats::whole;

/// Batches that search the size; each may be 16 times the one before, which
/// spans 2^52 operations.
const SEARCH_BATCHES: u32 = 14;
/// Most that one batch grows over the one before.
const GROWTH: f64 = 16.0;
/// Batches that warm up, at most.
const WARM_BATCHES: u32 = 24;
/// Batches in a row that must agree, and how well.
const AGREE: usize = 3;
/// Largest spread of batches that agree, as a share of the slowest.
const AGREEMENT: f64 = 0.05;
/// A batch that takes so many times what the one before it lets expect has lost the CPU, or its
/// operations are slower than the first ones were: a second one tells.
const STALLED: f64 = 4.0;
/// A second look may take this part of the time until the deadline.
const LITTLE: u64 = 16;
/// A batch of which less than half is timed is limited by what the whole of it takes: the
/// whole over the part.
const LARGE_PART: f64 = 2.0;
/// A batch that is so many times shorter than wanted is far too short.
const FAR: f64 = 16.0;
/// Share of a part's budget that search and warm-up may take.
const SHARE: f64 = 0.2;

/// Finds the batch size of `cell` and warms it up.
pub fn calibrate(
    cell: &mut Cell,
    members: &mut [Member<'_>],
    bench: &mut Bench<'_>,
    limits: &Limits,
) {
    let member = &mut members[cell.member];
    let parts = u64::from(member.parts.max(1));
    let share_ns = (member.sampling.budget_ns / parts) as f64 * SHARE;
    let now_ns = bench.clock.now_ns();
    let until_ns = now_ns
        .saturating_add(whole(share_ns))
        .min(limits.deadline_at_ns);
    if now_ns >= limits.first_till_ns {
        cell.notes
            .push("twice the deadline of the block passed before the first batch".to_owned());
        return;
    }
    let Some((last, lost_ns)) = search(cell, member, bench, limits, until_ns) else {
        return;
    };
    let until_ns = later(until_ns, lost_ns, limits);
    if !warm_up(cell, member, bench, limits, until_ns, last) {
        cell.notes.push(format!(
            "part {} not warmed up: a batch takes {:.0} ms",
            cell.part,
            cell.expected_ns / 1e6
        ));
    }
}

/// Whether a batch of the passes took so little of the wanted time that its size was found while
/// something was away: the CPU, or the other one that an operation waits for.
pub fn is_far_too_short(cell: &Cell, raw: &Raw) -> bool {
    let sized = cell.sampling.shape == Shape::Batched && cell.recorded.is_none();
    let target_ns = batch_target_ns(cell);
    // Not where what is prepared for a batch takes long: that was what made it short.
    let cheap = (raw.wall_ns as f64) < target_ns && affordable(cell, raw) > FAR;
    sized && cheap && raw.elapsed_ns * FAR < target_ns
}

fn batch_target_ns(cell: &Cell) -> f64 {
    cell.sampling.batch_ns.max(1) as f64
}

/// Grows the batch until it lasts half the wanted time, then scales it. The last batch, and the
/// time that stalls took, in ns.
fn search(
    cell: &mut Cell,
    member: &mut Member<'_>,
    bench: &mut Bench<'_>,
    limits: &Limits,
    until_ns: u64,
) -> Option<(Raw, u64)> {
    let mut last: Option<Raw> = None;
    let mut lost_ns = 0;
    for _ in 0..SEARCH_BATCHES {
        if bench.stopped() {
            break;
        }
        let before = last.take();
        let mut raw = bench.take(member.subject, cell);
        let now_ns = bench.clock.now_ns();
        let ends = raw.elapsed_ns * 2.0 >= batch_target_ns(cell)
            || now_ns >= later(until_ns, lost_ns, limits);
        let left_ns = limits.deadline_at_ns.saturating_sub(now_ns);
        if ends && left_ns > 0 && is_stalled(cell, before.as_ref(), &raw, left_ns) {
            let again = bench.take(member.subject, cell);
            if again.wall_ns < raw.wall_ns {
                lost_ns += raw.wall_ns - again.wall_ns;
                raw = again;
            }
        }
        cell.calibration = Some(raw.clone());
        last = Some(raw.clone());
        if cell.sampling.shape != Shape::Batched {
            cell.expect(&raw);
            break;
        }
        let big_enough = resize(cell, &raw);
        let until_ns = later(until_ns, lost_ns, limits);
        if big_enough || bench.clock.now_ns().saturating_add(cell.expected_wall_ns) >= until_ns {
            break;
        }
    }
    last.map(|last| (last, lost_ns))
}

/// Whether a batch, or what was prepared for it, took far longer than the one before it lets
/// expect. Of the first one nothing was expected: it is taken again where that costs twice the
/// budget at most, or little of what is left until the deadline.
fn is_stalled(cell: &Cell, before: Option<&Raw>, raw: &Raw, left_ns: u64) -> bool {
    if cell.sampling.shape != Shape::Batched {
        return false;
    }
    let Some(before) = before else {
        return raw.wall_ns <= (2 * cell.sampling.budget_ns).max(left_ns / LITTLE);
    };
    let grown = raw.ops as f64 / before.ops.max(1) as f64;
    let outside_ns = (before.wall_ns as f64 - before.elapsed_ns).max(0.0);
    let expected_ns = outside_ns + grown * before.elapsed_ns.max(before.floor_ns);
    expected_ns > 0.0 && raw.wall_ns as f64 > STALLED * expected_ns
}

/// What stalls took is not taken from the time for calibration.
fn later(until_ns: u64, lost_ns: u64, limits: &Limits) -> u64 {
    until_ns.saturating_add(lost_ns).min(limits.deadline_at_ns)
}

/// Sets the next batch size from a batch; true when that batch was at least
/// half as long as wanted, or as can be afforded.
fn resize(cell: &mut Cell, raw: &Raw) -> bool {
    let target_ns = batch_target_ns(cell);
    // Under the clock's resolution a batch says only that it is short.
    let net_ns = (raw.elapsed_ns - raw.floor_ns).max(0.0);
    rescale(cell, raw, net_ns);
    net_ns * 2.0 >= target_ns || affordable(cell, raw) <= 2.0
}

/// Scales the batch from one that took `net_ns` to the wanted time.
fn rescale(cell: &mut Cell, raw: &Raw, net_ns: f64) {
    let target_ns = batch_target_ns(cell);
    let factor = if net_ns > 0.0 {
        target_ns / net_ns
    } else {
        GROWTH
    };
    let most = affordable(cell, raw);
    cell.ops = cell.round_ops(raw.ops as f64 * factor.min(GROWTH).min(most));
    cell.expect(raw);
}

/// How many times the operations of this batch the next may have. Where a subject times a small
/// part of its work, a batch of the wanted time takes many times as long: then it is short
/// enough that the samples that are wanted fit into the budget.
fn affordable(cell: &Cell, raw: &Raw) -> f64 {
    if raw.whole_ns <= LARGE_PART * raw.elapsed_ns {
        return f64::INFINITY;
    }
    let each_ns = cell.sampling.budget_ns as f64 / f64::from(cell.sampling.min_samples.max(1));
    each_ns / raw.whole_ns
}

/// Repeats batches until three in a row agree, following the batch size where
/// the subject became faster or slower. False when there was no time for it.
fn warm_up(
    cell: &mut Cell,
    member: &mut Member<'_>,
    bench: &mut Bench<'_>,
    limits: &Limits,
    until_ns: u64,
    last: Raw,
) -> bool {
    let mut values = vec![last.value()];
    let enough = match cell.sampling.shape {
        Shape::Batched => WARM_BATCHES,
        // Prepared anew each time: there is nothing to warm but the code.
        Shape::Single { .. } | Shape::Recorded { .. } => 2,
    };
    for _ in 0..enough {
        let now_ns = bench.clock.now_ns();
        let late = now_ns.saturating_add(cell.expected_wall_ns) > until_ns;
        if (late && !second_look(cell, values.len(), now_ns, limits)) || bench.stopped() {
            return values.len() > 1;
        }
        let raw = bench.take(member.subject, cell);
        cell.calibration = Some(raw.clone());
        values.push(raw.value());
        if cell.sampling.shape != Shape::Batched {
            cell.learn(&raw);
            continue;
        }
        let (low_ns, high_ns) = range(&values[values.len().saturating_sub(AGREE)..]);
        // By the fastest of the latest: a batch that lost the CPU in between
        // must not shrink the following ones.
        let net_ns = (low_ns * raw.ops as f64).max(0.0);
        rescale(cell, &raw, net_ns);
        let sized = net_ns * 2.0 >= batch_target_ns(cell) || raw.ops == cell.ops;
        if sized && values.len() >= AGREE && high_ns - low_ns <= AGREEMENT * high_ns.abs() {
            break;
        }
    }
    true
}

/// A single batch may have lost the CPU in between and look long for that
/// alone: a second one is worth a quarter of the budget.
fn second_look(cell: &Cell, seen: usize, now_ns: u64, limits: &Limits) -> bool {
    seen == 1
        && cell.expected_wall_ns <= cell.sampling.budget_ns / 4
        && !limits.past_deadline(cell, now_ns)
}

fn range(values: &[f64]) -> (f64, f64) {
    let low = values.iter().copied().fold(f64::INFINITY, f64::min);
    let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    (low, high)
}
