//! The watch for disturbance around each timed batch.
//!
//! Two kinds of reading. The cheap ones (thread usage, current CPU: below a
//! microsecond) are made around every batch. The expensive ones (steal from
//! /proc/stat, interrupts from /proc/interrupts: tens of microseconds, and
//! more on machines with many CPUs) are made only around batches that last at
//! least `EXPENSIVE_RATIO` times as long as one such reading, so that the caches it
//! disturbs do not weigh, and only as often as `EXPENSIVE_SHARE` of the time
//! allows. Which samples are read is decided before they are taken, so it
//! does not depend on their values. A sample that was not read has `None`; of
//! a block without a single reading the sum stands in its notes, and so does
//! the time stolen from any block.

use probe::cpu_time::StealReader;
use probe::interrupts::InterruptReader;
use probe::thread_usage::ThreadUsage;
use record::Disturbance;
use std::path::Path;

use crate::clock::raw_now_ns;

/// A batch must last so many expensive readings to be read around.
const EXPENSIVE_RATIO: f64 = 10.0;
/// Share of the time that expensive readings may take.
const EXPENSIVE_SHARE: f64 = 0.05;

/// What was seen around one batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Seen {
    /// CPU at the end of the batch.
    pub cpu: u16,
    pub disturbance: Disturbance,
}

/// Looks before and after each batch, outside the timed part.
pub trait Watch {
    /// A block of points begins.
    fn block_begins(&mut self) {}
    /// Right before the clock starts; the batch should take `expected_ns`.
    fn before(&mut self, expected_ns: f64);
    /// Right after the clock stopped.
    fn after(&mut self) -> Seen;
    /// What happened in the block as a whole, as sentences.
    fn block_notes(&mut self) -> Vec<String> {
        Vec::new()
    }
}

/// The watch of a live machine.
#[derive(Debug)]
pub struct SystemWatch {
    cpu: u32,
    expensive: Expensive,
    usage: ThreadUsage,
    cpu_before: u32,
    /// Counts before the current batch, when it is read around.
    expensive_before: Option<Counts>,
    block: Option<BlockSums>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Counts {
    steal_ns: Option<u64>,
    interrupts: Option<u64>,
}

#[derive(Debug)]
struct BlockSums {
    at_start: Counts,
    samples: u64,
    read: u64,
}

/// The expensive readers, what they cost and what they have cost so far.
#[derive(Debug)]
struct Expensive {
    steal: Option<StealReader>,
    interrupts: Option<InterruptReader>,
    notes: Vec<String>,
    cost_ns: f64,
    spent_ns: f64,
    since_ns: u64,
}

impl Expensive {
    fn open(root: &Path, cpu: u32) -> Self {
        let mut notes = Vec::new();
        let mut keep = |what: &str, why: &std::io::Error| {
            notes.push(format!("cannot read {what}: {why}"));
        };
        let steal = StealReader::open(root, cpu)
            .and_then(|mut r| r.read_ns().map(|_| r))
            .map_err(|e| keep("steal time from /proc/stat", &e))
            .ok();
        let interrupts = InterruptReader::open(root, cpu)
            .and_then(|mut r| r.read().map(|_| r))
            .map_err(|e| keep("interrupts from /proc/interrupts", &e))
            .ok();
        let mut expensive = Expensive {
            steal,
            interrupts,
            notes,
            cost_ns: 0.0,
            spent_ns: 0.0,
            since_ns: raw_now_ns(),
        };
        expensive.cost_ns = expensive.measure_cost();
        expensive
    }

    fn read(&mut self) -> Counts {
        Counts {
            steal_ns: self.steal.as_mut().and_then(|r| r.read_ns().ok()),
            interrupts: self.interrupts.as_mut().and_then(|r| r.read().ok()),
        }
    }

