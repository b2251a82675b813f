//! Whether a point kept its level while it was sampled.
//!
//! The kernel reports preemption and steal; it does not report that a core clocked lower, a
//! cache warmed up or a neighbour came. The samples do.

use crate::view::ContaminationLevel;
use record::Sample;
use stats::{Change, ChangeKind};
use std::collections::BTreeMap;

/// The largest change of level of a process among the samples of one metric, with what the
/// changes do to the figure, the median of the processes' medians: contaminated where that moves by
/// more than the share `tolerated`. None where no level changed by as much.
pub fn changed(samples: &[&Sample], tolerated: f64) -> Option<(ContaminationLevel, String)> {
    let processes = processes(samples, tolerated, |sample| Some(sample.value));
    let (change, values) = largest(&processes)?;
    let level = match shift(&processes) > tolerated {
        true => ContaminationLevel::Contaminated,
        false => ContaminationLevel::Disturbed,
    };
    let text = text("the level", ["rose", "fell"], change, values.len());
    let (hit, all) = (changes(&processes), processes.len());
    Some(match all {
        1 => (level, text),
        _ => (level, format!("{text}, in {hit} of {all} processes")),
    })
}

/// The change that `changed` names; None where it names none.
pub fn change(samples: &[&Sample], tolerated: f64) -> Option<Change> {
    let processes = processes(samples, tolerated, |sample| Some(sample.value));
    largest(&processes).map(|(change, _)| *change)
}

/// A change of the speed of the CPU, of which the yardstick knows: it may change where the
/// samples do not follow, and explains them where they do.
pub fn pace_changed(samples: &[&Sample], tolerated: f64) -> Option<String> {
    let cycle = |sample: &Sample| sample.yardstick.map(|y| y.link_ns);
    let processes = processes(samples, tolerated, cycle);
    let (change, values) = largest(&processes)?;
    let words = ["became slower", "became faster"];
    Some(text("the CPU", words, change, values.len()))
}

/// The values of a process, and its change by more than the share that is tolerated.
type Process = (Vec<f64>, Option<Change>);

fn processes(
    samples: &[&Sample],
    tolerated: f64,
    value: impl Fn(&Sample) -> Option<f64>,
) -> Vec<Process> {
    let mut processes: BTreeMap<u16, Vec<f64>> = BTreeMap::new();
    for sample in samples {
        if let Some(value) = value(sample) {
            processes.entry(sample.process).or_default().push(value);
        }
    }
    let changed = |values: &[f64]| {
        let change = stats::change(values).ok().flatten()?;
        // From 0 no share leads anywhere.
        let share = change.share().abs();
        (share.is_finite() && share > tolerated).then_some(change)
    };
    let with = |values: Vec<f64>| {
        let change = changed(&values);
        (values, change)
    };
    processes.into_values().map(with).collect()
}

fn largest(processes: &[Process]) -> Option<(&Change, &[f64])> {
    let changed = processes.iter();
    let changed = changed.filter_map(|(values, change)| Some((change.as_ref()?, &values[..])));
    changed.max_by(|(a, _), (b, _)| a.share().abs().total_cmp(&b.share().abs()))
}

fn changes(processes: &[Process]) -> usize {
    let changed = processes.iter();
    changed.filter(|(_, change)| change.is_some()).count()
}

/// How far the figure lies from what it is where each process that changed counts by the level
/// that it had for longer; of a trend that is not known, so each of its ends is tried.
fn shift(processes: &[Process]) -> f64 {
    let figure = |of: &dyn Fn(&Process) -> f64| -> f64 {
        let medians: Vec<f64> = processes.iter().map(of).collect();
        stats::median(&medians).unwrap_or(f64::NAN)
    };
    let median = |(values, _): &Process| stats::median(values).unwrap_or(f64::NAN);
    let all = figure(&median);
    let least = figure(&|p| lasting(p).map_or_else(|| median(p), |(low, _)| low));
    let most = figure(&|p| lasting(p).map_or_else(|| median(p), |(_, high)| high));
    let from = |level: f64| ((all - level) / level).abs();
    from(least).max(from(most))
}

/// The lower and the upper of the levels that a process may be counted by.
fn lasting((values, change): &Process) -> Option<(f64, f64)> {
    let change = change.as_ref()?;
    Some(match change.kind {
        ChangeKind::Trend => (
            change.before.min(change.after),
            change.before.max(change.after),
        ),
        ChangeKind::Step { before } if 2 * before > values.len() => (change.before, change.before),
        ChangeKind::Step { .. } => (change.after, change.after),
    })
}

