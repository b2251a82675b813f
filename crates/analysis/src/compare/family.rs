//! All points of two runs judged together.
//!
//! Points of one experiment move together between runs: the machine is slower for an hour, a
//! process gets other pages. So the points of an experiment are held against what they have in
//! common, their *shift*, and the shift against how runs of this machine differ. Both carry a part
//! of the family's error: 4 % for all points together, 1 % for all shifts, by Holm's procedure.

use super::cpu::follows_speed;
use super::group::{Group, Row};
use super::history::History;
use super::shift::{SHIFT_ERROR, Shift, ShiftOutcome, shifts};
use super::{Outcome, PointChange};
use stats::{Deviation, Interval};
use std::collections::BTreeMap;

/// The chance that any of a family of unchanged points is called worse or better.
pub const FAMILY_ERROR: f64 = 0.05;
const POINT_ERROR: f64 = FAMILY_ERROR - SHIFT_ERROR;

/// Points of a metric that have a shift of their own.
pub const FEWEST_TOGETHER: usize = 8;

/// Standard deviation of whole runs on the log scale that is assumed where no other run of the
/// machine is known. A loop in registers read up to 9 % apart within minutes on a guest whose
/// host changed its clock, which is a standard deviation of about 3 %.
pub const ASSUMED_RUN_SD: f64 = 0.03;

/// Groups whose variance is so many times that of all have their own.
const CLEARLY: f64 = 2.5;

/// Of the square of a standard normal deviate.
const MEDIAN_SQUARE: f64 = 0.4549;
/// Degrees of freedom of what is as good as known.
const KNOWN: f64 = 1e6;

/// Beyond this, what points scatter by is the change itself.
const LARGEST_SCATTER: f64 = super::scatter::LARGEST_SCATTER;

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
        together: Deviation::NONE,
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
        // What points deviate by, and not from each other, they have in common.
        let squares: Vec<f64> = around.iter().map(|(d, _)| d * d / MEDIAN_SQUARE).collect();
        let apart = stats::median(&squares).unwrap_or(0.0);
        let degrees: Vec<f64> = around.iter().map(|(_, d)| d.degrees.min(KNOWN)).collect();
        self.together = Deviation {
            variance: (own - apart).max(0.0),
            degrees: stats::median(&degrees).unwrap_or(KNOWN),
        };
    }

    /// What of the shift the CPU's speed does not account for: the middle of what it accounts for
    /// in the rows.
    pub(super) fn beyond_cpu(&self, rows: &[Row], shift: f64) -> f64 {
        let of_row = |at: &usize| {
            let evidence = rows[*at].evidence.as_ref()?;
            Some(evidence.cpu.as_cost(rows[*at].change.sign()).beyond(shift))
        };
        let left: Vec<f64> = self.rows.iter().filter_map(of_row).collect();
        stats::median(&left).unwrap_or(shift)
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

impl Row {
    /// `p`: of the whole family. Returns which way it stands out from its like, where that is no
    /// change from A.
    fn decide(&mut self, stand: &Stand, p: f64, limit: f64) -> Option<Outcome> {
        let evidence = self.evidence.as_ref()?;
        let apart = evidence.interval(stand.around, stand.more);
        let whole = evidence.interval(0.0, stand.more);
        self.change.ratio = Some(whole);
        self.change.adjusted_p = Some(p);
        // The CPU's own part is in the ends of the interval, and taken off its centre.
        let cpu = evidence.cpu;
        let left = |center: f64, shift: f64| {
            let reach = cpu.around(shift);
            center - center.clamp(-reach.below, reach.above)
        };
        let beyond = |i: &Interval, shift: f64| match evidence.single || stand.assumed {
            true => i.low.ln() > limit || i.high.ln() < -limit,
            false => left(i.center.ln(), shift).abs() > limit,
        };
        let clear = apart.low > 1.0 || apart.high < 1.0;
        let (log, apart_log) = (evidence.ratio.log, apart.center.ln());
        let direction = match (apart_log > 0.0) == self.change.lower_is_better {
            true => Outcome::Worse,
            false => Outcome::Better,
        };
        let own = cpu.beyond(log);
        let stays = own * apart_log <= 0.0 || own.abs() <= limit;
        let (outcome, reason) = if cpu.is_something() && log.abs() > limit && own.abs() <= limit {
            let reason = match self.change.core_ratio {
                Some(core) => super::cpu::shared(core),
                None => super::cpu::sentence(self.change.cycle_ratio.unwrap_or(1.0)),
            };
            (Outcome::Same, Some(reason))
        } else if !(clear && beyond(&apart, stand.around)) {
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
        let withheld = stays && outcome == Outcome::Same && clear && beyond(&apart, stand.around);
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
