//! The whole of /proc/interrupts, or of /proc/softirqs, which has the same form.

use std::io;
use std::path::Path;

/// Counts since boot.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Table {
    /// Numbers of the columns' CPUs; those that are offline have none.
    pub cpus: Vec<u32>,
    pub rows: Vec<InterruptRow>,
}

/// One interrupt, by CPU.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InterruptRow {
    /// `24`, `LOC`, `IPI2`, `NET_RX`.
    pub name: String,
    /// One for each CPU; a single one where the row belongs to none (`ERR`).
    pub counts: Vec<u64>,
    pub of_no_cpu: bool,
    /// Controller, trigger and devices, or what the letters mean.
    pub description: String,
}

/// Rows of spurious and lost interrupts, of x86 and ARM: one sum each.
pub fn is_of_no_cpu(name: &str) -> bool {
    matches!(name, "ERR" | "MIS" | "Err")
}

impl Table {
    /// That of /proc/interrupts below `root`.
    ///
    /// # Errors
    /// As reading it; `InvalidData` where its first line names no CPUs.
    pub fn read(root: &Path) -> io::Result<Table> {
        let text = std::fs::read_to_string(root.join("proc/interrupts"))?;
        Table::parse(&text).ok_or_else(|| {
            let cause = "its first line names no CPUs (CPU0 CPU1 ...)";
            io::Error::new(io::ErrorKind::InvalidData, cause)
        })
    }

    /// None where the first line names no CPUs. A line that is no row, or is
    /// cut, is left out.
    pub fn parse(text: &str) -> Option<Table> {
        let mut lines = text.lines();
        let cpus: Option<Vec<u32>> = lines
            .next()?
            .split_whitespace()
            .map(|name| name.strip_prefix("CPU")?.parse().ok())
            .collect();
        let cpus = cpus.filter(|cpus| !cpus.is_empty())?;
        let rows = lines.filter_map(|line| row(line, cpus.len())).collect();
        Some(Table { cpus, rows })
    }
}

fn row(line: &str, columns: usize) -> Option<InterruptRow> {
    let (name, rest) = line.split_once(':')?;
    let name = name.trim();
    let of_no_cpu = is_of_no_cpu(name);
    let wanted = if of_no_cpu { 1 } else { columns };
    let mut rest = rest.trim_start();
    let mut counts = Vec::with_capacity(wanted);
    while counts.len() < wanted {
        let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
        counts.push(rest[..end].parse().ok()?);
        rest = rest[end..].trim_start();
    }
    let words: Vec<&str> = rest.split_whitespace().collect();
    Some(InterruptRow {
        name: name.to_owned(),
        counts,
        of_no_cpu,
        description: words.join(" "),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const X86: &str = include_str!("../../../../fixtures/interrupts/x86-before.txt");
    const ARM: &str = include_str!("../../../../fixtures/interrupts/arm-before.txt");
    const SOFTIRQS: &str = include_str!("../../../../fixtures/interrupts/softirqs-before.txt");

    fn row_of<'a>(table: &'a Table, name: &str) -> &'a InterruptRow {
        table.rows.iter().find(|row| row.name == name).unwrap()
    }

    #[test]
    fn every_line_is_a_row() {
        for text in [X86, ARM, SOFTIRQS] {
            let table = Table::parse(text).unwrap();
            assert_eq!(table.rows.len(), text.lines().count() - 1);
        }
    }

    #[test]
    fn x86_has_letters_and_arm_has_lines_of_the_gic() {
        let x86 = Table::parse(X86).unwrap();
        assert_eq!(x86.cpus, [0, 1]);
        let local = row_of(&x86, "LOC");
        assert_eq!(local.description, "Local timer interrupts");
        assert!(local.counts.iter().all(|count| *count > 0));
        assert!(row_of(&x86, "ERR").of_no_cpu);
        let arm = Table::parse(ARM).unwrap();
        assert_eq!(row_of(&arm, "34").counts, [62_118_555, 0, 0, 0]);
        assert_eq!(row_of(&arm, "34").description, "GIC-0 34 Level timer");
        assert_eq!(row_of(&arm, "IPI3").counts, [3, 4, 4, 4]);
        assert_eq!(row_of(&arm, "Err").counts, [0]);
        let soft = Table::parse(SOFTIRQS).unwrap();
        assert_eq!(row_of(&soft, "NET_RX").counts.len(), 2);
    }

    #[test]
    fn foreign_text_is_no_table() {
        assert_eq!(Table::parse(""), None);
        assert_eq!(Table::parse("\n"), None);
        assert_eq!(Table::parse("CPU0 GPU1\n"), None);
        let cut = Table::parse("CPU0 CPU1\nLOC: 1\nRES: 1 2").unwrap();
        assert_eq!(cut.rows.len(), 1);
    }

    proptest! {
        #[test]
        fn any_text_is_survived(text in "(?s).{0,200}") {
            let _ = Table::parse(&text);
        }

        #[test]
        fn cut_anywhere_it_has_no_row_that_is_not_there(end in 0..X86.len()) {
            let whole = Table::parse(X86).unwrap();
            let Some(cut) = X86.get(..end).and_then(Table::parse) else {
                return Ok(());
            };
            prop_assert!(cut.rows.len() <= whole.rows.len());
            for (a, b) in cut.rows.iter().zip(&whole.rows) {
                prop_assert_eq!(&a.name, &b.name);
            }
        }
    }
}
