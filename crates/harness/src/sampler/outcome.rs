//! From raw batches to the samples and notes of each point.

use super::cell::{Cell, Raw};
use super::row::Taker;
use super::surroundings::Surroundings;
use super::{Bench, Member, counted};
use record::{Disturbance, Sample, Yardstick};

/// Why sampling of a block ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Ended {
    /// Every median's interval is as narrow as asked.
    Narrow,
    /// The time for samples is spent.
    #[default]
    Budget,
    /// The hard limit came first.
    Deadline,
    /// As many samples as were asked for, or as the subjects need.
    Enough,
    /// Asked to stop from outside: the block is not finished.
    Stopped,
}

/// What sampling of one point gave.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Sampled {
    /// In the order of measuring; metric = part, and with two parts metric 2 =
    /// part 0 minus part 1, pair by pair.
    pub samples: Vec<Sample>,
    pub notes: Vec<String>,
    /// The subject's own check failed; samples taken before are kept.
    pub failure: Option<String>,
    /// Of a failure: another side took too long, and nothing else is wrong. How many
    /// operations its last batch had is not known.
    pub late: bool,
    pub ended: Ended,
}

/// Metric index of the paired difference of two parts.
pub const NET_METRIC: u16 = 2;

/// Metric index of the first tally of a subject with so many parts: behind the
/// parts and their difference.
pub fn first_tally(parts: u16) -> u16 {
    if parts == 2 {
        NET_METRIC + 1
    } else {
        parts.max(1)
    }
}

/// Turns the cells of a block into samples, notes and failures of its points.
pub fn collect(
    mut cells: Vec<Cell>,
    members: &[Member<'_>],
    bench: &mut Bench<'_>,
    ended: Ended,
    surroundings: &Surroundings,
    results: &mut [Sampled],
) {
    let mut turn = None;
    let taker = Taker {
        process: bench.process,
        surroundings,
    };
    for cell in &mut cells {
        explain(cell, ended, bench, &mut turn);
    }
    for (index, result) in results.iter_mut().enumerate() {
        result.ended = ended;
        let own: Vec<&Cell> = cells.iter().filter(|c| c.member == index).collect();
        for cell in &own {
            result.notes.extend(cell.notes.iter().cloned());
            result
                .samples
                .extend(cell.raws.iter().map(|r| taker.sample(cell.part, r)));
            let first = first_tally(members[index].parts);
            result
                .samples
                .extend(cell.raws.iter().flat_map(|r| taker.tallies(first, r)));
        }
        if let Some(primary) = own.iter().find(|c| c.part == 0) {
            // Behind whatever the subject itself counts.
            let own_tallies = primary.raws.first().map_or(0, |raw| raw.tallies.len());
            let own_tallies = u16::try_from(own_tallies).unwrap_or(u16::MAX);
            let mut first = first_tally(members[index].parts).saturating_add(own_tallies);
            if members[index].sampling.singly {
                let singles = primary.singles.iter();
                result
                    .samples
                    .extend(singles.map(|r| taker.sample(first, r)));
                first = first.saturating_add(1);
            }
            let (samples, notes) = counted::taken(primary, first, bench, &taker);
            result.samples.extend(samples);
            result.notes.extend(notes);
        }
        if members[index].parts == 2
            && let [first, second] = own[..]
        {
            result.samples.extend(taker.net(first, second));
        }
        result.samples.sort_by_key(|s| (s.index, s.metric));
        result.notes.extend(members[index].subject.notes());
        if !own.is_empty() {
            result.notes.extend_from_slice(surroundings.notes());
        }
    }
}

/// Says what is unusual of a cell, and lets the calibration batch stand in
/// where no sample could be taken.
fn explain(cell: &mut Cell, ended: Ended, bench: &mut Bench<'_>, turn: &mut Option<(u64, u32)>) {
    let name = if cell.part == 0 {
        "one batch".to_owned()
    } else {
        format!("one batch of part {}", cell.part)
    };
    if cell.outlasts_budget() {
        cell.notes.push(format!(
            "{name} ({} operations) takes {:.1} ms, longer than the budget of {:.1} ms",
            cell.ops,
            cell.fastest_op_ns * cell.ops as f64 / 1e6,
            cell.sampling.budget_ns as f64 / 1e6
        ));
    }
    if cell.raws.is_empty()
        && ended != Ended::Stopped
        && let Some(mut raw) = cell.calibration.take()
    {
        raw.index = bench.index_of(&raw, turn);
        cell.raws.push(raw);
        cell.notes.push(
            "the only sample is the calibration batch, not warmed up: no time was left".to_owned(),
        );
    } else if ended == Ended::Deadline {
        cell.notes.push(format!(
            "ended by the deadline with {} samples",
            cell.raws.len()
        ));
    }
}

impl Taker<'_> {
    /// What the subject counted in a batch, for one operation; NaN is not counted.
    fn tallies(&self, first: u16, raw: &Raw) -> Vec<Sample> {
        let each = |count: &f64| count / raw.ops.max(1) as f64;
        let counted = (first..).zip(&raw.tallies).filter(|(_, c)| c.is_finite());
        counted
            .map(|(metric, count)| self.counted(metric, raw, each(count)))
            .collect()
    }

    /// The differences of batches taken in the same pass. Derived, so without a
    /// time of their own; disturbed when either batch was, and as fast as the slower of both.
    fn net(&self, first: &Cell, second: &Cell) -> Vec<Sample> {
        let pairs = first.raws.iter().zip(&second.raws);
        pairs
            .map(|(a, b)| {
                let other = self.sample(NET_METRIC, b);
                let sample = self.counted(NET_METRIC, a, a.value() - b.value());
                Sample {
                    disturbance: both(&sample.disturbance, &other.disturbance),
                    yardstick: slower(sample.yardstick, other.yardstick),
                    ..sample
                }
            })
            .collect()
    }
}

fn both(a: &Disturbance, b: &Disturbance) -> Disturbance {
    Disturbance {
        voluntary_switches: a.voluntary_switches.saturating_add(b.voluntary_switches),
        involuntary_switches: a
            .involuntary_switches
            .saturating_add(b.involuntary_switches),
        minor_faults: a.minor_faults.saturating_add(b.minor_faults),
        major_faults: a.major_faults.saturating_add(b.major_faults),
        migrations: a.migrations.saturating_add(b.migrations),
        steal_ns: either(a.steal_ns, b.steal_ns, u64::saturating_add),
        interrupts: either(a.interrupts, b.interrupts, u32::saturating_add),
        bracket_batches: a.bracket_batches.max(b.bracket_batches),
        off_cpu_ns: either(a.off_cpu_ns, b.off_cpu_ns, u64::saturating_add),
    }
}

fn slower(a: Option<Yardstick>, b: Option<Yardstick>) -> Option<Yardstick> {
    let (a, b) = (a?, b?);
    Some(Yardstick {
        link_ns: a.link_ns.max(b.link_ns),
        burst_ns: a.burst_ns.max(b.burst_ns),
    })
}

/// The sum where at least one was read: what was seen is not thrown away.
fn either<T: Copy>(a: Option<T>, b: Option<T>, sum: fn(T, T) -> T) -> Option<T> {
    match (a, b) {
        (Some(a), Some(b)) => Some(sum(a, b)),
        (one, other) => one.or(other),
    }
}