    /// Median of a few readings, ns.
    fn measure_cost(&mut self) -> f64 {
        let mut costs = [0u64; 7];
        for cost in &mut costs {
            let start = raw_now_ns();
            self.read();
            *cost = raw_now_ns().saturating_sub(start);
        }
        costs.sort_unstable();
        costs[costs.len() / 2] as f64
    }

    fn affordable(&self, expected_ns: f64) -> bool {
        if self.steal.is_none() && self.interrupts.is_none() {
            return false;
        }
        let passed_ns = raw_now_ns().saturating_sub(self.since_ns) as f64;
        expected_ns >= EXPENSIVE_RATIO * self.cost_ns
            && self.spent_ns <= EXPENSIVE_SHARE * (passed_ns + expected_ns)
    }
}

impl SystemWatch {
    /// Watches the calling thread, pinned to `cpu`; `root` is where /proc is
    /// found. What cannot be read stays `None` and is named by `notes`.
    pub fn open(root: &Path, cpu: u32) -> Self {
        SystemWatch {
            cpu,
            expensive: Expensive::open(root, cpu),
            usage: ThreadUsage::default(),
            cpu_before: cpu,
            expensive_before: None,
            block: None,
        }
    }

    /// What is not readable here.
    pub fn notes(&self) -> &[String] {
        &self.expensive.notes
    }

    fn expensive_since(&mut self) -> (Option<u64>, Option<u32>) {
        let Some(before) = self.expensive_before.take() else {
            return (None, None);
        };
        let now = self.expensive.read();
        self.expensive.spent_ns += 2.0 * self.expensive.cost_ns;
        if let Some(block) = &mut self.block {
            block.read += 1;
        }
        since(before, now)
    }
}

fn since(before: Counts, now: Counts) -> (Option<u64>, Option<u32>) {
    let passed = |now: Option<u64>, before: Option<u64>| Some(now?.saturating_sub(before?));
    (
        passed(now.steal_ns, before.steal_ns),
        passed(now.interrupts, before.interrupts).map(narrow),
    )
}

fn narrow(count: u64) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

impl Watch for SystemWatch {
    fn block_begins(&mut self) {
        self.block = Some(BlockSums {
            at_start: self.expensive.read(),
            samples: 0,
            read: 0,
        });
        self.expensive.since_ns = raw_now_ns();
        self.expensive.spent_ns = 0.0;
    }

    fn before(&mut self, expected_ns: f64) {
        if let Some(block) = &mut self.block {
            block.samples += 1;
        }
        if self.expensive.affordable(expected_ns) {
            self.expensive_before = Some(self.expensive.read());
        }
        self.cpu_before = current_cpu().unwrap_or(self.cpu);
        self.usage = ThreadUsage::now();
    }

    fn after(&mut self) -> Seen {
        let usage = ThreadUsage::now().since(&self.usage);
        let cpu = current_cpu().unwrap_or(self.cpu);
        let (steal_ns, interrupts) = self.expensive_since();
        Seen {
            cpu: u16::try_from(cpu).unwrap_or(u16::MAX),
            disturbance: Disturbance {
                voluntary_switches: narrow(usage.voluntary_switches),
                involuntary_switches: narrow(usage.involuntary_switches),
                minor_faults: narrow(usage.minor_faults),
                major_faults: narrow(usage.major_faults),
                migrations: u32::from(cpu != self.cpu_before),
                steal_ns,
                interrupts,
            },
        }
    }

