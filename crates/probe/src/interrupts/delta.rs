//! What was counted between two readings of a table.

use super::table::{InterruptRow, Table};
use serde::Serialize;

/// Interrupts between two readings of a table.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Delta {
    /// Those that both readings have.
    pub cpus: Vec<u32>,
    /// Rows that changed.
    pub rows: Vec<RowDelta>,
    /// How many did not.
    pub unchanged: usize,
}

/// How often one interrupt came between the two.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RowDelta {
    pub name: String,
    pub description: String,
    /// One for each CPU of the delta; empty where the row belongs to no CPU.
    pub counts: Vec<u64>,
    /// Of the CPUs of the delta, or of the row that belongs to none.
    pub total: u64,
}

impl Delta {
    /// `wanted`: only these CPUs; None: all.
    pub fn between(before: &Table, after: &Table, wanted: Option<&[u32]>) -> Delta {
        let both = |cpu: &u32| before.cpus.contains(cpu);
        let asked = |cpu: &u32| wanted.is_none_or(|list| list.contains(cpu));
        let kept = after.cpus.iter().copied();
        let cpus: Vec<u32> = kept.filter(both).filter(asked).collect();
        let column = |table: &Table, cpu: u32| table.cpus.iter().position(|c| *c == cpu);
        let columns: Vec<(usize, usize)> = cpus
            .iter()
            .filter_map(|cpu| column(before, *cpu).zip(column(after, *cpu)))
            .collect();
        let mut delta = Delta {
            cpus,
            ..Delta::default()
        };
        for row in &after.rows {
            // A line that was not there had counted nothing.
            let earlier = before.rows.iter().find(|r| r.name == row.name);
            match difference(earlier, row, &columns) {
                Some(changed) => delta.rows.push(changed),
                None => delta.unchanged += 1,
            }
        }
        delta
    }
}

fn difference(
    earlier: Option<&InterruptRow>,
    row: &InterruptRow,
    columns: &[(usize, usize)],
) -> Option<RowDelta> {
    let before = |at: usize| earlier.and_then(|r| r.counts.get(at)).copied().unwrap_or(0);
    let counts: Vec<u64> = match row.of_no_cpu {
        true => Vec::new(),
        false => columns
            .iter()
            .map(|(old, new)| passed(before(*old), row.counts[*new]))
            .collect(),
    };
    let total = match row.of_no_cpu {
        true => passed(before(0), row.counts[0]),
        false => counts.iter().sum(),
    };
    (total > 0).then(|| RowDelta {
        name: row.name.clone(),
        description: row.description.clone(),
        counts,
        total,
    })
}

/// The kernel counts in 32 bits.
fn passed(before: u64, after: u64) -> u64 {
    const OVERRUN: u64 = 1 << 32;
    match after.checked_sub(before) {
        Some(difference) => difference,
        None if before < OVERRUN => after + OVERRUN - before,
        None => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(text: &str) -> Table {
        Table::parse(text).unwrap()
    }

    fn arm(wanted: Option<&[u32]>) -> Delta {
        let before = include_str!("../../../../fixtures/interrupts/arm-before.txt");
        let after = include_str!("../../../../fixtures/interrupts/arm-after.txt");
        Delta::between(&table(before), &table(after), wanted)
    }

    fn row<'a>(delta: &'a Delta, name: &str) -> &'a RowDelta {
        delta.rows.iter().find(|r| r.name == name).unwrap()
    }

    #[test]
    fn rows_that_changed_by_cpu() {
        let delta = arm(None);
        assert_eq!(delta.cpus, [0, 1, 3], "CPU 2 has gone");
        let names: Vec<&str> = delta.rows.iter().map(|r| r.name.as_str()).collect();
        assert_eq!(names, ["34", "41", "IPI2", "Err"]);
        assert_eq!(row(&delta, "34").counts, [302, 0, 0]);
        assert_eq!(row(&delta, "41").counts, [0, 7, 0], "a line that came");
        assert_eq!(row(&delta, "IPI2").counts, [0, 10, 2], "32 bits ran over");
        assert_eq!(row(&delta, "Err").total, 2);
        assert!(row(&delta, "Err").counts.is_empty());
        assert_eq!(delta.unchanged, 8);
    }

    #[test]
    fn only_the_cpus_that_were_asked_for() {
        let delta = arm(Some(&[3, 9]));
        assert_eq!(delta.cpus, [3]);
        let names: Vec<&str> = delta.rows.iter().map(|r| r.name.as_str()).collect();
        assert_eq!(names, ["IPI2", "Err"]);
        assert_eq!(row(&delta, "IPI2").total, 2);
    }

    #[test]
    fn a_captured_pair_has_its_timer_and_nothing_runs_back() {
        let before = table(include_str!(
            "../../../../fixtures/interrupts/x86-before.txt"
        ));
        let after = table(include_str!(
            "../../../../fixtures/interrupts/x86-after.txt"
        ));
        let delta = Delta::between(&before, &after, None);
        assert!(row(&delta, "LOC").total > 0);
        assert!(delta.rows.iter().all(|r| r.total < 1 << 31));
        assert_eq!(delta.rows.len() + delta.unchanged, after.rows.len());
        let still = Delta::between(&after, &after, None);
        assert_eq!((still.rows.len(), still.unchanged), (0, after.rows.len()));
    }
}
