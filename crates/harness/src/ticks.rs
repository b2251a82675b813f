//! How often a CPU's timer interrupts it, while it works and while it rests.

use crate::clock::{monotonic_now_ns, sleep_until};
use machine::Source;
use probe::interrupts::Table;
use std::io;
use std::path::Path;
use trace::analyse::ticks::is_timer;

/// Keeps the calling thread's CPU busy, or lets it rest, for `ns`; the time that
/// it really took.
pub fn pass_time(busy: bool, ns: u64) -> u64 {
    let began_ns = monotonic_now_ns();
    let until_ns = began_ns + ns;
    match busy {
        true => {
            // Not a sleep: a CPU that has nothing to run may stop its tick (NO_HZ_IDLE).
            while monotonic_now_ns() < until_ns {
                std::hint::spin_loop();
            }
        }
        false => sleep_until(until_ns),
    }
    monotonic_now_ns() - began_ns
}

/// Interrupts of the local timer that `cpu` has taken since boot: the row LOC on
/// x86, the rows of timers on ARM.
///
/// # Errors
/// As reading /proc/interrupts; `NotFound` where it has no such row or column.
pub fn timer_interrupts(root: &Path, cpu: u32) -> io::Result<u64> {
    let table = Table::read(root)?;
    count(&table, cpu).ok_or_else(|| {
        let cause = format!("it has no timer of CPU {cpu}");
        io::Error::new(io::ErrorKind::NotFound, cause)
    })
}

fn count(table: &Table, cpu: u32) -> Option<u64> {
    let column = table.cpus.iter().position(|c| *c == cpu)?;
    let mut rows = table.rows.iter().filter(|row| {
        let device = row.description.split_whitespace().last().unwrap_or("");
        row.name == "LOC" || (!row.of_no_cpu && is_timer(device.as_bytes()))
    });
    let first = rows.next()?.counts.get(column).copied()?;
    let others = rows.filter_map(|row| row.counts.get(column));
    Some(others.fold(first, |sum, count| sum + count))
}

/// CONFIG_HZ, and which file says so; None where the configuration is not to be
/// had.
pub fn configured_hz(root: &Path) -> Option<(u32, String)> {
    let source = Source::new(root);
    let boot = machine::boot::read(&source);
    let hz = machine::kernel::read(&source, &boot).hz?;
    Some((hz.value, hz.by))
}

#[cfg(test)]
mod tests {
    use super::{Table, count, pass_time};

    fn counted(text: &str, cpu: u32) -> Option<u64> {
        count(&Table::parse(text)?, cpu)
    }

    #[test]
    fn the_timer_is_found_on_either_architecture() {
        let x86 = "      CPU0   CPU1\n 0:  40  0  IO-APIC  2-edge  timer\nLOC:  100  200  Local timer interrupts\n";
        // The first row is the old PIT: it is a timer of that CPU too.
        assert_eq!(counted(x86, 0), Some(140));
        assert_eq!(counted(x86, 1), Some(200));
        let arm = "      CPU0   CPU1\n 11:  7  8  GICv3  27 Level  arch_timer\nIPI0:  3  4  Rescheduling interrupts\n";
        assert_eq!(counted(arm, 1), Some(8));
        assert_eq!(
            counted("      CPU0\nIPI0: 3 Rescheduling interrupts\n", 0),
            None
        );
        assert_eq!(counted(x86, 2), None);
    }

    #[test]
    fn time_passes_at_least_as_long_as_asked() {
        for busy in [true, false] {
            assert!(pass_time(busy, 1_000_000) >= 1_000_000);
        }
    }
}
