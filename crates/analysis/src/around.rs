//! What is known of a run around its points.

use crate::speed::{Pace, Usual};
use record::{RunHead, Sample};

/// What is known of the run around a point.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Around {
    pub usual: Usual,
    /// Time may have been stolen: there is a hypervisor, and it is not known to have taken
    /// none during the run.
    pub may_be_stolen: bool,
}

impl Around {
    /// Of a run, by its head and the samples of its points.
    pub fn of<'a>(head: &RunHead, points: impl Iterator<Item = &'a [Sample]> + Clone) -> Around {
        let none = head.conditions.steal_share == Some(0.0);
        Around {
            usual: Usual::of(points),
            may_be_stolen: head.machine.hypervisor.is_some() && !none,
        }
    }

    /// How fast the CPU was around a sample; None where nothing looked.
    pub fn pace(&self, sample: &Sample) -> Option<Pace> {
        self.usual.pace(sample)
    }

    /// Whether it is known what the hypervisor took from a sample.
    pub fn knows(&self, sample: &Sample) -> bool {
        let seen = &sample.disturbance;
        !self.may_be_stolen || seen.own_steal_ns().is_some() || seen.off_cpu_ns.is_some()
    }
}

/// `this CPU ran 9 % slower in 24 samples`, for each way in which it was not as usual.
pub(crate) fn paces(disturbed: &[&Sample], around: &Around) -> Vec<String> {
    let (mut slower, mut faster, mut shared) = (Vec::new(), Vec::new(), Vec::new());
    for pace in disturbed.iter().filter_map(|s| around.pace(s)) {
        match pace {
            Pace::Slower(by) => slower.push(by),
            Pace::Faster(by) => faster.push(by),
            Pace::Shared(by) => shared.push(by),
            Pace::Usual => {}
        }
    }
    let said = |by: &[f64], text: fn(f64, usize) -> String| {
        let typical = stats::median(by).ok()?;
        Some(text(100.0 * typical, by.len()))
    };
    [
        said(&slower, |by, n| {
            format!("this CPU ran {by:.0} % slower in {n} samples")
        }),
        said(&faster, |by, n| {
            format!("this CPU ran {by:.0} % faster in {n} samples")
        }),
        said(&shared, |by, n| {
            format!("another thread of this core took part of it in {n} samples ({by:.0} %)")
        }),
    ]
    .into_iter()
    .flatten()
    .collect()
}
