//! Samples one block of points: calibration, warm-up, interleaving, stopping.
//!
//! The points of a block differ only in compared axes. Their parts are the
//! cells; a pass visits every cell once, two passes in opposite directions, so two
//! subjects are sampled A B B A or B A A B and a slow drift of the machine falls
//! on both alike (`order`). No sample is ever dropped.

mod calibration;
mod cell;
mod counted;
mod interval;
mod order;
mod outcome;
mod row;
mod singly;
mod stopping;
mod surroundings;

pub use outcome::{Ended, Sampled};
pub use stopping::LATEST;

use crate::clock::Clock;
use crate::counters::{Count, Counted, Turn};
use crate::sampling::Sampling;
use crate::subject::{Reading, Subject};
use crate::watch::Watch;
use crate::yardstick::Yardstick;
use cell::{Cell, Raw};
use record::Disturbance;
use std::sync::atomic::{AtomicBool, Ordering};
use stopping::Limits;
use surroundings::Surroundings;

/// One point of a block.
pub struct Member<'a> {
    pub subject: &'a mut dyn Subject,
    /// Timed parts of the experiment, at least 1.
    pub parts: u16,
    pub sampling: Sampling,
}

/// The instrument as the sampler needs it.
pub struct Bench<'a> {
    pub clock: &'a dyn Clock,
    pub watch: &'a mut dyn Watch,
    /// Says how fast the CPU is; None: nothing does. Of this block only.
    pub yardstick: Option<Yardstick<'a>>,
    /// Counters around each batch, where the run asks for them.
    pub counters: Option<&'a mut (dyn Count + 'a)>,
    /// Cost of one start/stop pair around nothing, ns (`self_test::floor_ns`).
    pub floor_ns: f64,
    /// Step of the clock, ns (`self_test::resolution_ns`).
    pub resolution_ns: f64,
    /// Number of this process among its repetitions.
    pub process: u16,
    /// Index of the next sample of this process.
    pub next_index: u32,
    /// Set from outside: end before the next batch.
    pub stop: &'a AtomicBool,
}

impl Bench<'_> {
    /// The next index; that of the sample before where both are of one turn.
    fn index_of(&mut self, raw: &Raw, before: &mut Option<(u64, u32)>) -> u32 {
        if let (Some(turn), Some((last, index))) = (raw.turn, *before)
            && turn == last
        {
            return index;
        }
        let index = self.next_index;
        self.next_index = self.next_index.saturating_add(1);
        *before = raw.turn.map(|turn| (turn, index));
        index
    }

    /// What the present pass is to the counters.
    fn turn(&self) -> Turn {
        self.counters.as_ref().map_or(Turn::Without, |c| c.turn())
    }

    /// Whether passes with and without counters alternate. What happened in set-up cannot
    /// be counted any more.
    fn alternates(&self, cells: &[Cell]) -> bool {
        let made = cells.iter().all(|c| c.recorded.is_none());
        self.counters.is_some() && self.turn() == Turn::Without && made
    }

    fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Prepares and times one batch. Nothing but the batch lies between the
    /// two clock reads. Every part is counted around, so that parts which are
    /// compared suffer the same.
    fn take(&mut self, subject: &mut dyn Subject, cell: &Cell) -> Raw {
        let began_ns = self.clock.now_ns();
        subject.prepare(cell.part);
        let place = self.yardstick.as_mut().map(|y| y.before(self.clock));
        self.watch.before();
        let counts = self.turn() != Turn::Without;
        if let Some(counters) = self.counters.as_mut().filter(|_| counts) {
            counters.before(cell.member, cell.part);
        }
        let elapsed_ns = time_batch(self.clock, subject, cell.part, cell.ops);
        if let Some(counters) = self.counters.as_mut().filter(|_| counts) {
            counters.stop(cell.member, cell.part);
        }
        let mut seen = self.watch.after();
        if let Some(yardstick) = &mut self.yardstick {
            yardstick.after(self.clock);
        }
        let read = subject.reading(cell.part).unwrap_or(Reading {
            ops: cell.ops,
            elapsed_ns,
            floor_ns: self.floor_ns,
            cpu: None,
            turn: None,
        });
        let elsewhere = read.cpu.is_some_and(|cpu| cpu != seen.cpu);
        seen.cpu = read.cpu.unwrap_or(seen.cpu);
        let counted = match &mut self.counters {
            Some(counters) if counts => counters.counted(read.ops),
            _ => Counted::default(),
        };
        let watched = cell.recorded.is_none() && !elsewhere;
        if !watched {
            seen.disturbance = Disturbance::default();
        }
        let tallies = subject.tally(cell.part);
        Raw {
            index: 0,
            turn: read.turn,
            ops: read.ops,
            elapsed_ns: read.elapsed_ns,
            whole_ns: elapsed_ns,
            floor_ns: read.floor_ns,
            seen,
            watched,
            place,
            counted,
            wall_ns: self.clock.now_ns().saturating_sub(began_ns),
            tallies,
        }
    }
}

/// Times one batch, ns. Never inlined, so that the floor and the empty loop
/// are measured through the very code that samples go through.
#[inline(never)]
pub(crate) fn time_batch(clock: &dyn Clock, subject: &mut dyn Subject, part: u16, ops: u64) -> f64 {
    let start = clock.start();
    subject.batch(part, ops);
    let stop = clock.stop();
    clock.elapsed_ns(start, stop)
}

