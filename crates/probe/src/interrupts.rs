//! Interrupts taken by CPUs, from /proc/interrupts (proc(5)): one CPU's sum
//! here, whole tables below.

mod delta;
mod passed;
mod table;

pub use delta::{Delta, RowDelta};
pub use passed::{CpuShare, Passed, Reading};
pub use table::{InterruptRow, Table};

use crate::proc_file::ProcFile;
use std::io;
use std::path::Path;

/// Sum of all interrupts that `cpu` has taken since boot: device, timer,
/// inter-processor, machine check. `None` when the table has no column for it
/// (CPU offline, or the text is no such table).
///
/// Rows without one count for each CPU (`ERR`, `MIS`) belong to no CPU and are
/// left out.
pub fn count_on_cpu(text: &str, cpu: u32) -> Option<u64> {
    let mut lines = text.lines();
    let header = lines.next()?;
    let columns = header.split_whitespace().count();
    // Offline CPUs have no column, so the position is not the number.
    let column = header
        .split_whitespace()
        .position(|name| name.strip_prefix("CPU").and_then(|n| n.parse().ok()) == Some(cpu))?;
    let mut total = 0u64;
    for line in lines {
        total = total.wrapping_add(row_count(line, column, columns).unwrap_or(0));
    }
    Some(total)
}

fn row_count(line: &str, column: usize, columns: usize) -> Option<u64> {
    let (name, rest) = line.split_once(':')?;
    if table::is_of_no_cpu(name.trim()) {
        return None;
    }
    let counts = rest.split_ascii_whitespace().take(columns);
    let mut found = None;
    let mut seen = 0;
    for (position, word) in counts.enumerate() {
        let count = word.parse::<u64>().ok()?;
        if position == column {
            found = Some(count);
        }
        seen += 1;
    }
    if seen == columns { found } else { None }
}

/// Reads one CPU's count again and again.
#[derive(Debug)]
pub struct InterruptReader {
    file: ProcFile,
    cpu: u32,
}

impl InterruptReader {
    /// # Errors
    /// As opening `/proc/interrupts` below `root`.
    pub fn open(root: &Path, cpu: u32) -> io::Result<Self> {
        Ok(InterruptReader {
            file: ProcFile::open(root, "/proc/interrupts")?,
            cpu,
        })
    }

    /// Interrupts on the CPU since boot.
    ///
    /// # Errors
    /// As reading the file; `InvalidData` when the CPU has no column.
    pub fn read(&mut self) -> io::Result<u64> {
        count_on_cpu(self.file.read()?, self.cpu).ok_or_else(|| {
            io::Error::new(
                io::ErrorKind::InvalidData,
                format!("no column for CPU{}", self.cpu),
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "\
            CPU0       CPU2       CPU3
 24:          1          20          300  IO-APIC   5-edge      ACPI:Ged
 26:          0         16          0  IO-APIC   4-edge      ttyS0
NMI:          0          0          5   Non-maskable interrupts
LOC:      1000      2000      3000   Local timer interrupts
ERR:          7
MIS:          9
";

    #[test]
    fn columns_are_found_by_name_not_by_position() {
        assert_eq!(count_on_cpu(TABLE, 0), Some(1001));
        assert_eq!(count_on_cpu(TABLE, 2), Some(2036));
        assert_eq!(count_on_cpu(TABLE, 3), Some(3305));
    }

    #[test]
    fn an_offline_cpu_has_no_count() {
        assert_eq!(count_on_cpu(TABLE, 1), None);
    }

    #[test]
    fn error_rows_belong_to_no_cpu_even_on_a_machine_with_one() {
        let one = "           CPU0\nLOC:   10   Local timer interrupts\nERR:   7\n";
        assert_eq!(count_on_cpu(one, 0), Some(10));
    }

    #[test]
    fn foreign_text_is_refused_not_misread() {
        assert_eq!(count_on_cpu("", 0), None);
        assert_eq!(count_on_cpu("hello\nworld: 1 2", 0), None);
        let cut = "  CPU0 CPU1\nLOC: 10";
        assert_eq!(count_on_cpu(cut, 0), Some(0));
    }
}
