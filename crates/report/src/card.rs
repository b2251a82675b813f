//! The card of a run: one picture and one block of Markdown to hand on.

use crate::format::significant;
use crate::toll::{COLUMNS_BYTES, TollCell, TollRow, full_way, mark, time};
use analysis::RunView;
use record::axis::human_bytes;
use summary::{Letter, Level, RunSummary};

/// Rows of the map that a card has room for.
const ROWS: usize = 8;
/// Findings that a card tries to hold.
const FINDINGS: usize = 5;
/// Findings of the Markdown block.
const FINDINGS_IN_WORDS: usize = 3;

/// What a card shows of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Card {
    pub machine: String,
    /// Kernel, recipe, time, date.
    pub about: String,
    pub letter: Letter,
    pub good_for: String,
    /// What lowered the grade most.
    pub lowered: String,
    pub levels: Vec<Level>,
    pub rows: Vec<TollRow>,
    pub findings: Vec<String>,
    pub run: String,
    pub version: String,
}

impl Card {
    /// The card of a run.
    pub fn of(view: &RunView) -> Card {
        let summary = RunSummary::of(view);
        let head = &view.head;
        let took = head.took_s().map(|s| format!(", {} s", significant(s, 3)));
        let day = head.started_utc.split('T').next().unwrap_or_default();
        let lowered = summary.grade.lowered_by();
        let lowered: Vec<&str> = lowered.iter().take(1).map(|c| c.found.as_str()).collect();
        let good_for = match summary.grade.parts_from {
            Some(ratio) => format!("Ratios above {ratio}"),
            None => "No intervals".to_owned(),
        };
        Card {
            machine: crate::instrument::machine_title(head),
            about: format!(
                "Linux {} · {}{} · {day}",
                head.machine.kernel,
                head.recipe.name,
                took.unwrap_or_default()
            ),
            letter: summary.grade.letter,
            good_for,
            lowered: lowered.join(", "),
            levels: summary.portrait.levels.clone(),
            rows: summary.toll.short(ROWS).into_iter().cloned().collect(),
            findings: summary
                .findings
                .iter()
                .take(FINDINGS)
                .map(|f| f.sentence.clone())
                .collect(),
            run: format!("run {} on {}", head.id, head.machine.host),
            version: format!("pontage {}", head.tool_version),
        }
    }

    /// As a block of Markdown: heading, map, findings, run.
    pub fn markdown(&self) -> String {
        let mut lines = vec![
            format!("### {}", plain(&self.machine)),
            String::new(),
            format!(
                "{} · trust **{}**: {}",
                plain(&self.about),
                self.letter.name(),
                self.good_for
            ),
            String::new(),
        ];
        if !self.rows.is_empty() {
            let heads: Vec<String> = COLUMNS_BYTES.iter().map(|b| human_bytes(*b)).collect();
            lines.push(format!("| one operation | {} |", heads.join(" | ")));
            lines.push(format!("|---|{}", "---:|".repeat(heads.len())));
            lines.extend(self.rows.iter().map(row));
            lines.push(String::new());
        }
        let findings = self.findings.iter().take(FINDINGS_IN_WORDS);
        lines.extend(findings.map(|finding| format!("- {}", plain(finding))));
        lines.push(String::new());
        lines.push(format!(
            "<sub>{}, {}</sub>",
            plain(&self.run),
            plain(&self.version)
        ));
        lines.join("\n") + "\n"
    }
}

fn row(row: &TollRow) -> String {
    let cells = row.cells.iter().map(|cell| match cell {
        TollCell::Measured(t) if mark(t) == '*' => format!("**{}**", time(t)),
        TollCell::Measured(t) => time(t),
        _ => "-".to_owned(),
    });
    let cells: Vec<String> = cells.collect();
    format!("| {} | {} |", plain(&full_way(row)), cells.join(" | "))
}

/// Nothing in a text is markup.
fn plain(text: &str) -> String {
    let escaped = text.chars().flat_map(|c| match "\\`*_[]<>|#".contains(c) {
        true => vec!['\\', c],
        false => vec![c],
    });
    escaped.collect::<String>().replace('\n', " ")
}
