//! The table of functions, by time.

use crate::trace::analysis::columns::{Columns, time};
use ::trace::analyse::functions::FunctionRow;
use probe::function_profile::{FunctionTime, OnCpu};
use report::format::{significant, time_ns};

/// A function as a line; what its source does not tell is None.
pub struct Row {
    function: String,
    hits: u64,
    total_ns: u64,
    self_ns: Option<u64>,
    average_ns: f64,
    variance_ns2: f64,
    max_ns: Option<u64>,
    /// Off the CPU, where it is there often.
    off_ns: Option<u64>,
    by_cpu: Vec<OnCpu>,
}

impl Row {
    /// `cpus`: numbers of the capture's CPUs.
    pub fn traced(row: &FunctionRow, cpus: &[u32]) -> Row {
        let on = |(cpu, (hits, total_ns)): (&u32, &(u64, u64))| OnCpu {
            cpu: *cpu,
            hits: *hits,
            total_ns: *total_ns,
        };
        Row {
            function: row.function.clone(),
            hits: row.hits,
            total_ns: row.total_ns,
            self_ns: Some(row.self_ns),
            average_ns: row.average_ns,
            variance_ns2: row.variance_ns2,
            max_ns: Some(row.max_ns),
            off_ns: row.sleeps().then_some(row.off_ns),
            by_cpu: cpus.iter().zip(&row.by_cpu).map(on).collect(),
        }
    }

    /// What the kernel added up itself.
    pub fn summed(row: &FunctionTime) -> Row {
        Row {
            function: row.function.clone(),
            hits: row.hits,
            total_ns: row.total_ns,
            self_ns: None,
            average_ns: row.average_ns,
            variance_ns2: row.variance_ns2,
            max_ns: None,
            off_ns: None,
            by_cpu: row.by_cpu.clone(),
        }
    }

    fn cells(&self) -> Vec<String> {
        let or_dash = |ns: Option<u64>| ns.map_or("-".to_owned(), time);
        vec![
            self.function.clone(),
            self.hits.to_string(),
            time(self.total_ns),
            or_dash(self.self_ns),
            time_ns(self.average_ns, 4),
            significant(self.variance_ns2 / 1e6, 4),
            or_dash(self.max_ns),
            match self.off_ns {
                Some(ns) => format!("sleeps: {} off the CPU", time(ns)),
                None => String::new(),
            },
        ]
    }
}

/// The costly ones first, as they come.
pub fn text(rows: &[Row], top: usize, by_cpu: bool) -> String {
    let heads = [
        "function",
        "hits",
        "total",
        "self",
        "average",
        "s^2 (µs²)",
        "max",
        "",
    ];
    let mut table = Columns::new(1, &heads);
    for row in rows.iter().take(top) {
        table.row(row.cells());
        for on in row.by_cpu.iter().filter(|on| by_cpu && on.hits > 0) {
            table.row(cpu_cells(on));
        }
    }
    let mut text = table.text();
    if rows.len() > top {
        text += &format!("{} more: --top {}\n", rows.len() - top, rows.len());
    }
    text
}

fn cpu_cells(on: &OnCpu) -> Vec<String> {
    vec![
        format!("  CPU {}", on.cpu),
        on.hits.to_string(),
        time(on.total_ns),
        String::new(),
        time_ns(on.total_ns as f64 / on.hits as f64, 4),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_source_does_not_tell_is_a_dash() {
        let row = Row::summed(&FunctionTime {
            function: "vfs_write".to_owned(),
            hits: 3,
            total_ns: 90_000,
            average_ns: 30_000.0,
            variance_ns2: 700e6,
            by_cpu: vec![
                OnCpu {
                    cpu: 1,
                    hits: 3,
                    total_ns: 90_000,
                },
                OnCpu::default(),
            ],
        });
        let text = text(&[row], 1, true);
        let lines: Vec<Vec<&str>> = text
            .lines()
            .map(|l| l.split_whitespace().collect())
            .collect();
        let function = "vfs_write 3 90.0 µs - 30.00 µs 700.0 -";
        assert_eq!(lines[1].join(" "), function);
        assert_eq!(lines[2].join(" "), "CPU 1 3 90.0 µs 30.00 µs");
        assert_eq!(lines.len(), 3, "a CPU that called it never has no line");
    }
}
