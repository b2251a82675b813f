//! Two captures held against each other, each number with its definition.

use super::course::Course;
use super::distribution::{Distribution, Estimate};
use super::functions::FunctionRow;
use super::summary::Summary;
use serde::Serialize;

/// Functions that are compared.
const FUNCTIONS: usize = 20;
/// Calls below which a mean says nothing.
const LEAST_CALLS: u64 = 10;

/// One number of both captures.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Measure {
    /// What is measured, as a heading.
    pub name: String,
    /// Unit of both values.
    pub unit: Unit,
    /// In the first capture; None where it has no such events.
    pub a: Option<Estimate>,
    /// In the second capture, likewise.
    pub b: Option<Estimate>,
    /// Both intervals are there and lie apart.
    pub differs: bool,
    /// From which event to which the number is taken.
    pub definition: &'static str,
}

/// Unit of a measure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Unit {
    /// Nanoseconds.
    Ns,
    /// Events a second.
    PerSecond,
    /// Tasks.
    Count,
    /// A part of 1.
    Share,
}

/// Counts by powers of two of both captures.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Histogram {
    /// Which lengths are counted.
    pub name: &'static str,
    /// Least ns of the class, count in A, count in B.
    pub classes: Vec<(u64, u64, u64)>,
}

/// All numbers of two captures.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Comparison {
    /// Times, rates and functions, in this order.
    pub measures: Vec<Measure>,
    /// Lengths by powers of two.
    pub histograms: Vec<Histogram>,
}

/// Notes on the numbers.
pub const INTERVALS: &str = "Intervals are for 95 %. For quantiles they are order statistics, as \
                             if events were independent; rates, queue lengths and loads are means \
                             of up to 32 equal windows of the capture with 1.96 standard errors; \
                             times of functions are means with 1.96 standard errors. A number \
                             differs if the two intervals do not overlap. Two captures are two \
                             samples: the machine may have differed between them.";

type Pick = fn(&Summary) -> &Distribution;

/// Lengths of which there are many, and from which event to which each is taken.
const LENGTHS: [(&str, Pick, &str); 3] = [
    (
        "wake-up latency",
        |s| &s.tasks.wakeup_latency,
        "from sched_waking to being switched in",
    ),
    (
        "wait after preemption",
        |s| &s.tasks.preempt_wait,
        "from being switched out runnable to being switched in again",
    ),
    (
        "slice length",
        |s| &s.tasks.slices,
        "from switched in to switched out; complete slices of tasks",
    ),
];

/// Holds B against A.
pub fn compare(a: &Summary, b: &Summary) -> Comparison {
    let mut measures = times(a, b);
    measures.extend(rates(a, b));
    measures.extend(functions(a, b));
    let histograms = LENGTHS.map(|(name, of, _)| histogram(name, of(a), of(b)));
    Comparison {
        measures,
        histograms: histograms.into(),
    }
}

fn measure(
    name: impl Into<String>,
    unit: Unit,
    a: Option<Estimate>,
    b: Option<Estimate>,
    definition: &'static str,
) -> Measure {
    Measure {
        name: name.into(),
        unit,
        differs: a.zip(b).is_some_and(|(a, b)| a.apart(&b)),
        a,
        b,
        definition,
    }
}

fn times(a: &Summary, b: &Summary) -> Vec<Measure> {
    let quantile = |d: &Distribution, share| (d.count > 0).then(|| d.estimate(share));
    let mut all = Vec::new();
    for (name, pick, definition) in LENGTHS {
        for (word, share) in [("median", 0.5), ("p99", 0.99)] {
            let (a, b) = (quantile(pick(a), share), quantile(pick(b), share));
            let name = format!("{name}, {word}");
            all.push(measure(name, Unit::Ns, a, b, definition));
        }
    }
    all
}

fn windows(course: &Course, s: &Summary, factor: f64) -> Option<Estimate> {
    let values = course.whole_per_ns(s.pass.end_ns);
    let values: Vec<f64> = values.into_iter().map(|v| v * factor).collect();
    Estimate::of_windows(&values)
}

fn alone(value: Option<f64>) -> Option<Estimate> {
    value.map(|value| Estimate {
        value,
        low: f64::NEG_INFINITY,
        high: f64::INFINITY,
    })
}

/// Mean over the CPUs, window by window.
fn load(s: &Summary) -> Option<Estimate> {
    let cpus = &s.tasks.cpus;
    let courses: Vec<Vec<f64>> = cpus
        .iter()
        .map(|c| c.load.whole_per_ns(s.pass.end_ns))
        .collect();
    let most = courses.iter().map(Vec::len).min()?;
    let mean = |at: usize| courses.iter().map(|c| c[at]).sum::<f64>() / courses.len() as f64;
    Estimate::of_windows(&(0..most).map(mean).collect::<Vec<f64>>())
}

fn rates(a: &Summary, b: &Summary) -> Vec<Measure> {
    let row = |name, unit, of: &dyn Fn(&Summary) -> Option<Estimate>, definition| {
        let ran = |s: &Summary| s.has_switches().then(|| of(s)).flatten();
        measure(name, unit, ran(a), ran(b), definition)
    };
    vec![
        row(
            "switches",
            Unit::PerSecond,
            &|s| windows(&s.tasks.switches, s, 1e9),
            "sched_switch of all CPUs",
        ),
        row(
            "migrations",
            Unit::PerSecond,
            &|s| windows(&s.tasks.migrations, s, 1e9),
            "sched_migrate_task; if absent, slices on another CPU than before",
        ),
        row(
            "runnable tasks",
            Unit::Count,
            &|s| windows(&s.queues.machine.course, s, 1.0),
            "running or waiting, all CPUs, mean over time",
        ),
        row(
            "load of the CPUs",
            Unit::Share,
            &load,
            "busy share, mean of the CPUs",
        ),
        row(
            "load imbalance",
            Unit::Share,
            &|s| alone(s.load_imbalance()),
            "load of the busiest CPU above the mean, as a share of the mean; without interval",
        ),
    ]
}

fn functions(a: &Summary, b: &Summary) -> Vec<Measure> {
    let of_both = a.functions.iter().filter_map(|of_a| {
        let of_b = b.functions.iter().find(|f| f.function == of_a.function)?;
        (of_a.hits.min(of_b.hits) >= LEAST_CALLS).then_some((of_a, of_b))
    });
    let timed = of_both.take(FUNCTIONS).filter(|(a, _)| a.time.count > 0);
    let row = |(a, b): (&FunctionRow, &FunctionRow)| {
        let (name, of_a) = (format!("{}, mean", a.function), a.time.mean_estimate());
        let (of_a, of_b) = (Some(of_a), Some(b.time.mean_estimate()));
        let definition = "function_graph: a call including what it calls";
        measure(name, Unit::Ns, of_a, of_b, definition)
    };
    timed.map(row).collect()
}

fn histogram(name: &'static str, a: &Distribution, b: &Distribution) -> Histogram {
    let (of_a, of_b) = (a.powers(), b.powers());
    let mut lows: Vec<u64> = of_a.iter().chain(&of_b).map(|(low, _)| *low).collect();
    lows.sort_unstable();
    lows.dedup();
    let count = |of: &[(u64, u64)], low| of.iter().find(|(l, _)| *l == low).map_or(0, |(_, n)| *n);
    Histogram {
        name,
        classes: lows
            .into_iter()
            .map(|low| (low, count(&of_a, low), count(&of_b, low)))
            .collect(),
    }
}