    fn block_notes(&mut self) -> Vec<String> {
        let Some(block) = self.block.take() else {
            return Vec::new();
        };
        let (steal_ns, interrupts) = since(block.at_start, self.expensive.read());
        let mut notes = Vec::new();
        if let Some(steal_ns) = steal_ns.filter(|ns| *ns > 0) {
            notes.push(format!(
                "{} ms stolen from CPU {} while this block was measured",
                steal_ns / 1_000_000,
                self.cpu
            ));
        }
        if let Some(count) = interrupts.filter(|_| block.read == 0 && block.samples > 0) {
            notes.push(format!(
                "{count} interrupts on CPU {} while this block was measured, preparation \
                 included; its batches are too short to be read around",
                self.cpu
            ));
        }
        notes
    }
}

/// CPU that the calling thread is on; `None` where the system cannot say.
pub fn current_cpu() -> Option<u32> {
    // SAFETY: takes nothing and touches no memory of ours.
    u32::try_from(unsafe { libc::sched_getcpu() }).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn around(watch: &mut SystemWatch, expected_ns: f64, batch: impl FnOnce()) -> Disturbance {
        watch.before(expected_ns);
        batch();
        watch.after().disturbance
    }

    fn fixture() -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        let proc = root.path().join("proc");
        std::fs::create_dir(&proc).unwrap();
        std::fs::write(
            proc.join("stat"),
            "cpu 1 1 1 1 1 1 1 5\ncpu0 1 1 1 1 1 1 1 5\n",
        )
        .unwrap();
        std::fs::write(proc.join("interrupts"), " CPU0\nLOC: 7 timer\n").unwrap();
        root
    }

    #[test]
    fn a_batch_that_sleeps_is_flagged() {
        let mut watch = SystemWatch::open(Path::new("/"), 0);
        let seen = around(&mut watch, 0.0, || {
            std::thread::sleep(std::time::Duration::from_millis(2));
        });
        assert!(seen.voluntary_switches >= 1, "{seen:?}");
    }

    #[test]
    fn a_batch_that_faults_is_flagged() {
        let mut watch = SystemWatch::open(Path::new("/"), 0);
        let seen = around(&mut watch, 0.0, || {
            let mut pages = vec![0u8; 8 << 20];
            for byte in pages.iter_mut().step_by(4096) {
                *byte = 1;
            }
            std::hint::black_box(&pages);
        });
        assert!(seen.minor_faults >= 1, "{seen:?}");
    }

    #[test]
    fn without_proc_the_columns_are_absent_and_the_reason_is_kept() {
        let mut watch = SystemWatch::open(Path::new("/nonexistent"), 0);
        assert_eq!(watch.notes().len(), 2, "{:?}", watch.notes());
        watch.block_begins();
        let seen = around(&mut watch, 1e12, || {});
        assert_eq!((seen.steal_ns, seen.interrupts), (None, None));
        assert!(watch.block_notes().is_empty());
    }

    #[test]
    fn interrupts_and_steal_inside_a_batch_are_counted() {
        let root = fixture();
        let mut watch = SystemWatch::open(root.path(), 0);
        assert!(watch.notes().is_empty(), "{:?}", watch.notes());
        watch.block_begins();
        let seen = around(&mut watch, 1e12, || {
            let proc = root.path().join("proc");
            std::fs::write(proc.join("interrupts"), " CPU0\nLOC: 12 timer\n").unwrap();
            std::fs::write(proc.join("stat"), "cpu0 1 1 1 1 1 1 1 8\n").unwrap();
        });
        assert_eq!(seen.interrupts, Some(5));
        assert_eq!(seen.steal_ns, Some(3 * probe::cpu_time::tick_ns()));
        let notes = watch.block_notes().join("; ");
        assert!(notes.contains("stolen from CPU 0"), "{notes}");
    }

    #[test]
    fn short_batches_are_not_read_around_and_the_sum_is_in_the_notes() {
        let root = fixture();
        let mut watch = SystemWatch::open(root.path(), 0);
        watch.block_begins();
        let seen = around(&mut watch, 1.0, || {
            let proc = root.path().join("proc");
            std::fs::write(proc.join("interrupts"), " CPU0\nLOC: 12 timer\n").unwrap();
        });
        assert_eq!(seen.interrupts, None);
        let notes = watch.block_notes().join("; ");
        assert!(notes.contains("5 interrupts on CPU 0"), "{notes}");
    }
}
