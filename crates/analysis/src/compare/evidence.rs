//! What two summaries of a metric say of its ratio: how far that may be wrong, in a form that can
//! be judged at any level.

use super::cpu::{Accounted, Reach};
use super::scatter::Scatter;
use crate::series::SINGLE_PROCESS_SD;
use crate::view::{Mode, Summary};
use stats::interval::NOMINAL_LEVEL;
use stats::{Deviation, Interval, LogRatio, Method};

/// A median stays in its mode where so much of the samples would have to change sides to move
/// it into the next one.
pub(super) const SHARE_TOLERATED: f64 = 0.2;

/// B / A of one metric of one point.
#[derive(Debug, Clone, Copy)]
pub(super) struct Evidence {
    pub ratio: LogRatio,
    /// How far each way the ratio may be another because a median may fall into a neighbouring
    /// mode: logarithms, 0 and more.
    pub reach: Reach,
    /// A side has one process only, so that how processes differ is assumed.
    pub single: bool,
    /// What the CPU's own speed accounts for.
    pub cpu: Accounted,
}

impl Evidence {
    /// None where a side is not above zero.
    pub fn of(a: &Summary, b: &Summary, scatter: Scatter) -> Option<Evidence> {
        let ratio = stats::log_ratio(&with_degrees(a), &with_degrees(b)).ok()?;
        let sides = [a, b];
        let single = sides.iter().filter(|s| s.processes < 2).count();
        let bare = sides.iter().filter(|s| is_bare(s)).count();
        let unseen = Deviation::known(SINGLE_PROCESS_SD * (bare as f64).sqrt());
        let stolen = Deviation::known(if single > 0 { scatter.stolen } else { 0.0 });
        let more = unseen.plus(stolen);
        let (of_a, of_b) = (reach(a), reach(b));
        Some(Evidence {
            ratio: LogRatio {
                log: ratio.log,
                below: ratio.below.plus(more),
                above: ratio.above.plus(more),
            },
            reach: Reach {
                below: of_b.below + of_a.above,
                above: of_b.above + of_a.below,
            },
            single: single > 0,
            cpu: Accounted::default(),
        })
    }

    /// The probability that chance alone puts the ratio so far from `shift`, with `more`
    /// besides its own deviation.
    pub fn p(&self, shift: f64, more: Deviation) -> f64 {
        let distance = self.ratio.log - shift;
        let cpu = self.cpu.around(shift);
        let (own, reach) = match distance > 0.0 {
            true => (self.ratio.below, self.reach.below + cpu.above),
            false => (self.ratio.above, self.reach.above + cpu.below),
        };
        own.plus(more).p((distance.abs() - reach).max(0.0))
    }

    /// The interval at the usual level, as a factor over that of `shift`.
    pub fn interval(&self, shift: f64, more: Deviation) -> Interval {
        let log = self.ratio.log - shift;
        let half = |own: Deviation| own.plus(more).half(NOMINAL_LEVEL);
        let cpu = self.cpu.around(shift);
        let (below, above) = (self.reach.below + cpu.above, self.reach.above + cpu.below);
        Interval {
            center: log.exp(),
            low: (log - half(self.ratio.below) - below).exp(),
            high: (log + half(self.ratio.above) + above).exp(),
            level: NOMINAL_LEVEL,
            method: Method::Mover,
            degrees: None,
        }
    }
}

/// One process whose interval does not have in it how processes differ.
fn is_bare(summary: &Summary) -> bool {
    summary.processes < 2 && !summary.median.is_of_one_process()
}

/// Two order statistics of samples that are worth so many independent ones.
fn with_degrees(summary: &Summary) -> Interval {
    let worth = (summary.effective - 1.0).max(1.0);
    let of_samples = summary.median.method == Method::OrderStatistic;
    let assumed = of_samples.then_some(worth).filter(|d| d.is_finite());
    Interval {
        degrees: summary.median.degrees.or(assumed),
        ..summary.median
    }
}

/// How far a median may move because it lies near the boundary of two modes. With several
/// processes that each keep to a mode their interval has it in it.
fn reach(summary: &Summary) -> Reach {
    if summary.modes.len() < 2 || (summary.processes > 1 && summary.modes_between_processes) {
        return Reach::default();
    }
    let (mut below, mut place) = (0.0, 0);
    for (at, mode) in summary.modes.iter().enumerate() {
        place = at;
        if below + mode.share > 0.5 {
            break;
        }
        below += mode.share;
    }
    let above = 1.0 - below - summary.modes[place].share;
    let near = |share: f64| share >= 0.5 - SHARE_TOLERATED;
    let distance = |mode: Option<&Mode>| {
        let center = mode.map(|m| m.center).filter(|c| *c > 0.0);
        center.map_or(0.0, |c| (c / summary.median.center).ln().abs())
    };
    let lower = place.checked_sub(1).and_then(|p| summary.modes.get(p));
    Reach {
        below: if near(below) { distance(lower) } else { 0.0 },
        above: match near(above) {
            true => distance(summary.modes.get(place + 1)),
            false => 0.0,
        },
    }
}
