//! Each timer of the wheel from its start to its end, by its address.
//!
//! `timer_cancel` says that a timer left the wheel, no more: it comes before
//! every expiry, and inside every change of a timer that is waiting. It counts as
//! a cancellation only where neither follows.

use super::jiffies::Jiffies;
use crate::analyse::distribution::Distribution;
use crate::analyse::event::{Happening, TimerStart, What};
use crate::analyse::known::Known;
use crate::analyse::pass::{Gap, Pass, Visitor};
use crate::analyse::symbols::Symbols;
use crate::analyse::table::ByAddress;
use crate::width::nearest;
use serde::Serialize;

#[derive(Debug, Clone, Copy, Default)]
struct Timer {
    /// Its last start; the expiry in it is not known yet.
    started: Option<Expired>,
    /// Left the wheel; what for is not yet known.
    left: bool,
    function: u64,
}

#[derive(Debug, Clone, Default)]
struct Function {
    /// Without name and lateness, which come at the end.
    sums: FunctionTimers,
    /// Jiffies behind the bucket (or the time asked for), as a histogram of few
    /// values.
    late_jiffies: Vec<i64>,
    /// From start to function in ns, and the jiffies asked for.
    waited: Vec<(u64, i64)>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Cpu {
    /// The CPU's last event was that this timer left the wheel.
    just_left: Option<u64>,
    expiring: Option<(u64, u64)>,
}

/// A timer that expired, and whose start was seen.
#[derive(Debug, Clone, Copy)]
pub struct Expired {
    /// Its last start.
    pub start: TimerStart,
    /// Stamp of that, in ns.
    pub started_ns: u64,
    /// Places of CPUs in `Known::cpus`.
    pub started_on: usize,
    /// Where it expired.
    pub cpu: usize,
    /// The thread that ran when it was started.
    pub starter: i32,
    /// Stamp of the expiry, in ns.
    pub at_ns: u64,
    /// When it expired, in jiffies.
    pub jiffies: u64,
    /// Jiffies behind the wheel's bucket; behind the time asked for where the
    /// event lacks the bucket.
    pub late_jiffies: i64,
}

impl Expired {
    /// When it was due, in jiffies.
    pub fn due(&self) -> u64 {
        self.start.bucket_expiry.unwrap_or(self.start.expires)
    }
}

/// Steps of the wheel, in jiffies, at the level of timers that wait so long: 1
/// below 63 jiffies, then 8, 64 ... (kernels since 4.8).
pub fn wheel_step(jiffies: u64) -> u64 {
    const LEVELS: u32 = 9;
    let level = (0..LEVELS - 1).find(|level| jiffies < 63 << (3 * level));
    1 << (3 * level.unwrap_or(LEVELS - 1))
}

/// Is handed each expiry whose start was seen.
pub type ExpirySink<'a> = &'a mut dyn FnMut(&Expired);

/// Follows all timers.
#[derive(Default)]
pub struct Wheel<'a> {
    /// The kernel's count of ticks, as timers report it.
    pub jiffies: Jiffies,
    sink: Option<ExpirySink<'a>>,
    timers: ByAddress<Timer>,
    functions: ByAddress<Function>,
    cpus: Vec<Cpu>,
    gap_until_ns: u64,
    /// What is not by function.
    sums: WheelSums,
}

/// Timers of one function.
#[derive(Debug, Clone, Default, Serialize)]
pub struct FunctionTimers {
    /// Name of the function, or its address in hexadecimal.
    pub function: String,
    /// timer_start.
    pub starts: u64,
    /// Started again while waiting.
    pub rearms: u64,
    /// Left the wheel without expiring.
    pub cancels: u64,
    /// Functions that were called.
    pub expiries: u64,
    /// The function's own time, interrupts in it included.
    pub took: Distribution,
    /// Jiffies from when it was due to when it expired.
    pub late_jiffies_mean: Option<f64>,
    /// The latest, in jiffies.
    pub late_jiffies_max: Option<i64>,
    /// Time from start to function less the time asked for; the wheel's
    /// coarseness is in it.
    pub late_ns_median: Option<i64>,
    /// The latest, in ns.
    pub late_ns_max: Option<i64>,
}

