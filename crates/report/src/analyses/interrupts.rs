//! What interrupted the machine around a command: a column for each CPU, in blocks
//! that fit the window.

use crate::document::{Column, Document, Table};

const NAME: usize = 9;
/// A column of numbers and the blanks before it.
const COLUMN: usize = 10;
const GAP: usize = 2;
/// The columns before the CPUs, and room for a description behind them.
const BESIDE: usize = NAME + COLUMN + 28;

/// What was counted while a command ran, or time passed.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Passed {
    pub seconds: f64,
    pub command: Option<String>,
    pub blocks: Vec<Block>,
    pub time: Vec<Share>,
    /// Of the whole machine: what, and how often.
    pub machine: Vec<(&'static str, u64)>,
}

/// Interrupts, or softirqs.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Block {
    pub title: &'static str,
    pub cpus: Vec<u32>,
    pub rows: Vec<Row>,
    /// Rows that did not change.
    pub unchanged: usize,
}

#[derive(Debug, Clone, Default, PartialEq)]
pub struct Row {
    pub name: String,
    pub description: String,
    /// In the order of the CPUs; empty where nobody counts by CPU.
    pub counts: Vec<u64>,
    pub total: u64,
}

/// How a CPU spent its time, in the order of [`PARTS`], ms.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Share {
    pub cpu: u32,
    pub parts_ms: [f64; 6],
}

pub const PARTS: [&str; 6] = ["user", "system", "irq", "softirq", "steal", "idle"];

impl Passed {
    /// For a window so wide.
    pub fn document(&self, width: usize) -> Document {
        let mut document = Document::new();
        document.line(match &self.command {
            Some(command) => format!("{:.2} s of {command}", self.seconds),
            None => format!("{:.2} s", self.seconds),
        });
        let at_once = (width.saturating_sub(BESIDE) / COLUMN).max(1);
        for block in &self.blocks {
            document.append(block.document(at_once));
        }
        document.append(time(&self.time, at_once));
        let all = self.machine.iter().map(|(name, n)| format!("{n} {name}"));
        let all: Vec<String> = all.collect();
        if !all.is_empty() {
            document.gap();
            document.line(format!("whole machine: {}", all.join(", ")));
        }
        document
    }
}

impl Block {
    fn document(&self, at_once: usize) -> Document {
        let mut document = Document::new();
        for (index, cpus) in self.cpus.chunks(at_once).enumerate() {
            let mut table = by_cpu(self.title, cpus.iter());
            for row in &self.rows {
                let count = |place| row.counts.get(index * at_once + place);
                let counts = (0..cpus.len()).map(|place| count(place).map(u64::to_string));
                let mut cells = vec![row.name.clone(), row.total.to_string()];
                cells.extend(counts.map(Option::unwrap_or_default));
                cells.push(row.description.clone());
                table.row(cells);
            }
            document.gap();
            document.table(table);
        }
        document.line(format!("{} rows did not change", self.unchanged));
        document
    }
}

/// Name, sum, these CPUs, and a description without a head.
fn by_cpu<'a>(title: &str, cpus: impl Iterator<Item = &'a u32>) -> Table {
    let number = |head: String| Column::number(head).least(COLUMN - GAP);
    let all = Column::number("all").least(COLUMN + 1 - GAP);
    let cpus = cpus.map(|cpu| number(format!("CPU{cpu}")));
    let before = [Column::words(title).least(NAME), all];
    Table::new(before.into_iter().chain(cpus).chain([Column::words("")]))
}

fn time(shares: &[Share], at_once: usize) -> Document {
    let mut document = Document::new();
    for cpus in shares.chunks(at_once) {
        let mut table = by_cpu("time, ms", cpus.iter().map(|share| &share.cpu));
        for (part, name) in PARTS.into_iter().enumerate() {
            let all: f64 = shares.iter().map(|share| share.parts_ms[part]).sum();
            let each = cpus.iter().map(|share| share.parts_ms[part]);
            let times = std::iter::once(all)
                .chain(each)
                .map(|ms| format!("{ms:.0}"));
            table.row(std::iter::once(name.to_owned()).chain(times));
        }
        document.gap();
        document.table(table);
    }
    document
}

#[cfg(test)]
mod tests {
    use super::{Block, Passed, Row, Share};
    use crate::document::terminal;

    fn passed(command: Option<&str>) -> Passed {
        let row = |name: &str, counts: &[u64], total| Row {
            name: name.to_owned(),
            description: "what it is".to_owned(),
            counts: counts.to_vec(),
            total,
        };
        Passed {
            seconds: 10.0,
            command: command.map(str::to_owned),
            blocks: vec![Block {
                title: "interrupt",
                cpus: vec![2, 34],
                rows: vec![row("LOC", &[2443, 2703], 5146), row("ERR", &[], 1)],
                unchanged: 7,
            }],
            time: vec![Share {
                cpu: 2,
                parts_ms: [10.0, 0.0, 0.0, 0.0, 0.0, 990.0],
            }],
            machine: vec![("context switches", 12)],
        }
    }

    #[test]
    fn a_column_for_each_cpu_and_what_did_not_change_is_counted() {
        let text = terminal::write(&passed(Some("sleep 10")).document(100), 100, false);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "10.00 s of sleep 10");
        assert_eq!(lines[2], "interrupt        all      CPU2     CPU34");
        assert_eq!(
            lines[3],
            "LOC             5146      2443      2703  what it is"
        );
        assert_eq!(
            lines[4],
            "ERR                1                      what it is"
        );
        assert_eq!(lines[5], "7 rows did not change");
        assert!(text.ends_with("whole machine: 12 context switches\n"));
    }

    #[test]
    fn what_does_not_fit_stands_below() {
        let text = terminal::write(&passed(None).document(60), 60, false);
        assert_eq!(text.matches("interrupt ").count(), 2, "{text}");
        assert!(text.contains("LOC             5146      2703  what it is"));
    }
}
