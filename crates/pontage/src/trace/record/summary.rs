//! What a recording says of itself, on standard error.

use probe::tracefs::{Prepared, Selection, Stopped, Tracefs};
use std::fmt::Write;
use std::path::Path;

/// Rings so much larger would have held what was lost, in most cases.
const LARGER: u64 = 4;

/// On larger machines only CPUs that lost events have a row.
const MANY_CPUS: usize = 16;

/// What is not as somebody may expect.
pub fn before(tracefs: &Tracefs, prepared: &Prepared, selection: &Selection) {
    for line in &prepared.notes {
        harness::message!("note: {line}");
    }
    if let Some(functions) = &prepared.functions {
        harness::message!("note: {functions}");
    }
    if let Some(tracer) = prepared.other_tracer(tracefs) {
        harness::message!(
            "note: tracer {tracer} is active in the machine's own ring; it is left as it is, \
             and slows what is recorded"
        );
    }
    if !selection.left_out.is_empty() {
        harness::message!(
            "note: this kernel does not have {}",
            selection.left_out.join(", ")
        );
    }
}

pub fn after(stopped: &Stopped, buffer_kib: u64, out: &Path) {
    harness::messages::part(&text(stopped, buffer_kib, out));
}

pub fn written(out: &Path, bytes: u64) {
    harness::message!("{}: {}", out.display(), size(bytes));
}

fn text(stopped: &Stopped, buffer_kib: u64, out: &Path) -> String {
    let mut text = String::new();
    let stats = &stopped.head.cpu_stats;
    let events = |cpu: u32| {
        let stat = stats.iter().find(|s| s.cpu == cpu);
        stat.and_then(|s| s.value("read events")).unwrap_or(0)
    };
    let lost = |cpu: u32| {
        let stat = stats.iter().find(|s| s.cpu == cpu);
        stat.map_or(0, ::trace::CpuStat::lost)
    };
    let _ = writeln!(
        text,
        "{:>7} {:>12} {:>10} {:>10}",
        "", "events", "pages", "lost"
    );
    let many = stopped.bytes.len() > MANY_CPUS;
    let shown = |cpu: u32| !many || lost(cpu) > 0;
    for (cpu, bytes) in stopped.bytes.iter().filter(|(cpu, _)| shown(*cpu)) {
        let _ = writeln!(
            text,
            "{:>7} {:>12} {:>10} {:>10}",
            format!("CPU {cpu}"),
            events(*cpu),
            size(*bytes),
            lost(*cpu)
        );
    }
    let cpus = || stopped.bytes.iter().map(|(cpu, _)| *cpu);
    let all: u64 = cpus().map(events).sum();
    let all_lost: u64 = cpus().map(lost).sum();
    let _ = writeln!(
        text,
        "{:>7} {all:>12} {:>10} {all_lost:>10}",
        "all",
        size(stopped.bytes.iter().map(|(_, bytes)| bytes).sum())
    );
    let own = stopped.own_time;
    let ms = |ns: u64| ns as f64 / 1e6;
    let _ = writeln!(
        text,
        "recorder's own CPU time: {:.1} ms (user {:.1}, system {:.1})",
        ms(own.total_ns()),
        ms(own.user_ns),
        ms(own.system_ns)
    );
    if all_lost > 0 {
        let _ = writeln!(
            text,
            "LOST {all_lost} events: rings of {buffer_kib} KiB were full. Record again with \
             --buffer-kib {}, or fewer events (-e, -f, --pid)",
            buffer_kib * LARGER
        );
    }
    if let Some(trouble) = &stopped.trouble {
        let _ = writeln!(
            text,
            "INCOMPLETE: {trouble}. Record to another place: -o FILE, not {}",
            out.display()
        );
    }
    text
}

/// 17 B, 4.2 kB, 73.8 MB
pub fn size(bytes: u64) -> String {
    let units = ["kB", "MB", "GB", "TB"];
    if bytes < 1000 {
        return format!("{bytes} B");
    }
    let mut value = bytes as f64 / 1000.0;
    let mut unit = 0;
    while value >= 1000.0 && unit + 1 < units.len() {
        value /= 1000.0;
        unit += 1;
    }
    format!("{value:.1} {}", units[unit])
}

#[cfg(test)]
mod tests {
    use super::*;
    use ::trace::{CpuStat, Head, Order};
    use probe::process_time::ProcessTime;
    use probe::tracefs::Spool;

    fn stopped(cpus: u32, lost: u64) -> (tempfile::TempDir, Stopped) {
        let folder = tempfile::tempdir().unwrap();
        let mut head = Head::empty(Order::Little, 8, 4096);
        for cpu in 0..cpus {
            let lost = if cpu == 1 { lost } else { 0 };
            head.cpu_stats.push(CpuStat {
                cpu,
                text: format!("CPU: {cpu}\noverrun: {lost}\nread events: 10\n"),
            });
        }
        let spool = Spool::create(&folder.path().join("trace.dat"), &head).unwrap();
        let stopped = Stopped {
            bytes: (0..cpus).map(|cpu| (cpu, 4096)).collect(),
            own_time: ProcessTime::default(),
            trouble: None,
            head,
            spool,
        };
        (folder, stopped)
    }

    #[test]
    fn a_loss_is_told_loudly_with_the_option_that_helps() {
        let (_folder, stopped) = stopped(2, 7);
        let text = text(&stopped, 512, Path::new("trace.dat"));
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
        let (_folder, quiet) = stopped(64, 0);
        let quiet = text(&quiet, 512, Path::new("trace.dat"));
        assert!(
            !quiet.contains("CPU 1") && !quiet.contains("LOST"),
            "{quiet}"
        );
        let (_folder, losing) = stopped(64, 3);
        let losing = text(&losing, 512, Path::new("trace.dat"));
        assert_eq!(losing.matches("\n  CPU ").count(), 1, "{losing}");
        assert!(losing.contains("  CPU 1 "));
    }

    #[test]
    fn sizes_are_short() {
        assert_eq!(size(999), "999 B");
        assert_eq!(size(4_200), "4.2 kB");
        assert_eq!(size(73_830_000), "73.8 MB");
        assert_eq!(size(5_000_000_000_000_000), "5000.0 TB");
    }
}
