//! The tick: how often it came, busy and idle, and how many interrupts of the
//! timer were none.

use super::event::{Happening, InterruptKind, What};
use super::known::Known;
use super::pass::{Gap, Pass, Visitor};
use super::symbols::Symbols;
use super::table::ByAddress;
use crate::bytes::until_nul;
use serde::Serialize;

/// The tick's handler, newer name first.
const TICK_FUNCTIONS: [&str; 2] = ["tick_nohz_handler", "tick_sched_timer"];
/// Rates that kernels are built with: CONFIG_HZ of the architectures.
pub const RATES: [u32; 11] = [100, 128, 200, 250, 256, 300, 500, 512, 1000, 1024, 1200];
/// Fewer gaps than this give no period: a median of few is any timer's.
const LEAST_GAPS: usize = 8;

/// CONFIG_HZ that a period is, to within 2 %.
pub fn rate_of_period(period_ns: f64) -> Option<u32> {
    let rate = 1e9 / period_ns;
    let near = RATES.iter().min_by(|a, b| {
        let off = |r: u32| (rate / f64::from(r) - 1.0).abs();
        off(**a).total_cmp(&off(**b))
    })?;
    ((rate / f64::from(*near) - 1.0).abs() <= 0.02).then_some(*near)
}

/// Whether a device of this name is a CPU's timer: `timer`, `arch_timer`,
/// `gp_timer`.
pub fn is_timer(name: &[u8]) -> bool {
    let name = until_nul(name);
    name == b"timer" || name.ends_with(b"_timer") || name.ends_with(b"-timer")
}

/// Whether the event enters an interrupt of a CPU's timer (true) or leaves one; None: it
/// does neither. Which device's interrupt ends, the timer's or another, does not matter.
#[inline]
pub fn timer_interrupt(what: &What<'_>, known: &Known) -> Option<bool> {
    match what {
        What::InterruptEntry(of, handler) => {
            let of_device = of.kind == InterruptKind::Irq && is_timer(handler);
            (of_device || known.is_local_timer(*of)).then_some(true)
        }
        What::InterruptExit(of) => {
            let of_device = of.kind == InterruptKind::Irq;
            (of_device || known.is_local_timer(*of)).then_some(false)
        }
        _ => None,
    }
}

#[derive(Debug, Clone, Default)]
struct OnCpu {
    count: u64,
    idle: u64,
    in_interrupt: u64,
    last_ns: Option<u64>,
    /// When the next one is due, as the interrupt set it: ticks apart from all
    /// others. Idle CPUs set it to whatever is next.
    due_ns: Option<u64>,
    /// Each one, for the period is wanted to the last digit.
    gaps_ns: Vec<u32>,
}

#[derive(Debug, Clone, Default)]
struct Cpu {
    idle: Option<bool>,
    since_ns: u64,
    idle_ns: u64,
    busy_ns: u64,
    /// Inside an interrupt of the local timer.
    inside: bool,
    interrupts: u64,
    stopped: u64,
    kept: u64,
}

/// One CPU's ticks.
#[derive(Debug, Clone, Default, Serialize)]
pub struct CpuTicks {
    /// Number of the CPU.
    pub cpu: u32,
    /// Expiries of the tick's function.
    pub ticks: u64,
    /// While no task ran.
    pub ticks_idle: u64,
    /// Ticks by second of busy time, and of idle time; None without 0.1 s of it.
    pub busy_rate_hz: Option<f64>,
    /// Ticks by second of idle time; None without 0.1 s of it.
    pub idle_rate_hz: Option<f64>,
    /// From a tick to the next.
    pub median_gap_ns: Option<u64>,
    /// From each tick to the next one.
    #[serde(skip)]
    pub gaps_ns: Vec<u32>,
    /// Interrupts of the local timer.
    pub timer_interrupts: u64,
    /// Of those, without a tick in them.
    pub not_ticks: u64,
    /// `tick_stop`: how often it stopped, and how often something forbade it.
    pub stopped: u64,
    /// `tick_stop` without success: how often something forbade it.
    pub not_stopped: u64,
}

