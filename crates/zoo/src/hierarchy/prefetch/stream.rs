//! Lines ahead of accesses that go one way through a block of 4 KiB, into L2.

use super::trigger::{Trigger, Wanted};
use crate::hierarchy::search::position;

/// Blocks that are followed at once.
const PLACES: usize = 32;
/// Lines that one access may bring at most.
const AT_ONCE: i32 = 2;
/// A step over more lines goes on with no stream.
const NEAR: i32 = 4;

#[derive(Debug, Clone, Copy)]
struct Place {
    last: i32,
    /// 1 up, -1 down, 0 not known.
    direction: i32,
    accesses: u32,
    /// How far beyond `last` lines have been asked for.
    ahead: i32,
}

/// Where each of the blocks last used is read, and in which direction.
#[derive(Debug, Clone)]
pub struct Stream {
    accesses: u32,
    ahead: i32,
    blocks: [u32; PLACES],
    places: [Place; PLACES],
    /// The place that the next new block gets.
    next: usize,
}

impl Stream {
    /// Acts after so many accesses in one direction, and gets so many lines ahead.
    pub fn new(accesses: u32, ahead: u32) -> Self {
        let none = Place {
            last: 0,
            direction: 0,
            accesses: 0,
            ahead: 0,
        };
        Stream {
            blocks: [u32::MAX; PLACES],
            accesses,
            ahead: ahead.cast_signed(),
            places: [none; PLACES],
            next: 0,
        }
    }

    /// A load that missed the first level.
    pub fn see(&mut self, trigger: &Trigger, wanted: &mut Wanted) {
        let (block, here) = (trigger.block(), trigger.place().cast_signed());
        let Some(at) = position(&self.blocks, block) else {
            self.begin(block, here);
            return;
        };
        let place = &mut self.places[at];
        let step = here - place.last;
        if step == 0 {
            return;
        }
        if step.signum() == place.direction && step.abs() <= NEAR {
            place.accesses += 1;
            place.ahead = (place.ahead - step.abs()).max(0);
        } else {
            let accesses = if step.abs() <= NEAR { 2 } else { 1 };
            (place.direction, place.accesses, place.ahead) = (step.signum(), accesses, 0);
        }
        place.last = here;
        if place.accesses >= self.accesses {
            let until = (place.ahead + AT_ONCE).min(self.ahead);
            for lines in place.ahead + 1..=until {
                if let Some(line) = trigger.neighbour(lines * place.direction) {
                    wanted.add(line, 1);
                }
            }
            place.ahead = until.max(place.ahead);
        }
    }

    /// Follows a block instead of the one that came longest ago.
    fn begin(&mut self, block: u32, last: i32) {
        let at = self.next;
        self.next = (at + 1) % PLACES;
        self.blocks[at] = block;
        self.places[at] = Place {
            last,
            direction: 0,
            accesses: 1,
            ahead: 0,
        };
    }
}
