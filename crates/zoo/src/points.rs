//! What was measured on simulated machines, in the few numbers of a point that answers are
//! drawn from: a changed method is asked again without another simulation.

use analysis::{ExperimentTable, PointView, Summary};
use record::PointState;
use serde::{Deserialize, Serialize};
use stats::Interval;

/// Digits of a number that are kept behind its first.
const DIGITS: usize = 4;

/// The points of an experiment, in the order of its plan.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Points {
    /// Which plan that was: [`print_of`] its points.
    plan: u32,
    points: Vec<Vec<Numbers>>,
}

/// Number of the metric; median, its interval, least, quartiles; how many samples it is worth.
type Numbers = (u16, [f64; 6], f64);

impl Points {
    /// Those of a table.
    pub fn of(table: &ExperimentTable) -> Points {
        let of = |p: &PointView| p.summaries.iter().map(numbers).collect();
        Points {
            plan: print_of(table),
            points: table.points.iter().map(of).collect(),
        }
    }

    /// Into the table of the same plan, of which nothing was measured; None where it is of
    /// another.
    pub fn fill(&self, mut empty: ExperimentTable) -> Option<ExperimentTable> {
        if print_of(&empty) != self.plan || empty.points.len() != self.points.len() {
            return None;
        }
        for (point, numbers) in empty.points.iter_mut().zip(&self.points) {
            point.summaries = numbers.iter().map(summary).collect();
            if !numbers.is_empty() {
                point.head.state = PointState::Done;
            }
        }
        Some(empty)
    }
}

fn numbers(of: &Summary) -> Numbers {
    let median = [of.median.center, of.median.low, of.median.high];
    let [center, low, high] = median;
    let all = [center, low, high, of.min, of.p25, of.p75];
    (of.metric, all.map(short), short(of.effective))
}

/// What answers look at; all else is nothing.
fn summary((metric, [center, low, high, min, p25, p75], effective): &Numbers) -> Summary {
    Summary {
        metric: *metric,
        samples: 0,
        processes: 0,
        effective: *effective,
        median: Interval::resampled(*center, *low, *high),
        min: *min,
        max: *p75,
        mean: *center,
        variance: 0.0,
        p25: *p25,
        p75: *p75,
        p90: None,
        p99: None,
        at_best: None,
        modes: Vec::new(),
        modes_between_processes: false,
    }
}

fn short(value: f64) -> f64 {
    let text = format!("{value:.DIGITS$e}");
    text.parse().unwrap_or(value)
}

/// Two plans with other points have another, as good as certainly (FNV-1a; Fowler, Noll, Vo).
fn print_of(table: &ExperimentTable) -> u32 {
    let settings = table.points.iter().map(|p| &p.head.settings);
    let text = serde_json::to_string(&settings.collect::<Vec<_>>()).unwrap_or_default();
    let each = text.bytes().map(u32::from);
    each.fold(0x811c_9dc5, |print: u32, byte| {
        (print ^ byte).wrapping_mul(0x0100_0193)
    })
}

#[cfg(test)]
mod tests {
    use super::Points;
    use crate::cores::named;
    use crate::recipe;
    use crate::stage::unmeasured;
    use analysis::staircase::Reading;
    use analysis::{ExperimentTable, Summary};

    fn empty(core: &str) -> ExperimentTable {
        let recipe = recipe::only("mem/latency").expect("in the recipe");
        let core = named(core).expect("a core");
        let all = unmeasured(experiments::all(), &recipe, &core).expect("a plan");
        all.tables.into_iter().next().expect("a table")
    }

    #[test]
    fn what_is_kept_of_a_point_reads_as_the_point_did() {
        let mut table = empty("zen2");
        let numbers: super::Numbers = (0, [1.25, 1.2, 1.5, 1.1, 1.23, 1.4], 17.5);
        // As measured: with what is not kept.
        table.points[3].summaries = vec![Summary {
            samples: 30,
            processes: 3,
            max: 9.5,
            mean: 1.9,
            variance: 0.7,
            modes_between_processes: true,
            ..super::summary(&numbers)
        }];
        let kept = Points::of(&table);
        let text = serde_json::to_string(&kept).expect("numbers");
        let read: Points = serde_json::from_str(&text).expect("as written");
        let again = read.fill(empty("zen2")).expect("the same plan");
        let of = |reading: Reading, table: &ExperimentTable| {
            table.points[3].primary().map(|s| reading.of(1.0, s))
        };
        for reading in [
            Reading::Median,
            Reading::Quarter,
            Reading::Middle,
            Reading::SlowQuarter,
        ] {
            assert_eq!(of(reading, &again), of(reading, &table), "{reading:?}");
        }
        assert!(again.points[2].summaries.is_empty());
    }

    #[test]
    fn points_of_another_plan_are_refused() {
        let kept = Points::of(&empty("zen2"));
        assert!(kept.fill(empty("zen2")).is_some());
        assert!(kept.fill(empty("icelake-sp")).is_none(), "larger sets");
    }
}
