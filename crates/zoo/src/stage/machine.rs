//! A simulated machine that memory of this process stands for.

use crate::hierarchy::{Memory, Round};
use harness::loads::ask_for;
use harness::looks::Look;
use harness::slices::Slice;
use harness::windows::Window;
use harness::{RealTimeLimits, Simulated};
use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What reading the counter around a single load takes, ns, and its step.
const READING_NS: f64 = 20.0;
const STEP_NS: f64 = 10.0;
/// What a look at a clock takes in a loop, ns.
const LOOK_NS: f64 = 20.0;

/// The machine, and which memory of this process is which of it.
#[derive(Debug)]
pub struct Stage(Mutex<Inner>);

/// Both under one lock.
#[derive(Debug)]
pub struct Inner {
    pub memory: Memory,
    regions: Vec<Region>,
    /// The region of the last access.
    last: usize,
}

/// Memory of this process and where it is on the machine.
#[derive(Debug, Clone, Copy)]
struct Region {
    real: usize,
    bytes: usize,
    simulated: u64,
}

impl Stage {
    /// Nothing is mapped on it yet.
    pub fn new(memory: Memory) -> Stage {
        Stage(Mutex::new(Inner {
            memory,
            regions: Vec::new(),
            last: 0,
        }))
    }

    /// The machine, for whoever is first.
    pub fn lock(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    /// Where memory of this process is on the machine.
    ///
    /// # Panics
    /// On memory that was not mapped there: a subject that is not fit for a simulation.
    #[inline]
    fn place(&mut self, at: usize) -> u64 {
        if let Some(found) = self.regions.get(self.last).and_then(|r| r.place(at)) {
            return found;
        }
        let found = self.regions.iter().position(|r| r.place(at).is_some());
        let Some(number) = found else {
            panic!("memory that no simulated machine has is loaded");
        };
        self.last = number;
        self.regions[number].place(at).unwrap_or_default()
    }
}

impl Region {
    #[inline]
    fn place(&self, at: usize) -> Option<u64> {
        let offset = at.wrapping_sub(self.real);
        (offset < self.bytes).then(|| self.simulated + offset as u64)
    }
}

impl Simulated for Stage {
    fn map(&self, at: usize, bytes: usize, huge: bool) {
        let mut inner = self.lock();
        let simulated = inner.memory.map(bytes as u64, huge);
        inner.regions.push(Region {
            real: at,
            bytes,
            simulated,
        });
    }

    fn huge_page_bytes(&self) -> Option<usize> {
        let inner = self.lock();
        let core = inner.memory.core();
        let bytes = usize::try_from(core.huge_page_bytes).ok()?;
        (bytes > 0 && core.arch != "arm").then_some(bytes)
    }

    fn unmap(&self, at: usize) {
        let mut inner = self.lock();
        if let Some(number) = inner.regions.iter().position(|r| r.real == at) {
            let gone = inner.regions.swap_remove(number);
            inner.memory.unmap(gone.simulated);
        }
    }

    fn follow(
        &self,
        mut at: usize,
        loads: u64,
        codes: u32,
        next: &mut dyn FnMut(usize) -> usize,
    ) -> usize {
        let mut inner = self.lock();
        let mut left = loads;
        let mut code = 0;
        let origin = at;
        let mut length = 0;
        let mut begun = inner.memory.round_begins();
        let mut before: Option<Round> = None;
        // One load ahead: both the element and what the simulation keeps of its line are on
        // their way from the host's memory while the load before it is simulated.
        let mut after = next(at);
        while left > 0 {
            ask_for(after);
            let (place, coming) = (inner.place(at), inner.place(after));
            inner.memory.expect(coming);
            inner.memory.load(0, code, place);
            at = after;
            after = next(at);
            code = if code + 1 == codes { 0 } else { code + 1 };
            left -= 1;
            length += 1;
            if at != origin {
                continue;
            }
            let round = inner.memory.round_ends(&begun);
            if before.is_some_and(|before| round.is_as(&before)) {
                left -= length * inner.memory.repeat(&round, left / length);
            }
            before = Some(round);
            length = 0;
            begun = inner.memory.round_begins();
        }
        at
    }

