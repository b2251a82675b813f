//! One line of the benchmark: ours, the peer's, their ratio, the target.

use super::numbers::median;
use std::fmt::Write;
use std::ops::RangeInclusive;

/// A line of the bench's table.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    what: String,
    ours: String,
    peer: String,
    ratio: Option<f64>,
    target: String,
    verdict: Verdict,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Met,
    Missed,
    /// Nothing to judge against here.
    Skipped,
    /// Could not be measured.
    Broken,
}

/// Why there is nothing to judge.
pub enum Unmeasured {
    /// The machine lacks something; the row has the remedy.
    Skipped(Row),
    Broken(String),
}

impl From<String> for Unmeasured {
    fn from(cause: String) -> Unmeasured {
        Unmeasured::Broken(cause)
    }
}

/// Rows of a part of the benchmark.
pub type Rows = Result<Vec<Row>, Unmeasured>;

impl Row {
    /// `ours / peer` must lie in `target`.
    pub fn ratio(
        what: &str,
        (ours, ours_text): (f64, String),
        (peer, peer_text): (f64, String),
        target: RangeInclusive<f64>,
    ) -> Row {
        let ratio = ours / peer;
        let (from, to) = (target.start(), target.end());
        let shown = match (*from > 0.0, to.is_finite()) {
            (true, true) => format!("{from} to {to}"),
            (true, false) => format!(">= {from}"),
            _ => format!("<= {to}"),
        };
        Row {
            ratio: Some(ratio),
            target: shown,
            ..Row::new(what, ours_text, peer_text, judged(target.contains(&ratio)))
        }
    }

    /// The median of the ratios of pairs measured side by side must lie in
    /// `target`: what drifts between pairs cancels within each.
    pub fn paired(
        what: &str,
        (ours, ours_text): (&[f64], String),
        (peer, peer_text): (&[f64], String),
        target: RangeInclusive<f64>,
    ) -> Row {
        let ratios: Vec<f64> = ours.iter().zip(peer).map(|(o, p)| o / p).collect();
        let ours = (median(&ratios), ours_text);
        Row::ratio(what, ours, (1.0, peer_text), target)
    }

    /// `ours` against a fixed limit in the same unit.
    pub fn limit(what: &str, ours: f64, limit: f64, unit: &str) -> Row {
        let (mine, most) = (
            format!("{ours:.3} {unit}"),
            format!("limit {limit:.4} {unit}"),
        );
        Row {
            // Of nothing there is no share.
            ratio: (limit > 0.0).then(|| ours / limit),
            target: if limit > 0.0 { "<= 1" } else { "none" }.to_owned(),
            ..Row::new(what, mine, most, judged(ours <= limit))
        }
    }

    /// A share that must reach `least`.
    pub fn share(what: &str, share: f64, detail: &str, least: f64) -> Row {
        let ours = format!("{:.1} %", share * 100.0);
        Row {
            target: format!(">= {:.0} %", least * 100.0),
            ..Row::new(what, ours, detail.to_owned(), judged(share >= least))
        }
    }

    /// A comparison that this machine cannot make, with the remedy.
    pub fn skipped(what: &str, reason: &str, remedy: &str) -> Row {
        let why = format!("{reason}: {remedy}");
        Row::new(what, "-".to_owned(), why, Verdict::Skipped)
    }

    /// A part of the benchmark that could not be measured.
    pub fn without(part: &str, why: Unmeasured) -> Row {
        match why {
            Unmeasured::Skipped(row) => row,
            Unmeasured::Broken(cause) => Row::new(part, "-".to_owned(), cause, Verdict::Broken),
        }
    }

    fn new(what: &str, ours: String, peer: String, verdict: Verdict) -> Row {
        Row {
            what: what.to_owned(),
            ours,
            peer,
            ratio: None,
            target: String::new(),
            verdict,
        }
    }

    fn cells(&self) -> [String; 6] {
        let verdict = match self.verdict {
            Verdict::Met => "yes",
            Verdict::Missed => "NO",
            Verdict::Skipped => "SKIP",
            Verdict::Broken => "BROKEN",
        };
        [
            self.what.clone(),
            self.ours.clone(),
            self.peer.clone(),
            self.ratio.map_or_else(String::new, |r| format!("{r:.3}")),
            self.target.clone(),
            verdict.to_owned(),
        ]
    }
}

fn judged(met: bool) -> Verdict {
    if met { Verdict::Met } else { Verdict::Missed }
}

/// The rows under a heading, columns aligned.
pub fn table(rows: &[Row]) -> String {
    let heading = ["what", "ours", "peer", "ratio", "target", "met"].map(str::to_owned);
    let lines: Vec<[String; 6]> = std::iter::once(heading)
        .chain(rows.iter().map(Row::cells))
        .collect();
    let widths: Vec<usize> = (0..6)
        .map(|column| {
            let cells = lines.iter().map(|line| line[column].chars().count());
            cells.max().unwrap_or_default()
        })
        .collect();
    let mut text = String::new();
    for line in &lines {
        let mut joined = String::new();
        for (cell, width) in line.iter().zip(&widths) {
            // Writing to a String cannot fail.
            let _ = write!(joined, "{cell:<width$}  ");
        }
        text.push_str(joined.trim_end());
        text.push('\n');
    }
    text.trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::{Row, table};

    #[test]
    fn ratios_are_judged_at_both_ends() {
        let row = |ours: f64| Row::ratio("x", (ours, "a".into()), (100.0, "b".into()), 0.97..=1.03);
        let judged = |ours| table(&[row(ours)]).ends_with("yes");
        assert!(judged(100.0) && judged(103.0) && judged(97.0));
        assert!(!judged(104.0) && !judged(96.0));
    }

    #[test]
    fn pairs_cancel_what_drifts() {
        let (ours, peer) = ([100.0, 150.0, 300.0], [100.0, 150.0, 200.0]);
        let row = Row::paired("x", (&ours, "a".into()), (&peer, "b".into()), 0.97..=1.03);
        assert!(table(&[row]).contains("1.000"));
    }

    #[test]
    fn columns_are_aligned() {
        let text = table(&[
            Row::limit("short", 1.0, 2.0, "s"),
            Row::skipped("a longer name", "no perf", "apt install linux-perf"),
        ]);
        let starts: Vec<usize> = text
            .lines()
            .zip(["ours", "1.000", "-"])
            .map(|(line, cell)| line.find(cell).unwrap())
            .collect();
        assert_eq!(starts, [15, 15, 15]);
    }

    #[test]
    fn an_infinite_ratio_is_missed() {
        let row = Row::ratio("x", (1.0, String::new()), (0.0, String::new()), 0.0..=1.0);
        assert!(table(&[row]).ends_with("NO"));
    }
}
