//! What changed between two runs, beyond noise.

mod conditions;
mod cpu;
mod evidence;
mod family;
mod gate;
mod group;
mod history;
pub(crate) mod judge;
pub(crate) mod scatter;
mod shift;

pub use conditions::{Difference, conditions_differ, machines_differ};
pub use cpu::sentence as cpu_sentence;
pub use cpu::shared as shared_sentence;
pub use family::{ASSUMED_RUN_SD, FAMILY_ERROR};
pub use gate::{Gate, Verdict};
pub use history::{FEWEST_RUNS, History, fits};
pub use shift::{Shift, ShiftOutcome};

use crate::view::{ContaminationLevel, ExperimentTable, Median, PointView, RunView};
use record::{AxisValue, PointHead, RunHead, Setting, Unit};
use serde::{Deserialize, Serialize};
use stats::Interval;
use std::collections::BTreeMap;

/// What a comparison takes for a change.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CompareOptions {
    /// Changes below this share are not called (0.05 for 5 %).
    pub threshold: f64,
    /// Give verdicts although the machines or conditions differ: that
    /// difference is then what is being asked about.
    pub across_machines: bool,
}

/// Two runs side by side.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// Ids of the runs.
    pub a: String,
    pub b: String,
    pub threshold: f64,
    /// Machines and conditions, as far as they differ.
    pub differences: Vec<Difference>,
    /// Why no point has a verdict, where the two cannot be compared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub obstacle: Option<String>,
    /// Whether B got worse, for all points together.
    pub gate: Gate,
    pub experiments: Vec<ExperimentChange>,
    pub points: Vec<PointChange>,
}

/// Changes of one experiment in numbers.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ExperimentChange {
    pub experiment: String,
    pub better: u32,
    pub worse: u32,
    pub same: u32,
    pub not_comparable: u32,
    /// On both sides.
    #[serde(default)]
    pub skipped: u32,
    /// Median of B / A over the comparable points of the primary metric.
    pub median_ratio: Option<f64>,
}

/// One metric of one point in both runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PointChange {
    pub experiment: String,
    pub settings: Vec<Setting>,
    pub metric: String,
    pub unit: Unit,
    pub lower_is_better: bool,
    pub a: Option<Side>,
    pub b: Option<Side>,
    /// B / A with the interval that the verdict rests on. Also given where the
    /// verdict is `not_comparable` but both medians exist.
    pub ratio: Option<Interval>,
    /// A cycle of the CPU in B over one in A while it was measured, where they differ by what the
    /// yardstick resolves: a ratio between 1 and this is put down to the CPU.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cycle_ratio: Option<f64>,
    /// The same of additions side by side, where another thread of the core had a part of it on one
    /// side more than on the other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub core_ratio: Option<f64>,
    /// The probability that chance makes any of all points differ so much (Holm).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub adjusted_p: Option<f64>,
    /// Whether it takes part in the verdict.
    pub decides: bool,
    pub outcome: Outcome,
    /// Why not comparable, or what a verdict of `same` could hide.
    pub reason: Option<String>,
}

/// A metric of a point in one run.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Side {
    #[serde(flatten, with = "Median")]
    pub median: Interval,
    pub samples: u32,
    pub processes: u32,
    pub contamination: Option<ContaminationLevel>,
    /// The median in cycles of the core, of experiments that are quoted so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cycles: Option<f64>,
}

/// Which way a metric changed from A to B.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    Better,
    Worse,
    /// No change beyond threshold and noise.
    Same,
    NotComparable,
    /// Neither side could measure it.
    Skipped,
}

impl Outcome {
    /// Whether both sides said something of it.
    pub fn is_judged(self) -> bool {
        !matches!(self, Outcome::NotComparable | Outcome::Skipped)
    }
}

impl PointChange {
    /// 1 where a larger value is worse, else -1.
    pub(crate) fn sign(&self) -> f64 {
        if self.lower_is_better { 1.0 } else { -1.0 }
    }

