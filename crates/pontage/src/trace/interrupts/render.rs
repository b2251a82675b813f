//! The table for people: a column for each CPU, in blocks that fit the width.

use probe::interrupts::{CpuShare, Delta, Passed};
use std::fmt::Write;

const NAME: usize = 9;
const COLUMN: usize = 10;
/// The columns before the CPUs, and room for a description behind them.
const BESIDE: usize = NAME + COLUMN + 28;

pub fn text(passed: &Passed, seconds: f64, command: Option<&str>, width: usize) -> String {
    let mut text = match command {
        Some(command) => format!("{seconds:.2} s of {command}\n"),
        None => format!("{seconds:.2} s\n"),
    };
    let at_once = (width.saturating_sub(BESIDE) / COLUMN).max(1);
    block(&mut text, "interrupt", &passed.interrupts, at_once);
    if let Some(softirqs) = &passed.softirqs {
        block(&mut text, "softirq", softirqs, at_once);
    }
    time(&mut text, &passed.time, at_once);
    let all = [
        ("context switches", passed.context_switches),
        ("tasks made", passed.forks),
    ];
    let told = all.iter().filter_map(|(name, n)| Some((name, (*n)?)));
    let told: Vec<String> = told.map(|(name, n)| format!("{n} {name}")).collect();
    if !told.is_empty() {
        let _ = writeln!(text, "\nwhole machine: {}", told.join(", "));
    }
    text
}

fn header(text: &mut String, title: &str, cpus: &[u32]) {
    let _ = write!(text, "\n{title:<NAME$} {:>COLUMN$}", "all");
    for cpu in cpus {
        let _ = write!(text, "{:>COLUMN$}", format!("CPU{cpu}"));
    }
    text.push('\n');
}

fn block(text: &mut String, title: &str, delta: &Delta, at_once: usize) {
    for (index, cpus) in delta.cpus.chunks(at_once).enumerate() {
        header(text, title, cpus);
        for row in &delta.rows {
            let _ = write!(text, "{:<NAME$} {:>COLUMN$}", row.name, row.total);
            for place in 0..cpus.len() {
                match row.counts.get(index * at_once + place) {
                    Some(count) => {
                        let _ = write!(text, "{count:>COLUMN$}");
                    }
                    None => text.push_str(&" ".repeat(COLUMN)),
                }
            }
            let line = format!("  {}", row.description);
            text.push_str(line.trim_end());
            text.push('\n');
        }
    }
    let _ = writeln!(text, "{} rows did not change", delta.unchanged);
}

fn time(text: &mut String, shares: &[CpuShare], at_once: usize) {
    type Part = (&'static str, fn(&CpuShare) -> f64);
    let parts: [Part; 6] = [
        ("user", |s| s.user_ms),
        ("system", |s| s.system_ms),
        ("irq", |s| s.irq_ms),
        ("softirq", |s| s.softirq_ms),
        ("steal", |s| s.steal_ms),
        ("idle", |s| s.idle_ms),
    ];
    for cpus in shares.chunks(at_once) {
        let numbers: Vec<u32> = cpus.iter().map(|s| s.cpu).collect();
        header(text, "time, ms", &numbers);
        for (name, part) in parts {
            let all: f64 = shares.iter().map(part).sum();
            let _ = write!(text, "{name:<NAME$} {all:>COLUMN$.0}");
            for share in cpus {
                let _ = write!(text, "{:>COLUMN$.0}", part(share));
            }
            text.push('\n');
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use probe::interrupts::RowDelta;

    fn passed() -> Passed {
        let row = |name: &str, counts: &[u64], total| RowDelta {
            name: name.to_owned(),
            description: "what it is".to_owned(),
            counts: counts.to_vec(),
            total,
        };
        Passed {
            interrupts: Delta {
                cpus: vec![2, 34],
                rows: vec![row("LOC", &[2443, 2703], 5146), row("ERR", &[], 1)],
                unchanged: 7,
            },
            softirqs: None,
            time: vec![CpuShare {
                cpu: 2,
                user_ms: 10.0,
                system_ms: 0.0,
                irq_ms: 0.0,
                softirq_ms: 0.0,
                steal_ms: 0.0,
                idle_ms: 990.0,
            }],
            context_switches: Some(12),
            forks: None,
        }
    }

    #[test]
    fn a_column_for_each_cpu_and_what_did_not_change_is_counted() {
        let text = text(&passed(), 10.0, Some("sleep 10"), 100);
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
        let text = text(&passed(), 1.0, None, 60);
        assert_eq!(text.matches("interrupt ").count(), 2, "{text}");
        assert!(text.contains("LOC             5146      2703  what it is"));
    }
}
