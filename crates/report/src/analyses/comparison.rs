//! Two traces side by side: measures with their intervals, lengths by class.

use super::time;
use crate::document::{Document, Table, Text};
use crate::format::{percent, significant, time_ns};
use crate::grouped::grouped;
use serde_json::{Value, json};
use trace::analyse::Estimate;
use trace::analyse::compare::{Comparison, Histogram, INTERVALS, Measure, Unit, compare};
use trace::analyse::summary::Summary;

/// Two traces, and the names of their files.
#[derive(Debug)]
pub struct Pair<'a> {
    pub names: [String; 2],
    pub a: &'a Summary,
    pub b: &'a Summary,
}

impl Pair<'_> {
    /// Its numbers, for programs.
    pub fn json(&self) -> Value {
        let found = compare(self.a, self.b);
        json!({"a": self.a.pass, "b": self.b.pass, "intervals": INTERVALS, "comparison": found})
    }

    /// What is shown of it.
    pub fn document(&self) -> Document {
        let found = compare(self.a, self.b);
        let mut document = Document::new();
        document.line(format!("A  {}", self.names[0]));
        document.line(format!("B  {}", self.names[1]));
        document.gap();
        document.table(measures(&found));
        let classes = found.histograms.iter().filter(|h| !h.classes.is_empty());
        for histogram in classes {
            document.gap();
            document.append(lengths(histogram));
        }
        document.gap();
        document.append(definitions(&found));
        document.text(INTERVALS);
        document
    }
}

fn definitions(found: &Comparison) -> Document {
    let mut document = Document::new();
    for (definition, measures) in grouped(found.measures.iter().map(|m| (m.definition, m))) {
        let name = measures[0].name.split(',').next().unwrap_or_default();
        document.text(Text::new(definition).lead(format!("{name}: ")).hang(2));
    }
    document
}

fn value(unit: Unit, value: f64) -> String {
    match unit {
        Unit::Ns => time_ns(value, 3),
        Unit::PerSecond => format!("{}/s", significant(value, 3)),
        Unit::Count => significant(value, 3),
        Unit::Share => percent(value),
    }
}

fn estimate(unit: Unit, e: Option<Estimate>) -> String {
    let shown = |v: f64| value(unit, v);
    match e {
        None => "-".to_owned(),
        Some(e) if !e.low.is_finite() => shown(e.value),
        Some(e) => format!("{} ({} .. {})", shown(e.value), shown(e.low), shown(e.high)),
    }
}

fn measures(found: &Comparison) -> Table {
    Table::listing(
        1,
        &found.measures,
        [
            ("", &|m| m.name.clone()),
            ("A", &|m| estimate(m.unit, m.a)),
            ("B", &|m| estimate(m.unit, m.b)),
            ("B / A", &|m| ratio(m)),
            ("", &|m| if m.differs { "differs" } else { "" }.to_owned()),
        ],
    )
}

fn ratio(m: &Measure) -> String {
    match m.a.zip(m.b) {
        Some((a, b)) if a.value > 0.0 => significant(b.value / a.value, 3),
        _ => "-".to_owned(),
    }
}

fn lengths(h: &Histogram) -> Document {
    let all = |of: fn(&(u64, u64, u64)) -> u64| h.classes.iter().map(of).sum::<u64>().max(1);
    let (of_a, of_b) = (all(|c| c.1), all(|c| c.2));
    let share = |n: u64, of: u64| percent(n as f64 / of as f64);
    let mut document = Document::new();
    document.line(format!("{}, each class up to twice its start", h.name));
    document.table(Table::listing(
        1,
        &h.classes,
        [
            ("from", &|(low, _, _)| time(*low)),
            ("A", &|(_, a, _)| a.to_string()),
            ("", &|(_, a, _)| share(*a, of_a)),
            ("B", &|(_, _, b)| b.to_string()),
            ("", &|(_, _, b)| share(*b, of_b)),
        ],
    ));
    document
}