/// What is known of the tick.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Ticks {
    /// Name of the tick's function; None where no ticks were recorded.
    pub function: Option<String>,
    /// The function was found by its name; else it is the most frequent periodic
    /// one, and may be another.
    pub by_name: bool,
    /// Of all CPUs.
    pub median_gap_ns: Option<u64>,
    /// What CONFIG_HZ is, judging by the median gap.
    pub hz: Option<u32>,
    /// A moment at which one was due (`hrtimer_start`), by the timer's own clock.
    #[serde(skip)]
    pub due_ns: Option<u64>,
    /// In the order of `Known::cpus`.
    pub cpus: Vec<CpuTicks>,
}

/// Counts expiries of each hrtimer function; which one is the tick is judged at
/// the end.
#[derive(Debug, Default)]
pub struct TickCount {
    functions: ByAddress<Vec<OnCpu>>,
    cpus: Vec<Cpu>,
}

impl Cpu {
    fn pass(&mut self, at_ns: u64) {
        let passed = at_ns.saturating_sub(self.since_ns);
        match self.idle {
            Some(true) => self.idle_ns = self.idle_ns.saturating_add(passed),
            Some(false) => self.busy_ns = self.busy_ns.saturating_add(passed),
            None => {}
        }
        self.since_ns = at_ns;
    }
}

impl TickCount {
    /// Without any expiry so far.
    pub fn new(known: &Known) -> TickCount {
        TickCount {
            cpus: vec![Cpu::default(); known.cpus.len()],
            ..TickCount::default()
        }
    }

    fn expire(&mut self, h: &Happening<'_>, function: u64) {
        let count = self.cpus.len();
        let by_cpu = self
            .functions
            .entry(function)
            .or_insert_with(|| vec![OnCpu::default(); count]);
        let on = &mut by_cpu[h.cpu];
        on.count += 1;
        on.idle += u64::from(h.pid == 0);
        on.in_interrupt += u64::from(self.cpus[h.cpu].inside);
        if let Some(last) = on.last_ns.replace(h.at_ns) {
            let gap = h.at_ns.saturating_sub(last);
            on.gaps_ns.push(u32::try_from(gap).unwrap_or(u32::MAX));
        }
    }

    fn start(&mut self, h: &Happening<'_>, function: u64, expires_ns: i64) {
        // Inside the interrupt the tick sets its own next expiry; elsewhere the CPU
        // leaves idle or enters it, and sets another time.
        let again = self.cpus[h.cpu].inside;
        if let Some(by_cpu) = self.functions.get_mut(&function).filter(|_| again) {
            by_cpu[h.cpu].due_ns = u64::try_from(expires_ns).ok();
        }
    }

    fn tick_function(&self, symbols: &Symbols) -> Option<(u64, bool)> {
        // By name where there are symbols: another timer may be as periodic.
        let named = TICK_FUNCTIONS.iter().find_map(|name| {
            let mut addresses = symbols.ranges(name).map(|range| range.start);
            addresses.find(|a| self.functions.contains_key(a))
        });
        if let Some(address) = named {
            return Some((address, true));
        }
        let periodic = self.functions.iter();
        let periodic = periodic.filter(|(_, by_cpu)| rate(together(by_cpu)).is_some());
        let most = periodic.max_by_key(|(address, by_cpu)| {
            (by_cpu.iter().map(|c| c.count).sum::<u64>(), **address)
        });
        most.map(|(address, _)| (*address, false))
    }

