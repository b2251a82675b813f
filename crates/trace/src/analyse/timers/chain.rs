//! The way of a timer's interrupt on one CPU: hard interrupt, hrtimers, softirq
//! raised, hard interrupt left, softirq entered, timers expired, softirq left.
//!
//! On x86 the hard interrupt is `local_timer_entry`, elsewhere
//! `irq_handler_entry` of a timer. Pairing is by CPU, for ksoftirqd may run the
//! softirq much later.

use crate::analyse::distribution::Distribution;
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
    /// Interrupt entered -> left.
    pub hardirq: Distribution,
    /// An hrtimer's function, entered -> left.
    pub hrtimer: Distribution,
    /// Interrupt entered -> softirq raised in it.
    pub entry_to_raise: Distribution,
    /// Softirq raised -> entered.
    pub raise_to_entry: Distribution,
    /// Softirq entered -> left.
    pub softirq: Distribution,
    /// Softirq entered -> first timer's function.
    pub entry_to_expiry: Distribution,
    /// A timer's function, entered -> left.
    pub expiry: Distribution,
}

/// Follows the chain on each CPU.
#[derive(Debug, Default)]
pub struct Chains {
    pub sums: ChainSums,
    cpus: Vec<Cpu>,
}

impl Chains {
    #[must_use]
    pub fn new(known: &Known) -> Chains {
        Chains {
            sums: ChainSums::default(),
            cpus: vec![Cpu::default(); known.cpus.len()],
        }
    }
}

fn since(from: Option<u64>, at_ns: u64, into: &mut Distribution) {
    if let Some(from) = from {
        into.add(at_ns.saturating_sub(from));
    }
}

impl Visitor for Chains {
    fn event(&mut self, h: &Happening<'_>, known: &Known) {
        let (cpu, sums, at_ns) = (&mut self.cpus[h.cpu], &mut self.sums, h.at_ns);
        let local = |which: &usize| known.vectors[*which] == "local_timer";
        match &h.what {
            What::Switch(_) => {
                if let Some(raised) = &mut cpu.raised {
                    raised.switched = true;
                }
            }
            What::VectorEntry { which } if local(which) => {
                sums.interrupts += 1;
                cpu.hardirq = Some(at_ns);
            }
            What::IrqEntry { name, .. } if is_timer(name) => {
                sums.interrupts += 1;
                cpu.hardirq = Some(at_ns);
            }
            What::VectorExit { which } if local(which) => {
                since(cpu.hardirq.take(), at_ns, &mut sums.hardirq)
            }
            What::IrqExit { .. } => since(cpu.hardirq.take(), at_ns, &mut sums.hardirq),
            What::HrtimerExpireEntry { .. } => {
                sums.hrtimer_expiries += 1;
                cpu.hrtimer = Some(at_ns);
            }
            What::HrtimerExpireExit { .. } => since(cpu.hrtimer.take(), at_ns, &mut sums.hrtimer),
            What::SoftirqRaise { vec: TIMER } => {
                sums.raises += 1;
                if let Some(entered) = cpu.hardirq {
                    sums.raises_in_interrupt += 1;
                    sums.entry_to_raise.add(at_ns.saturating_sub(entered));
                }
                // Raised again before it ran: it counts from the first time.
                cpu.raised.get_or_insert(Raised {
                    at_ns,
                    switched: false,
                });
            }
            What::SoftirqEntry { vec: TIMER } => {
                sums.softirqs += 1;
                if let Some(raised) = cpu.raised.take() {
                    sums.raise_to_entry.add(at_ns.saturating_sub(raised.at_ns));
                    sums.softirqs_deferred += u64::from(raised.switched);
                }
                cpu.softirq = Some((at_ns, 0));
            }
            What::SoftirqExit { vec: TIMER } => {
                if let Some((entered, expired)) = cpu.softirq.take() {
                    sums.softirq.add(at_ns.saturating_sub(entered));
                    sums.softirqs_empty += u64::from(expired == 0);
                }
            }
            What::TimerExpireEntry { .. } => {
                sums.expiries += 1;
                cpu.expiry = Some(at_ns);
                if let Some((entered, expired)) = &mut cpu.softirq {
                    if *expired == 0 {
                        sums.entry_to_expiry.add(at_ns.saturating_sub(*entered));
                    }
                    *expired += 1;
                }
            }
            What::TimerExpireExit { .. } => since(cpu.expiry.take(), at_ns, &mut sums.expiry),
            _ => {}
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
