//! Pairs of kinds of work, of the same kind and mixed: gains of both
//! members in the units of their kinds, and what interrupted them, as a log of
//! 2022 laid them out.

mod json;
pub mod speed;

pub use json::json;

use crate::figure::unmeasured;
use analysis::{ExperimentTable, Interval, PointView};
use record::Unit;
use speed::Speed;

/// Pairs that were measured under one setting.
#[derive(Debug, Clone, PartialEq)]
pub struct Block<'a> {
    /// `2 + 2 tasks, smt sibling, processes`.
    pub title: String,
    pub pairs: Vec<Pair<'a>>,
}

/// Two kinds of tasks, next to their own kind and mixed.
#[derive(Debug, Clone, PartialEq)]
pub struct Pair<'a> {
    pub members: [Member<'a>; 2],
    /// Measured and neighbour: A and A, A and B, B and A, B and B.
    pub coruns: [CoRun<'a>; 4],
}

/// One of the two, before (neighbour of its own kind) and after (of the other kind).
#[derive(Debug, Clone, PartialEq)]
pub struct Member<'a> {
    pub kind: &'a str,
    pub speed: Speed,
    /// Why there is none, else.
    pub gain: Result<Gain, String>,
}

/// Shares: 0.05 is 5 % better.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Gain {
    /// Time of an operation, ns.
    pub before_ns: f64,
    pub after_ns: f64,
    pub share: Interval,
}

/// What is measured with which neighbour.
#[derive(Debug, Clone, PartialEq)]
pub struct CoRun<'a> {
    pub names: [&'a str; 2],
    point: Option<&'a PointView>,
}

/// A row of the evidence: name, metric of the measured CPU, of its neighbour's.
pub const EVIDENCE: [(&str, &str, Option<&str>); 7] = [
    ("LOC", "timer", Some("timer_there")),
    ("RES", "reschedule", Some("reschedule_there")),
    ("CAL", "function_call", Some("function_call_there")),
    ("TLB", "tlb", Some("tlb_there")),
    ("context", "context_switches", None),
    ("switches", "switches", None),
    ("faults", "faults", None),
];

/// What stands in the place of the processor's counts in a run without them.
pub const NOT_COUNTED: &str = "processor counters: not requested (--counters GROUP; pontage \
                               doctor lists them)";

/// Axes that part the four points of a pair, and the pairs of a block.
const INSIDE: [&str; 4] = ["a", "b", "member", "pairing"];
/// Metric of the ratio of the times.
const SPEEDUP: &str = "speedup";

/// A kind's name without what marks it as a command.
pub fn name(word: &str) -> &str {
    word.strip_prefix(speed::COMMAND).unwrap_or(word)
}

/// The pairs of a table by setting; empty where it has none.
#[must_use]
pub fn blocks(table: &ExperimentTable) -> Vec<Block<'_>> {
    let has = |axis: &&str| table.head.axes.iter().any(|a| a.name == **axis);
    if !INSIDE.iter().all(has) {
        return Vec::new();
    }
    let shown = shown_axes(table);
    let mut blocks: Vec<(Vec<String>, Block<'_>)> = Vec::new();
    let mut seen: Vec<(Vec<String>, &str, &str)> = Vec::new();
    for point in &table.points {
        let setting = setting(point);
        let (a, b) = (word(point, "a"), word(point, "b"));
        let key = (setting.clone(), a, b);
        if seen.contains(&key) {
            continue;
        }
        seen.push(key);
        let pair = pair(table, &setting, a, b);
        match blocks.iter_mut().find(|(known, _)| *known == setting) {
            Some((_, block)) => block.pairs.push(pair),
            None => {
                let title = title(table, point, &shown);
                let pairs = vec![pair];
                blocks.push((setting, Block { title, pairs }));
            }
        }
    }
    blocks.into_iter().map(|(_, block)| block).collect()
}

fn word<'a>(point: &'a PointView, axis: &str) -> &'a str {
    let value = point.head.value(axis);
    value.and_then(record::AxisValue::as_word).unwrap_or("")
}

/// What a pair's points have in common with those of its block.
fn setting(point: &PointView) -> Vec<String> {
    let settings = point.head.settings.iter();
    let of_block = settings.filter(|s| !INSIDE.contains(&s.axis.as_str()));
    of_block.map(|s| s.value.to_string()).collect()
}

/// Further axes that differ between blocks.
fn shown_axes(table: &ExperimentTable) -> Vec<&str> {
    const NAMED: [&str; 4] = ["a_tasks", "b_tasks", "placement", "mm"];
    let axes = table.head.axes.iter().map(|a| a.name.as_str());
    let further = axes.filter(|axis| !INSIDE.contains(axis) && !NAMED.contains(axis));
    let differs = |axis: &&str| {
        let mut values = table.points.iter().map(|p| p.head.value(axis));
        let first = values.next();
        values.any(|value| Some(value) != first)
    };
    further.filter(differs).collect()
}

