//! How far the surroundings reached into the samples.
//!
//! A disturbance matters only as far as it moves the figure that is reported.
//! So the disturbed samples are kept, counted, and the median with them is
//! held against the median without them.

use crate::around::{Around, paces};
use crate::level;
use crate::speed::Pace;
use crate::view::{Contamination, ContaminationLevel};
use record::{Conditions, Disturbance, RunHead, Sample};
use stats::interval::NOMINAL_LEVEL;
use stats::order::FEWEST_FOR_95;
use std::collections::BTreeMap;

/// The median may move by this share through disturbed samples before the
/// point counts as contaminated: well under the 5 % at which differences are
/// called by default, above what samples of an undisturbed point scatter.
pub const SHIFT_TOLERATED: f64 = 0.02;

/// Fewest undisturbed samples that can serve as the measure of the others: the
/// smallest number with a 95 % interval of its median.
pub const FEWEST_UNDISTURBED: usize = FEWEST_FOR_95;

/// An experiment in which at least this share of the samples switch of their
/// own accord is about switching: it waits, wakes and is preempted by its own
/// partner, and none of that is a disturbance.
pub const SWITCHING_SHARE: f64 = 0.5;

/// Preempted more often than this, a sample is preempted by what it itself
/// wakes (a ring of processes on one CPU): the scheduler grants an unrelated
/// task a time slice of 0.7 ms and more.
pub const SHORTEST_SLICE_NS: f64 = 100_000.0;

/// A burst of interrupts: more than the usual count of the point by this many
/// Poisson standard deviations, and by more than one.
pub const INTERRUPT_BURST_SIGMA: f64 = 3.0;

/// A process whose samples lie in one mode at least to this share stays in it.
pub const PROCESS_IN_MODE: f64 = 0.9;

/// Steal over the whole run: above this share of the CPU time the neighbours
/// of a virtual machine are felt ...
pub const STEAL_DISTURBS: f64 = 0.005;
/// ... and above this one they are part of the result.
pub const STEAL_CONTAMINATES: f64 = 0.05;

/// CPU time not idle before measuring, all CPUs together: a quiet machine
/// stays below this.
pub const BUSY_DISTURBS: f64 = 0.10;
/// Above this the CPUs were shared all the time.
pub const BUSY_CONTAMINATES: f64 = 0.50;

/// Time off the CPU that is more than the two clocks disagree by: an absolute one ...
const OFF_CPU_LEAST_NS: f64 = 2_000.0;
/// ... and a share of the batch: half of what the median may move by.
const OFF_CPU_SHARE: f64 = 0.01;

/// One sample in so many is at least as fast as the best that counts ...
const BEST_SHARE: f64 = 0.05;
/// ... of so many samples ...
const FEWEST_FOR_BEST: usize = 20;
/// ... and the median of a machine left alone does not take so many times as long.
pub const FAR_FROM_BEST: f64 = 2.0;

/// Of more samples than this share it must be known whether time was stolen from them.
pub const UNKNOWN_TOLERATED: f64 = 0.10;

/// Whether the hypervisor may have taken time from a run: it is not known to have left it
/// alone.
pub fn may_be_stolen(head: &RunHead) -> bool {
    let share = head.conditions.steal_share;
    let calm = share.is_some_and(|share| share <= STEAL_DISTURBS);
    head.machine.hypervisor.is_some() && !calm
}

