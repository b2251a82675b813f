//! All points of two runs judged together.
//!
//! Points of one experiment move together between runs: the machine is slower for an hour, a
//! process gets other pages. So the points of an experiment are held against what they have in
//! common, their *shift*, and the shift against how runs of this machine differ. Both carry a part
//! of the family's error: 4 % for all points together, 1 % for all shifts, by Holm's procedure.

use super::evidence::{Evidence, follows_speed};
use super::history::History;
use super::{Outcome, PointChange};
use serde::{Deserialize, Serialize};
use stats::{Deviation, Interval, Method};
use std::collections::BTreeMap;

/// The chance that any of a family of unchanged points is called worse or better.
pub const FAMILY_ERROR: f64 = 0.05;
/// The part of it that is spent on what points have in common.
const SHIFT_ERROR: f64 = 0.01;
const POINT_ERROR: f64 = FAMILY_ERROR - SHIFT_ERROR;

/// Points of a metric that have a shift of their own.
pub const FEWEST_TOGETHER: usize = 8;

/// Standard deviation of whole runs on the log scale that is assumed where no other run of the
/// machine is known. A loop in registers read up to 9 % apart within minutes on a guest whose
/// host changed its clock, which is a standard deviation of about 3 %.
pub const ASSUMED_RUN_SD: f64 = 0.03;

/// A shift within so many standard deviations of what is known of runs is theirs.
const USUAL: f64 = 2.0;

/// Groups whose variance is so many times that of all have their own.
const CLEARLY: f64 = 2.5;

/// Beyond this, what points scatter by is the change itself.
const LARGEST_SCATTER: f64 = super::scatter::LARGEST_SCATTER;

/// What the points of a metric have in common between two runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Shift {
    /// The experiment; empty for all experiments with too few points.
    pub experiment: String,
    pub metric: String,
    pub points: u32,
    /// The median of B / A, with the interval that how runs differ leaves it.
    pub ratio: Interval,
    pub outcome: ShiftOutcome,
    /// Standard deviation of a run on the log scale that it was judged by.
    pub run_sd: f64,
    /// Runs that it comes from; 0 where it is assumed.
    pub runs: u32,
    /// Whether a larger value is worse.
    pub lower_is_better: bool,
}

/// What a shift means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ShiftOutcome {
    /// Below the threshold, or as runs of this machine differ.
    Usual,
    /// More than runs differ.
    Worse,
    Better,
    /// Beyond the threshold, and how runs differ is not known well enough to tell.
    Unknown,
}

/// A metric of a point, before and after it is judged.
pub(super) struct Row {
    pub change: PointChange,
    /// None where it cannot be compared.
    pub evidence: Option<Evidence>,
}

/// Rows that are held against the same shift.
struct Group {
    rows: Vec<usize>,
    /// As a logarithm; None where there are too few rows to know it.
    shift: Option<f64>,
    /// Of the shift as the middle of so many rows.
    blur: Deviation,
    /// Of the difference of two runs.
    run: Deviation,
    runs: u32,
    /// Beyond the rows' own deviations.
    scatter: Deviation,
}

/// What points have in common, and how many stand out from their like towards the worse while it
/// is not known whether their like became better.
pub(super) struct Judged {
    pub shifts: Vec<Shift>,
    pub withheld: usize,
}

/// Gives every row that has evidence its outcome.
pub(super) fn judge(rows: &mut [Row], threshold: f64, history: &History) -> Judged {
    let mut groups = grouped(rows);
    for group in &mut groups {
        group.measure(rows, history);
    }
    for of_speed in [true, false] {
        let alike = |g: &Group| g.is_of_speed(rows) == of_speed;
        let known = groups.iter().filter(|g| alike(g) && g.shift.is_some());
        let all: Vec<(f64, Deviation)> = known.flat_map(|g| g.around(rows)).collect();
        let common = stats::between(&all);
        let alike = groups.iter_mut().filter(|g| alike(g));
        alike.for_each(|g| g.scatters(rows, common));
    }
    let limit = threshold.ln_1p();
    let shifts = shifts(&groups, rows, limit);
    let mut stands: Vec<(usize, Stand)> = Vec::new();
    for (group, shift) in groups.iter().zip(&shifts) {
        let of_group = group.rows.iter();
        stands.extend(of_group.map(|row| (*row, group.stand(rows, *row, shift.as_ref(), history))));
    }
    let probability = |(row, stand): &(usize, Stand)| {
        let evidence = rows[*row].evidence.as_ref();
        evidence.map_or(1.0, |e| e.p(stand.around, stand.more))
    };
    let adjusted = stats::holm(&stands.iter().map(probability).collect::<Vec<f64>>());
    let mut withheld = 0;
    for ((row, stand), p) in stands.iter().zip(adjusted) {
        let apart = rows[*row].decide(stand, p, limit);
        withheld += usize::from(apart == Some(Outcome::Worse) && stand.unknown);
    }
    Judged {
        shifts: shifts.into_iter().flatten().collect(),
        withheld,
    }
}

