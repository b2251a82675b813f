//! One timer's life, step by step, or those of all timers of a function.

use super::jiffies::between;
use crate::analyse::event::{Happening, What};
use crate::analyse::known::Known;
use crate::analyse::pass::{Gap, Visitor};
use crate::analyse::symbols::Symbols;
use serde::Serialize;
use std::collections::HashSet;

/// Steps that are kept.
const MOST: usize = 100_000;

/// What happened to a timer. Times in jiffies.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Step {
    /// `timer_init`.
    Init,
    /// `timeout` in jiffies from now, where the event has the present jiffies.
    Start {
        /// The time asked for.
        expires: u64,
        /// When the wheel's bucket is due; newer kernels only.
        bucket_expiry: Option<u64>,
        /// Jiffies from now to the time asked for.
        timeout: Option<i64>,
    },
    /// Left the wheel: to expire, to be started anew, or for good.
    Cancel,
    /// `jiffies` when it expired.
    Expire { jiffies: u64 },
    /// Its function has returned.
    Return,
}

/// A step, and where it was taken.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LifeEvent {
    /// A stamp in ns.
    pub at_ns: u64,
    /// Number of the CPU.
    pub cpu: u32,
    /// The thread that ran.
    pub pid: i32,
    /// Address of the timer: the same for all events of one timer.
    pub timer: u64,
    /// Name of its function, where the event has it.
    pub function: Option<String>,
    /// What happened.
    pub step: Step,
}

/// Collects the steps of the chosen timers.
#[derive(Debug)]
pub struct Life<'a> {
    address: Option<u64>,
    function: Option<&'a str>,
    symbols: &'a Symbols,
    of_function: HashSet<u64>,
    /// By time.
    pub events: Vec<LifeEvent>,
    /// Steps beyond the limit, which are not kept.
    pub left_off: u64,
}

impl<'a> Life<'a> {
    /// Of the timer at an address, or of those with a function (a name, or an
    /// address in hexadecimal).
    pub fn new(address: Option<u64>, function: Option<&'a str>, symbols: &'a Symbols) -> Life<'a> {
        Life {
            address,
            function,
            symbols,
            of_function: HashSet::new(),
            events: Vec::new(),
            left_off: 0,
        }
    }

    fn chosen(&mut self, timer: u64, function: Option<u64>) -> bool {
        if self.address.is_some_and(|address| address != timer) {
            return false;
        }
        let (Some(wanted), Some(function)) = (self.function, function) else {
            return self.function.is_none() || self.of_function.contains(&timer);
        };
        let is = self.symbols.name(function) == wanted;
        // Its memory may become another timer.
        match is {
            true => self.of_function.insert(timer),
            false => self.of_function.remove(&timer),
        };
        is
    }
}

impl Visitor for Life<'_> {
    fn event(&mut self, h: &Happening<'_>, known: &Known) {
        let (timer, function, step) = match h.what {
            What::TimerInit { timer } => (timer, None, Step::Init),
            What::TimerStart(s) => {
                let long_bits = u32::from(known.long_bytes) * 8;
                let step = Step::Start {
                    expires: s.expires,
                    bucket_expiry: s.bucket_expiry,
                    timeout: s.now.map(|now| between(long_bits, now, s.expires)),
                };
                (s.timer, Some(s.function), step)
            }
            What::TimerCancel { timer } => (timer, None, Step::Cancel),
            What::TimerExpireEntry {
                timer,
                now,
                function,
            } => (timer, function, Step::Expire { jiffies: now }),
            What::TimerExpireExit { timer } => (timer, None, Step::Return),
            _ => return,
        };
        if !self.chosen(timer, function) {
            return;
        }
        if self.events.len() == MOST {
            self.left_off += 1;
            return;
        }
        self.events.push(LifeEvent {
            at_ns: h.at_ns,
            cpu: known.cpus[h.cpu],
            pid: h.pid,
            timer,
            function: function.map(|f| self.symbols.name(f)),
            step,
        });
    }

    fn lost(&mut self, _: &Gap, _: &Known) {}
}