/// `the level fell by 23 % after 25 of 60 samples`.
fn text(what: &str, [more, less]: [&str; 2], change: &Change, samples: usize) -> String {
    let verb = if change.share() > 0.0 { more } else { less };
    let share = 100.0 * change.share().abs();
    let when = match change.kind {
        ChangeKind::Step { before } => format!("after {before} of {samples} samples"),
        ChangeKind::Trend => format!("over {samples} samples"),
    };
    format!("{what} {verb} by {share:.0} % {when}")
}

#[cfg(test)]
mod tests {
    use super::changed;
    use crate::view::ContaminationLevel::{Contaminated, Disturbed};
    use record::{Disturbance, Sample};

    fn samples(process: u16, level: impl Fn(u32) -> f64, n: u32) -> Vec<Sample> {
        let noise = |i: u32| f64::from((i * 37) % 61) / 60.0;
        let sample = |i: u32| Sample {
            metric: 0,
            process,
            index: i,
            ops: 1,
            elapsed_ns: 0.0,
            floor_ns: 0.0,
            value: level(i) + noise(i),
            cpu: 0,
            disturbance: Disturbance::default(),
            yardstick: None,
        };
        (0..n).map(sample).collect()
    }

    fn seen(all: &[Sample]) -> Option<(crate::view::ContaminationLevel, String)> {
        changed(&all.iter().collect::<Vec<_>>(), 0.02)
    }

    #[test]
    fn a_warm_up_a_step_and_a_drift_are_named() {
        let warm_up = samples(0, |i| if i < 25 { 130.0 } else { 100.0 }, 60);
        let (level, text) = seen(&warm_up).expect("a change");
        assert_eq!(text, "the level fell by 23 % after 25 of 60 samples");
        // Most samples are of the second level: the median hardly moves.
        assert_eq!(level, Disturbed);
        let step = samples(0, |i| if i < 30 { 100.0 } else { 110.0 }, 60);
        let (level, text) = seen(&step).expect("a change");
        assert_eq!((level, &text[..20]), (Contaminated, "the level rose by 10"));
        let drift = samples(0, |i| 100.0 + f64::from(i) / 5.0, 60);
        let (level, text) = seen(&drift).expect("a change");
        assert_eq!(level, Contaminated);
        assert!(text.ends_with("% over 60 samples"), "{text}");
    }

    #[test]
    fn one_process_of_many_that_changed_does_not_move_the_figure() {
        let at = |process: u16| samples(process, |_| 100.0 + f64::from(process) / 10.0, 60);
        let mut five: Vec<Sample> = (0..4).flat_map(at).collect();
        five.extend(samples(4, |i| if i < 30 { 100.0 } else { 130.0 }, 60));
        let (level, text) = seen(&five).expect("a change");
        assert_eq!(level, Disturbed);
        assert_eq!(
            text,
            "the level rose by 30 % after 30 of 60 samples, in 1 of 5 processes"
        );
        let stepped = |p: u16| samples(p, |i| if i < 30 { 100.0 } else { 130.0 }, 60);
        let mut most: Vec<Sample> = (0..2).flat_map(at).collect();
        most.extend((2..5).flat_map(stepped));
        most.iter_mut()
            .filter(|s| s.process > 1)
            .for_each(|s| s.value += 5.0);
        let (level, text) = seen(&most).expect("a change");
        assert!(text.ends_with("in 3 of 5 processes"), "{text}");
        assert_eq!(level, Contaminated);
        let drifting = |p: u16| samples(p, |i| 100.0 + f64::from(i) / 5.0, 60);
        let three: Vec<Sample> = (0..3).flat_map(drifting).collect();
        assert_eq!(seen(&three).expect("a change").0, Contaminated);
    }

    #[test]
    fn processes_may_differ_and_small_changes_do_not_matter() {
        let mut two = samples(0, |_| 100.0, 60);
        two.extend(samples(1, |_| 120.0, 60));
        assert_eq!(seen(&two), None);
        let small = samples(0, |i| if i < 30 { 100.0 } else { 101.5 }, 60);
        assert_eq!(seen(&small), None);
        let mut from_zero = samples(0, |i| if i < 30 { 0.0 } else { 5.0 }, 60);
        from_zero[..30].iter_mut().for_each(|s| s.value = 0.0);
        assert_eq!(seen(&from_zero), None);
    }
}