/// Samples the points of one block together; one result for each member, in
/// their order.
///
/// Verifies every subject before and after, in further processes of the run only after: what
/// they measure was verified by the first, and sampling is what they are for. A subject that
/// fails the first check is left out, one that fails the second keeps its samples with the
/// failure. The sum of the members' deadlines holds for the block from here
/// on; only a single batch can overrun it.
pub fn sample_block(members: &mut [Member<'_>], bench: &mut Bench<'_>) -> Vec<Sampled> {
    let mut results: Vec<Sampled> = members.iter().map(|_| Sampled::default()).collect();
    if bench.process == 0 {
        verify(members, &mut results, "before");
    }
    let mut cells = lay_out(members, &results);
    let limits = Limits::of(members, &cells, bench.clock.now_ns());
    bench.watch.block_begins();
    for cell in cells.iter_mut().filter(|c| c.recorded.is_none()) {
        calibration::calibrate(cell, members, bench, &limits);
    }
    for member in members.iter_mut() {
        member.subject.sampling_begins();
    }
    if let Some(counters) = &mut bench.counters {
        counters.sampling_begins();
    }
    let ended = run_passes(&mut cells, members, bench, &limits);
    singly::take(&mut cells, members, bench, &limits, ended);
    let surroundings = Surroundings::of_block(bench);
    verify(members, &mut results, "after");
    outcome::collect(cells, members, bench, ended, &surroundings, &mut results);
    results
}

fn verify(members: &mut [Member<'_>], results: &mut [Sampled], when: &str) {
    for (member, result) in members.iter_mut().zip(results) {
        if result.failure.is_none()
            && let Err(why) = member.subject.verify()
        {
            result.late = why.is_slow();
            result.failure = Some(match result.late {
                true => why.to_string(),
                false => format!("verification {when} sampling failed: {why}"),
            });
        }
    }
}

fn lay_out(members: &[Member<'_>], results: &[Sampled]) -> Vec<Cell> {
    members
        .iter()
        .enumerate()
        .filter(|(m, _)| results[*m].failure.is_none())
        .flat_map(|(m, member)| {
            (0..member.parts.max(1)).map(move |part| Cell::new(m, part, member))
        })
        .collect()
}

/// Alternating passes over the cells until a limit is reached.
fn run_passes(
    cells: &mut [Cell],
    members: &mut [Member<'_>],
    bench: &mut Bench<'_>,
    limits: &Limits,
) -> Ended {
    let began_ns = bench.clock.now_ns();
    let mut next_check = 0;
    let mut turn = None;
    let mut enough_at = None;
    let alternates = bench.alternates(cells);
    cells.iter_mut().for_each(|c| c.alternates = alternates);
    for pass in 0usize.. {
        let now_ns = bench.clock.now_ns();
        if let Some(ended) =
            limits.before_pass(cells, pass, now_ns, now_ns.saturating_sub(began_ns))
        {
            return ended;
        }
        if cells.iter().all(|c| members[c.member].subject.has_enough()) {
            // Half of the passes were counted, and are no samples: as many again.
            let first = *enough_at.get_or_insert(pass);
            if !alternates || pass >= 2 * first {
                return Ended::Enough;
            }
        }
        if let Some(counters) = bench.counters.as_mut().filter(|_| alternates) {
            counters.pass_begins(pass);
        }
        if pass.is_multiple_of(2) && pass >= next_check {
            if stopping::all_narrow(cells) {
                return Ended::Narrow;
            }
            // Sorting at every pass would cost more than it saves.
            next_check = pass + pass / 8;
        }
        if let Some(ended) = run_pass(cells, members, bench, limits, pass, &mut turn) {
            return ended;
        }
    }
    unreachable!("a pass is taken or a limit is reached")
}

/// How often the size of a cell's batches is sought again.
const SOUGHT_AGAIN: u32 = 3;

fn run_pass(
    cells: &mut [Cell],
    members: &mut [Member<'_>],
    bench: &mut Bench<'_>,
    limits: &Limits,
    pass: usize,
    turn: &mut Option<(u64, u32)>,
) -> Option<Ended> {
    for step in 0..cells.len() {
        let place = match order::forwards(bench.process, pass) {
            true => step,
            false => cells.len() - 1 - step,
        };
        let cell = &mut cells[place];
        let counted = bench.turn() == Turn::Counted;
        if cell.full_of(counted) {
            continue;
        }
        if bench.stopped() {
            return Some(Ended::Stopped);
        }
        if limits.past_deadline(cell, bench.clock.now_ns()) {
            return Some(Ended::Deadline);
        }
        let mut raw = bench.take(members[cell.member].subject, cell);
        let again = !counted && cell.sought_again < SOUGHT_AGAIN;
        if again && calibration::is_far_too_short(cell, &raw) {
            seek_again(cell, members, bench, limits);
            continue;
        }
        raw.index = bench.index_of(&raw, turn);
        match counted {
            true => cell.keep_counted(raw),
            false => cell.keep(raw),
        }
    }
    None
}

/// Batches of a size that was found while something was away measure the clock: they are no
/// samples.
fn seek_again(cell: &mut Cell, members: &mut [Member<'_>], bench: &mut Bench<'_>, limits: &Limits) {
    if cell.sought_again == 0 {
        let note = "its batches came out far too short: their size was sought again";
        cell.notes.push(note.to_owned());
    }
    cell.sought_again += 1;
    cell.raws.clear();
    cell.counted.clear();
    calibration::calibrate(cell, members, bench, limits);
}

#[cfg(test)]
mod reading_tests;
#[cfg(test)]
mod tests;
