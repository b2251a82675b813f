//! What was not measured, in one line for each cause.

use analysis::RunView;
use record::PointState;
use serde::Serialize;

/// What a run did not measure of its plan.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Absent {
    pub planned: usize,
    pub absent: usize,
    /// The most frequent first.
    pub causes: Vec<Cause>,
}

/// Points that are absent for the same reason, whatever sizes it names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Cause {
    /// `a message of 64 KiB to 16 MiB is larger than the limit of 8192 to 212960 bytes`.
    pub text: String,
    pub points: usize,
    /// Something went wrong: it was not only skipped.
    pub failed: bool,
    /// The command that would help the first of them; empty where none does.
    pub remedy: String,
}

impl Absent {
    /// Skipped, failed and unreached points of a run.
    pub fn of(view: &RunView) -> Absent {
        let points = view.tables.iter().flat_map(|t| &t.points);
        let mut kinds: Vec<Kind> = Vec::new();
        let mut planned = 0;
        for point in points {
            planned += 1;
            let (reason, remedy, failed) = match &point.head.state {
                PointState::Done => continue,
                PointState::Pending => ("not reached", "", false),
                PointState::Skipped { reason, remedy } => (reason.as_str(), remedy.as_str(), false),
                PointState::Failed { reason } => (reason.as_str(), "", true),
            };
            let words = words(reason);
            let known = kinds
                .iter_mut()
                .find(|kind| kind.failed == failed && same_form(&kind.reasons[0], &words));
            match known {
                Some(kind) => kind.reasons.push(words),
                None => kinds.push(Kind {
                    reasons: vec![words],
                    remedy: remedy.to_owned(),
                    failed,
                }),
            }
        }
        let mut causes: Vec<Cause> = kinds.iter().map(Kind::cause).collect();
        causes.sort_by_key(|cause| (!cause.failed, std::cmp::Reverse(cause.points)));
        Absent {
            planned,
            absent: causes.iter().map(|cause| cause.points).sum(),
            causes,
        }
    }
}

struct Kind {
    reasons: Vec<Vec<String>>,
    remedy: String,
    failed: bool,
}

impl Kind {
    fn cause(&self) -> Cause {
        let first = &self.reasons[0];
        let word = |at: usize| match is_number(&first[at]) {
            true => self.range(at),
            false => first[at].clone(),
        };
        let text: Vec<String> = (0..first.len()).map(word).collect();
        Cause {
            text: short(&text.join(" ")),
            points: self.reasons.len(),
            failed: self.failed,
            remedy: self.remedy.clone(),
        }
    }

    /// A number that differs: from the least to the largest.
    fn range(&self, at: usize) -> String {
        let numbers = self.reasons.iter().map(|words| words[at].as_str());
        let mut numbers: Vec<(f64, &str)> = numbers.map(|text| (amount(text), text)).collect();
        numbers.sort_by(|a, b| a.0.total_cmp(&b.0));
        match (numbers.first(), numbers.last()) {
            (Some((least, low)), Some((most, high))) if least < most => format!("{low} to {high}"),
            (Some((_, only)), _) => (*only).to_owned(),
            _ => String::new(),
        }
    }
}

/// Words of a reason; a number stands with its unit of size.
fn words(reason: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for word in reason.split_whitespace() {
        let unit = ["B", "KiB", "MiB", "GiB"].contains(&word);
        match words.last_mut() {
            Some(last) if unit && is_number(last) => {
                last.push(' ');
                last.push_str(word);
            }
            _ => words.push(word.to_owned()),
        }
    }
    words
}

fn is_number(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_digit())
}

fn same_form(a: &[String], b: &[String]) -> bool {
    let alike = |(a, b): (&String, &String)| a == b || is_number(a) && is_number(b);
    a.len() == b.len() && a.iter().zip(b).all(alike)
}

/// What a size such as `64 KiB` comes to.
fn amount(text: &str) -> f64 {
    let (number, unit) = text.split_once(' ').unwrap_or((text, ""));
    let scale = match unit {
        "KiB" => 1024.0,
        "MiB" => 1024.0 * 1024.0,
        "GiB" => 1024.0 * 1024.0 * 1024.0,
        _ => 1.0,
    };
    let digits = number.trim_end_matches(|c: char| !c.is_ascii_digit());
    digits.parse::<f64>().unwrap_or(0.0) * scale
}

/// Without what stands in parentheses at its end, and without the error of the system call.
fn short(text: &str) -> String {
    let text = text.trim().trim_end_matches('.');
    if let (true, Some(cause)) = (text.contains("(os error"), text.rfind(": ")) {
        return short(&text[..cause]);
    }
    match text.rfind(" (") {
        Some(at) if text.ends_with(')') && at > 0 => short(&text[..at]),
        _ => text.to_owned(),
    }
}