/// Verdict on a point from the samples of its primary metric; None without
/// samples.
pub fn judge_point(samples: &[Sample], around: &Around) -> Option<Contamination> {
    let primary: Vec<&Sample> = samples.iter().filter(|s| s.metric == 0).collect();
    if primary.is_empty() {
        return None;
    }
    let switching = switches_by_nature(&primary);
    let (disturbed, calm): (Vec<&Sample>, Vec<&Sample>) =
        primary.iter().partition(|s| disturbs(s, switching, around));
    let (mut level, mut reasons) = (ContaminationLevel::Clean, Vec::new());
    let mut note = |at_least: ContaminationLevel, reason: String| {
        level = level.max(at_least);
        reasons.push(reason);
    };
    let broken = primary.iter().filter(|s| !s.value.is_finite()).count();
    if broken > 0 {
        note(
            ContaminationLevel::Contaminated,
            format!("{broken} of {} samples are not numbers", primary.len()),
        );
    } else {
        if !disturbed.is_empty() {
            let (level, effect) = effect_of(&primary, &disturbed, &calm);
            note(
                level,
                format!("{}; {effect}", events(&disturbed, switching, around)),
            );
        }
        if let Some(reason) = interrupts_shift(&calm) {
            note(ContaminationLevel::Contaminated, reason);
        }
        if let Some((level, reason)) = level::changed(&primary, SHIFT_TOLERATED) {
            note(level, reason);
        }
        if let Some(reason) = level::pace_changed(&primary, SHIFT_TOLERATED) {
            note(ContaminationLevel::Disturbed, reason);
        }
        if let Some(reason) = modes_follow_processes(&primary) {
            note(ContaminationLevel::Disturbed, reason);
        }
    }
    if let Some(reason) = far_from_best(&primary).filter(|_| around.shared) {
        note(ContaminationLevel::Contaminated, reason);
    }
    let unknown = primary.iter().filter(|s| !around.knows(s)).count();
    if unknown as f64 > UNKNOWN_TOLERATED * primary.len() as f64 {
        note(
            ContaminationLevel::Disturbed,
            format!(
                "of {unknown} of {} samples it is not known whether time was stolen",
                primary.len()
            ),
        );
    }
    Some(Contamination {
        level,
        disturbed: count(disturbed.len()),
        unknown: count(unknown),
        samples: count(primary.len()),
        reason: if reasons.is_empty() {
            "no disturbance seen".to_owned()
        } else {
            reasons.join("; ")
        },
    })
}

fn switches_by_nature(samples: &[&Sample]) -> bool {
    let itself = |s: &&&Sample| {
        let preempted_ns = f64::from(s.disturbance.involuntary_switches) * SHORTEST_SLICE_NS;
        s.disturbance.voluntary_switches > 0 || preempted_ns > s.elapsed_ns
    };
    let switching = samples.iter().filter(itself).count();
    switching as f64 >= SWITCHING_SHARE * samples.len() as f64
}

/// The median takes so many times what one sample in twenty keeps: on a machine that others use
/// it is theirs as much as the operation's, whatever was seen of them.
fn far_from_best(samples: &[&Sample]) -> Option<String> {
    let values = values(samples);
    let best = stats::quantile(&values, BEST_SHARE).ok()?;
    let times = stats::median(&values).ok()? / best;
    (samples.len() >= FEWEST_FOR_BEST && best > 0.0 && times >= FAR_FROM_BEST).then(|| {
        format!("the median takes {times:.1} times what one sample in twenty keeps, on a machine that others use")
    })
}

/// Whether a sample met something that its experiment does not cause. Minor
/// faults and voluntary switches are what experiments are about; an interrupt
/// alone is the ordinary timer tick and is judged by its effect.
fn disturbs(sample: &Sample, switching: bool, around: &Around) -> bool {
    let seen = &sample.disturbance;
    let scheduled = seen.involuntary_switches > 0 || seen.migrations > 0;
    (scheduled && !switching)
        || seen.major_faults > 0
        || taken_ns(sample, switching) > 0
        || around.pace(sample).is_some_and(|pace| pace != Pace::Usual)
}

