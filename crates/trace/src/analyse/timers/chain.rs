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

    fn passed(&mut self, cpu: usize, ended: Ended) {
        self.sums.stages[ended.stage].add(ended.length_ns);
        if let Some(sink) = &mut self.sink {
            sink(&Passage {
                stage: ended.stage,
                cpu,
                length_ns: ended.length_ns,
                unusual: ended.unusual,
            });
        }
    }

    /// Opens the stages that an event begins; the stage that it ends.
    fn follow(&mut self, h: &Happening<'_>, known: &Known) -> Option<Ended> {
        let (cpu, sums, at_ns) = (&mut self.cpus[h.cpu], &mut self.sums, h.at_ns);
        let local = |which: usize| known.vectors[which] == "local_timer";
        match h.what {
            What::VectorEntry { which } if local(which) => cpu.enter_interrupt(at_ns, sums),
            What::IrqEntry { name, .. } if is_timer(name) => cpu.enter_interrupt(at_ns, sums),
            What::VectorExit { which } if local(which) => {
                usual(Stage::Hardirq, cpu.hardirq.take(), at_ns)
            }
            What::IrqExit { .. } => usual(Stage::Hardirq, cpu.hardirq.take(), at_ns),
            What::HrtimerExpireEntry { .. } => cpu.enter_hrtimer(at_ns, sums),
            What::HrtimerExpireExit { .. } => usual(Stage::Hrtimer, cpu.hrtimer.take(), at_ns),
            What::SoftirqRaise { vec: TIMER } => cpu.raise_softirq(at_ns, sums),
            What::Switch(_) => cpu.switch(),
            What::SoftirqEntry { vec: TIMER } => cpu.enter_softirq(at_ns, sums),
            What::TimerExpireEntry { .. } => cpu.enter_timer(at_ns, sums),
            What::TimerExpireExit { .. } => usual(Stage::Expiry, cpu.expiry.take(), at_ns),
            What::SoftirqExit { vec: TIMER } => cpu.leave_softirq(at_ns, sums),
            _ => None,
        }
    }
}

/// A stage that an event ended on a CPU.
struct Ended {
    stage: Stage,
    length_ns: u64,
    unusual: bool,
}

/// A stage that began at `from_ns`; None where its begin was not seen.
fn usual(stage: Stage, from_ns: Option<u64>, at_ns: u64) -> Option<Ended> {
    Some(Ended {
        stage,
        length_ns: at_ns.saturating_sub(from_ns?),
        unusual: false,
    })
}

/// The steps of the chain, each with the stage that it ends.
impl Cpu {
    fn enter_interrupt(&mut self, at_ns: u64, sums: &mut ChainSums) -> Option<Ended> {
        sums.interrupts += 1;
        self.hardirq = Some(at_ns);
        None
    }

    fn enter_hrtimer(&mut self, at_ns: u64, sums: &mut ChainSums) -> Option<Ended> {
        sums.hrtimer_expiries += 1;
        self.hrtimer = Some(at_ns);
        None
    }

    fn raise_softirq(&mut self, at_ns: u64, sums: &mut ChainSums) -> Option<Ended> {
        sums.raises += 1;
        sums.raises_in_interrupt += u64::from(self.hardirq.is_some());
        // Raised again before it ran: it counts from the first time.
        self.raised.get_or_insert(Raised {
            at_ns,
            switched: false,
        });
        usual(Stage::EntryToRaise, self.hardirq, at_ns)
    }

    fn switch(&mut self) -> Option<Ended> {
        if let Some(raised) = &mut self.raised {
            raised.switched = true;
        }
        None
    }

    fn enter_softirq(&mut self, at_ns: u64, sums: &mut ChainSums) -> Option<Ended> {
        sums.softirqs += 1;
        self.softirq = Some((at_ns, 0));
        let raised = self.raised.take()?;
        sums.softirqs_deferred += u64::from(raised.switched);
        Some(Ended {
            stage: Stage::RaiseToEntry,
            length_ns: at_ns.saturating_sub(raised.at_ns),
            unusual: raised.switched,
        })
    }

    fn enter_timer(&mut self, at_ns: u64, sums: &mut ChainSums) -> Option<Ended> {
        sums.expiries += 1;
        self.expiry = Some(at_ns);
        let (entered, expired) = self.softirq.as_mut()?;
        *expired += 1;
        // Later timers of one softirq wait for those before them.
        let first = (*expired == 1).then_some(*entered);
        usual(Stage::EntryToExpiry, first, at_ns)
    }

    fn leave_softirq(&mut self, at_ns: u64, sums: &mut ChainSums) -> Option<Ended> {
        let (entered, expired) = self.softirq.take()?;
        let empty = expired == 0;
        sums.softirqs_empty += u64::from(empty);
        Some(Ended {
            stage: Stage::Softirq,
            length_ns: at_ns.saturating_sub(entered),
            unusual: empty,
        })
    }
}

impl Visitor for Chains<'_> {
    fn event(&mut self, h: &Happening<'_>, known: &Known) {
        if let Some(ended) = self.follow(h, known) {
            self.passed(h.cpu, ended);
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