    fn time_load(&self, code: u32, at: usize) -> f64 {
        let mut inner = self.lock();
        let place = inner.place(at);
        let before_ns = inner.memory.now_ns();
        inner.memory.load(0, code, place);
        inner.memory.pass_ns(READING_NS);
        let passed_ns = inner.memory.now_ns() - before_ns;
        (passed_ns / STEP_NS).floor() * STEP_NS
    }

    fn set_up(&self, places: &mut dyn Iterator<Item = usize>, count: usize) {
        let mut inner = self.lock();
        let mut coming: Option<u64> = None;
        let mut after = count;
        for at in places {
            let place = inner.place(at);
            if inner.memory.sees_set_up(after) {
                inner.memory.expect(place);
            }
            if let Some(place) = coming.replace(place) {
                inner.memory.set_up(place, after);
            }
            after = after.saturating_sub(1);
        }
        if let Some(place) = coming {
            inner.memory.set_up(place, after);
        }
    }

    fn walk(
        &self,
        mut at: usize,
        within: Range<usize>,
        step: usize,
        stores: u64,
        cycles: f64,
    ) -> usize {
        let mut inner = self.lock();
        for _ in 0..stores {
            let place = inner.place(at);
            inner.memory.store(0, 0, place);
            inner.memory.compute(cycles);
            at += step;
            if at >= within.end {
                at = within.start;
            }
        }
        at
    }

    fn flush(&self, at: usize) {
        let mut inner = self.lock();
        let place = inner.place(at);
        inner.memory.flush(0, place);
        inner.memory.fence(0);
    }

    fn flush_bytes(&self) -> Option<usize> {
        let inner = self.lock();
        let flush = inner.memory.core().flush.as_ref()?;
        usize::try_from(flush.granule_bytes).ok()
    }

    fn contend(&self, ours: usize, theirs: usize, times: u64) {
        let mut inner = self.lock();
        let (ours, theirs) = (inner.place(ours), inner.place(theirs));
        inner.memory.contend(ours, theirs, times);
    }

    fn load_by_partner(&self, at: usize) {
        let mut inner = self.lock();
        let place = inner.place(at);
        inner.memory.load(1, 0, place);
    }

    fn compute(&self, cycles: f64) {
        self.lock().memory.compute(cycles);
    }

    fn look(&self, ns: f64, seen: &mut dyn FnMut([Look; 2])) {
        let memory = &mut self.lock().memory;
        let begun_ns = memory.now_ns();
        let look = |memory: &Memory| Look {
            at_ns: memory.now_ns() - begun_ns,
            coarse_ns: memory.coarse_ns(),
        };
        while memory.now_ns() - begun_ns < ns {
            // To the last look before something comes.
            let left_ns = ns - (memory.now_ns() - begun_ns);
            memory.pass_ns((memory.free_ns() - LOOK_NS).clamp(0.0, left_ns));
            let before = look(memory);
            memory.pass_ns(LOOK_NS);
            seen([before, look(memory)]);
        }
    }

    fn sleep(&self, interval_ns: u64, slack_ns: Option<u64>) -> f64 {
        let memory = &mut self.lock().memory;
        let interval_ns = interval_ns as f64;
        let due_ns = ((memory.now_ns() / interval_ns).floor() + 1.0) * interval_ns;
        memory.sleep(due_ns, slack_ns.map(|ns| ns as f64))
    }

    fn timer_slack_ns(&self) -> f64 {
        self.lock().memory.timer_slack_ns()
    }

    fn compute_in_real_time(
        &self,
        tasks: usize,
        in_turns: bool,
        length_ns: u64,
    ) -> Vec<Vec<Slice>> {
        let memory = &mut self.lock().memory;
        memory.compute_in_real_time(tasks, in_turns, length_ns as f64)
    }

    fn work_in_registers(&self, window_ns: u64, next_to_itself: bool) -> Window {
        let memory = &mut self.lock().memory;
        memory.work_in_registers(window_ns as f64, next_to_itself)
    }

    fn real_time_limits(&self) -> RealTimeLimits {
        self.lock().memory.real_time_limits()
    }

    fn coarse_step_ns(&self) -> f64 {
        self.lock().memory.coarse_step_ns()
    }
}
