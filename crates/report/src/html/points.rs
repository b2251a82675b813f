//! Every point of an experiment as a table row: nothing is left out.

use crate::format::{axis_value, modes, plus_minus, quantity, significant, time_ns};
use analysis::view::ContaminationLevel;
use analysis::{ExperimentTable, PointView, Summary};
use maud::{Markup, html};
use record::{MetricHead, PointState, Unit};

/// Tables with more rows scroll inside on a screen.
const TALL: usize = 14;

pub fn render(table: &ExperimentTable) -> Markup {
    if table.points.is_empty() {
        return html! { p.note { "No points in the plan." } };
    }
    let rates = table.points.iter().any(|p| p.head.bytes_per_op.is_some());
    let class = if table.points.len() > TALL {
        "scroll tall"
    } else {
        "scroll"
    };
    let label = format!("Points of {}, scrollable", table.head.id);
    html! {
        div class=(class) tabindex="0" role="region" aria-label=(label) {
            table.points {
                thead { (header(table, rates)) }
                tbody {
                    @for point in &table.points { (row(table, point, rates)) }
                }
            }
        }
    }
}

/// Columns after the axes, the rate and the other metrics.
const STATISTICS: [&str; 10] = [
    "interval",
    "n",
    "disturbed",
    "min",
    "p25",
    "p75",
    "p99",
    "max",
    "mean",
    "variance, ns²",
];

fn header(table: &ExperimentTable, rates: bool) -> Markup {
    html! {
        tr {
            @for axis in &table.head.axes {
                th.word[axis.unit == Unit::Word] scope="col" title=(axis.doc) { (axis.name.replace('_', " ")) }
            }
            th scope="col" { "median" }
            th scope="col" { "±" }
            @if rates { th scope="col" { "GB/s" } }
            @for metric in table.head.metrics.iter().skip(1) {
                th scope="col" title=(metric.doc) { (metric.name.replace('_', " ")) }
            }
            @for name in STATISTICS { th scope="col" { (name) } }
            th.wide scope="col" { "remarks" }
        }
    }
}

fn row(table: &ExperimentTable, point: &PointView, rates: bool) -> Markup {
    // Median, its width and the remarks stand for the primary metric.
    let columns = STATISTICS.len() + table.head.metrics.len().max(1) + 2 + usize::from(rates);
    html! {
        tr {
            @for axis in &table.head.axes {
                td.word[axis.unit == Unit::Word] { @if let Some(v) = point.head.value(&axis.name) { (axis_value(v, axis.unit)) } }
            }
            @match (&point.head.state, point.summary(0)) {
                (PointState::Done, Some(s)) => (measured(table, point, s, rates)),
                // A count of none has no time.
                (PointState::Done, None) if !point.summaries.is_empty() => {
                    td.absent colspan=(2 + usize::from(rates)) { "–" }
                    (others(table, point))
                    td colspan=(STATISTICS.len() + 1) {}
                },
                (state, _) => td.absent colspan=(columns) { (absence(state)) },
            }
        }
    }
}

fn absence(state: &PointState) -> Markup {
    match state {
        PointState::Done => html! { "no samples" },
        PointState::Pending => html! { "not measured" },
        PointState::Failed { reason } => html! { b { "FAIL" } " " (reason) },
        PointState::Skipped { reason, remedy } => html! {
            b { "SKIP" } " " (reason)
            @if !remedy.is_empty() { " " code { (remedy) } }
        },
    }
}

fn measured(table: &ExperimentTable, point: &PointView, s: &Summary, rates: bool) -> Markup {
    let t = |ns: f64| time_ns(ns, 4);
    html! {
        td.median { (t(s.median)) }
        td { (width(s)) }
        @if rates {
            td { @if let Some(r) = point.bandwidth_gb_per_s() { (significant(r, 3)) } }
        }
        (others(table, point))
        td { @if s.samples > 1 { (t(s.low)) " … " (t(s.high)) } }
        td { (s.samples) }
        td { (disturbance(point)) }
        @for value in [s.min, s.p25, s.p75, s.p99, s.max, s.mean] { td { (t(value)) } }
        td { @if s.variance.is_finite() { (format!("{:.2e}", s.variance)) } @else { "-" } }
        td.wide { (remarks(point, s)) }
    }
}

fn others(table: &ExperimentTable, point: &PointView) -> Markup {
    html! {
        @for (i, metric) in table.head.metrics.iter().enumerate().skip(1) {
            td { (other(point, i, metric)) }
        }
    }
}

fn other(point: &PointView, index: usize, metric: &MetricHead) -> Markup {
    let summary = u16::try_from(index).ok().and_then(|i| point.summary(i));
    html! {
        @match summary {
            Some(s) => {
                (quantity(s.median, metric.unit, 4)) " " span.soft { (width(s)) }
            }
            None => "-",
        }
    }
}

/// Half of the interval; one sample has none.
fn width(s: &Summary) -> String {
    match s.samples {
        1 => String::new(),
        _ => plus_minus(s.median, s.low, s.high),
    }
}

fn disturbance(point: &PointView) -> String {
    match &point.contamination {
        None => "not watched".to_owned(),
        Some(c) => match c.level {
            ContaminationLevel::Clean => c.disturbed.to_string(),
            ContaminationLevel::Disturbed => format!("○ {}", c.disturbed),
            ContaminationLevel::Contaminated => format!("× {}", c.disturbed),
        },
    }
}

fn remarks(point: &PointView, s: &Summary) -> Markup {
    html! {
        @if let Some(text) = modes(s, Unit::Nanoseconds) { b.modes { (text) } " " }
        @if let Some(c) = &point.contamination {
            @if c.level == ContaminationLevel::Contaminated { b.modes { "contaminated" } " " }
            (c.reason)
        }
    }
}
