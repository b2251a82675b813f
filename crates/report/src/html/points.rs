//! The points of an experiment as table rows: axes that do not vary stand once, above.

use super::WORD;
use crate::counted;
use crate::document::{self, Cell, Column, Phrase, Span, Table, Tone};
use crate::format::{
    axis_value, modes, plus_minus, quantity, significant, time_ns, too_dependent, within_batches,
};
use crate::label::{shared, varying};
use analysis::view::ContaminationLevel;
use analysis::{ExperimentTable, PointView, Summary};
use maud::{Markup, html};
use record::{AxisHead, MetricHead, PointState, Unit, word_as_read};

/// Tables with more rows scroll inside on a screen.
const TALL: usize = 14;

/// The table of an experiment's points, `most` of them: a page is read, a record is queried.
pub fn render(table: &ExperimentTable, most: usize) -> Markup {
    if table.points.is_empty() {
        return html! { p.note { "No points in the plan." } };
    }
    let all: Vec<&PointView> = table.points.iter().collect();
    let axes = varying(table, &all);
    let derived = Derived {
        cycles: table.points.iter().any(|p| p.cycles.is_some()),
        rates: table.points.iter().any(|p| p.head.bytes_per_op.is_some()),
    };
    let name = format!("Points of {}, scrollable", table.head.id);
    let mut points = Table::new(heads(table, &axes, derived)).on_page("points", name);
    points.tall = table.points.len() > TALL;
    for point in table.points.iter().take(most) {
        points.row(row(table, &axes, point, derived));
    }
    let shared = shared(table, &all);
    let more = table.points.len().saturating_sub(most);
    html! {
        @if !shared.is_empty() { p.note { "All points: " (shared) "." } }
        (document::html::table(&points))
        @if more > 0 {
            p.note {
                (more) " more points are in the record: "
                code { (format!("pontage report --section {}", table.head.id)) }
            }
        }
    }
}

/// Columns that follow from the median, in tables of points that have them.
#[derive(Clone, Copy)]
struct Derived {
    cycles: bool,
    rates: bool,
}

impl Derived {
    fn count(self) -> usize {
        usize::from(self.cycles) + usize::from(self.rates)
    }
}

/// Columns after the axes, the rate and the other metrics.
const STATISTICS: [&str; 9] = [
    "interval",
    "at best",
    "n",
    "disturbed",
    "min",
    "p25",
    "p75",
    "p99",
    "max",
];

fn heads(table: &ExperimentTable, axes: &[&AxisHead], derived: Derived) -> Vec<Column> {
    let axis = |axis: &&AxisHead| {
        let name = Phrase::from(axis.name.replace('_', " "));
        Column::number(name.kind(word(axis))).doc(axis.doc.as_str())
    };
    let metric = |metric: &MetricHead| {
        Column::number(metric.name.replace('_', " ")).doc(metric.doc.as_str())
    };
    let mut heads: Vec<Column> = axes.iter().map(axis).collect();
    heads.push(Column::number("median"));
    heads.extend(derived.cycles.then(|| Column::number("cycles")));
    heads.extend(derived.rates.then(|| Column::number("GB/s")));
    heads.extend(further(table).map(|(_, head)| metric(head)));
    heads.extend(STATISTICS.map(Column::number));
    heads.push(Column::words(Phrase::from("remarks").kind("wide")));
    heads
}

fn word(axis: &AxisHead) -> &'static str {
    match axis.unit {
        Unit::Word => WORD,
        _ => "",
    }
}

fn row(
    table: &ExperimentTable,
    axes: &[&AxisHead],
    point: &PointView,
    derived: Derived,
) -> Vec<Cell> {
    let setting = |axis: &&AxisHead| {
        let value = point.head.value(&axis.name);
        let text = value.map(|v| axis_value(v, axis.unit)).unwrap_or_default();
        Cell::from(word_as_read(&axis.name, &text)).kind(word(axis))
    };
    let mut cells: Vec<Cell> = axes.iter().map(setting).collect();
    match (&point.head.state, point.primary()) {
        (PointState::Done, Some(s)) => cells.extend(measured(table, point, s, derived)),
        // A count of none has no time.
        (PointState::Done, None) if !point.summaries.is_empty() => {
            let none = Cell::from("–").kind("absent");
            cells.push(none.span(1 + derived.count()));
            cells.extend(others(table, point));
            cells.push(Cell::from("").span(STATISTICS.len() + 1));
        }
        (state, _) => {
            // Median, its width and the remarks stand for the primary metric.
            let columns = STATISTICS.len() + 1 + further(table).count() + 1 + derived.count();
            cells.push(Cell::from(absence(state)).kind("absent").span(columns));
        }
    }
    cells
}

