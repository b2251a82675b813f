//! What is known of a run around its points.

use crate::speed::{Pace, Usual};
use record::Sample;

/// What is known of the run around a point.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Around {
    pub usual: Usual,
    /// Time may have been stolen: there is a hypervisor, and it is not known to have left the
    /// run alone.
    pub may_be_stolen: bool,
    /// Others used the machine, or its hypervisor did.
    pub shared: bool,
}

impl Around {
    /// How fast the CPU was around a sample; None where nothing looked.
    pub fn pace(&self, sample: &Sample) -> Option<Pace> {
        self.usual.pace(sample)
    }

    /// Whether it is known what the hypervisor took from a sample. A count of steal that did
    /// not move says little: it moves by whole ticks.
    pub fn knows(&self, sample: &Sample) -> bool {
        let seen = &sample.disturbance;
        let counted = seen.own_steal_ns().is_some_and(|ns| ns > 0);
        !self.may_be_stolen || counted || seen.off_cpu_ns.is_some()
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
