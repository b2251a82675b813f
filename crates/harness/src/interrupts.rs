//! What interrupts the machine while a block is sampled, from /proc/interrupts,
//! /proc/softirqs and /proc/stat, where a run asks for it. Read outside of all
//! that is timed.

use crate::clock::monotonic_now_ns;
use probe::interrupts::{Delta, Passed, Reading};
use record::{InterruptRow, InterruptsHead};
use std::io;
use std::path::Path;

/// The counters of one moment.
#[derive(Debug)]
pub struct Moment {
    at_ns: u64,
    reading: Reading,
}

impl Moment {
    /// # Errors
    /// As reading /proc/interrupts and /proc/stat below `root`.
    pub fn now(root: &Path) -> io::Result<Moment> {
        let reading = Reading::take(root)?;
        Ok(Moment {
            at_ns: monotonic_now_ns(),
            reading,
        })
    }

    /// What passed until `later`, with `cpu` apart from all others.
    pub fn until(&self, later: &Moment, cpu: u32) -> InterruptsHead {
        let passed = self.reading.until(&later.reading, None);
        InterruptsHead {
            over_ns: later.at_ns.saturating_sub(self.at_ns),
            cpu,
            points: 1,
            with_setup: false,
            rows: rows(&passed, cpu),
        }
    }
}

fn rows(passed: &Passed, cpu: u32) -> Vec<InterruptRow> {
    let mut rows = of_table(&passed.interrupts, cpu, "");
    if let Some(softirqs) = &passed.softirqs {
        rows.extend(of_table(softirqs, cpu, "softirq "));
    }
    let sums = [
        ("context switches", passed.context_switches),
        ("tasks made", passed.forks),
    ];
    rows.extend(sums.into_iter().filter_map(|(name, total)| {
        Some(InterruptRow {
            name: name.to_owned(),
            description: String::new(),
            here: None,
            total: total.filter(|total| *total > 0)?,
        })
    }));
    rows
}

fn of_table(delta: &Delta, cpu: u32, kind: &str) -> Vec<InterruptRow> {
    let column = delta.cpus.iter().position(|known| *known == cpu);
    let rows = delta.rows.iter().map(|row| InterruptRow {
        name: format!("{kind}{}", row.name),
        description: row.description.clone(),
        here: column.and_then(|at| row.counts.get(at).copied()),
        total: row.total,
    });
    rows.collect()
}

#[cfg(test)]
mod tests {
    use super::Moment;

    fn moment(interrupts: &str, softirqs: &str, switches: u64) -> Moment {
        let root = tempfile::tempdir().unwrap();
        let proc = root.path().join("proc");
        std::fs::create_dir(&proc).unwrap();
        let stat = format!("cpu 0 0 0 0\ncpu0 1 1 0 5\ncpu2 1 1 0 5\nctxt {switches}\n");
        for (name, text) in [
            ("interrupts", interrupts),
            ("softirqs", softirqs),
            ("stat", &stat),
        ] {
            std::fs::write(proc.join(name), text).unwrap();
        }
        Moment::now(root.path()).unwrap()
    }

    #[test]
    fn the_measuring_cpu_stands_apart_and_what_did_not_come_is_left_out() {
        let before = moment(
            "  CPU0 CPU2\nLOC: 10 20 Local timer\nRES: 1 1 Resched\nERR: 0\n",
            "  CPU0 CPU1 CPU2\nNET_RX: 1 0 1\n",
            5,
        );
        let after = moment(
            "  CPU0 CPU2\nLOC: 13 30 Local timer\nRES: 1 1 Resched\nERR: 2\n",
            "  CPU0 CPU1 CPU2\nNET_RX: 1 0 4\n",
            9,
        );
        let of = |cpu| -> Vec<(String, Option<u64>, u64)> {
            let head = before.until(&after, cpu);
            let rows = head.rows.into_iter();
            rows.map(|r| (r.name, r.here, r.total)).collect()
        };
        let wanted = [
            ("LOC".to_owned(), Some(10), 13),
            ("ERR".to_owned(), None, 2),
            ("softirq NET_RX".to_owned(), Some(3), 3),
            ("context switches".to_owned(), None, 4),
        ];
        assert_eq!(of(2), wanted);
        assert_eq!(of(7)[0].1, None, "no such CPU");
        let still = before.until(&before, 2);
        assert_eq!((still.rows.len(), still.over_ns), (0, 0));
    }
}
