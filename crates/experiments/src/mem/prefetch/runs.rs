//! Runs of loads through a page whose lines were dropped, and what the load after each takes.

use super::PAGE;
use super::pool::Pool;
use crate::mem::dropping::{dropped_by, timed_way};
use engines::loops::writeback::{Writeback, full_fence};
use engines::memory::{Mapping, Pages};
use engines::reading::of_events;
use engines::verdict::must;
use harness::{Context, Fault, Reading, SetupError, Subject};
use stats::Rng;

/// Pages that runs are in: one comes back after thousands of others.
const PAGES: usize = 4096;
/// Loads at random places before each run.
pub const PRELUDE: usize = 3;
/// Pages that each of those may be in, behind the others.
const OTHERS: usize = 32;
/// Multiplications between a run and the load after it, so that what was asked for arrives: they
/// take several times what memory does.
const WAIT_TURNS: u32 = 500;
/// The same on a simulated machine, in cycles.
const WAIT_CYCLES: f64 = 2_000.0;

/// How the loads of a run lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    Up,
    Down,
    Random,
    /// Upwards, and nothing is dropped.
    Kept,
}

/// Offsets of some loads at random elsewhere.
fn prelude(rng: &mut Rng) -> Vec<usize> {
    let elsewhere = |number| {
        let page = PAGES + number * OTHERS + rng.below(OTHERS);
        page * PAGE + rng.below(PAGE / 8) * 8
    };
    (0..PRELUDE).map(elsewhere).collect()
}

/// Offsets of the loads of a run in one page: some at random elsewhere, then `loads` of its own.
pub fn places(stride: usize, loads: usize, order: Order, rng: &mut Rng) -> Vec<usize> {
    let mut all = prelude(rng);
    let page = rng.below(PAGES) * PAGE;
    let in_page = PAGE / stride;
    let first = rng.below(in_page - loads + 1);
    let mut own: Vec<usize> = (first..first + loads).collect();
    match order {
        Order::Up | Order::Kept => {}
        Order::Down => own.reverse(),
        Order::Random => {
            own = (0..in_page).collect();
            for at in 0..loads {
                own.swap(at, at + rng.below(in_page - at));
            }
            own.truncate(loads);
        }
    }
    all.extend(own.into_iter().map(|place| page + place * stride));
    all
}

/// The pages, and how runs go through them.
pub struct Runs {
    mapping: Mapping,
    stride: usize,
    /// Loads of a run, with the one that is timed.
    loads: usize,
    order: Order,
    /// Where the loads lie, if not in one page.
    pool: Option<Pool>,
    /// None: a simulated machine does it.
    way: Option<Writeback>,
    tick_ns: f64,
    rng: Rng,
    /// Runs that did not end where they should.
    lost: u64,
    /// Of the last batch.
    elapsed_ns: f64,
    ops: u64,
}

impl Runs {
    /// `run` loads `stride` bytes apart, and one more.
    ///
    /// # Errors
    /// `Skip` where no instruction drops a line, or single loads cannot be timed.
    pub fn new(
        stride: usize,
        run: usize,
        order: Order,
        seed: u64,
        context: &Context,
    ) -> Result<Runs, SetupError> {
        let way = timed_way(context)?;
        let mapping = Mapping::new((PAGES + PRELUDE * OTHERS) * PAGE, Pages::Base, context)?;
        Ok(Runs {
            mapping,
            pool: None,
            stride,
            loads: run + 1,
            order,
            tick_ns: way.map_or(0.0, |_| harness::loads::tick_ns()),
            way,
            rng: Rng::new(seed),
            lost: 0,
            elapsed_ns: 0.0,
            ops: 0,
        })
    }

    /// The same with each load in a page of its own, round and round; `again`: in one order.
    pub fn round(mut self, again: bool) -> Runs {
        self.pool = Some(Pool::new(again, &mut self.rng));
        self
    }

    fn places(&mut self) -> Vec<usize> {
        let Some(pool) = &mut self.pool else {
            return places(self.stride, self.loads, self.order, &mut self.rng);
        };
        let mut all = prelude(&mut self.rng);
        all.extend(pool.take(self.loads, &mut self.rng));
        all
    }

    /// Drops the lines of a run, follows it, and returns what its last load took, ns.
    fn once(&mut self) -> f64 {
        let places = self.places();
        let base = self.mapping.base().as_ptr();
        let words: Vec<*mut u8> = places.iter().map(|at| base.wrapping_add(*at)).collect();
        if self.mapping.simulated().is_some() {
            return self.in_numbers(&words);
        }
        let (first, last) = (words[0], words[words.len() - 1]);
        let mut ticks = vec![0; words.len()];
        let (before, timed) = ticks.split_at_mut(words.len() - 1);
        // SAFETY: all inside the mapping and aligned: strides and places are multiples of 8.
        unsafe {
            for pair in words.windows(2) {
                pair[0].cast::<usize>().write(pair[1] as usize);
            }
            last.cast::<usize>().write(first as usize);
            self.clear(&words);
            let after = harness::loads::time_each(first.cast::<usize>(), before);
            wait();
            let end = harness::loads::time_each(after, timed);
            self.lost += u64::from(end != first.cast::<usize>().cast_const());
        }
        f64::from(timed[0]) * self.tick_ns
    }

    /// Lines of the run leave the caches, or all come into them.
    ///
    /// # Safety
    /// The words are readable.
    unsafe fn clear(&self, words: &[*mut u8]) {
        for word in &words[PRELUDE..] {
            match (self.order, self.way) {
                // SAFETY: as promised.
                (Order::Kept, _) => unsafe {
                    word.read_volatile();
                },
                // SAFETY: as promised.
                (_, Some(way)) => unsafe { way.push(*word, size_of::<usize>()) },
                (_, None) => {}
            }
        }
        full_fence();
    }

    fn in_numbers(&self, words: &[*mut u8]) -> f64 {
        let Some(machine) = self.mapping.simulated() else {
            return f64::NAN;
        };
        for word in &words[PRELUDE..] {
            match self.order {
                Order::Kept => {
                    machine.time_load(0, *word as usize);
                }
                _ => machine.flush(*word as usize),
            }
        }
        let (last, run) = (words[words.len() - 1], &words[..words.len() - 1]);
        for word in run {
            machine.time_load(0, *word as usize);
        }
        machine.compute(WAIT_CYCLES);
        machine.time_load(0, last as usize)
    }
}

/// Work that needs no line but that of its own.
fn wait() {
    let mut product = 3_u64;
    for _ in 0..WAIT_TURNS {
        product = std::hint::black_box(product).wrapping_mul(product);
    }
}

impl Subject for Runs {
    fn batch(&mut self, _part: u16, ops: u64) {
        self.ops = ops;
        self.elapsed_ns = (0..ops).map(|_| self.once()).sum();
    }

    fn reading(&mut self, _part: u16) -> Option<Reading> {
        Some(of_events(self.ops, self.elapsed_ns, None))
    }

    fn verify(&mut self) -> Result<(), Fault> {
        must(
            self.lost == 0,
            format!("{} runs did not end where they began", self.lost),
        )
    }

    fn notes(&self) -> Vec<String> {
        let way = self.way.map(dropped_by);
        let mapping = self.mapping.note().to_owned();
        way.into_iter().chain([mapping]).collect()
    }
}
