//! What interrupted the machine around a command: a column for each CPU, in blocks
//! that fit the window.

use probe::interrupts::{CpuShare, Delta, Passed};
use report::document::{Column, Document, Table};
use serde::Serialize;

const NAME: usize = 9;
/// A column of numbers and the blanks before it.
const COLUMN: usize = 10;
const GAP: usize = 2;
/// The columns before the CPUs, and room for a description behind them.
const FIXED: usize = NAME + COLUMN + 28;

/// What was counted while a command ran, or time passed; the JSON form is this
/// document.
#[derive(Debug, Serialize)]
pub struct Counted {
    pub seconds: f64,
    pub command: Option<String>,
    #[serde(flatten)]
    pub passed: Passed,
}

type Part = (&'static str, fn(&CpuShare) -> f64);

/// How a CPU spent its time, ms.
const PARTS: [Part; 6] = [
    ("user", |share| share.user_ms),
    ("system", |share| share.system_ms),
    ("irq", |share| share.irq_ms),
    ("softirq", |share| share.softirq_ms),
    ("steal", |share| share.steal_ms),
    ("idle", |share| share.idle_ms),
];

impl Counted {
    /// For a window so wide.
    pub fn document(&self, width: usize) -> Document {
        let mut document = Document::new();
        document.line(match &self.command {
            Some(command) => format!("{:.2} s of {command}", self.seconds),
            None => format!("{:.2} s", self.seconds),
        });
        let passed = &self.passed;
        let at_once = (width.saturating_sub(FIXED) / COLUMN).max(1);
        document.append(block("interrupt", &passed.interrupts, at_once));
        let softirqs = passed.softirqs.iter();
        softirqs.for_each(|delta| document.append(block("softirq", delta, at_once)));
        document.append(time(&passed.time, at_once));
        let machine = [
            ("context switches", passed.context_switches),
            ("tasks made", passed.forks),
        ];
        let all = machine.iter();
        let all = all.filter_map(|(name, n)| Some(format!("{} {name}", (*n)?)));
        let all: Vec<String> = all.collect();
        if !all.is_empty() {
            document.gap();
            document.line(format!("whole machine: {}", all.join(", ")));
        }
        document
    }
}

fn block(title: &str, delta: &Delta, at_once: usize) -> Document {
    let mut document = Document::new();
    for (index, cpus) in delta.cpus.chunks(at_once).enumerate() {
        let mut table = by_cpu(title, cpus.iter());
        for row in &delta.rows {
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
    document.line(format!("{} rows did not change", delta.unchanged));
    document
}

/// Name, sum, these CPUs, and a description without a head.
fn by_cpu<'a>(title: &str, cpus: impl Iterator<Item = &'a u32>) -> Table {
    let number = |head: String| Column::number(head).least(COLUMN - GAP);
    let all = Column::number("all").least(COLUMN + 1 - GAP);
    let cpus = cpus.map(|cpu| number(format!("CPU{cpu}")));
    let before = [Column::words(title).least(NAME), all];
    Table::new(before.into_iter().chain(cpus).chain([Column::words("")]))
}

fn time(shares: &[CpuShare], at_once: usize) -> Document {
    let mut document = Document::new();
    for cpus in shares.chunks(at_once) {
        let mut table = by_cpu("time, ms", cpus.iter().map(|share| &share.cpu));
        for (name, ms) in PARTS {
            let all = shares.iter().map(ms).sum();
            let times = std::iter::once(all).chain(cpus.iter().map(ms));
            let times = times.map(|ms: f64| format!("{ms:.0}"));
            table.row(std::iter::once(name.to_owned()).chain(times));
        }
        document.gap();
        document.table(table);
    }
    document
}

#[cfg(test)]
mod tests {
    use super::Counted;
    use probe::interrupts::{CpuShare, Delta, Passed, RowDelta};
    use report::document::terminal;

    fn counted(command: Option<&str>) -> Counted {
        let row = |name: &str, counts: &[u64], total| RowDelta {
            name: name.to_owned(),
            description: "what it is".to_owned(),
            counts: counts.to_vec(),
            total,
        };
        let interrupts = Delta {
            cpus: vec![2, 34],
            rows: vec![row("LOC", &[2443, 2703], 5146), row("ERR", &[], 1)],
            unchanged: 7,
        };
        let share = CpuShare {
            cpu: 2,
            user_ms: 10.0,
            system_ms: 0.0,
            irq_ms: 0.0,
            softirq_ms: 0.0,
            steal_ms: 0.0,
            idle_ms: 990.0,
        };
        Counted {
            seconds: 10.0,
            command: command.map(str::to_owned),
            passed: Passed {
                interrupts,
                softirqs: None,
                time: vec![share],
                context_switches: Some(12),
                forks: None,
            },
        }
    }

    #[test]
    fn a_column_for_each_cpu_and_what_did_not_change_is_counted() {
        let text = terminal::write(&counted(Some("sleep 10")).document(100), 100, false);
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
        let text = terminal::write(&counted(None).document(60), 60, false);
        assert_eq!(text.matches("interrupt ").count(), 2, "{text}");
        assert!(text.contains("LOC             5146      2703  what it is"));
    }
}