/// Time that the hypervisor took from a sample, ns: as the kernel counts it, or as time for
/// which the thread did not run and no other task was given its CPU.
fn taken_ns(sample: &Sample, switching: bool) -> u64 {
    let seen = &sample.disturbance;
    let off_cpu_ns = seen.off_cpu_ns.filter(|ns| {
        let alone = seen.voluntary_switches == 0 && seen.involuntary_switches == 0;
        alone && !switching && *ns as f64 > OFF_CPU_LEAST_NS.max(OFF_CPU_SHARE * sample.elapsed_ns)
    });
    seen.own_steal_ns()
        .unwrap_or(0)
        .max(off_cpu_ns.unwrap_or(0))
}

/// `12 involuntary switches, 3 ms steal in 9 of 30 samples`.
fn events(disturbed: &[&Sample], switching: bool, around: &Around) -> String {
    let sum = |what: fn(&Disturbance) -> u64| {
        let each = disturbed.iter().map(|s| what(&s.disturbance));
        // A record may claim centuries.
        each.fold(0, u64::saturating_add)
    };
    let mut parts = Vec::new();
    let mut name = |count: u64, one: &str, many: &str| match count {
        0 => {}
        1 => parts.push(format!("1 {one}")),
        _ => parts.push(format!("{count} {many}")),
    };
    if !switching {
        let switches = sum(|d| u64::from(d.involuntary_switches));
        name(switches, "involuntary switch", "involuntary switches");
        name(sum(|d| u64::from(d.migrations)), "migration", "migrations");
    }
    name(
        sum(|d| u64::from(d.major_faults)),
        "major fault",
        "major faults",
    );
    let taken = disturbed.iter().map(|s| taken_ns(s, switching));
    let taken_ns = taken.fold(0, u64::saturating_add);
    if taken_ns > 0 {
        parts.push(format!("{:.1} ms steal", taken_ns as f64 / 1e6));
    }
    parts.extend(paces(disturbed, around));
    parts.join(", ")
}

/// What the disturbed samples do to the median.
fn effect_of(
    all: &[&Sample],
    disturbed: &[&Sample],
    calm: &[&Sample],
) -> (ContaminationLevel, String) {
    let share = format!("in {} of {} samples", disturbed.len(), all.len());
    if calm.len() < FEWEST_UNDISTURBED {
        let effect = format!("{share}, too few undisturbed ones to judge by");
        return (ContaminationLevel::Contaminated, effect);
    }
    match shift(all, calm) {
        Some(shift) => (
            ContaminationLevel::Contaminated,
            format!("{share}, they change the median by {:+.1} %", 100.0 * shift),
        ),
        None => (
            ContaminationLevel::Disturbed,
            format!("{share}, the median is unchanged"),
        ),
    }
}

/// Relative move of the figure from `calm` to `all`, if it is beyond what is
/// tolerated and beyond the uncertainty of the calm median.
fn shift(all: &[&Sample], calm: &[&Sample]) -> Option<f64> {
    let (with, without) = (figure(all)?, figure(calm)?);
    let doubt = stats::median_interval(&values(calm), NOMINAL_LEVEL).ok()?;
    let shift = (with - without) / without.abs();
    (shift.abs() > SHIFT_TOLERATED && !doubt.contains(with)).then_some(shift)
}

/// What is reported of these samples: the median of the medians of their processes.
fn figure(samples: &[&Sample]) -> Option<f64> {
    let mut processes: BTreeMap<u16, Vec<f64>> = BTreeMap::new();
    for sample in samples {
        let own = processes.entry(sample.process).or_default();
        own.push(sample.value);
    }
    let medians = processes.values().map(|own| stats::median(own).ok());
    stats::median(&medians.collect::<Option<Vec<f64>>>()?).ok()
}

