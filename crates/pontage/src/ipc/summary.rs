//! Several iterations in a few lines: median, interval and range.

use super::iteration::Sample;
use ::report::document::Document;
use analysis::{Interval, median_interval};

/// What intervals are asked to cover.
const LEVEL: f64 = 0.95;

/// Of two iterations or more; of fewer nothing.
pub fn document(samples: &[Sample]) -> Document {
    let mut document = Document::new();
    if samples.len() < 2 {
        return document;
    }
    let of = |value: fn(&Sample) -> f64| samples.iter().map(value).collect::<Vec<f64>>();
    let rows = [
        (
            "bandwidth",
            of(Sample::bandwidth_kib_per_s),
            2,
            "KBytes/sec",
        ),
        ("time", of(|sample| sample.elapsed_ns / 1e9), 9, "seconds"),
    ];
    document.line(format!("summary of {} iterations:", samples.len()));
    for (name, values, decimals, unit) in rows {
        if let Some(text) = text(&values, decimals) {
            document.line(format!("  {name}: {text} {unit}"));
        }
    }
    document
}

/// `median 5.00, 95 % interval 3.00 to 8.00, range 1.00 to 11.00`. Too few values have a range
/// alone.
fn text(values: &[f64], decimals: usize) -> Option<String> {
    let Interval {
        center,
        low,
        high,
        level,
        ..
    } = median_interval(values, LEVEL).ok()?;
    let smallest = values.iter().copied().fold(f64::INFINITY, f64::min);
    let largest = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let interval = match level >= LEVEL {
        true => format!(", 95 % interval {low:.decimals$} to {high:.decimals$}"),
        false => String::new(),
    };
    Some(format!(
        "median {center:.decimals$}{interval}, range {smallest:.decimals$} to {largest:.decimals$}"
    ))
}

#[cfg(test)]
mod tests {
    use super::text;

    #[test]
    fn eleven_have_a_median_an_interval_and_a_range() {
        let eleven: Vec<f64> = [7, 1, 11, 3, 9, 5, 2, 10, 4, 8, 6].map(f64::from).to_vec();
        assert_eq!(
            text(&eleven, 1).expect("numbers"),
            "median 6.0, 95 % interval 2.0 to 10.0, range 1.0 to 11.0"
        );
    }

    #[test]
    fn too_few_have_no_interval() {
        assert_eq!(
            text(&[3.0, 1.0], 2).expect("numbers"),
            "median 2.00, range 1.00 to 3.00"
        );
        assert_eq!(text(&[f64::NAN, 1.0], 2), None);
    }
}