fn absence(state: &PointState) -> Phrase {
    let because = |word: &str, reason: &str| {
        let word = Span::new(word).tone(Tone::Strong);
        [word, Span::new(format!(" {reason}"))]
    };
    match state {
        PointState::Done => Phrase::from("no samples"),
        PointState::Pending => Phrase::from("not measured"),
        PointState::Failed { reason } => Phrase::of(because("FAIL", reason)),
        PointState::Skipped { reason, remedy } => {
            let command = [Span::new(" "), Span::new(remedy.as_str()).code()];
            let command = command.into_iter().filter(|_| !remedy.is_empty());
            Phrase::of(because("SKIP", reason).into_iter().chain(command))
        }
    }
}

fn measured(
    table: &ExperimentTable,
    point: &PointView,
    s: &Summary,
    derived: Derived,
) -> Vec<Cell> {
    let t = |ns: f64| time_ns(ns, 4);
    let rate = point.bandwidth_gb_per_s().map(|r| significant(r, 3));
    let interval = match s.samples > 1 && !s.median.is_none() {
        true => format!("{} … {}", t(s.median.low), t(s.median.high)),
        false => String::new(),
    };
    let mut cells = vec![Cell::from(t(s.median.center)).kind("median")];
    let cycles = point.cycles.as_ref().map(|c| significant(c.center, 4));
    cells.extend(
        derived
            .cycles
            .then(|| Cell::from(cycles.unwrap_or_default())),
    );
    cells.extend(derived.rates.then(|| Cell::from(rate.unwrap_or_default())));
    cells.extend(others(table, point));
    let best = s.at_best.map(|best| t(best.value)).unwrap_or_default();
    cells.extend([interval, best, s.samples.to_string(), disturbance(point)].map(Cell::from));
    let quantile = |v: Option<f64>| Cell::from(v.map(t).unwrap_or_default());
    let quantiles = [Some(s.min), Some(s.p25), Some(s.p75), s.p99];
    cells.extend(quantiles.into_iter().chain([Some(s.max)]).map(quantile));
    cells.push(Cell::from(remarks(table, point, s)).kind("wide"));
    cells
}

fn others(table: &ExperimentTable, point: &PointView) -> Vec<Cell> {
    let cell = |(index, metric)| other(point, index, metric);
    further(table).map(cell).collect()
}

/// The metrics that are results, but for the first.
fn further(table: &ExperimentTable) -> impl Iterator<Item = (u16, &MetricHead)> {
    let metrics = (0u16..).zip(&table.head.metrics).skip(1);
    metrics.filter(|(_, metric)| metric.is_result())
}

fn other(point: &PointView, index: u16, metric: &MetricHead) -> Cell {
    let Some(s) = point.summary(index) else {
        return Cell::from("-");
    };
    let value = Span::new(quantity(s.median.center, metric.unit, 4) + " ");
    Cell::from(Phrase::of([value, Span::new(width(s)).tone(Tone::Soft)]))
}

/// Half of the interval; one sample has none.
fn width(s: &Summary) -> String {
    match s.samples {
        1 => String::new(),
        _ => plus_minus(&s.median),
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

fn remarks(table: &ExperimentTable, point: &PointView, s: &Summary) -> Phrase {
    let loud = |text: String| {
        [
            Span::new(text).tone(Tone::Strong).kind("modes"),
            Span::new(" "),
        ]
    };
    let mut spans: Vec<Span> = Vec::new();
    let inside = within_batches(table, point);
    let texts = [too_dependent(s), modes(s, Unit::Nanoseconds), inside];
    spans.extend(texts.into_iter().flatten().flat_map(loud));
    if let Some(c) = &point.contamination {
        let bad = c.level == ContaminationLevel::Contaminated;
        let bad = bad.then(|| "contaminated".to_owned());
        spans.extend(bad.into_iter().flat_map(loud));
        spans.push(Span::new(c.reason.as_str()));
    }
    spans.extend(
        counted::alarms(table, point)
            .into_iter()
            .flat_map(|alarm| loud(format!("; alarm: {alarm}"))),
    );
    spans.extend(counted::remarks(point).map(|note| Span::new(format!("; counters: {note}"))));
    Phrase::of(spans)
}