fn title(table: &ExperimentTable, point: &PointView, shown: &[&str]) -> String {
    let count = |axis: &str| point.int(axis).unwrap_or(0);
    let mm = match word(point, "mm") {
        "same" => "threads of one process",
        _ => "processes",
    };
    let mut title = format!(
        "{} + {} tasks, {}, {mm}",
        count("a_tasks"),
        count("b_tasks"),
        word(point, "placement").replace('_', " ")
    );
    for axis in shown {
        let mut axes = table.head.axes.iter();
        let unit = axes
            .find(|a| a.name == *axis)
            .map_or(Unit::Count, |a| a.unit);
        if let Some(value) = point.head.value(axis) {
            let value = crate::format::axis_value(value, unit);
            title.push_str(&format!(", {axis} {value}"));
        }
    }
    title
}

fn pair<'a>(table: &'a ExperimentTable, of: &[String], a: &'a str, b: &'a str) -> Pair<'a> {
    let find = |member: &str, pairing: &str| {
        table.points.iter().find(|p| {
            let here = word(p, "member") == member && word(p, "pairing") == pairing;
            here && word(p, "a") == a && word(p, "b") == b && setting(p) == of
        })
    };
    let (a_equal, a_mixed) = (find("a", "homogeneous"), find("a", "mixed"));
    let (b_mixed, b_equal) = (find("b", "mixed"), find("b", "homogeneous"));
    let corun = |of, neighbour, point| CoRun {
        names: [name(of), name(neighbour)],
        point,
    };
    Pair {
        members: [
            member(table, a, a_equal, a_mixed),
            member(table, b, b_equal, b_mixed),
        ],
        coruns: [
            corun(a, a, a_equal),
            corun(a, b, a_mixed),
            corun(b, a, b_mixed),
            corun(b, b, b_equal),
        ],
    }
}

fn member<'a>(
    table: &ExperimentTable,
    kind: &'a str,
    before: Option<&PointView>,
    after: Option<&PointView>,
) -> Member<'a> {
    let speed = Speed::of(&table.head.kinds, kind);
    let measured = || {
        let before_ns = before?.median_ns()?;
        let after = after?;
        let speedup = after.summary(metric(table, SPEEDUP)?)?;
        let times = [before_ns, after.median_ns()?, speedup.median.center];
        times.iter().all(|v| v.is_finite()).then(|| Gain {
            before_ns,
            after_ns: times[1],
            share: speedup.median.map(|s| speed.gain(s)),
        })
    };
    let gain = measured().ok_or_else(|| {
        let states = [after, before].into_iter().flatten();
        let mut why = states.filter_map(|p| unmeasured(&p.head.state));
        why.next().unwrap_or_else(|| "not measured".to_owned())
    });
    Member {
        kind: name(kind),
        speed,
        gain,
    }
}

fn metric(table: &ExperimentTable, name: &str) -> Option<u16> {
    let at = table.head.metrics.iter().position(|m| m.name == name)?;
    u16::try_from(at).ok()
}

impl Gain {
    /// Whether its interval leaves out "no difference".
    pub fn is_clear(&self) -> bool {
        self.share.low > 0.0 || self.share.high < 0.0
    }

    /// `+7.79 %`.
    pub fn text(&self) -> String {
        format!("{:+.2} %", self.share.center * 100.0)
    }

    /// `(+7.12 to +8.40)`.
    pub fn interval(&self) -> String {
        let percent = |share: f64| format!("{:+.2}", share * 100.0);
        format!(
            "({} to {})",
            percent(self.share.low),
            percent(self.share.high)
        )
    }
}

impl Member<'_> {
    /// `74.06 frames/s -> 79.83 frames/s`, with this sign for the arrow.
    pub fn change(&self, gain: &Gain, arrow: &str) -> String {
        let [before, after] = self.speed.texts([gain.before_ns, gain.after_ns]);
        format!("{before} {arrow} {after}")
    }
}

impl CoRun<'_> {
    /// `image&strings`.
    pub fn label(&self) -> String {
        self.names.join("&")
    }

    /// Means of a row: here, and there where that is counted. By second.
    pub fn evidence(
        &self,
        table: &ExperimentTable,
        row: &(&str, &str, Option<&str>),
    ) -> (Option<f64>, Option<f64>) {
        let mean = |name: &str| {
            let summary = self.point?.summary(metric(table, name)?)?;
            summary.mean.is_finite().then_some(summary.mean)
        };
        (mean(row.1), row.2.and_then(mean))
    }

    /// None where it was not measured.
    pub fn point(&self) -> Option<&PointView> {
        self.point
    }

    /// `250 / 251`; a dash stands for what was not counted.
    pub fn cell(&self, table: &ExperimentTable, row: &(&str, &str, Option<&str>)) -> String {
        let gain =
            |value: Option<f64>| value.map_or_else(|| "-".to_owned(), crate::interruptions::rate);
        match (self.evidence(table, row), row.2) {
            ((None, None), _) => "-".to_owned(),
            ((here, there), Some(_)) => format!("{}/{}", gain(here), gain(there)),
            ((here, _), None) => gain(here),
        }
    }
}