    /// What it amounts to.
    pub fn finish(&self, known: &Known, symbols: &Symbols) -> Ticks {
        let found = self.tick_function(symbols);
        let none = vec![OnCpu::default(); self.cpus.len()];
        let by_cpu = found
            .and_then(|(f, _)| self.functions.get(&f))
            .unwrap_or(&none);
        let row = |(at, cpu): (usize, &Cpu)| of_cpu(known.cpus[at], cpu, &by_cpu[at]);
        Ticks {
            function: found.map(|(address, _)| symbols.name(address)),
            by_name: found.is_some_and(|(_, named)| named),
            median_gap_ns: median(together(by_cpu)),
            hz: rate(together(by_cpu)),
            due_ns: by_cpu.iter().find_map(|on| on.due_ns),
            cpus: self.cpus.iter().enumerate().map(row).collect(),
        }
    }
}

fn together(by_cpu: &[OnCpu]) -> Vec<u32> {
    let gaps = by_cpu.iter().flat_map(|c| &c.gaps_ns);
    gaps.copied().collect()
}

/// CONFIG_HZ that these gaps are the periods of.
fn rate(gaps_ns: Vec<u32>) -> Option<u32> {
    let enough = gaps_ns.len() >= LEAST_GAPS;
    let median = median(gaps_ns).filter(|_| enough)?;
    rate_of_period(median as f64)
}

fn median(mut gaps_ns: Vec<u32>) -> Option<u64> {
    let middle = gaps_ns.len().checked_sub(1)? / 2;
    Some(u64::from(*gaps_ns.select_nth_unstable(middle).1))
}

fn of_cpu(number: u32, cpu: &Cpu, ticks: &OnCpu) -> CpuTicks {
    let rate = |count: u64, ns: u64| (ns >= 100_000_000).then(|| count as f64 * 1e9 / ns as f64);
    CpuTicks {
        cpu: number,
        ticks: ticks.count,
        ticks_idle: ticks.idle,
        busy_rate_hz: rate(ticks.count - ticks.idle, cpu.busy_ns),
        idle_rate_hz: rate(ticks.idle, cpu.idle_ns),
        median_gap_ns: median(ticks.gaps_ns.clone()),
        gaps_ns: ticks.gaps_ns.clone(),
        timer_interrupts: cpu.interrupts,
        not_ticks: cpu.interrupts.saturating_sub(ticks.in_interrupt),
        stopped: cpu.stopped,
        not_stopped: cpu.kept,
    }
}

impl Visitor for TickCount {
    #[inline]
    fn event(&mut self, h: &Happening<'_>, known: &Known) {
        let cpu = &mut self.cpus[h.cpu];
        if cpu.idle != Some(h.pid == 0) {
            cpu.pass(h.at_ns);
            cpu.idle = Some(h.pid == 0);
        }
        match &h.what {
            What::Switch(s) => {
                cpu.pass(h.at_ns);
                cpu.idle = Some(s.next_pid == 0);
            }
            What::TickStop { success: true } => cpu.stopped += 1,
            What::TickStop { success: false } => cpu.kept += 1,
            What::HrtimerExpireEntry { function, .. } => self.expire(h, *function),
            What::HrtimerStart {
                function,
                expires_ns,
                ..
            } => self.start(h, *function, *expires_ns),
            what => {
                if let Some(enters) = timer_interrupt(what, known) {
                    cpu.interrupts += u64::from(enters);
                    cpu.inside = enters;
                }
            }
        }
    }

    fn lost(&mut self, gap: &Gap, _: &Known) {
        let cpu = &mut self.cpus[gap.cpu];
        // What ran in the gap is not known, so neither busy nor idle time counts there.
        cpu.pass(gap.from_ns);
        (cpu.idle, cpu.inside) = (None, false);
        for by_cpu in self.functions.values_mut() {
            by_cpu[gap.cpu].last_ns = None;
        }
    }

    fn end(&mut self, pass: &Pass, _: &Known) {
        for (cpu, span) in self.cpus.iter_mut().zip(&pass.cpus) {
            cpu.pass(span.last_ns);
        }
    }
}
