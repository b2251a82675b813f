//! Chains of dependent loads: each element holds the address of the next, so
//! the processor cannot begin a load before the one before it has ended.

use crate::memory::cycle::{in_order, single_cycle};
use crate::memory::mapping::Mapping;
use harness::{Fault, SetupError};
use std::num::NonZeroUsize;
use std::rc::Rc;

/// Loads in one turn of the unrolled walk.
pub const UNROLL: u64 = 32;

/// Chains up to this long are walked from end to end by `verify`; longer ones
/// would take longer to check than to measure.
pub const FULL_WALK: usize = 1 << 16;

/// Rounds that a set in random order is gone through before it is measured. A cache that
/// replaces at random, or that keeps what others left in it, holds a set that fits only after
/// several: each round places what the one before threw out.
const SETTLING_ROUNDS: usize = 8;
/// Loads that this takes at most. They do not wait for each other: some ms.
const SETTLING_LOADS: usize = 1 << 20;

const POINTER: usize = size_of::<usize>();

/// Where the elements of a chain are, and in which order they are visited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// Ascending, one element every so many bytes.
    Stride(NonZeroUsize),
    /// One element in each cache line of so many bytes, in random order over
    /// the whole set.
    RandomLines { line: NonZeroUsize },
    /// One element in each page, in random order; the line within the page
    /// moves on from page to page so that all cache sets are used evenly.
    RandomPages {
        page: NonZeroUsize,
        line: NonZeroUsize,
    },
}

impl Layout {
    /// Elements in a set of `bytes`.
    pub fn count(self, bytes: usize) -> usize {
        bytes / self.step()
    }

    /// Byte offset of element `index`.
    pub fn offset(self, index: usize) -> usize {
        let line = match self {
            Layout::RandomPages { page, line } => {
                // One more each time round: where a way of the first cache is longer than a
                // page, the page's own number is in the set too.
                let lines = (page.get() / line).max(1);
                (index + index / lines) % lines * line.get()
            }
            Layout::Stride(_) | Layout::RandomLines { .. } => 0,
        };
        index * self.step() + line
    }

    /// Smallest distance of two elements.
    fn step(self) -> usize {
        match self {
            Layout::Stride(step)
            | Layout::RandomLines { line: step }
            | Layout::RandomPages { page: step, .. } => step.get(),
        }
    }
}

/// Rounds through so many elements before they are measured.
fn settling_rounds(count: usize) -> usize {
    (SETTLING_LOADS / count).min(SETTLING_ROUNDS)
}

/// A closed chain through a mapping, and the present position of its walk.
#[derive(Debug)]
pub struct Chain {
    mapping: Rc<Mapping>,
    /// Bytes of the mapping that elements may be in.
    bytes: usize,
    count: usize,
    /// Sum of the offsets of all elements: a walk that meets each of them once
    /// must come to the same.
    offset_sum: u64,
    start: *const usize,
    cursor: *const usize,
    walked: u64,
}

impl Chain {
    /// Writes the chain of `layout` into the first `bytes` of `mapping`.
    ///
    /// # Errors
    /// `Skip` when fewer than two elements fit, `Fail` when the mapping is too
    /// small or elements would overlap.
    pub fn new(
        mapping: Rc<Mapping>,
        bytes: usize,
        layout: Layout,
        seed: u64,
    ) -> Result<Self, SetupError> {
        let count = layout.count(bytes);
        if count < 2 {
            return Err(SetupError::skip(
                format!(
                    "{bytes} B are too few for two elements {} B apart",
                    layout.step()
                ),
                "use a larger size",
            ));
        }
        let indices = u32::try_from(count)
            .map_err(|_| SetupError::fail("build a chain", format!("{count} elements")))?;
        match layout {
            Layout::Stride(_) => {
                let places = (0..count).map(|i| layout.offset(i));
                Self::link(mapping, bytes, places, 0)
            }
            _ => {
                let order = in_order(&single_cycle(indices, seed));
                let places = order.iter().map(|i| layout.offset(*i as usize));
                Self::link(mapping, bytes, places, settling_rounds(count))
            }
        }
    }

    /// A chain that visits these byte offsets in this order, then begins anew.
    ///
    /// # Errors
    /// `Fail` when an offset is unaligned or outside the mapping.
    pub fn visiting(mapping: Rc<Mapping>, offsets: &[usize]) -> Result<Self, SetupError> {
        let bytes = mapping.len();
        Self::link(mapping, bytes, offsets.iter().copied(), 0)
    }