    /// `size=4096 cache=hot`.
    pub fn label(&self) -> String {
        let words: Vec<String> = self
            .settings
            .iter()
            .map(|s| format!("{}={}", s.axis, s.value))
            .collect();
        words.join(" ")
    }
}

impl Comparison {
    /// How many points that decide have this outcome.
    pub fn count(&self, outcome: Outcome) -> usize {
        let points = self.points.iter().filter(|p| p.decides);
        points.filter(|p| p.outcome == outcome).count()
    }

    /// What explains this point and changed by itself beyond the threshold, the largest first.
    pub fn along(&self, point: &PointChange) -> Vec<&PointChange> {
        let limit = self.threshold.ln_1p();
        let changed = |p: &&PointChange| {
            let ratio = p.ratio.filter(|_| !p.decides);
            ratio.is_some_and(|r| r.low.ln() > limit || r.high.ln() < -limit)
        };
        let same =
            |p: &&PointChange| p.experiment == point.experiment && p.settings == point.settings;
        let size = |p: &PointChange| p.ratio.map_or(0.0, |r| r.center.ln().abs());
        let mut found: Vec<&PointChange> =
            self.points.iter().filter(same).filter(changed).collect();
        found.sort_by(|a, b| size(b).total_cmp(&size(a)));
        found
    }

    /// Points that became worse.
    pub fn regressions(&self) -> usize {
        self.count(Outcome::Worse)
    }
}

/// Compares run B with run A; changes below `threshold` (0.05 for 5 %) are not
/// called.
pub fn compare(a: &RunView, b: &RunView, threshold: f64) -> Comparison {
    let options = CompareOptions {
        threshold,
        across_machines: false,
    };
    compare_with(a, b, options, &History::default())
}

/// `compare` with every choice open. `history`: how runs of this machine differ.
pub fn compare_with(
    a: &RunView,
    b: &RunView,
    options: CompareOptions,
    history: &History,
) -> Comparison {
    let mut differences = machines_differ(&a.head.machine, &b.head.machine);
    differences.extend(conditions_differ(&a.head, &b.head));
    let setting = judge::Setting {
        obstacle: conditions::obstacle(&differences).filter(|_| !options.across_machines),
        counters: counters(&b.head),
    };
    let scatter = scatter::Scatter::of_steal(scatter::stolen(a, b));
    let ids = experiment_ids(a, b);
    let mut rows: Vec<group::Row> = Vec::new();
    for id in &ids {
        let pairs = pairs_of(a.table(id), b.table(id));
        let of_pair = |pair: &Pair<'_>| judge::rows(pair, &setting, scatter);
        rows.extend(pairs.iter().flat_map(of_pair));
    }
    let judged = family::judge(&mut rows, options.threshold, history);
    let points: Vec<PointChange> = rows.into_iter().map(|row| row.change).collect();
    let primary = |id: &str| {
        let table = a.table(id).or(b.table(id))?;
        table.head.metrics.first().map(|m| m.name.as_str())
    };
    let experiments = ids
        .iter()
        .map(|id| summary(id, primary(id), &points))
        .collect();
    let mut comparison = Comparison {
        a: a.head.id.clone(),
        b: b.head.id.clone(),
        threshold: options.threshold,
        differences,
        obstacle: setting.obstacle,
        gate: Gate::default(),
        experiments,
        points,
    };
    let contaminated = gate::contaminated([("A", a), ("B", b)]);
    comparison.gate = Gate::of(&comparison, judged, contaminated, history.runs());
    comparison
}

/// The metrics that counters add to a run.
fn counters(head: &RunHead) -> Vec<&str> {
    let counters = head.conditions.counters.iter();
    let names = counters.flat_map(|c| c.metrics.iter());
    names.map(String::as_str).collect()
}

/// A point of A and the same point of B, with the experiment's table of each.
pub(crate) struct Pair<'a> {
    pub a: Option<(&'a ExperimentTable, &'a PointView)>,
    pub b: Option<(&'a ExperimentTable, &'a PointView)>,
}

