//! One simulated machine.

mod access;
mod build;
mod passing;
mod repeat;
mod setting_up;

pub use repeat::Round;

use super::caches::{Caches, Line};
use super::contention;
use super::counts::Counts;
use super::cpu::Cpu;
use super::events::Events;
use super::narrow::{number, whole};
use super::noise::Noise;
use super::owners::Owners;
use super::paging::AddressSpace;
use super::prices::Prices;
use super::scheduler::Around;
use super::sharing::CPUS;
use super::surroundings::Surroundings;
use super::time::Time;
use crate::cores::Core;
use harness::RealTimeLimits;
use harness::slices::Slice;
use harness::windows::Window;
use setting_up::Enough;
use stats::Rng;

/// Loads that do not wait for one another are so many at once.
const PARALLEL: f64 = 10.0;
/// And one starts every quarter of a cycle at most, in cycles.
const LEAST_CYCLES: f64 = 0.25;
/// A unit of work in registers, and how much longer it takes next to itself on one core.
const UNIT_NS: f64 = 10_000.0;
const THREADS_SLOWER: f64 = 1.6;
const FENCE_CYCLES: f64 = 20.0;
/// From a timer's interrupt to the thread that it wakes, in ns: at least, and in the mean.
const WAKE_NS: [f64; 2] = [3_000.0, 5_000.0];

/// One simulated machine with two CPUs.
#[derive(Debug, Clone)]
pub struct Memory {
    core: Core,
    around: Surroundings,
    line_shift: u32,
    prices: Prices,
    time: Time,
    events: Events,
    noise: Noise,
    rng: Rng,
    space: AddressSpace,
    caches: Caches,
    owners: Owners,
    cpus: Vec<Cpu>,
    /// Whether the partner's CPU has loaded or stored anything.
    partner_is_used: bool,
    counts: Counts,
    /// Ticks, thefts and bursts so far: whatever changes what the caches hold.
    disturbances: u64,
    enough: Enough,
}

impl Memory {
    /// A machine at time 0, with nothing mapped and nothing cached.
    ///
    /// # Panics
    /// If the description is impossible (`Core::complaint`).
    pub fn new(core: Core, around: Surroundings, seed: u64) -> Memory {
        build::build(core, around, seed)
    }

    /// Maps memory on random frames; its virtual base. Huge pages are whole in physical
    /// memory unless the host is of base pages.
    pub fn map(&mut self, bytes: u64, huge: bool) -> u64 {
        self.space.map(bytes, huge)
    }

    /// Maps base pages at virtual addresses equal to the physical ones, below 32 GiB.
    pub fn map_in_place(&mut self, base: u64, bytes: u64) {
        self.space.map_in_place(base, bytes);
    }

    /// Takes a mapping away; every TLB forgets all.
    pub fn unmap(&mut self, base: u64) {
        self.space.unmap(base);
        self.cpus.iter_mut().for_each(Cpu::forget);
    }

    /// Where an address lies in physical memory.
    pub fn physical(&mut self, address: u64) -> u64 {
        self.space.page_of(address).physical
    }

    /// A load on whose value the next one depends: time passes by its whole latency. `code`
    /// stands for the address of the instruction.
    #[inline]
    pub fn load(&mut self, cpu: usize, code: u32, address: u64) {
        let latency_ns = self.access(cpu, code, address);
        self.pass(latency_ns);
    }

    /// An address is loaded from or stored to soon. Nothing of the machine changes by it: it is
    /// for the host, which has then what it needs at hand.
    #[inline]
    pub fn expect(&mut self, address: u64) {
        let physical = self.space.page_of(address).physical;
        self.caches.expect(0, number(physical >> self.line_shift));
    }

    /// A store: the line becomes the CPU's own. Nothing waits for it: others go on at once.
    pub fn store(&mut self, cpu: usize, code: u32, address: u64) {
        let latency_ns = self.access(cpu, code, address);
        let line = self.line_of(address);
        let taken_ns = self.make_own(cpu, line);
        self.pass_overlapped(latency_ns + taken_ns);
    }

    /// Takes what lies in the same granule out of all caches. Where users may not, nothing
    /// happens.
    pub fn flush(&mut self, cpu: usize, address: u64) {
        let Some(flush) = &self.core.flush else {
            return;
        };
        let cost_ns = flush.cost_ns;
        let line_bytes = u64::from(self.core.line_bytes);
        let granule = u64::from(flush.granule_bytes).max(line_bytes);
        let (_, translated_ns) = self.translate(cpu, address);
        let first = address / granule * granule;
        for at in (0..granule).step_by(super::narrow::index(line_bytes)) {
            let line = self.line_of(first + at);
            self.caches.flush(line.physical);
            (0..CPUS).for_each(|owner| {
                self.owners.give_up(owner, line.physical);
            });
        }
        self.pass(cost_ns + translated_ns);
    }

    /// Waits until loads and stores before it are done; they are, so it costs its cycles.
    pub fn fence(&mut self, _cpu: usize) {
        self.compute(FENCE_CYCLES);
    }

    /// Instructions that touch no memory.
    pub fn compute(&mut self, cycles: f64) {
        self.pass(cycles * self.time.cycle_ns);
    }

    /// Waits.
    pub fn pass_ns(&mut self, ns: f64) {
        self.pass(ns);
    }

    /// Time since the beginning.
    #[inline]
    pub fn now_ns(&self) -> f64 {
        self.time.now_ns
    }