    /// Writes into the element at each of `places` the address of the next, and into the last
    /// that of the first; then loads from all of them so many times. They are trusted to be
    /// distinct; `verify` checks the outcome.
    fn link(
        mapping: Rc<Mapping>,
        bytes: usize,
        places: impl ExactSizeIterator<Item = usize> + Clone,
        rounds: usize,
    ) -> Result<Self, SetupError> {
        let limit = bytes.min(mapping.len());
        let base = mapping.base().as_ptr();
        let count = places.len();
        let inside = |place: usize| {
            if place.is_multiple_of(POINTER) && place + POINTER <= limit {
                return Ok(place);
            }
            let cause = format!("an element at {place} B leaves {limit} B");
            Err(SetupError::fail("build a chain", cause))
        };
        let first = places
            .clone()
            .next()
            .ok_or_else(|| SetupError::fail("build a chain", "no elements"))?;
        let mut from = inside(first)?;
        let mut offset_sum = 0u64;
        // In the order of the walk: what is then in the caches is the end of the chain, as
        // after a walk round, and the first samples are like the later ones.
        for to in places.clone().skip(1).chain([first]) {
            let to = inside(to)?;
            offset_sum = offset_sum.wrapping_add(from as u64);
            // SAFETY: from and to are aligned and within the mapping, as just
            // checked; the mapping is writable and ours alone.
            unsafe {
                let target = base.add(to).cast::<usize>();
                base.add(from).cast::<*const usize>().write(target);
            }
            from = to;
        }
        let each = (0..rounds).flat_map(|_| places.clone());
        match mapping.simulated() {
            Some(machine) => {
                let all = places
                    .clone()
                    .chain(each)
                    .map(|place| base as usize + place);
                machine.set_up(&mut { all }, count * (rounds + 1));
            }
            None => each.for_each(|place| {
                // SAFETY: inside the mapping and aligned, as checked above.
                let _ = unsafe { base.add(place).cast::<usize>().read_volatile() };
            }),
        }
        // SAFETY: `first` was checked above.
        let start = unsafe { base.add(first).cast::<usize>().cast_const() };
        Ok(Chain {
            mapping,
            bytes: limit,
            count,
            offset_sum,
            start,
            cursor: start,
            walked: 0,
        })
    }

    /// Elements of the chain.
    pub fn count(&self) -> usize {
        self.count
    }

    /// What the mapping obtained.
    pub fn note(&self) -> String {
        format!("{}; chain of {} loads", self.mapping.note(), self.count)
    }

    /// Follows the chain for `steps` loads, a multiple of `UNROLL`.
    #[inline]
    pub fn walk(&mut self, steps: u64) {
        let steps = steps / UNROLL * UNROLL;
        self.cursor = match self.mapping.simulated() {
            None => follow(self.cursor, steps / UNROLL),
            Some(machine) => {
                let codes = u32::try_from(UNROLL).unwrap_or(1);
                machine.follow(self.cursor as usize, steps, codes, &mut successor) as *const usize
            }
        };
        self.walked += steps;
    }

    /// Follows the chain load by load, each timed on its own: as many as there are
    /// `times`, which get the ticks.
    pub fn time_each(&mut self, times: &mut [u32]) {
        // SAFETY: the chain is closed: every element holds the address of another.
        self.cursor = unsafe { harness::loads::time_each(self.cursor, times) };
        self.walked += times.len() as u64;
    }

    /// Checks that the chain visits every element exactly once and that the
    /// walk is where its number of steps puts it. Chains longer than
    /// `FULL_WALK` are followed for that many loads only.
    ///
    /// # Errors
    /// A sentence naming what is wrong.
    pub fn verify(&self) -> Result<(), Fault> {
        if self.count <= FULL_WALK {
            self.verify_cycle()
        } else {
            self.verify_stretch()
        }
    }

    fn verify_cycle(&self) -> Result<(), Fault> {
        let due = self.walked % self.count as u64;
        let (mut place, mut sum) = (self.start, 0u64);
        for step in 0..self.count {
            if step as u64 == due && place != self.cursor {
                return Err(Fault::wrong(format!(
                    "the walk is not at element {due} of its chain"
                )));
            }
            sum = sum.wrapping_add(self.offset_of(place)? as u64);
            place = self.successor(place);
            if place == self.start && step + 1 < self.count {
                let (met, count) = (step + 1, self.count);
                return Err(Fault::wrong(format!(
                    "the chain closes after {met} of {count} elements"
                )));
            }
        }
        if place != self.start || sum != self.offset_sum {
            return Err(Fault::wrong(format!(
                "the chain misses some of its {} elements",
                self.count
            )));
        }
        Ok(())
    }

    fn verify_stretch(&self) -> Result<(), Fault> {
        let mut place = self.cursor;
        for step in 0..FULL_WALK {
            self.offset_of(place)?;
            place = self.successor(place);
            if place == self.cursor {
                return Err(Fault::wrong(format!(
                    "the chain closes after {} elements",
                    step + 1
                )));
            }
        }
        self.offset_of(place).map(drop)
    }

    /// Offset of an element's address, when it is one.
    fn offset_of(&self, place: *const usize) -> Result<usize, Fault> {
        let offset = (place as usize).wrapping_sub(self.mapping.base().as_ptr() as usize);
        if offset > self.bytes - POINTER || !offset.is_multiple_of(POINTER) {
            return Err(Fault::wrong(format!(
                "the chain leaves its {} B",
                self.bytes
            )));
        }
        Ok(offset)
    }

    fn successor(&self, place: *const usize) -> *const usize {
        // SAFETY: `place` passed `offset_of`, so it is aligned and inside the
        // mapping, whose bytes are initialised.
        unsafe { place.cast::<*const usize>().read() }
    }
}

/// What the element at an address holds, where a simulated machine makes the loads.
fn successor(at: usize) -> usize {
    // SAFETY: the chain is closed: every element holds the address of another element of
    // the same mapping, which its walk keeps.
    unsafe { (at as *const usize).read() }
}

/// `turns` turns of `UNROLL` dependent loads. Volatile keeps each load; the
/// address of the next comes from the one before, so no compiler can reorder
/// or drop any.
#[inline(never)]
fn follow(mut place: *const usize, turns: u64) -> *const usize {
    macro_rules! loads {
        ($($n:literal)*) => {
            $({
                let _ = $n;
                // SAFETY: the chain is closed: every element holds the address
                // of another element of the same mapping.
                place = unsafe { place.cast::<*const usize>().read_volatile() };
            })*
        };
    }
    for _ in 0..turns {
        loads!(1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16);
        loads!(17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32);
    }
    place
}

#[cfg(test)]
mod tests;