/// All timers of a capture.
#[derive(Debug, Clone, Default, Serialize)]
pub struct WheelSums {
    /// By the progress of jiffies.
    pub hz: Option<u32>,
    /// Lateness in jiffies is against the wheel's bucket; else against the time
    /// asked for (older kernels report no bucket).
    pub against_bucket: bool,
    /// timer_init.
    pub inits: u64,
    /// timer_start.
    pub starts: u64,
    /// Started again while waiting.
    pub rearms: u64,
    /// Functions that were called.
    pub expiries: u64,
    /// Leaving the wheel because of an expiry.
    pub detaches: u64,
    /// Left the wheel without expiring.
    pub cancels: u64,
    /// Expiries whose start was seen, or not.
    pub paired: u64,
    /// Pairs that a gap made unknown.
    pub dropped: u64,
    /// Of all functions: time from start to function less the time asked for.
    pub late_ns_median: Option<i64>,
    /// The latest, in ns.
    pub late_ns_max: Option<i64>,
    /// The latest, in jiffies.
    pub late_jiffies_max: Option<i64>,
    /// By function, most expiries first.
    pub functions: Vec<FunctionTimers>,
}

impl<'a> Wheel<'a> {
    /// Without any timer so far.
    pub fn new(known: &Known) -> Wheel<'a> {
        Wheel {
            cpus: vec![Cpu::default(); known.cpus.len()],
            jiffies: Jiffies::new(known.long_bytes),
            ..Wheel::default()
        }
    }

    /// Hands out each expiry whose start was seen, too.
    pub fn with_sink(known: &Known, sink: ExpirySink<'a>) -> Wheel<'a> {
        Wheel {
            sink: Some(sink),
            ..Wheel::new(known)
        }
    }

    fn start(&mut self, h: &Happening<'_>, start: &TimerStart, just_left: Option<u64>) {
        if let Some(now) = start.now {
            self.jiffies.record(now, h.at_ns);
        }
        let timer = self.timers.entry(start.timer).or_default();
        // mod_timer() of a waiting timer is a cancel and a start, one right after the other
        // on one CPU; or the cancel is not in the capture.
        let rearmed = just_left == Some(start.timer) || (!timer.left && timer.started.is_some());
        let cancelled = timer.left && !rearmed;
        let before = timer.function;
        *timer = Timer {
            started: Some(Expired {
                start: *start,
                started_ns: h.at_ns,
                started_on: h.cpu,
                cpu: h.cpu,
                starter: h.pid,
                at_ns: h.at_ns,
                jiffies: 0,
                late_jiffies: 0,
            }),
            left: false,
            function: start.function,
        };
        // Where the start was not seen, neither is the function.
        if cancelled && before != 0 {
            self.functions.entry(before).or_default().sums.cancels += 1;
        }
        let function = &mut self.functions.entry(start.function).or_default().sums;
        function.starts += 1;
        function.rearms += u64::from(rearmed);
    }

    fn expire(&mut self, h: &Happening<'_>, address: u64, now: u64, function: Option<u64>) {
        self.jiffies.record(now, h.at_ns);
        let timer = self.timers.entry(address).or_default();
        self.sums.detaches += u64::from(std::mem::take(&mut timer.left));
        let started = timer.started.take();
        let function = function.unwrap_or(timer.function);
        timer.function = function;
        self.cpus[h.cpu].expiring = Some((function, h.at_ns));
        let mut row = self.functions.remove(&function).unwrap_or_default();
        row.sums.expiries += 1;
        match started {
            Some(s) if s.started_ns < self.gap_until_ns => self.sums.dropped += 1,
            Some(s) => {
                let expired = Expired {
                    cpu: h.cpu,
                    at_ns: h.at_ns,
                    jiffies: now,
                    late_jiffies: self.jiffies.between(s.due(), now),
                    ..s
                };
                self.sums.against_bucket |= s.start.bucket_expiry.is_some();
                row.late_jiffies.push(expired.late_jiffies);
                if let Some(begin) = s.start.now {
                    let asked = self.jiffies.between(begin, s.start.expires);
                    row.waited
                        .push((h.at_ns.saturating_sub(s.started_ns), asked));
                }
                if let Some(sink) = &mut self.sink {
                    sink(&expired);
                }
            }
            None => {}
        }
        self.functions.insert(function, row);
    }

    /// What it amounts to. `hz` is the tick's rate, for captures in which jiffies
    /// go on too little.
    pub fn finish(&self, symbols: &Symbols, hz: Option<u32>) -> WheelSums {
        let hz = self.jiffies.hz().or(hz);
        let tick_ns = hz.map(|hz| 1e9 / f64::from(hz));
        let mut all_late = Vec::new();
        let mut sums = WheelSums {
            hz,
            ..self.sums.clone()
        };
        for (address, row) in &self.functions {
            let late: Vec<i64> = tick_ns.map_or_else(Vec::new, |tick| late(&row.waited, tick));
            let function = of_function(symbols.name(*address), row, &late);
            sums.starts += function.starts;
            sums.rearms += function.rearms;
            sums.expiries += function.expiries;
            sums.cancels += function.cancels;
            sums.paired += row.late_jiffies.len() as u64;
            sums.late_jiffies_max = sums.late_jiffies_max.max(function.late_jiffies_max);
            sums.functions.push(function);
            all_late.extend(late);
        }
        all_late.sort_unstable();
        sums.late_ns_median = middle(&all_late);
        sums.late_ns_max = all_late.last().copied();
        sums.functions.sort_by(|a, b| {
            (b.expiries, b.starts, &a.function).cmp(&(a.expiries, a.starts, &b.function))
        });
        sums
    }
}

