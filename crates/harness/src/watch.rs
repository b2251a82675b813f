//! The watch for disturbance around each timed batch.
//!
//! What is cheap (thread usage, current CPU, the time for which the thread ran: about a
//! microsecond) is read around every batch. What is not (steal and interrupts) is read now and
//! then, and every batch lies between two such readings (`brackets`).

mod brackets;
mod off_cpu;

pub use brackets::Bracket;

use brackets::Brackets;
use off_cpu::OffCpu;
use probe::thread_usage::ThreadUsage;
use record::Disturbance;
use std::path::Path;

/// What was seen around one batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Seen {
    /// CPU at the end of the batch.
    pub cpu: u16,
    /// Number of the batch in its block.
    pub batch: usize,
    /// Without what brackets say.
    pub disturbance: Disturbance,
}

/// What was seen of a block as a whole.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Whole {
    /// Steal and interrupts, in the order of the batches.
    pub brackets: Vec<Bracket>,
    /// Time was stolen, and the thread's clock went on: it cannot tell.
    pub off_cpu_is_blind: bool,
    pub notes: Vec<String>,
}

/// Looks before and after each batch, outside the timed part.
pub trait Watch {
    /// A block of points begins.
    fn block_begins(&mut self) {}
    /// Right before the clock starts.
    fn before(&mut self);
    /// Right after the clock stopped.
    fn after(&mut self) -> Seen;
    /// The block has ended.
    fn block_ends(&mut self) -> Whole {
        Whole::default()
    }
}

impl Whole {
    /// Puts into `seen` what the bracket of its batch says.
    pub fn complete(&self, seen: &mut Seen) {
        if self.off_cpu_is_blind {
            seen.disturbance.off_cpu_ns = None;
        }
        let Some(bracket) = brackets::around(&self.brackets, seen.batch) else {
            return;
        };
        seen.disturbance.steal_ns = bracket.steal_ns;
        seen.disturbance.interrupts = bracket.interrupts.map(narrow);
        seen.disturbance.bracket_batches = u32::try_from(bracket.batches).unwrap_or(u32::MAX);
    }
}

/// The watch of a live machine.
#[derive(Debug)]
pub struct SystemWatch {
    cpu: u32,
    brackets: Brackets,
    off_cpu: OffCpu,
    off_cpu_of_block: OffCpu,
    usage: ThreadUsage,
    cpu_before: u32,
    batch: usize,
}

impl SystemWatch {
    /// Watches the calling thread, pinned to `cpu`; `root` is where /proc is
    /// found. What cannot be read stays `None` and is named by `notes`.
    pub fn open(root: &Path, cpu: u32) -> Self {
        let off_cpu = OffCpu::fit();
        SystemWatch {
            cpu,
            brackets: Brackets::open(root, cpu),
            off_cpu,
            off_cpu_of_block: off_cpu,
            usage: ThreadUsage::default(),
            cpu_before: cpu,
            batch: 0,
        }
    }

    /// What is not readable here.
    pub fn notes(&self) -> &[String] {
        self.brackets.notes()
    }

    fn stolen(&self, steal_ns: u64) -> Option<String> {
        (steal_ns > 0).then(|| {
            format!(
                "{} ms stolen from CPU {} while this block was measured",
                steal_ns / 1_000_000,
                self.cpu
            )
        })
    }
}

fn narrow(count: u64) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

impl Watch for SystemWatch {
    fn block_begins(&mut self) {
        self.brackets.begin();
        self.off_cpu_of_block = self.off_cpu;
        self.off_cpu_of_block.begin();
    }

    fn before(&mut self) {
        self.brackets.read_if_due();
        self.batch = self.brackets.next_batch();
        self.cpu_before = current_cpu().unwrap_or(self.cpu);
        self.off_cpu.begin();
        self.usage = ThreadUsage::now();
    }

    fn after(&mut self) -> Seen {
        let usage = ThreadUsage::now().since(&self.usage);
        let cpu = current_cpu().unwrap_or(self.cpu);
        let off_cpu_ns = self.off_cpu.end();
        self.brackets.read_if_due();
        Seen {
            cpu: u16::try_from(cpu).unwrap_or(u16::MAX),
            batch: self.batch,
            disturbance: Disturbance {
                voluntary_switches: narrow(usage.voluntary_switches),
                involuntary_switches: narrow(usage.involuntary_switches),
                minor_faults: narrow(usage.minor_faults),
                major_faults: narrow(usage.major_faults),
                migrations: u32::from(cpu != self.cpu_before),
                off_cpu_ns,
                ..Disturbance::default()
            },
        }
    }

    fn block_ends(&mut self) -> Whole {
        let off_cpu_ns = self.off_cpu_of_block.end();
        let brackets = self.brackets.end();
        let steal = brackets.iter().filter_map(|b| b.steal_ns);
        let steal_ns = steal.fold(0, u64::saturating_add);
        Whole {
            off_cpu_is_blind: is_blind(off_cpu_ns, steal_ns),
            notes: self.stolen(steal_ns).into_iter().collect(),
            brackets,
        }
    }
}

/// Whether the scheduler counts stolen time as time for which the thread ran: the kernel may
/// know of steal and keep its own clock without it. Two ticks and more tell.
fn is_blind(off_cpu_ns: Option<u64>, steal_ns: u64) -> bool {
    let telling = steal_ns >= 2 * probe::cpu_time::tick_ns();
    telling && off_cpu_ns.is_some_and(|off_ns| off_ns < steal_ns / 2)
}

/// CPU that the calling thread is on; `None` where the system cannot say.
pub fn current_cpu() -> Option<u32> {
    // SAFETY: takes nothing and touches no memory of ours.
    u32::try_from(unsafe { libc::sched_getcpu() }).ok()
}

#[cfg(test)]
mod tests;
