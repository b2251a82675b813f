//! Runs of a real machine: what is concluded from each, held against the machine card, and
//! where that says nothing against what most runs say.

use super::tables::methods;
use analysis::RunView;
use record::axis::human_bytes;
use record::{Finding, MachineCard, Run, Unit, Verdict};
use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use zoo::curves::Curves;
use zoo::truth::{Outcome, SIZE_SLACK, TIME_SLACK, Truth, outcome};

/// What became of one quantity in all runs.
#[derive(Default)]
struct Row {
    answers: Vec<Answer>,
    undecided: u32,
}

/// An answer of one run.
struct Answer {
    value: f64,
    low: f64,
    high: f64,
    /// Its pattern of agreement is believed.
    sure: bool,
    unit: Unit,
}

/// Prints, for each quantity, how many runs in the folder were right, wrong and undecided.
///
/// The curves of the first run are written to `curves`.
///
/// # Errors
/// The folder or a run in it cannot be read, or the file cannot be written.
pub fn print(folder: &Path, curves: Option<&str>, verbose: bool) -> Result<(), String> {
    let mut rows: BTreeMap<String, Row> = BTreeMap::new();
    let mut card = None;
    let runs = runs(folder)?;
    if runs.is_empty() {
        let folder = folder.display();
        return Err(format!(
            "{folder} holds no run: write some with pontage run inference --out {folder}"
        ));
    }
    for path in &runs {
        let view = load(path)?;
        for finding in concluded(&view) {
            add(rows.entry(finding.key.clone()).or_default(), &finding);
            if verbose {
                show(&finding);
            }
        }
        if card.is_none()
            && let Some(file) = curves
        {
            keep(&view, file)?;
        }
        card.get_or_insert(view.head.machine);
    }
    println!("{} runs", runs.len());
    println!("quantity            right wrong perhaps undecided   held against");
    for (key, row) in &rows {
        println!("{key:18} {}", row.text(reference(key, card.as_ref())));
    }
    Ok(())
}

/// Folders of runs, one below the other at most twice.
fn runs(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let mut found = Vec::new();
    let mut level = vec![folder.to_owned()];
    for _ in 0..3 {
        let (runs, others): (Vec<_>, Vec<_>) = level
            .into_iter()
            .partition(|f| f.join("run.json").is_file());
        found.extend(runs);
        level = Vec::new();
        for of in others.iter().filter(|f| f.is_dir()) {
            let failed = |e| format!("cannot read {}: {e}", of.display());
            for entry in of.read_dir().map_err(failed)? {
                level.push(entry.map_err(failed)?.path());
            }
        }
    }
    found.sort();
    Ok(found)
}

fn load(path: &Path) -> Result<RunView, String> {
    let failed = |e: &dyn std::fmt::Display| format!("cannot read {}: {e}", path.display());
    let run = Run::open(path).map_err(|e| failed(&e))?;
    analysis::load(&run).map_err(|e| failed(&e))
}

/// The curves of a run, for a fixture; what is true is to be entered there, so a file that is
/// there already stays.
fn keep(view: &RunView, file: &str) -> Result<(), String> {
    let failed = |e: &dyn std::fmt::Display| format!("cannot write {file}: {e}");
    let text = Curves::of(view).text().map_err(|e| failed(&e))?;
    let mut new = std::fs::File::create_new(file).map_err(|e| failed(&e))?;
    new.write_all(text.as_bytes()).map_err(|e| failed(&e))
}

/// By the rule and the record of patterns of today.
fn concluded(view: &RunView) -> impl Iterator<Item = Finding> {
    let (findings, _) = catalogue::conclude(experiments::all(), view);
    findings.into_iter().filter(|f| !f.methods.is_empty())
}

fn add(row: &mut Row, finding: &Finding) {
    match (finding.value, finding.low, finding.high) {
        (Some(value), Some(low), Some(high)) => row.answers.push(Answer {
            value,
            low,
            high,
            sure: finding.verdict != Verdict::Undecided,
            unit: finding.unit,
        }),
        _ => row.undecided += 1,
    }
}

impl Row {
    fn text(&self, reference: Option<f64>) -> String {
        let mut values: Vec<f64> = self.answers.iter().map(|a| a.value).collect();
        values.sort_by(f64::total_cmp);
        let Some(middle) = values.get(values.len() / 2).copied() else {
            return format!("{:5} {:5} {:7} {:9}", 0, 0, 0, self.undecided);
        };
        let truth = reference.unwrap_or(middle);
        let sure = || self.answers.iter().filter(|a| a.sure);
        let right = sure().filter(|a| a.holds(truth)).count();
        let of = self.answers.first().map_or(Unit::Count, |a| a.unit);
        format!(
            "{right:5} {:5} {:7} {:9}   {} {}",
            sure().count() - right,
            self.answers.len() - sure().count(),
            self.undecided,
            shown(truth, of),
            match reference {
                Some(_) => "(machine card)",
                None => "(the middle of these runs)",
            }
        )
    }
}

impl Answer {
    fn holds(&self, truth: f64) -> bool {
        let slack = match self.unit {
            // What has no bounds is exact, as a line.
            _ if self.low == self.high => 0.0,
            Unit::Nanoseconds => TIME_SLACK,
            Unit::Bytes => SIZE_SLACK,
            _ => 0.0,
        };
        let truth = Truth {
            low: truth,
            high: truth,
            slack,
        };
        outcome(self.low, self.high, truth) == Outcome::Right
    }
}

fn shown(value: f64, unit: Unit) -> String {
    match unit {
        Unit::Bytes => human_bytes(stats::whole(value)),
        Unit::Nanoseconds => format!("{value:.1} ns"),
        _ => format!("{value:.0}"),
    }
}

/// What the card says of the quantity. Of a cache that guests share it says what the host
/// has, which no guest gets.
fn reference(key: &str, card: Option<&MachineCard>) -> Option<f64> {
    let shared = card?.hypervisor.is_some() && matches!(key, "l3_capacity" | "l3_latency");
    let all = experiments::all().quantities().all;
    let of = all.iter().find(|q| q.key == key)?;
    let (value, _) = (of.card)(card?)?;
    (!shared).then_some(value)
}

fn show(f: &Finding) {
    println!("{:?} {}: {}", f.verdict, f.key, f.sentence);
    methods(f);
}
