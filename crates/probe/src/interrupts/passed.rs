//! Interrupts, softirqs and CPU time between two moments.

use super::delta::Delta;
use super::table::Table;
use crate::cpu_time::{CpuTime, Stat, tick_ns};
use serde::Serialize;
use std::io;
use std::path::Path;

/// The counters of one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reading {
    interrupts: Table,
    /// None where the kernel has no such file.
    softirqs: Option<Table>,
    stat: Stat,
}

/// What passed between two readings.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Passed {
    pub interrupts: Delta,
    pub softirqs: Option<Delta>,
    pub time: Vec<CpuShare>,
    /// Of the whole machine: the kernel has no count for each CPU.
    pub context_switches: Option<u64>,
    pub forks: Option<u64>,
}

/// Where one CPU's time went, ms, in steps of a clock tick.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CpuShare {
    pub cpu: u32,
    pub user_ms: f64,
    pub system_ms: f64,
    pub irq_ms: f64,
    pub softirq_ms: f64,
    pub steal_ms: f64,
    /// With waiting for devices.
    pub idle_ms: f64,
}

impl Reading {
    /// # Errors
    /// As reading /proc/interrupts and /proc/stat below `root`; `InvalidData`
    /// where they are no such tables.
    pub fn take(root: &Path) -> io::Result<Reading> {
        let text = |name: &str| std::fs::read_to_string(root.join("proc").join(name));
        Ok(Reading {
            interrupts: Table::read(root)?,
            softirqs: text("softirqs").ok().and_then(|t| Table::parse(&t)),
            stat: Stat::read(root)?,
        })
    }

    /// CPUs that have counts of their own.
    pub fn cpus(&self) -> &[u32] {
        &self.interrupts.cpus
    }

    /// `wanted`: only these CPUs; None: all.
    pub fn until(&self, later: &Reading, wanted: Option<&[u32]>) -> Passed {
        let interrupts = Delta::between(&self.interrupts, &later.interrupts, wanted);
        let tables = self.softirqs.as_ref().zip(later.softirqs.as_ref());
        // It has columns for CPUs that are offline, too.
        let cpus = interrupts.cpus.clone();
        let softirqs = tables.map(|(a, b)| Delta::between(a, b, Some(&cpus)));
        let shares = cpus.iter().filter_map(|cpu| {
            let (before, after) = (self.stat.cpu(*cpu)?, later.stat.cpu(*cpu)?);
            Some(CpuShare::new(*cpu, &after.since(before)))
        });
        let difference = |a: Option<u64>, b: Option<u64>| Some(b?.saturating_sub(a?));
        Passed {
            time: shares.collect(),
            context_switches: difference(self.stat.context_switches, later.stat.context_switches),
            forks: difference(self.stat.forks, later.stat.forks),
            interrupts,
            softirqs,
        }
    }
}

impl CpuShare {
    fn new(cpu: u32, ticks: &CpuTime) -> CpuShare {
        let tick_ms = tick_ns() as f64 / 1e6;
        let ms = |ticks: u64| ticks as f64 * tick_ms;
        CpuShare {
            cpu,
            user_ms: ms(ticks.user + ticks.nice),
            system_ms: ms(ticks.system),
            irq_ms: ms(ticks.irq),
            softirq_ms: ms(ticks.softirq),
            steal_ms: ms(ticks.steal),
            idle_ms: ms(ticks.idle + ticks.iowait),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reading(interrupts: &str, stat: &str, softirqs: Option<&str>) -> Reading {
        let root = tempfile::tempdir().unwrap();
        let proc = root.path().join("proc");
        std::fs::create_dir(&proc).unwrap();
        std::fs::write(proc.join("interrupts"), interrupts).unwrap();
        std::fs::write(proc.join("stat"), stat).unwrap();
        if let Some(text) = softirqs {
            std::fs::write(proc.join("softirqs"), text).unwrap();
        }
        Reading::take(root.path()).unwrap()
    }

    #[test]
    fn three_files_make_one_answer() {
        let before = reading(
            "  CPU0 CPU2\nLOC: 10 20 Local\n",
            "cpu 0 0 0 0\ncpu0 1 1 0 5 0 0 0 0\ncpu2 0 0 0 0 0 0 0 0\nctxt 5\nprocesses 1\n",
            Some("  CPU0 CPU1 CPU2\nTIMER: 1 0 1\n"),
        );
        let after = reading(
            "  CPU0 CPU2\nLOC: 13 20 Local\n",
            "cpu 0 0 0 0\ncpu0 2 2 4 9 1 5 6 7\ncpu2 0 0 0 0 0 0 0 0\nctxt 9\nprocesses 3\n",
            Some("  CPU0 CPU1 CPU2\nTIMER: 1 0 4\n"),
        );
        let passed = before.until(&after, None);
        assert_eq!(passed.interrupts.rows[0].counts, [3, 0]);
        let soft = passed.softirqs.as_ref().unwrap();
        assert_eq!((soft.cpus.as_slice(), soft.rows[0].total), (&[0, 2][..], 3));
        assert_eq!((passed.context_switches, passed.forks), (Some(4), Some(2)));
        let tick = tick_ns() as f64 / 1e6;
        let share = &passed.time[0];
        assert_eq!(share.user_ms, 2.0 * tick);
        assert_eq!(share.idle_ms, 5.0 * tick);
        assert_eq!(share.steal_ms, 7.0 * tick);
        let one = before.until(&after, Some(&[2]));
        assert_eq!(one.time.len(), 1);
        assert_eq!(one.interrupts.rows.len(), 0);
    }

    #[test]
    fn a_machine_without_softirqs_still_has_interrupts() {
        let text = "  CPU0\nLOC: 10 Local\n";
        let one = reading(text, "cpu 0 0 0 0\ncpu0 1 1 0 5\n", None);
        let passed = one.until(&one, None);
        assert_eq!(passed.softirqs, None);
        assert_eq!(passed.context_switches, None);
    }
}
