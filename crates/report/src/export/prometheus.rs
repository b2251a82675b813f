//! Prometheus text exposition format, version 0.0.4, for the textfile collector
//! of node_exporter: no timestamps (the collector refuses them), base units
//! (seconds, bytes per second) in the names, as Prometheus asks. A comment in front counts the
//! series: each costs memory in the database, for each host.

mod bounded;

use super::Selection;
use analysis::{ExperimentTable, PointView, RunView, Summary};
use record::{MetricHead, PointState, RunState, Unit};
use std::collections::BTreeSet;
use std::fmt::Write;

/// Lines of one metric, which must stand together.
struct Family {
    name: String,
    help: String,
    lines: Vec<String>,
}

#[derive(Default)]
struct Exposition(Vec<Family>);

impl Exposition {
    fn add(&mut self, name: &str, help: &str, labels: &Labels, value: f64) {
        let line = format!("{name}{} {}", labels.text(), number(value));
        match self.0.iter_mut().find(|f| f.name == name) {
            Some(family) => family.lines.push(line),
            None => self.0.push(Family {
                name: name.to_owned(),
                help: help.to_owned(),
                lines: vec![line],
            }),
        }
    }

    fn series(&self) -> usize {
        self.0.iter().map(|family| family.lines.len()).sum()
    }

    fn text(&self) -> String {
        let mut text = String::new();
        for family in &self.0 {
            let help = escape::terminal(&family.help).replace('\\', "\\\\");
            // Writing to a string cannot fail.
            let _ = writeln!(text, "# HELP {} {help}", family.name);
            let _ = writeln!(text, "# TYPE {} gauge", family.name);
            for line in &family.lines {
                let _ = writeln!(text, "{line}");
            }
        }
        text
    }
}

/// How much is written of what is selected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Extent {
    /// The median of the first metric, of a bounded number of points.
    Bounded,
    /// Each metric of each point: median, interval, samples.
    Everything,
}

/// The file, and what to say of it.
pub(super) fn text(view: &RunView, selection: &Selection, extent: Extent) -> (String, Vec<String>) {
    let mut out = Exposition::default();
    add_run(&mut out, view);
    let mut absent = Vec::new();
    for table in &view.tables {
        let before = out.series();
        match extent {
            Extent::Bounded => add_bounded(&mut out, view, table),
            Extent::Everything => table
                .points
                .iter()
                .for_each(|point| add_point(&mut out, view, (table, selection), point)),
        }
        if out.series() == before {
            absent.push(table.head.id.as_str());
        }
    }
    let notes = notes(out.series(), extent, &absent);
    let comments = notes.iter().map(|note| format!("# {note}\n"));
    (comments.collect::<String>() + &out.text(), notes)
}

fn notes(series: usize, extent: Extent, absent: &[&str]) -> Vec<String> {
    let count = match series {
        1 => "1 series".to_owned(),
        n => format!("{n} series"),
    };
    let mut notes = vec![match extent {
        Extent::Bounded => format!(
            "{count}: medians of the toll map and of experiments with one point; select more with \
             --experiment or --metric, or export everything with --all"
        ),
        Extent::Everything => count,
    }];
    if !absent.is_empty() {
        notes.push(format!(
            "without series: {}",
            escape::terminal(&absent.join(", "))
        ));
    }
    notes
}

fn add_bounded(out: &mut Exposition, view: &RunView, table: &ExperimentTable) {
    let wanted = bounded::points(table);
    let points = table.points.iter();
    for point in points.filter(|p| wanted.contains(&p.head.index)) {
        let primary = point.primary().map(|s| (s, table.head.metrics.first()));
        if let Some((summary, Some(metric))) = primary {
            let labels = labels(view, table, point, metric);
            add_figures(out, (metric, summary), &labels, 1);
        }
    }
}

fn add_run(out: &mut Exposition, view: &RunView) {
    let head = &view.head;
    let info = [
        ("run", &head.id),
        ("started", &head.started_utc),
        ("version", &head.tool_version),
        ("preset", &head.recipe.preset),
        ("cpu_model", &head.machine.cpu_model),
        ("kernel", &head.machine.kernel),
    ];
    let mut labels = run_labels(view);
    info.iter()
        .for_each(|(name, value)| labels.add(name, value));
    let help = "The run that these figures come from, always 1.";
    out.add("pontage_run_info", help, &labels, 1.0);
    let complete = f64::from(u8::from(head.state == RunState::Complete));
    let help = "1 if the run was completed, 0 if it ended early.";
    out.add("pontage_run_complete", help, &run_labels(view), complete);
    for (outcome, wanted) in OUTCOMES {
        let count = head.points.iter().filter(|p| wanted(&p.state)).count();
        let count = f64::from(u32::try_from(count).unwrap_or(u32::MAX));
        let mut labels = run_labels(view);
        labels.add("outcome", outcome);
        out.add(
            "pontage_points",
            "Points of the plan by outcome.",
            &labels,
            count,
        );
    }
}

type Is = fn(&PointState) -> bool;

const OUTCOMES: [(&str, Is); 4] = [
    ("done", |s| *s == PointState::Done),
    ("skipped", |s| matches!(s, PointState::Skipped { .. })),
    ("failed", |s| matches!(s, PointState::Failed { .. })),
    ("pending", |s| *s == PointState::Pending),
];

