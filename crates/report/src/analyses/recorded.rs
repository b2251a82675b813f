//! What a recording of the kernel's events says of itself at its end.

use crate::document::{Column, Document, Table};
use crate::format::decimal_bytes;

/// Rings so much larger would have held what was lost, in most cases.
const LARGER: u64 = 4;

/// On larger machines only CPUs that lost events have a row.
const MANY_CPUS: usize = 16;

/// A recording that has ended.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Recorded {
    pub cpus: Vec<OfCpu>,
    /// The recorder's own time on CPUs.
    pub user_ns: u64,
    pub system_ns: u64,
    pub buffer_kib: u64,
    /// Why it is not whole.
    pub trouble: Option<String>,
    /// The file that it was meant for.
    pub out: String,
}

/// A CPU's ring: what it took in and what it lost.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct OfCpu {
    pub cpu: u32,
    pub events: u64,
    pub bytes: u64,
    pub lost: u64,
}

impl Recorded {
    /// What is shown of a recording that has ended.
    pub fn document(&self) -> Document {
        let mut document = Document::from(self.table());
        let ms = |ns: u64| ns as f64 / 1e6;
        document.line(format!(
            "recorder's own CPU time: {:.1} ms (user {:.1}, system {:.1})",
            ms(self.user_ns + self.system_ns),
            ms(self.user_ns),
            ms(self.system_ns)
        ));
        let lost: u64 = self.cpus.iter().map(|of| of.lost).sum();
        if lost > 0 {
            document.line(format!(
                "LOST {lost} events: rings of {} KiB were full. Record again with --buffer-kib \
                 {}, or fewer events (-e, -f, --pid)",
                self.buffer_kib,
                self.buffer_kib * LARGER
            ));
        }
        if let Some(trouble) = &self.trouble {
            document.line(format!(
                "INCOMPLETE: {trouble}. Record to another place: -o FILE, not {}",
                self.out
            ));
        }
        document
    }

    fn table(&self) -> Table {
        let number = |(head, least)| Column::number(head).least(least);
        let columns = [("", 7), ("events", 11), ("pages", 9), ("lost", 9)];
        let mut table = Table::new(columns.map(number));
        let many = self.cpus.len() > MANY_CPUS;
        for of in self.cpus.iter().filter(|of| !many || of.lost > 0) {
            table.row(row(format!("CPU {}", of.cpu), of));
        }
        let add = |sum: OfCpu, of: &OfCpu| OfCpu {
            cpu: 0,
            events: sum.events + of.events,
            bytes: sum.bytes + of.bytes,
            lost: sum.lost + of.lost,
        };
        let all = self.cpus.iter().fold(OfCpu::default(), add);
        table.row(row("all".to_owned(), &all));
        table
    }
}

fn row(name: String, of: &OfCpu) -> [String; 4] {
    let (events, lost) = (of.events.to_string(), of.lost.to_string());
    [name, events, decimal_bytes(of.bytes), lost]
}

#[cfg(test)]
mod tests {
    use super::{OfCpu, Recorded};
    use crate::document::terminal;

    fn written(cpus: u32, lost: u64) -> String {
        let of = |cpu| OfCpu {
            cpu,
            events: 10,
            bytes: 4096,
            lost: if cpu == 1 { lost } else { 0 },
        };
        let recorded = Recorded {
            cpus: (0..cpus).map(of).collect(),
            buffer_kib: 512,
            ..Recorded::default()
        };
        terminal::plain(&recorded.document())
    }

    #[test]
    fn a_loss_is_reported_loudly_with_the_option_that_helps() {
        let text = written(2, 7);
        assert!(
            text.contains("  CPU 1           10     4.1 kB          7\n"),
            "{text}"
        );
        assert!(
            text.contains("    all           20     8.2 kB          7\n"),
            "{text}"
        );
        assert!(text.contains("LOST 7 events"), "{text}");
        assert!(text.contains("--buffer-kib 2048"), "{text}");
    }

    #[test]
    fn a_large_machine_shows_the_cpus_that_lost() {
        let quiet = written(64, 0);
        assert!(
            !quiet.contains("CPU 1") && !quiet.contains("LOST"),
            "{quiet}"
        );
        let losing = written(64, 3);
        assert_eq!(losing.matches("\n  CPU ").count(), 1, "{losing}");
        assert!(losing.contains("  CPU 1 "));
    }
}
