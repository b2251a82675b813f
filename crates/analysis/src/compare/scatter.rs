//! The variance that a single process cannot see.
//!
//! The interval of a run with one process knows how its samples vary, not how
//! another process (other pages, other addresses, another minute) would have
//! come out. Two things are known instead, and the larger one is added to the
//! interval of the ratio: what repeated processes usually differ by, and how
//! far the points of the same experiment scatter between these two runs. The
//! share of time that the hypervisor took in either run comes on top: it falls
//! on some points and not on others.

use super::Pair;
use crate::RunView;
use crate::series::SINGLE_PROCESS_SD;
use stats::quantile::MAD_TO_SIGMA;

/// Points of an experiment that an own estimate of the scatter needs.
pub const FEWEST_POINTS: usize = 8;

/// An own estimate counts up to here; beyond, it is the change itself that
/// differs from point to point and must not hide behind its own spread.
pub const LARGEST_SCATTER: f64 = 0.15;

/// Standard deviation to add to the log of a ratio, squared contributions of
/// the sides included, by how many sides have one process only.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Scatter {
    /// Robust spread of the log ratios of the experiment's points.
    seen: f64,
    /// Share of time stolen in the run that lost more, 0..=1.
    pub(super) stolen: f64,
}

impl Scatter {
    /// Of stolen time alone: what points scatter by is found from all of them.
    pub fn of_steal(stolen: f64) -> Scatter {
        Scatter { seen: 0.0, stolen }
    }

    /// Standard deviation to add for a ratio of which so many sides have one process;
    /// the intervals of so many of these (`widened`) have the usual one in them.
    pub fn sd(self, single_sides: u32, widened: u32) -> f64 {
        if single_sides == 0 {
            return 0.0;
        }
        let usual = |sides: u32| SINGLE_PROCESS_SD * f64::from(sides).sqrt();
        let all = usual(single_sides).max(self.seen);
        let rest = (all * all - usual(widened).powi(2)).max(0.0);
        rest.sqrt().hypot(self.stolen)
    }
}

/// Spread of the primary metric's log ratios around their median, so that a
/// change common to all points does not count as scatter.
pub(crate) fn of_experiment(pairs: &[Pair<'_>], stolen: f64) -> Scatter {
    let logs: Vec<f64> = pairs.iter().filter_map(log_ratio).collect();
    let seen = if logs.len() < FEWEST_POINTS {
        0.0
    } else {
        stats::median_absolute_deviation(&logs).unwrap_or(0.0) * MAD_TO_SIGMA
    };
    Scatter {
        seen: seen.min(LARGEST_SCATTER),
        stolen,
    }
}

fn log_ratio(pair: &Pair<'_>) -> Option<f64> {
    let median = |side: Option<(_, &crate::PointView)>| side.and_then(|(_, p)| p.median_ns());
    let log = (median(pair.b)? / median(pair.a)?).ln();
    log.is_finite().then_some(log)
}

/// Share of time that the hypervisor took in the run that lost more.
pub(crate) fn stolen(a: &RunView, b: &RunView) -> f64 {
    let share = |run: &RunView| run.head.conditions.steal_share.filter(|s| s.is_finite());
    let worse = share(a).unwrap_or(0.0).max(share(b).unwrap_or(0.0));
    worse.clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::Scatter;

    #[test]
    fn stolen_time_widens_what_one_process_can_tell() {
        let of = |stolen| Scatter { seen: 0.0, stolen };
        assert!(of(0.1).sd(2, 0) > 2.0 * of(0.0).sd(2, 0));
        assert!((of(0.0).sd(1, 0) - super::SINGLE_PROCESS_SD).abs() < 1e-12);
        assert_eq!(of(0.0).sd(2, 2), 0.0, "both intervals have it");
        assert!((of(0.0).sd(2, 1) - super::SINGLE_PROCESS_SD).abs() < 1e-12);
        assert_eq!(
            of(0.5).sd(0, 0),
            0.0,
            "several processes have seen it themselves"
        );
    }
}
