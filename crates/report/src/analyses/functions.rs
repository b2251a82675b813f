//! Functions of the kernel: hits and times, and the calls below one.

use super::{losses, more, time};
use crate::document::{Column, Document, Table};
use crate::format::{percent, significant, time_ns};
use trace::analyse::Pass;
use trace::analyse::functions::{FunctionRow, Line};

/// A function as a line; what its source does not tell is None.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Row {
    pub function: String,
    pub hits: u64,
    pub total_ns: u64,
    pub self_ns: Option<u64>,
    pub average_ns: f64,
    pub variance_ns2: f64,
    pub max_ns: Option<u64>,
    /// Off the CPU, where it is there often.
    pub off_ns: Option<u64>,
    pub by_cpu: Vec<OnCpu>,
}

/// What a CPU has of a function.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct OnCpu {
    pub cpu: u32,
    pub hits: u64,
    pub total_ns: u64,
}

/// How much of a profile is shown.
#[derive(Debug, Clone, Copy)]
pub struct Shown {
    pub top: usize,
    pub by_cpu: bool,
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

    fn cells(&self) -> [String; 8] {
        let or_dash = |ns: Option<u64>| ns.map_or("-".to_owned(), time);
        [
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
pub fn profile(rows: &[Row], shown: Shown) -> Document {
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
    let mut table = Table::of(1, heads);
    for row in rows.iter().take(shown.top) {
        table.row(row.cells());
        for on in row.by_cpu.iter().filter(|on| shown.by_cpu && on.hits > 0) {
            table.row(cpu_cells(on));
        }
    }
    let mut document = Document::from(table);
    document.extend(more(rows.len(), shown.top));
    document
}

/// What of a capture is not in its profile.
pub fn left_out(dropped_calls: u64, pass: &Pass) -> Document {
    let mut document = Document::new();
    if dropped_calls > 0 {
        document.line(format!(
            "{dropped_calls} calls are left out: their entry or exit was not recorded"
        ));
    }
    document.append(losses(pass, None));
    document
}

fn cpu_cells(on: &OnCpu) -> [String; 5] {
    [
        format!("  CPU {}", on.cpu),
        on.hits.to_string(),
        time(on.total_ns),
        String::new(),
        time_ns(on.total_ns as f64 / on.hits as f64, 4),
    ]
}

/// From the root along the costliest child each time, and every call below it.
pub fn calls(lines: &[Line]) -> Document {
    let on_path = lines.iter().filter(|l| l.on_path);
    let names: Vec<&str> = on_path.map(|l| l.function.as_str()).collect();
    let mut document = Document::new();
    document.line(format!("costliest path: {}", names.join(" -> ")));
    document.gap();
    let depth = |line: &Line| "  ".repeat(line.depth as usize);
    let off = |ns: u64| match ns {
        0 => String::new(),
        ns => format!("  ({} off the CPU)", time(ns)),
    };
    let mark = |line: &Line| if line.on_path { "> " } else { "  " };
    let mut table = Table::listing(
        0,
        lines,
        [
            ("share", &|l| percent(l.share)),
            ("total", &|l| time(l.total_ns)),
            ("self", &|l| time(l.self_ns)),
            ("calls", &|l| l.calls.to_string()),
            ("average", &|l| time(l.total_ns / l.calls.max(1))),
            ("", &|l| {
                format!("{}{}{}{}", mark(l), depth(l), l.function, off(l.off_ns))
            }),
        ],
    );
    table.columns[5] = Column::words("");
    document.table(table);
    document
}

#[cfg(test)]
mod tests {
    use super::{OnCpu, Row, Shown, profile};
    use crate::document::terminal;

    #[test]
    fn what_a_source_does_not_tell_is_a_dash() {
        let row = Row {
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
            ..Row::default()
        };
        let shown = Shown {
            top: 1,
            by_cpu: true,
        };
        let text = terminal::plain(&profile(&[row], shown));
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