/// What a row is held against.
struct Stand {
    /// The shift of its like, as a logarithm of B / A.
    around: f64,
    /// What is added to its own deviation.
    more: Deviation,
    /// Whether it is not known what the shift comes from.
    unknown: bool,
    /// Whether how runs differ is assumed, and decides.
    assumed: bool,
}

/// By experiment and metric where there are enough, else all times, and all other metrics.
fn grouped(rows: &[Row]) -> Vec<Group> {
    let mut by_metric: BTreeMap<(&str, &str), Vec<usize>> = BTreeMap::new();
    for (at, row) in rows.iter().enumerate() {
        if row.evidence.is_some() && row.change.decides {
            let key = (&*row.change.experiment, &*row.change.metric);
            by_metric.entry(key).or_default().push(at);
        }
    }
    let (mut groups, mut times, mut others) = (Vec::new(), Vec::new(), Vec::new());
    for found in by_metric.into_values() {
        match (found.len() >= FEWEST_TOGETHER, found.first()) {
            (true, _) => groups.push(found),
            (false, Some(first)) if follows_speed(rows[*first].change.unit) => times.extend(found),
            (false, _) => others.extend(found),
        }
    }
    groups.extend([times, others]);
    groups.retain(|g| !g.is_empty());
    let group = |rows| Group {
        rows,
        shift: None,
        blur: Deviation::NONE,
        run: Deviation::NONE,
        runs: 0,
        scatter: Deviation::NONE,
    };
    groups.into_iter().map(group).collect()
}

impl Group {
    fn measure(&mut self, rows: &[Row], history: &History) {
        let changes: Vec<&PointChange> = self.rows.iter().map(|at| &rows[*at].change).collect();
        let assumed = Deviation::known(ASSUMED_RUN_SD);
        let known = history.of_runs(&changes);
        self.runs = known.map_or(0, |(_, runs)| runs);
        self.run = known.map_or(assumed, |(run, _)| run).times(2f64.sqrt());
        let logs: Vec<f64> = self.cost(rows).map(|(log, _)| log).collect();
        if logs.len() >= FEWEST_TOGETHER {
            self.shift = stats::median(&logs).ok();
        }
    }

    /// The rows' distances from their shift.
    fn around(&self, rows: &[Row]) -> Vec<(f64, Deviation)> {
        let shift = self.shift.unwrap_or(0.0);
        self.cost(rows).map(|(l, d)| (l - shift, d)).collect()
    }

    /// Whether what it counts follows the speed of the machine.
    fn is_of_speed(&self, rows: &[Row]) -> bool {
        let first = self.rows.first();
        first.is_some_and(|at| follows_speed(rows[*at].change.unit))
    }

    /// `common`: what rows of all such groups scatter by. A dozen rows know their own scatter
    /// badly, so theirs counts only where it is clearly larger.
    fn scatters(&mut self, rows: &[Row], common: Deviation) {
        let around = self.around(rows);
        let own: Vec<f64> = around.iter().map(|(_, d)| d.variance).collect();
        let own = stats::median(&own).unwrap_or(0.0);
        let found = stats::between(&around);
        let apart = own + found.variance > CLEARLY * (own + common.variance);
        let chosen = match apart && self.shift.is_some() {
            true => found,
            false => common,
        };
        self.scatter = Deviation {
            variance: chosen.variance.min(LARGEST_SCATTER * LARGEST_SCATTER),
            ..chosen
        };
        // Of a median of n values: pi / 2 times the variance of their mean.
        let typical = own + self.scatter.variance;
        let error = (std::f64::consts::FRAC_PI_2 * typical / around.len() as f64).sqrt();
        self.blur = Deviation::known(error);
    }

    /// Logarithms of the ratios, growing where it gets worse.
    fn cost<'a>(&'a self, rows: &'a [Row]) -> impl Iterator<Item = (f64, Deviation)> + 'a {
        self.rows.iter().filter_map(|at| {
            let row = &rows[*at];
            let ratio = row.evidence.as_ref()?.ratio;
            Some((row.change.sign() * ratio.log, ratio.towards(0.0)))
        })
    }

    fn stand(&self, rows: &[Row], row: usize, shift: Option<&Shift>, history: &History) -> Stand {
        let change = &rows[row].change;
        let of_history = history.of_point(change).map(|d| d.times(2f64.sqrt()));
        let Some(around) = self.shift else {
            let more = self.run.plus(of_history.unwrap_or(self.scatter));
            return Stand::absolute(more, self.runs == 0);
        };
        let scatter = of_history.unwrap_or(self.scatter);
        // A shift that is not the machine's is part of the change.
        match shift.is_some_and(|s| s.outcome.is_change()) {
            true => Stand::absolute(scatter.plus(self.run), self.runs == 0),
            false => Stand {
                around: change.sign() * around,
                more: scatter.plus(self.blur),
                unknown: shift.is_some_and(|s| s.outcome == ShiftOutcome::Unknown),
                assumed: false,
            },
        }
    }
}

impl Stand {
    /// Against no change at all.
    fn absolute(more: Deviation, assumed: bool) -> Stand {
        Stand {
            around: 0.0,
            more,
            unknown: false,
            assumed,
        }
    }
}

