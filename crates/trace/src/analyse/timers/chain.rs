//! The way of a timer's interrupt on one CPU: hard interrupt, hrtimers, softirq
//! raised, hard interrupt left, softirq entered, timers expired, softirq left.
//!
//! On x86 the hard interrupt is `local_timer_entry`, elsewhere
//! `irq_handler_entry` of a timer. Pairing is by CPU, for ksoftirqd may run the
//! softirq much later.

use super::stage::{Passage, Stage, Stages};
use crate::analyse::event::{Happening, Interrupt, InterruptKind, What};
use crate::analyse::known::Known;
use crate::analyse::pass::{Gap, Visitor};
use crate::analyse::ticks::timer_interrupt;
use serde::Serialize;

/// Softirq TIMER.
const TIMER: Interrupt = Interrupt {
    kind: InterruptKind::Softirq,
    number: 1,
};

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
    /// Interrupts of the timer.
    pub interrupts: u64,
    /// softirq_raise of TIMER.
    pub raises: u64,
    /// Of those, inside the timer's interrupt.
    pub raises_in_interrupt: u64,
    /// softirq_entry of TIMER.
    pub softirqs: u64,
    /// Softirqs in which no timer expired.
    pub softirqs_empty: u64,
    /// Softirqs that began after a switch: ksoftirqd, or a task that went first.
    pub softirqs_deferred: u64,
    /// Functions of hrtimers that were called.
    pub hrtimer_expiries: u64,
    /// Functions of wheel timers that were called.
    pub expiries: u64,
    /// Stages that a gap cut.
    pub dropped: u64,
    /// Length of each stage, in ns.
    #[serde(flatten)]
    pub stages: Stages,
}

/// Is handed each passage of a stage when it ends.
pub type PassageSink<'a> = &'a mut dyn FnMut(&Passage);

/// Follows the chain on each CPU.
pub struct Chains<'a> {
    /// Of all CPUs so far.
    pub sums: ChainSums,
    cpus: Vec<Cpu>,
    sink: Option<PassageSink<'a>>,
}

impl<'a> Chains<'a> {
    /// Without any stage so far.
    pub fn new(known: &Known) -> Chains<'a> {
        Chains {
            sums: ChainSums::default(),
            cpus: vec![Cpu::default(); known.cpus.len()],
            sink: None,
        }
    }

    /// Hands out each passage, too.
    pub fn with_sink(known: &Known, sink: PassageSink<'a>) -> Chains<'a> {
        Chains {
            sink: Some(sink),
            ..Chains::new(known)
        }
    }

    /// Opens the stages that an event begins; the stage that it ends.
    fn follow(&mut self, h: &Happening<'_>, known: &Known) -> Option<Passage> {
        let (cpu, sums) = (&mut self.cpus[h.cpu], &mut self.sums);
        match h.what {
            What::HrtimerExpireEntry { .. } => {
                sums.hrtimer_expiries += 1;
                cpu.hrtimer = Some(h.at_ns);
                None
            }
            What::HrtimerExpireExit { .. } => passed(Stage::Hrtimer, cpu.hrtimer.take(), h),
            What::SoftirqRaise { vec } if vec == TIMER.number => cpu.raise_softirq(h, sums),
            What::Switch(_) => {
                cpu.raised
                    .iter_mut()
                    .for_each(|raised| raised.switched = true);
                None
            }
            What::InterruptEntry(TIMER, _) => cpu.enter_softirq(h, sums),
            What::TimerExpireEntry { .. } => cpu.enter_timer(h, sums),
            What::TimerExpireExit { .. } => passed(Stage::Expiry, cpu.expiry.take(), h),
            What::InterruptExit(TIMER) => cpu.leave_softirq(h, sums),
            what => match timer_interrupt(&what, known)? {
                true => {
                    sums.interrupts += 1;
                    cpu.hardirq = Some(h.at_ns);
                    None
                }
                false => passed(Stage::Hardirq, cpu.hardirq.take(), h),
            },
        }
    }
}

/// A stage that ends here and began at `from_ns`; None where its begin was not seen.
fn passed(stage: Stage, from_ns: Option<u64>, h: &Happening<'_>) -> Option<Passage> {
    Some(Passage {
        stage,
        cpu: h.cpu,
        length_ns: h.at_ns.saturating_sub(from_ns?),
        unusual: false,
    })
}

/// The steps of the chain, each with the stage that it ends.
impl Cpu {
    fn raise_softirq(&mut self, h: &Happening<'_>, sums: &mut ChainSums) -> Option<Passage> {
        sums.raises += 1;
        sums.raises_in_interrupt += u64::from(self.hardirq.is_some());
        // Raised again before it ran: it counts from the first time.
        self.raised.get_or_insert(Raised {
            at_ns: h.at_ns,
            switched: false,
        });
        passed(Stage::EntryToRaise, self.hardirq, h)
    }

    fn enter_softirq(&mut self, h: &Happening<'_>, sums: &mut ChainSums) -> Option<Passage> {
        sums.softirqs += 1;
        self.softirq = Some((h.at_ns, 0));
        let raised = self.raised.take()?;
        sums.softirqs_deferred += u64::from(raised.switched);
        Some(Passage {
            unusual: raised.switched,
            ..passed(Stage::RaiseToEntry, Some(raised.at_ns), h)?
        })
    }

    fn enter_timer(&mut self, h: &Happening<'_>, sums: &mut ChainSums) -> Option<Passage> {
        sums.expiries += 1;
        self.expiry = Some(h.at_ns);
        let (entered, expired) = self.softirq.as_mut()?;
        *expired += 1;
        // Later timers of one softirq wait for those before them.
        let first = (*expired == 1).then_some(*entered);
        passed(Stage::EntryToExpiry, first, h)
    }

    fn leave_softirq(&mut self, h: &Happening<'_>, sums: &mut ChainSums) -> Option<Passage> {
        let (entered, expired) = self.softirq.take()?;
        let empty = expired == 0;
        sums.softirqs_empty += u64::from(empty);
        Some(Passage {
            unusual: empty,
            ..passed(Stage::Softirq, Some(entered), h)?
        })
    }
}

impl Visitor for Chains<'_> {
    fn event(&mut self, h: &Happening<'_>, known: &Known) {
        let Some(passage) = self.follow(h, known) else {
            return;
        };
        self.sums.stages.add(&passage);
        if let Some(sink) = &mut self.sink {
            sink(&passage);
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
