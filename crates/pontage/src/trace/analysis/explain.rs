//! `pontage trace explain` and `compare`: sentences, and two traces side by side.

use super::arguments::{Compare, Explain};
use super::columns::{Columns, time};
use super::{ended, open};
use crate::arguments::TextOrJson;
use crate::failure::Outcome;
use crate::output;
use crate::trace::arguments::TraceFile;
use ::trace::analyse::Estimate;
use ::trace::analyse::compare::{Comparison, Histogram, INTERVALS, Measure, Unit};
use ::trace::analyse::summary::Summary;
use report::format::{percent, significant, time_ns};
use report::terminal::{Paint, wrapped};
use serde_json::json;
use std::path::Path;

/// # Errors
/// A file that is no trace.
pub fn explain(arguments: &Explain) -> Outcome {
    let summary = Summary::of(&open(&arguments.trace)?);
    let sentences = ::trace::analyse::explain::explain(&summary);
    if arguments.format == TextOrJson::Json {
        let document = json!({"capture": summary.pass, "sentences": sentences});
        return ended(output::json(&document), &summary.pass);
    }
    let (paint, width) = (Paint::new(output::colour()), output::width());
    let (mut text, mut topic, mut definition) = (String::new(), "", "");
    for sentence in &sentences {
        if sentence.topic != topic {
            topic = sentence.topic;
            text += &format!("{}\n", paint.bold(topic));
            definition = "";
        }
        let mark = if sentence.alarm { "  ! " } else { "  - " };
        text += &wrapped(&sentence.text, width, mark, "    ");
        if sentence.definition != definition {
            definition = sentence.definition;
            text +=
                &paint.dim(wrapped(&format!("({definition})"), width, "    ", "    ").trim_end());
            text.push('\n');
        }
    }
    ended(output::data(&text), &summary.pass)
}

/// # Errors
/// A file that is no trace.
pub fn compare(arguments: &Compare) -> Outcome {
    let of = |file: &Path| {
        let trace = TraceFile {
            file: file.to_owned(),
            instance: arguments.instance.clone(),
        };
        open(&trace).map(|capture| Summary::of(&capture))
    };
    let (a, b) = (of(&arguments.a)?, of(&arguments.b)?);
    let found = ::trace::analyse::compare::compare(&a, &b);
    if arguments.format == TextOrJson::Json {
        let document =
            json!({"a": a.pass, "b": b.pass, "intervals": INTERVALS, "comparison": found});
        return both_ended(output::json(&document), &a, &b);
    }
    let mut text = format!(
        "A  {}\nB  {}\n\n",
        arguments.a.display(),
        arguments.b.display()
    );
    text += &measures(&found);
    for histogram in found.histograms.iter().filter(|h| !h.classes.is_empty()) {
        text += &histogram_text(histogram);
    }
    text.push('\n');
    let mut defined: Vec<&str> = Vec::new();
    for measure in &found.measures {
        let name = measure.name.split(',').next().unwrap_or_default();
        if !defined.contains(&measure.definition) {
            defined.push(measure.definition);
            let first = format!("{name}: ");
            text += &wrapped(measure.definition, output::width(), &first, "  ");
        }
    }
    text += &wrapped(INTERVALS, output::width(), "", "");
    both_ended(output::data(&text), &a, &b)
}

fn both_ended(written: Outcome, a: &Summary, b: &Summary) -> Outcome {
    ended(ended(written, &a.pass), &b.pass)
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
    match e {
        None => "-".to_owned(),
        Some(e) if !e.low.is_finite() => value(unit, e.value),
        Some(e) => format!(
            "{} ({} .. {})",
            value(unit, e.value),
            value(unit, e.low),
            value(unit, e.high)
        ),
    }
}

fn measures(found: &Comparison) -> String {
    let mut table = Columns::new(1, &["", "A", "B", "B / A", ""]);
    for m in &found.measures {
        table.row(vec![
            m.name.clone(),
            estimate(m.unit, m.a),
            estimate(m.unit, m.b),
            ratio(m),
            if m.differs {
                "differs".to_owned()
            } else {
                String::new()
            },
        ]);
    }
    table.text()
}

fn ratio(m: &Measure) -> String {
    match m.a.zip(m.b) {
        Some((a, b)) if a.value > 0.0 => significant(b.value / a.value, 3),
        _ => "-".to_owned(),
    }
}

fn histogram_text(h: &Histogram) -> String {
    let most = |of: fn(&(u64, u64, u64)) -> u64| h.classes.iter().map(of).sum::<u64>().max(1);
    let (of_a, of_b) = (most(|c| c.1), most(|c| c.2));
    let mut table = Columns::new(1, &["from", "A", "", "B", ""]);
    for (low, a, b) in &h.classes {
        let share = |n: u64, of: u64| percent(n as f64 / of as f64);
        table.row(vec![
            time(*low),
            a.to_string(),
            share(*a, of_a),
            b.to_string(),
            share(*b, of_b),
        ]);
    }
    format!(
        "\n{}, each class up to twice its begin\n{}",
        h.name,
        table.text()
    )
}