/// One for each group that has a shift.
fn shifts(groups: &[Group], rows: &[Row], limit: f64) -> Vec<Option<Shift>> {
    let deviation = |g: &Group| g.run.plus(g.blur);
    let probabilities: Vec<f64> = groups
        .iter()
        .filter_map(|g| Some(deviation(g).p(g.shift?)))
        .collect();
    let level = 1.0 - SHIFT_ERROR / probabilities.len().max(1) as f64;
    let mut adjusted = stats::holm(&probabilities).into_iter();
    let one = |group: &Group| {
        let shift = group.shift?;
        let p = adjusted.next()?;
        let deviation = deviation(group);
        let half = deviation.half(level);
        let known = group.runs > 0;
        let real = match known {
            true => p <= SHIFT_ERROR && shift.abs() > limit,
            // What is assumed must leave no doubt.
            false => shift.abs() - half > limit,
        };
        let usual = USUAL * deviation.error();
        let outcome = match (real, shift > 0.0) {
            (true, true) => ShiftOutcome::Worse,
            (true, false) => ShiftOutcome::Better,
            _ if shift.abs() <= limit || (known && shift.abs() <= usual) => ShiftOutcome::Usual,
            _ => ShiftOutcome::Unknown,
        };
        Some(group.shift_of(rows, shift, half, level, outcome))
    };
    groups.iter().map(one).collect()
}

impl Group {
    fn shift_of(
        &self,
        rows: &[Row],
        cost: f64,
        half: f64,
        level: f64,
        outcome: ShiftOutcome,
    ) -> Shift {
        let first = &rows[self.rows[0]].change;
        let same = |of: fn(&PointChange) -> &str| {
            let all_same = self
                .rows
                .iter()
                .all(|at| of(&rows[*at].change) == of(first));
            if all_same { of(first) } else { "" }.to_owned()
        };
        let metric = same(|c| &c.metric);
        // A mixture of times and rates counts as a time.
        let falls = !metric.is_empty() && !first.lower_is_better;
        let log = if falls { -cost } else { cost };
        Shift {
            experiment: same(|c| &c.experiment),
            metric,
            points: u32::try_from(self.rows.len()).unwrap_or(u32::MAX),
            ratio: Interval {
                center: log.exp(),
                low: (log - half).exp(),
                high: (log + half).exp(),
                level,
                method: Method::Mover,
                degrees: None,
            },
            outcome,
            run_sd: self.run.error() / 2f64.sqrt(),
            runs: self.runs,
            lower_is_better: !falls,
        }
    }
}

impl ShiftOutcome {
    fn is_change(self) -> bool {
        matches!(self, ShiftOutcome::Worse | ShiftOutcome::Better)
    }
}

impl Row {
    /// `p`: of the whole family. Returns which way it stands out from its like, where that is no
    /// change from A.
    fn decide(&mut self, stand: &Stand, p: f64, limit: f64) -> Option<Outcome> {
        let evidence = self.evidence.as_ref()?;
        let apart = evidence.interval(stand.around, stand.more);
        let whole = evidence.interval(0.0, stand.more);
        self.change.ratio = Some(whole);
        self.change.adjusted_p = Some(p);
        let beyond = |i: &Interval| match evidence.single || stand.assumed {
            true => i.low.ln() > limit || i.high.ln() < -limit,
            false => i.center.ln().abs() > limit,
        };
        let clear = apart.low > 1.0 || apart.high < 1.0;
        let (log, apart_log) = (evidence.ratio.log, apart.center.ln());
        let direction = match (apart_log > 0.0) == self.change.lower_is_better {
            true => Outcome::Worse,
            false => Outcome::Better,
        };
        let stays = log * apart_log <= 0.0 || log.abs() <= limit;
        let (outcome, reason) = if !(clear && beyond(&apart)) {
            (Outcome::Same, hidden(&whole, limit))
        } else if p > POINT_ERROR {
            let reason = "not clear among all points that are judged together";
            (Outcome::Same, Some(reason.to_owned()))
        } else if stays {
            let (out, like) = (percent(apart.center), percent(stand.around.exp()));
            let reason = format!("{out} from its like, which are at {like}: no change from A");
            (Outcome::Same, Some(reason))
        } else {
            (direction, None)
        };
        let withheld = stays && outcome == Outcome::Same && clear && beyond(&apart);
        (self.change.outcome, self.change.reason) = (outcome, reason);
        withheld.then_some(direction)
    }
}

/// `+7.1 %` of 1.071.
fn percent(ratio: f64) -> String {
    format!("{:+.1} %", 100.0 * (ratio - 1.0))
}

/// What a verdict of "same" could hide, where that is more than the threshold.
fn hidden(ratio: &Interval, limit: f64) -> Option<String> {
    if ratio.low.ln() >= -limit && ratio.high.ln() <= limit {
        return None;
    }
    Some(format!(
        "the interval is {:+.0} % to {:+.0} %; more processes narrow it",
        100.0 * (ratio.low - 1.0),
        100.0 * (ratio.high - 1.0)
    ))
}
