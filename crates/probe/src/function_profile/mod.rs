//! Hits and times of functions that the kernel has added up itself: its function
//! profile (`trace_stat/functionN`), and histograms between a kprobe and a
//! kretprobe (`hist` of a synthetic event).

#[cfg(test)]
mod fuzz;
pub mod hist;
pub mod probes;
pub mod stat;

use serde::Serialize;
use std::collections::BTreeMap;

/// Calls on one CPU.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Default)]
pub struct OnCpu {
    pub cpu: u32,
    pub hits: u64,
    pub total_ns: u64,
}

/// One function. The time has that of the calls that it made, and of sleep.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FunctionTime {
    pub function: String,
    pub hits: u64,
    pub total_ns: u64,
    pub average_ns: f64,
    /// Of the sample, ns².
    pub variance_ns2: f64,
    pub by_cpu: Vec<OnCpu>,
}

/// What a source says of a function on a CPU.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Part {
    pub hits: u64,
    pub total_ns: u64,
    /// Sum of the squares, ns².
    pub squares_ns2: f64,
}

/// Adds up what CPUs say.
#[derive(Debug, Default)]
pub struct Sums(BTreeMap<String, BTreeMap<u32, Part>>);

impl Sums {
    /// Adds hits and times of a function on a CPU; hits and times saturate.
    pub fn add(&mut self, function: &str, cpu: u32, part: Part) {
        let cpus = self.0.entry(function.to_owned()).or_default();
        let sum = cpus.entry(cpu).or_default();
        sum.hits = sum.hits.saturating_add(part.hits);
        sum.total_ns = sum.total_ns.saturating_add(part.total_ns);
        sum.squares_ns2 += part.squares_ns2;
    }

    /// By total time, then by hits.
    pub fn rows(&self) -> Vec<FunctionTime> {
        let mut rows: Vec<FunctionTime> =
            self.0.iter().map(|(name, cpus)| of(name, cpus)).collect();
        rows.sort_by(|a, b| {
            (b.total_ns, b.hits, &a.function).cmp(&(a.total_ns, a.hits, &b.function))
        });
        rows
    }
}

fn of(function: &str, cpus: &BTreeMap<u32, Part>) -> FunctionTime {
    let add = |value: fn(&Part) -> u64| cpus.values().map(value).fold(0, u64::saturating_add);
    let (hits, total_ns) = (add(|p| p.hits), add(|p| p.total_ns));
    let squares: f64 = cpus.values().map(|p| p.squares_ns2).sum();
    let (count, total) = (hits as f64, total_ns as f64);
    let variance_ns2 = match hits {
        0 | 1 => 0.0,
        _ => ((squares - total * total / count) / (count - 1.0)).max(0.0),
    };
    FunctionTime {
        function: function.to_owned(),
        hits,
        total_ns,
        average_ns: if hits == 0 { 0.0 } else { total / count },
        variance_ns2,
        by_cpu: cpus
            .iter()
            .map(|(cpu, p)| OnCpu {
                cpu: *cpu,
                hits: p.hits,
                total_ns: p.total_ns,
            })
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cpus_are_added_up_with_their_squares() {
        let mut sums = Sums::default();
        // 10, 20 on one CPU, 60 on another; and a function that took less.
        let part = |hits, total_ns, squares_ns2| Part {
            hits,
            total_ns,
            squares_ns2,
        };
        sums.add("a", 0, part(2, 30, 500.0));
        sums.add("a", 3, part(1, 60, 3600.0));
        sums.add("b", 0, part(9, 9, 9.0));
        let rows = sums.rows();
        assert_eq!(
            (rows[0].hits, rows[0].total_ns, rows[0].average_ns),
            (3, 90, 30.0)
        );
        assert!((rows[0].variance_ns2 - 700.0).abs() < 1e-9);
        assert_eq!(rows[0].by_cpu[1].cpu, 3);
        assert_eq!(
            (rows[1].function.as_str(), rows[1].variance_ns2),
            ("b", 0.0)
        );
    }
}
