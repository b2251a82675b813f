//! What the rows of /proc/interrupts and /proc/softirqs mean, on x86 and ARM.

use record::{InterruptRow, InterruptsHead};
use trace::analyse::ticks::is_timer;

/// A kind that is counted.
#[derive(Debug, Clone, Copy)]
pub struct InterruptSource {
    /// Name of the tally.
    pub name: &'static str,
    pub doc: &'static str,
    /// In a sentence, after a number.
    pub plural: &'static str,
}

const fn kind(name: &'static str, doc: &'static str, plural: &'static str) -> InterruptSource {
    InterruptSource { name, doc, plural }
}

/// What is counted of interrupts and switches, in the order of the tallies.
pub const KINDS: [InterruptSource; 13] = [
    kind(
        "timer",
        "timer interrupts of the CPU per second",
        "timer interrupts",
    ),
    kind(
        "reschedule",
        "rescheduling interrupts from other CPUs per second",
        "rescheduling interrupts",
    ),
    kind(
        "function_call",
        "function call interrupts from other CPUs per second, without TLB shootdowns",
        "function call interrupts",
    ),
    kind(
        "tlb",
        "TLB shootdowns from other CPUs per second (x86)",
        "TLB shoot-downs",
    ),
    kind(
        "device",
        "device interrupts per second",
        "interrupts of devices",
    ),
    kind("other", "other interrupts per second", "other interrupts"),
    kind(
        "softirq_timer",
        "TIMER softirqs per second",
        "softirqs TIMER",
    ),
    kind("net_rx", "NET_RX softirqs per second", "softirqs NET_RX"),
    kind("block", "BLOCK softirqs per second", "softirqs BLOCK"),
    kind("sched", "SCHED softirqs per second", "softirqs SCHED"),
    kind("hrtimer", "HRTIMER softirqs per second", "softirqs HRTIMER"),
    kind("rcu", "RCU softirqs per second", "softirqs RCU"),
    kind(
        "context_switches",
        "context switches of the whole machine per second",
        "context switches of the machine",
    ),
];
/// Those before are interrupts.
const SOFTIRQS: usize = 6;
const CALLS: usize = 2;
const TLB: usize = 3;
const SWITCHES: usize = KINDS.len() - 1;

/// How many of each kind came.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts(pub [u64; KINDS.len()]);

impl Counts {
    /// Of the measuring CPU; what belongs to no CPU is left out.
    pub fn of(met: &InterruptsHead) -> Counts {
        let mut counts = Counts::default();
        for row in &met.rows {
            if let Some(kind) = kind_of(row) {
                counts.0[kind] += row.here.unwrap_or(row.total);
            }
        }
        // x86 counts what it asks for of another CPU's translations twice.
        let shot_down = counts.0[TLB];
        counts.0[CALLS] = counts.0[CALLS].saturating_sub(shot_down);
        counts
    }

    /// Of the kind with this name; 0 where there is none.
    pub fn named(&self, name: &str) -> u64 {
        let at = KINDS.iter().position(|kind| kind.name == name);
        at.map_or(0, |at| self.0[at])
    }

    /// All that are interrupts.
    pub fn interrupts(&self) -> u64 {
        self.0[..SOFTIRQS].iter().sum()
    }
}

fn kind_of(row: &InterruptRow) -> Option<usize> {
    let named = |name: &str| KINDS.iter().position(|kind| kind.name == name);
    if let Some(softirq) = row.name.strip_prefix("softirq ") {
        return match softirq {
            "TIMER" => named("softirq_timer"),
            other => named(&other.to_ascii_lowercase()).filter(|at| *at >= SOFTIRQS),
        };
    }
    if row.here.is_none() {
        return (row.name == "context switches").then_some(SWITCHES);
    }
    let says = |words: &str| row.description.contains(words);
    let device = row.description.split_whitespace().last().unwrap_or("");
    let numbered = row.name.bytes().all(|b| b.is_ascii_digit());
    named(match () {
        () if row.name == "LOC" || says("Timer broadcast") => "timer",
        () if numbered && is_timer(device.as_bytes()) => "timer",
        () if says("Rescheduling") => "reschedule",
        () if says("Function call") => "function_call",
        () if says("TLB") => "tlb",
        () if numbered => "device",
        () => "other",
    })
}