fn add_point(
    out: &mut Exposition,
    view: &RunView,
    (table, selection): (&ExperimentTable, &Selection),
    point: &PointView,
) {
    for summary in &point.summaries {
        let metric = table.head.metrics.get(usize::from(summary.metric));
        let Some(metric) = metric.filter(|m| selection.shows(m)) else {
            continue;
        };
        let labels = labels(view, table, point, metric);
        // The extremes of samples that carry no interval are no ends of one.
        let given = if summary.median.is_none() { 1 } else { 3 };
        add_figures(out, (metric, summary), &labels, given);
        let count = f64::from(summary.samples);
        out.add(
            "pontage_samples",
            "Samples behind the median.",
            &labels,
            count,
        );
    }
}

fn labels(
    view: &RunView,
    table: &ExperimentTable,
    point: &PointView,
    metric: &MetricHead,
) -> Labels {
    let mut labels = run_labels(view);
    labels.add("experiment", &table.head.id);
    labels.add("metric", &metric.name);
    for setting in &point.head.settings {
        let axis = table.head.axes.iter().find(|a| a.name == setting.axis);
        let name = axis.map_or_else(|| setting.axis.clone(), record::AxisHead::column);
        labels.add(&name, &setting.value.to_string());
    }
    labels
}

/// The median, and the ends of its interval where more than one figure is `given`.
fn add_figures(
    out: &mut Exposition,
    (metric, summary): (&MetricHead, &Summary),
    labels: &Labels,
    given: usize,
) {
    let (suffix, to_base) = base_unit(metric.unit);
    let figures = [
        ("median", "Median", summary.median.center),
        (
            "median_low",
            "Lower end of the interval of the median",
            summary.median.low,
        ),
        (
            "median_high",
            "Upper end of the interval of the median",
            summary.median.high,
        ),
    ];
    for (name, what, value) in figures.into_iter().take(given) {
        let (name, help) = (
            format!("pontage_{name}{suffix}"),
            format!("{what}, one operation."),
        );
        out.add(&name, &help, labels, to_base(value));
    }
}

/// Suffix of the name, and the way to the base unit. Division by a power of
/// ten, not multiplication by its inverse: it is rounded once.
fn base_unit(unit: Unit) -> (&'static str, fn(f64) -> f64) {
    match unit {
        Unit::Nanoseconds => ("_seconds", |ns| ns / 1e9),
        Unit::GigabytesPerSecond => ("_bytes_per_second", |gb| gb * 1e9),
        Unit::Megahertz => ("_hertz", |mhz| mhz * 1e6),
        Unit::Bytes => ("_bytes", |v| v),
        Unit::Cycles => ("_cycles", |v| v),
        Unit::Ratio => ("_ratio", |v| v),
        Unit::ClockSeconds => ("_seconds", |v| v),
        Unit::ClockNanoseconds => ("_seconds", |ns| ns / 1e9),
        Unit::Count | Unit::Word => ("", |v| v),
    }
}

/// Labels of every line. One without `emulated` is of a real processor: to
/// Prometheus a label that is not there is an empty one.
fn run_labels(view: &RunView) -> Labels {
    let mut labels = Labels::default();
    labels.add("host", &view.head.machine.host);
    if view.head.machine.is_emulated() {
        labels.add("emulated", "true");
    }
    labels
}

/// Labels of one line, names unique.
#[derive(Default)]
struct Labels {
    names: BTreeSet<String>,
    pairs: Vec<(String, String)>,
}

impl Labels {
    fn add(&mut self, name: &str, value: &str) {
        let mut name = label_name(name);
        while !self.names.insert(name.clone()) {
            name = format!("axis_{name}");
        }
        self.pairs.push((name, escape::metric(value)));
    }

    fn text(&self) -> String {
        let pairs = self.pairs.iter().map(|(n, v)| format!("{n}=\"{v}\""));
        let pairs: Vec<String> = pairs.collect();
        format!("{{{}}}", pairs.join(","))
    }
}

/// `[a-zA-Z_][a-zA-Z0-9_]*`; names with two leading underscores are reserved.
fn label_name(name: &str) -> String {
    let valid = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    let name: String = name.chars().map(valid).collect();
    if name.starts_with(|c: char| c.is_ascii_alphabetic()) {
        name
    } else {
        format!("axis_{}", name.trim_start_matches('_'))
    }
}

/// Prometheus spells the special values its own way.
fn number(value: f64) -> String {
    match value {
        v if v.is_nan() => "NaN".to_owned(),
        f64::INFINITY => "+Inf".to_owned(),
        f64::NEG_INFINITY => "-Inf".to_owned(),
        v => format!("{v:?}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_escaped_valid_and_unique() {
        let mut labels = Labels::default();
        labels.add("host", "a\"b\\c\nd");
        labels.add("host", "2");
        labels.add("9-lives", "x");
        labels.add("__name", "y");
        assert_eq!(
            labels.text(),
            r#"{host="a\"b\\c d",axis_host="2",axis_9_lives="x",axis_name="y"}"#
        );
    }

    #[test]
    fn special_values_are_spelled_for_prometheus() {
        assert_eq!(number(f64::NAN), "NaN");
        assert_eq!(number(f64::NEG_INFINITY), "-Inf");
        assert_eq!(number(2.5625e-8), "2.5625e-8");
    }
}
