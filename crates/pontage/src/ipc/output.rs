//! What is printed: the field names and units of `ipc-benchmark`.

use super::arguments::Ipc;
use super::iteration::Sample;
use super::summary;
use crate::failure::{Failure, Outcome};
use crate::flags::TableFormat;
use crate::output;
use ::report::document::Document;
use ::report::sheet::Sheet;
use serde_json::{Map, Value, json};

/// The configuration blocks alone.
///
/// # Errors
/// When standard output cannot be written.
pub fn configuration(configuration: &Value, format: TableFormat) -> Outcome {
    let format = format.without_table().ok_or_else(|| {
        Failure::new("cannot print the configuration as csv: it is no table")
            .hint("pontage ipc -j describe")
    })?;
    output::study(format, || blocks(configuration), || configuration)
}

/// The samples, behind the configuration where that is asked for.
///
/// # Errors
/// As `configuration`.
pub fn samples(configuration: &Value, samples: &[Sample], arguments: &Ipc) -> Outcome {
    let fields: Vec<Vec<Field>> = samples.iter().map(|s| of(s, arguments.rusage)).collect();
    let facts = || document(configuration, &fields, arguments.verbose);
    let shown = || {
        let mut document = texts(configuration, &fields, arguments.verbose);
        document.append(summary::document(samples));
        document
    };
    output::tabled(arguments.format(), shown, facts, || sheet(&fields))
}

/// A row for each iteration. The configuration is no table: it is left to JSON.
fn sheet(samples: &[Vec<Field>]) -> Sheet {
    // An event may be on no counter in one iteration and on one in the next.
    let mut columns: Vec<&Field> = Vec::new();
    for field in samples.iter().flatten() {
        if !columns.iter().any(|known| known.name == field.name) {
            columns.push(field);
        }
    }
    let head = |field: &Field| match field.unit.trim() {
        "" => field.name.clone(),
        unit => format!("{} [{unit}]", field.name),
    };
    let mut sheet =
        Sheet::new(std::iter::once("iteration".to_owned()).chain(columns.iter().map(|f| head(f))));
    for (number, fields) in samples.iter().enumerate() {
        let cells = columns.iter().map(|column| {
            let found = fields.iter().find(|f| f.name == column.name);
            found.map_or_else(String::new, Field::text)
        });
        sheet.row(std::iter::once(number.to_string()).chain(cells));
    }
    sheet
}

fn texts(configuration: &Value, fields: &[Vec<Field>], verbose: bool) -> Document {
    let mut document = Document::new();
    if verbose {
        document.append(blocks(configuration));
    }
    for sample in fields {
        document.line("datum:");
        for field in sample {
            document.line(format!("  {}: {}{}", field.name, field.text(), field.unit));
        }
    }
    document
}

/// One value of a sample.
struct Field {
    name: String,
    value: Value,
    /// For the text, with a blank in front.
    unit: &'static str,
}

impl Field {
    fn text(&self) -> String {
        match &self.value {
            Value::String(text) => text.clone(),
            Value::Number(n) if n.is_f64() => format!("{:.2}", n.as_f64().unwrap_or(0.0)),
            other => other.to_string(),
        }
    }
}

/// Bandwidth is a number, times are text with nine and six decimals: so the
/// original writes them, and its readers expect it.
fn of(sample: &Sample, rusage: bool) -> Vec<Field> {
    let field = |name: &str, value, unit| Field {
        name: name.to_owned(),
        value,
        unit,
    };
    let hundredths = (sample.bandwidth_kib_per_s() * 100.0).round() / 100.0;
    let seconds = |ns: f64, decimals: usize| json!(format!("{:.decimals$}", ns / 1e9));
    let mut fields = vec![
        field("bandwidth", json!(hundredths), " KBytes/sec"),
        field("time", seconds(sample.elapsed_ns, 9), " seconds"),
    ];
    if rusage {
        fields.extend([
            field("stime", seconds(sample.system_ns as f64, 6), " seconds"),
            field("utime", seconds(sample.user_ns as f64, 6), " seconds"),
            field("msgsnd", json!(sample.messages_sent), ""),
            field("msgrcv", json!(sample.messages_received), ""),
            field("nvcsw", json!(sample.voluntary_switches), ""),
            field("nivcsw", json!(sample.involuntary_switches), ""),
        ]);
    }
    fields.extend(sample.counts.iter().map(|(name, value)| {
        let rounded = match value.fract() == 0.0 && value.abs() < 9e15 {
            true => {
                #[expect(clippy::cast_possible_truncation, reason = "whole, and below 9e15")]
                let whole = *value as i64;
                json!(whole)
            }
            false => json!((value * 1e6).round() / 1e6),
        };
        field(name, rounded, "")
    }));
    fields
}

fn document(configuration: &Value, samples: &[Vec<Field>], verbose: bool) -> Value {
    let mut document = Map::new();
    if let Some(blocks) = configuration.as_object().filter(|_| verbose) {
        document.extend(blocks.clone());
    }
    let one = |fields: &Vec<Field>| {
        let pairs = fields.iter().map(|f| (f.name.clone(), f.value.clone()));
        Value::Object(pairs.collect())
    };
    document.insert(
        "benchmark_samples".to_owned(),
        Value::Array(samples.iter().map(one).collect()),
    );
    Value::Object(document)
}

/// `Hardware configuration:` and its lines, and the other blocks.
fn blocks(configuration: &Value) -> Document {
    let mut document = Document::new();
    for (title, block) in configuration.as_object().into_iter().flatten() {
        let mut words = title.replace('_', " ").replacen("os ", "OS ", 1);
        if let Some(first) = words.get_mut(..1) {
            first.make_ascii_uppercase();
        }
        document.line(format!("{words}:"));
        let entries = block.as_object().into_iter().flatten();
        for line in entries.flat_map(|(key, value)| lines(key, value)) {
            document.line(format!("  {line}"));
        }
    }
    document
}

fn lines(key: &str, value: &Value) -> Vec<String> {
    match value {
        Value::Object(reasons) if key == "unavailable" => {
            let none = |(what, why): (&String, &Value)| {
                format!("{what}: none ({})", why.as_str().unwrap_or(""))
            };
            reasons.iter().map(none).collect()
        }
        // Stands under `unavailable`, with the reason.
        Value::Null => Vec::new(),
        Value::Array(sizes) => {
            let all: Vec<String> = sizes.iter().map(|s| s["pagesize"].to_string()).collect();
            vec![format!("{key}: {}", all.join(" "))]
        }
        Value::String(word) => vec![format!("{key}: {word}")],
        other => vec![format!("{key}: {other}")],
    }
}