fn late(waited: &[(u64, i64)], tick_ns: f64) -> Vec<i64> {
    let one = |(waited, asked): &(u64, i64)| nearest(*waited as f64 - *asked as f64 * tick_ns);
    let mut late: Vec<i64> = waited.iter().map(one).collect();
    late.sort_unstable();
    late
}

fn middle(sorted: &[i64]) -> Option<i64> {
    sorted.get(sorted.len().checked_sub(1)? / 2).copied()
}

fn of_function(function: String, row: &Function, late: &[i64]) -> FunctionTimers {
    let jiffies = &row.late_jiffies;
    let mean = jiffies.iter().map(|j| *j as f64).sum::<f64>() / jiffies.len().max(1) as f64;
    FunctionTimers {
        function,
        late_jiffies_mean: (!jiffies.is_empty()).then_some(mean),
        late_jiffies_max: jiffies.iter().max().copied(),
        late_ns_median: middle(late),
        late_ns_max: late.last().copied(),
        ..row.sums.clone()
    }
}

impl Visitor for Wheel<'_> {
    fn event(&mut self, h: &Happening<'_>, _: &Known) {
        // Whatever the event is: only the next one of the CPU can be a start anew.
        let just_left = self.cpus[h.cpu].just_left.take();
        match &h.what {
            What::TimerInit { .. } => self.sums.inits += 1,
            What::TimerStart(start) => self.start(h, start, just_left),
            What::TimerCancel { timer } => {
                self.timers.entry(*timer).or_default().left = true;
                self.cpus[h.cpu].just_left = Some(*timer);
            }
            What::TimerExpireEntry {
                timer,
                now,
                function,
            } => self.expire(h, *timer, *now, *function),
            What::TimerExpireExit { .. } => {
                if let Some((function, since)) = self.cpus[h.cpu].expiring.take() {
                    let took = h.at_ns.saturating_sub(since);
                    let row = self.functions.entry(function).or_default();
                    row.sums.took.add(took);
                }
            }
            _ => {}
        }
    }

    fn lost(&mut self, gap: &Gap, _: &Known) {
        self.cpus[gap.cpu] = Cpu::default();
        // A timer may be started on any CPU.
        self.gap_until_ns = self.gap_until_ns.max(gap.until_ns);
    }

    fn end(&mut self, _: &Pass, _: &Known) {
        for timer in self.timers.values_mut() {
            // Where the start was not seen, neither is the function.
            if std::mem::take(&mut timer.left) && timer.function != 0 {
                self.functions
                    .entry(timer.function)
                    .or_default()
                    .sums
                    .cancels += 1;
            }
        }
    }
}