    /// CPU 0 adds atomically at `ours`, so many times, while CPU 1 does so at `theirs`. When
    /// the partner's CPU runs others, nothing contends.
    pub fn contend(&mut self, ours: u64, theirs: u64, times: u64) {
        let line_bytes = u64::from(self.core.line_bytes);
        let (first, second) = (self.physical(ours), self.physical(theirs));
        let nearness = contention::nearness(first, second, line_bytes);
        let mut coherence = self.core.coherence.clone();
        coherence.transfer_ns = match self.around.smt_sibling {
            // Both have the line in one cache, and take turns.
            true => contention::THREADS * coherence.local_ns,
            false => self.handing_over_ns(),
        };
        coherence.pair_prefetch &= !self.around.smt_sibling;
        let mut left = times;
        while left > 0 {
            let each_ns = match self.events.partner_is_away() {
                true => coherence.local_ns,
                false => contention::addition_ns(&coherence, nearness),
            };
            // As many as fit before anything happens, one at least.
            let fit = whole((self.free_ns() / each_ns).clamp(1.0, 1e9));
            let now = left.min(fit);
            self.pass(each_ns * now as f64);
            left -= now;
        }
        let line = self.line_of(ours);
        self.make_own(0, line);
    }

    /// What the hypervisor took so far, in ns.
    pub fn stolen_ns(&self) -> f64 {
        self.time.stolen_ns
    }

    /// Timer interrupts so far.
    pub fn ticks(&self) -> u64 {
        self.time.ticks
    }

    /// Until something is due, in ns.
    pub fn free_ns(&self) -> f64 {
        (self.events.next_ns() - self.time.now_ns).max(0.0)
    }

    /// A thread that is to run at `due_ns` runs when its timer comes: at the end of its slack, or
    /// with an interrupt before. How late it is, in ns.
    pub fn sleep(&mut self, due_ns: f64, slack_ns: Option<f64>) -> f64 {
        self.pass((due_ns - self.time.now_ns).max(0.0));
        let latest_ns = due_ns + slack_ns.unwrap_or(self.around.kernel.slack_ns);
        let comes_ns = latest_ns.min(self.events.next_interrupt_ns());
        self.pass((comes_ns - self.time.now_ns).max(0.0));
        let [least, mean] = WAKE_NS;
        let wakes_ns = least + (mean - least) * self.noise.next();
        self.pass(wakes_ns);
        self.time.now_ns - due_ns
    }

    /// The slices of so many real-time tasks of equal rank that compute for so long, ns, in turns
    /// or not.
    pub fn compute_in_real_time(
        &mut self,
        tasks: usize,
        in_turns: bool,
        ns: f64,
    ) -> Vec<Vec<Slice>> {
        let around = Around {
            tick_ns: 1e9 / self.around.tick_hz,
            stolen_share: self.around.stolen_share,
            stolen_ns: self.around.stolen_ns,
        };
        let real_time = &self.around.kernel.real_time;
        let slices = real_time.play(around, (tasks, in_turns, ns), &mut self.rng);
        self.pass(ns);
        slices
    }

    /// Units of work in registers for so long, ns; next to itself on a thread of the same core
    /// each takes longer, as long as the partner has its CPU.
    pub fn work_in_registers(&mut self, ns: f64, next_to_itself: bool) -> Window {
        let begun_ns = self.time.now_ns;
        let mut window = Window::default();
        while self.time.now_ns - begun_ns < ns {
            let shares = next_to_itself && self.around.smt_sibling;
            let factor = match shares && !self.events.partner_is_away() {
                true => THREADS_SLOWER,
                false => 1.0,
            };
            let before_ns = self.time.now_ns;
            let noise = 1.0 + self.around.noise * self.noise.next();
            self.pass(UNIT_NS * factor * noise);
            let longest_ns = whole(self.time.now_ns - before_ns);
            window.longest_ns = window.longest_ns.max(longest_ns);
            window.units += 1;
        }
        window.elapsed_ns = whole(self.time.now_ns - begun_ns);
        window
    }

    /// What the kernel states of real-time tasks.
    pub fn real_time_limits(&self) -> RealTimeLimits {
        self.around.kernel.real_time.stated()
    }

    /// A thread's timer slack as the kernel states it, in ns.
    pub fn timer_slack_ns(&self) -> f64 {
        let kernel = &self.around.kernel;
        kernel.stated_slack_ns.unwrap_or(kernel.slack_ns)
    }

    /// What the coarse clock shows, in ns.
    pub fn coarse_ns(&self) -> f64 {
        self.time.coarse_ns
    }

    /// What the kernel states to be its step, in ns.
    pub fn coarse_step_ns(&self) -> f64 {
        let stated = self.around.kernel.stated_ns;
        stated.unwrap_or(1e9 / self.around.tick_hz)
    }

    /// Exact counts so far.
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// The core that is simulated.
    pub fn core(&self) -> &Core {
        &self.core
    }

    #[inline]
    fn pass_overlapped(&mut self, latency_ns: f64) {
        let least_ns = LEAST_CYCLES * self.time.cycle_ns;
        self.pass((latency_ns / PARALLEL).max(least_ns));
    }

    fn line_of(&mut self, address: u64) -> Line {
        let physical = self.space.page_of(address).physical;
        self.line(address, physical)
    }

    #[inline]
    fn line(&self, address: u64, physical: u64) -> Line {
        let utag = self.core.utag.as_ref();
        Line {
            physical: number(physical >> self.line_shift),
            placed_by: number(address >> self.line_shift & u64::from(u32::MAX)),
            hash: utag.map_or(0, |utag| super::way_hash::hash(&utag.pairs, address)),
        }
    }
}
