//! Whether what one process measured of a point is worth measuring again.

use crate::around::Around;
use crate::contamination::judge_point;
use crate::view::ContaminationLevel;
use record::Sample;

/// What had such a part in the samples of one process that their median may be its: time that
/// was stolen, other tasks, a level that changed. `guest`: under a hypervisor, where a median
/// far from the best is the neighbours'. None where the samples were left alone, and where
/// they are no numbers, which another process does not change.
pub fn doubt(samples: &[Sample], guest: bool) -> Option<String> {
    let around = Around {
        may_be_stolen: guest,
        shared: guest,
        ..Around::default()
    };
    let primary = || samples.iter().filter(|s| s.metric == 0);
    let numbers = primary().all(|s| s.value.is_finite());
    let verdict = judge_point(samples, &around).filter(|_| numbers)?;
    (verdict.level == ContaminationLevel::Contaminated).then_some(verdict.reason)
}

#[cfg(test)]
mod tests {
    use super::doubt;
    use record::{Disturbance, Sample};

    /// Samples of 100 ns, those at `places` stolen from for nine times as long.
    fn samples(places: impl Fn(u32) -> bool) -> Vec<Sample> {
        let of = |index: u32| {
            let stolen = places(index);
            let value = if stolen { 1000.0 } else { 100.0 } + f64::from(index * 37 % 11) / 10.0;
            Sample {
                index,
                ops: 1000,
                elapsed_ns: 1000.0 * value,
                value,
                disturbance: Disturbance {
                    off_cpu_ns: Some(if stolen { 900_000 } else { 0 }),
                    steal_ns: Some(0),
                    bracket_batches: 1,
                    ..Disturbance::default()
                },
                ..Sample::default()
            }
        };
        (0..60).map(of).collect()
    }

    #[test]
    fn only_what_moves_the_median_is_worth_another_process() {
        assert_eq!(doubt(&samples(|_| false), true), None);
        assert_eq!(
            doubt(&samples(|i| i % 20 == 7), true),
            None,
            "three samples"
        );
        let why = doubt(&samples(|i| i % 3 != 0), true).expect("most samples");
        assert!(
            why.starts_with("36.0 ms steal; in 40 of 60 samples"),
            "{why}"
        );
        let mut broken = samples(|i| i % 3 != 0);
        broken[5].value = f64::NAN;
        assert_eq!(doubt(&broken, true), None, "no process makes it a number");
    }
}