pub(crate) fn experiment_ids<'a>(a: &'a RunView, b: &'a RunView) -> Vec<&'a str> {
    let mut ids: Vec<&str> = Vec::new();
    for table in a.tables.iter().chain(&b.tables) {
        if !ids.contains(&table.head.id.as_str()) {
            ids.push(&table.head.id);
        }
    }
    ids
}

/// Points of A in their order, then those that only B has.
pub(crate) fn pairs_of<'a>(
    a: Option<&'a ExperimentTable>,
    b: Option<&'a ExperimentTable>,
) -> Vec<Pair<'a>> {
    let points = |t: Option<&'a ExperimentTable>| t.map_or(&[][..], |t| t.points.as_slice());
    let one_sided = one_sided(points(a), points(b));
    let find = |within: Option<&'a ExperimentTable>, head: &PointHead| {
        let table = within?;
        let same = |p: &&PointView| same_place(&p.head, head, &one_sided);
        table.points.iter().find(same).map(|p| (table, p))
    };
    let shared = points(a).iter().map(|p| Pair {
        a: a.map(|t| (t, p)),
        b: find(b, &p.head),
    });
    let added = points(b)
        .iter()
        .filter(|p| find(a, &p.head).is_none())
        .map(|p| Pair {
            a: None,
            b: b.map(|t| (t, p)),
        });
    shared.chain(added).collect()
}

/// Axes that only one of the runs has, and on which it has one value: they tell
/// no points apart. A run imported from files that do not name them, or of an
/// older version, is compared all the same.
fn one_sided<'a>(a: &'a [PointView], b: &'a [PointView]) -> Vec<&'a str> {
    let settings = |points: &'a [PointView]| -> BTreeMap<&'a str, Vec<&'a AxisValue>> {
        let mut values: BTreeMap<&str, Vec<&AxisValue>> = BTreeMap::new();
        for setting in points.iter().flat_map(|p| &p.head.settings) {
            let known = values.entry(&setting.axis).or_default();
            // Two will do.
            if known.len() < 2 && !known.contains(&&setting.value) {
                known.push(&setting.value);
            }
        }
        values
    };
    let (a, b) = (settings(a), settings(b));
    // A run without the experiment has no axes to lack.
    if a.is_empty() || b.is_empty() {
        return Vec::new();
    }
    let only = |own: &BTreeMap<&'a str, Vec<&AxisValue>>, other: &BTreeMap<&str, _>| {
        let lone = own
            .iter()
            .filter(|(axis, values)| values.len() == 1 && !other.contains_key(*axis));
        lone.map(|(axis, _)| *axis).collect::<Vec<&'a str>>()
    };
    [only(&a, &b), only(&b, &a)].concat()
}

/// The same settings, in whatever order, but for the axes that only one side has.
fn same_place(a: &PointHead, b: &PointHead, one_sided: &[&str]) -> bool {
    let settings = |p: &PointHead| {
        let settings = p.settings.iter();
        settings
            .filter(|s| !one_sided.contains(&s.axis.as_str()))
            .count()
    };
    let shared = a.settings.iter().filter(|s| b.settings.contains(s));
    let shared = shared
        .filter(|s| !one_sided.contains(&s.axis.as_str()))
        .count();
    settings(a) == settings(b) && shared == settings(a)
}

fn summary(id: &str, primary: Option<&str>, all: &[PointChange]) -> ExperimentChange {
    let of = all.iter().filter(|c| c.experiment == id && c.decides);
    let changes: Vec<&PointChange> = of.collect();
    let count = |outcome| {
        let found = changes.iter().filter(|c| c.outcome == outcome).count();
        u32::try_from(found).unwrap_or(u32::MAX)
    };
    let ratios: Vec<f64> = changes
        .iter()
        .filter(|c| c.outcome.is_judged() && Some(c.metric.as_str()) == primary)
        .filter_map(|c| c.ratio.map(|r| r.center))
        .collect();
    ExperimentChange {
        experiment: id.to_owned(),
        better: count(Outcome::Better),
        worse: count(Outcome::Worse),
        same: count(Outcome::Same),
        not_comparable: count(Outcome::NotComparable),
        skipped: count(Outcome::Skipped),
        median_ratio: stats::median(&ratios).ok(),
    }
}
