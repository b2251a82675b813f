//! Whether a point kept its level while it was sampled.
//!
//! The kernel reports preemption and steal; it does not report that a core clocked lower, a
//! cache warmed up or a neighbour came. The samples do.

use crate::view::ContaminationLevel;
use record::Sample;
use stats::{Change, ChangeKind};
use std::collections::BTreeMap;

/// The largest change of level of a process among the samples of one metric, with what it
/// does to the median: contaminated where that moves by more than the share `tolerated`.
/// None where no level changed by as much.
pub fn changed(samples: &[&Sample], tolerated: f64) -> Option<(ContaminationLevel, String)> {
    let (change, values) = largest(samples, tolerated, |sample| Some(sample.value))?;
    let level = match shift(&change, &values) > tolerated {
        true => ContaminationLevel::Contaminated,
        false => ContaminationLevel::Disturbed,
    };
    let text = text("the level", ["rose", "fell"], &change, values.len());
    Some((level, text))
}

/// The change that `changed` names; None where it names none.
pub fn change(samples: &[&Sample], tolerated: f64) -> Option<Change> {
    largest(samples, tolerated, |sample| Some(sample.value)).map(|(change, _)| change)
}

/// A change of the speed of the CPU, of which the yardstick knows: it may change where the
/// samples do not follow, and explains them where they do.
pub fn pace_changed(samples: &[&Sample], tolerated: f64) -> Option<String> {
    let cycle = |sample: &Sample| sample.yardstick.map(|y| y.link_ns);
    let (change, values) = largest(samples, tolerated, cycle)?;
    let words = ["became slower", "became faster"];
    Some(text("the CPU", words, &change, values.len()))
}

/// Of the processes' series, with the series.
fn largest(
    samples: &[&Sample],
    tolerated: f64,
    value: impl Fn(&Sample) -> Option<f64>,
) -> Option<(Change, Vec<f64>)> {
    let mut processes: BTreeMap<u16, Vec<f64>> = BTreeMap::new();
    for sample in samples {
        if let Some(value) = value(sample) {
            processes.entry(sample.process).or_default().push(value);
        }
    }
    let changes = processes.into_values().filter_map(|values| {
        let change = stats::change(&values).ok().flatten()?;
        // From 0 no share leads anywhere.
        let share = change.share().abs();
        (share.is_finite() && share > tolerated).then_some((change, values))
    });
    changes.max_by(|(a, _), (b, _)| a.share().abs().total_cmp(&b.share().abs()))
}

/// How far the median of all lies from that of the longer part; of a trend, half of it.
fn shift(change: &Change, values: &[f64]) -> f64 {
    let ChangeKind::Step { before } = change.kind else {
        return change.share().abs() / 2.0;
    };
    let longer = match 2 * before > values.len() {
        true => change.before,
        false => change.after,
    };
    let all = stats::median(values).unwrap_or(f64::NAN);
    ((all - longer) / longer).abs()
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
