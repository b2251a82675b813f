//! What interrupted the machine while a point was sampled, where a run asks
//! for it.

use serde::{Deserialize, Serialize};

/// Interrupts, softirqs and switches that passed in a time.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct InterruptsHead {
    /// Time that was counted in, ns; all processes together.
    pub over_ns: u64,
    /// CPU that measured.
    pub cpu: u32,
    /// Points that were sampled in alternation in that time: the counts are of
    /// all of them.
    pub points: u32,
    /// The set-up is counted, too: the point is a recording that was made in it.
    pub with_setup: bool,
    /// What passed at all.
    pub rows: Vec<InterruptRow>,
}

/// How often one kind of interrupt or switch came.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct InterruptRow {
    /// As the kernel names it: `LOC`, `24`, `softirq NET_RX`, `context switches`.
    pub name: String,
    /// What its letters mean, or the device; empty where the name says it.
    pub description: String,
    /// On the CPU that measured; None where the kernel reports only the sum.
    pub here: Option<u64>,
    /// On all CPUs.
    pub total: u64,
}

impl InterruptsHead {
    /// Joins what passed in another process.
    pub fn add(&mut self, other: &InterruptsHead) {
        self.over_ns = self.over_ns.saturating_add(other.over_ns);
        self.points = self.points.max(other.points);
        self.with_setup |= other.with_setup;
        for row in &other.rows {
            match self.rows.iter_mut().find(|known| known.name == row.name) {
                Some(known) => {
                    let sum = known.here.zip(row.here);
                    known.here = sum.map(|(a, b)| a.saturating_add(b));
                    known.total = known.total.saturating_add(row.total);
                }
                None => self.rows.push(row.clone()),
            }
        }
    }

    /// A count by second.
    pub fn rate(&self, count: u64) -> f64 {
        count as f64 * 1e9 / self.over_ns.max(1) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::{InterruptRow, InterruptsHead};

    fn head(rows: &[(&str, Option<u64>, u64)]) -> InterruptsHead {
        InterruptsHead {
            over_ns: 500_000_000,
            cpu: 1,
            points: 2,
            with_setup: false,
            rows: rows
                .iter()
                .map(|(name, here, total)| InterruptRow {
                    name: (*name).to_owned(),
                    description: String::new(),
                    here: *here,
                    total: *total,
                })
                .collect(),
        }
    }

    #[test]
    fn processes_add_up_by_name() {
        let mut both = head(&[("LOC", Some(10), 30), ("ctxt", None, 4)]);
        both.add(&head(&[
            ("RES", Some(1), 1),
            ("LOC", Some(2), 5),
            ("ctxt", None, 6),
        ]));
        let rows: Vec<_> = both
            .rows
            .iter()
            .map(|r| (r.name.as_str(), r.here, r.total))
            .collect();
        assert_eq!(
            rows,
            [
                ("LOC", Some(12), 35),
                ("ctxt", None, 10),
                ("RES", Some(1), 1)
            ]
        );
        assert_eq!((both.over_ns, both.points), (1_000_000_000, 2));
        assert_eq!(both.rate(35), 35.0);
    }
}
