//! The way of a timer's interrupt on one CPU: hard interrupt, hrtimers, softirq
//! raised, hard interrupt left, softirq entered, timers expired, softirq left.
//!
//! On x86 the hard interrupt is `local_timer_entry`, elsewhere
//! `irq_handler_entry` of a timer. Pairing is by CPU, for ksoftirqd may run the
//! softirq much later.

use super::stage::{Passage, Stage, Stages};
use crate::analyse::event::{Happening, What};
use crate::analyse::known::Known;
use crate::analyse::pass::{Gap, Visitor};
use crate::analyse::ticks::is_timer;
use serde::Serialize;

/// Softirq TIMER.
const TIMER: u32 = 1;

#[derive(Debug, Clone, Copy, Default)]
struct Cpu {
    /// Since when the timer's interrupt is open.
    hardirq: Option<u64>,
    raised: Option<Raised>,
    /// Since when the softirq is open, and what expired in it.
    softirq: Option<(u64, u64)>,
    hrtimer: Option<u64>,
    expiry: Option<u64>,
}

#[derive(Debug, Clone, Copy)]
struct Raised {
    at_ns: u64,
    /// A task was switched in since.
    switched: bool,
}

/// How often each stage was met, and how long it took, in ns.
#[derive(Debug, Clone, Default, Serialize)]
pub struct ChainSums {
    pub interrupts: u64,
    pub raises: u64,
    /// Of those, inside the timer's interrupt.
    pub raises_in_interrupt: u64,
    pub softirqs: u64,
    /// Softirqs in which no timer expired.
    pub softirqs_empty: u64,
    /// Softirqs that began after a switch: ksoftirqd, or a task that went first.
    pub softirqs_deferred: u64,
    pub hrtimer_expiries: u64,
    pub expiries: u64,
    /// Stages that a gap cut.
    pub dropped: u64,
    #[serde(flatten)]
    pub stages: Stages,
}

/// Is handed each passage of a stage when it ends.
pub type PassageSink<'a> = &'a mut dyn FnMut(&Passage);

/// Follows the chain on each CPU.
pub struct Chains<'a> {
    pub sums: ChainSums,
    cpus: Vec<Cpu>,
    sink: Option<PassageSink<'a>>,
}

impl<'a> Chains<'a> {
    #[must_use]
    pub fn new(known: &Known) -> Chains<'a> {
        Chains {
            sums: ChainSums::default(),
            cpus: vec![Cpu::default(); known.cpus.len()],
            sink: None,
        }
    }

    /// Hands out each passage, too.
    #[must_use]
    pub fn with_sink(known: &Known, sink: PassageSink<'a>) -> Chains<'a> {
        Chains {
            sink: Some(sink),
            ..Chains::new(known)
        }
    }

    fn passed(&mut self, cpu: usize, stage: Stage, length_ns: u64, unusual: bool) {
        self.sums.stages[stage].add(length_ns);
        if let Some(sink) = &mut self.sink {
            sink(&Passage {
                stage,
                cpu,
                length_ns,
                unusual,
            });
        }
    }

    /// The stage that an event ends, its length, and whether it was unusual.
    fn ended(&mut self, h: &Happening<'_>, known: &Known) -> Option<(Stage, u64, bool)> {
        let (cpu, sums, at_ns) = (&mut self.cpus[h.cpu], &mut self.sums, h.at_ns);
        let local = |which: &usize| known.vectors[*which] == "local_timer";
        let plain = |stage, from: Option<u64>| Some((stage, at_ns.saturating_sub(from?), false));
        match &h.what {
            What::Switch(_) => {
                if let Some(raised) = &mut cpu.raised {
                    raised.switched = true;
                }
                None
            }
            What::VectorEntry { which } if local(which) => {
                sums.interrupts += 1;
                cpu.hardirq = Some(at_ns);
                None
            }
            What::IrqEntry { name, .. } if is_timer(name) => {
                sums.interrupts += 1;
                cpu.hardirq = Some(at_ns);
                None
            }
            What::VectorExit { which } if local(which) => plain(Stage::Hardirq, cpu.hardirq.take()),
            What::IrqExit { .. } => plain(Stage::Hardirq, cpu.hardirq.take()),
            What::HrtimerExpireEntry { .. } => {
                sums.hrtimer_expiries += 1;
                cpu.hrtimer = Some(at_ns);
                None
            }
            What::HrtimerExpireExit { .. } => plain(Stage::Hrtimer, cpu.hrtimer.take()),
            What::SoftirqRaise { vec: TIMER } => {
                sums.raises += 1;
                sums.raises_in_interrupt += u64::from(cpu.hardirq.is_some());
                // Raised again before it ran: it counts from the first time.
                cpu.raised.get_or_insert(Raised {
                    at_ns,
                    switched: false,
                });
                plain(Stage::EntryToRaise, cpu.hardirq)
            }
            What::SoftirqEntry { vec: TIMER } => {
                sums.softirqs += 1;
                cpu.softirq = Some((at_ns, 0));
                let raised = cpu.raised.take()?;
                sums.softirqs_deferred += u64::from(raised.switched);
                let took_ns = at_ns.saturating_sub(raised.at_ns);
                Some((Stage::RaiseToEntry, took_ns, raised.switched))
            }
            What::SoftirqExit { vec: TIMER } => {
                let (entered, expired) = cpu.softirq.take()?;
                let empty = expired == 0;
                sums.softirqs_empty += u64::from(empty);
                Some((Stage::Softirq, at_ns.saturating_sub(entered), empty))
            }
            What::TimerExpireEntry { .. } => {
                sums.expiries += 1;
                cpu.expiry = Some(at_ns);
                let (entered, expired) = cpu.softirq.as_mut()?;
                *expired += 1;
                let first = *expired == 1;
                plain(Stage::EntryToExpiry, first.then_some(*entered))
            }
            What::TimerExpireExit { .. } => plain(Stage::Expiry, cpu.expiry.take()),
            _ => None,
        }
    }
}

impl Visitor for Chains<'_> {
    fn event(&mut self, h: &Happening<'_>, known: &Known) {
        if let Some((stage, length_ns, unusual)) = self.ended(h, known) {
            self.passed(h.cpu, stage, length_ns, unusual);
        }
    }

    fn lost(&mut self, gap: &Gap, _: &Known) {
        let cpu = std::mem::take(&mut self.cpus[gap.cpu]);
        let open = [
            cpu.hardirq.is_some(),
            cpu.raised.is_some(),
            cpu.softirq.is_some(),
            cpu.expiry.is_some(),
        ];
        self.sums.dropped += open.iter().filter(|o| **o).count() as u64;
    }
}