/// Interrupts count as a disturbance only where bursts of them slow the
/// median. The ordinary tick is no burst; and since a slow batch meets more
/// ticks than a fast one, setting aside every sample above the usual count
/// would blame the tick for what it merely witnessed.
fn interrupts_shift(calm: &[&Sample]) -> Option<String> {
    // Batches between the same two readings share what those say.
    let met = |s: &Sample| {
        let batches = f64::from(s.disturbance.bracket_batches.max(1));
        s.disturbance.interrupts.map(|n| f64::from(n) / batches)
    };
    let counts: Vec<f64> = calm.iter().filter_map(|s| met(s)).collect();
    let usual = stats::median(&counts).ok()?;
    let burst = usual + 1.0 + INTERRUPT_BURST_SIGMA * usual.sqrt();
    let quiet: Vec<&Sample> = calm
        .iter()
        .copied()
        .filter(|s| met(s).is_none_or(|n| n <= burst))
        .collect();
    if quiet.len() == calm.len() || quiet.len() < FEWEST_UNDISTURBED {
        return None;
    }
    let shift = shift(calm, &quiet).filter(|s| *s > 0.0)?;
    let hit = calm.len() - quiet.len();
    Some(format!(
        "bursts of interrupts in {hit} samples change the median by {:+.1} %",
        100.0 * shift
    ))
}

/// Several modes, and each process keeps to one of them: the draw of the
/// process (its pages, its addresses), not the operation, decides the figure.
fn modes_follow_processes(samples: &[&Sample]) -> Option<String> {
    let mut processes: Vec<u16> = samples.iter().map(|s| s.process).collect();
    processes.sort_unstable();
    processes.dedup();
    if processes.len() < 2 {
        return None;
    }
    let modes = stats::modes(&values(samples)).ok()?;
    let mut kept = Vec::with_capacity(processes.len());
    for process in &processes {
        let own = samples.iter().filter(|s| s.process == *process);
        let nearest: Vec<usize> = own.map(|s| nearest_mode(&modes, s.value)).collect();
        let (mode, votes) = (0..modes.len())
            .map(|m| (m, nearest.iter().filter(|n| **n == m).count()))
            .max_by_key(|(_, votes)| *votes)?;
        if (votes as f64) < PROCESS_IN_MODE * nearest.len() as f64 {
            return None;
        }
        kept.push(mode);
    }
    kept.iter().any(|m| *m != kept[0]).then(|| {
        let count = modes.len();
        format!("{count} modes, and each process stays in one of them")
    })
}

fn nearest_mode(modes: &[stats::Mode], value: f64) -> usize {
    let distance = |m: &stats::Mode| (value - m.center).abs();
    (0..modes.len())
        .min_by(|a, b| distance(&modes[*a]).total_cmp(&distance(&modes[*b])))
        .unwrap_or(0)
}

fn values(samples: &[&Sample]) -> Vec<f64> {
    samples.iter().map(|s| s.value).collect()
}

fn count(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

/// Verdict on the surroundings of a whole run: steal and business. `samples`
/// and `disturbed` are 0, for nothing here is counted by sample.
pub fn judge_run(conditions: &Conditions) -> Contamination {
    let mut level = ContaminationLevel::Clean;
    let mut reasons = Vec::new();
    let mut weigh = |share: Option<f64>, disturbs: f64, contaminates: f64, what: &str| {
        let Some(share) = share.filter(|s| *s > disturbs) else {
            return;
        };
        level = level.max(if share > contaminates {
            ContaminationLevel::Contaminated
        } else {
            ContaminationLevel::Disturbed
        });
        reasons.push(format!("{:.1} % {what}", 100.0 * share));
    };
    weigh(
        conditions.steal_share,
        STEAL_DISTURBS,
        STEAL_CONTAMINATES,
        "of the CPU time was stolen by the hypervisor during the run",
    );
    // A load that was asked for is the condition, not a disturbance.
    if conditions.load.is_empty() || conditions.load == "light" {
        weigh(
            conditions.busy_before,
            BUSY_DISTURBS,
            BUSY_CONTAMINATES,
            "of the CPU time was used by others before the run",
        );
    }
    Contamination {
        level,
        disturbed: 0,
        unknown: 0,
        samples: 0,
        reason: if reasons.is_empty() {
            "quiet".to_owned()
        } else {
            reasons.join("; ")
        },
    }
}
