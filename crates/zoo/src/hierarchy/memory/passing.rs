//! Time passes, and what is due happens.

use super::Memory;
use crate::hierarchy::events::Event;
use crate::hierarchy::narrow::{few, index};

/// Lines of the first level that an interrupt's own data throw out.
const TICK_LINES: usize = 32;
/// Lines that a guest which had the CPU meanwhile throws out.
const THEFT_LINES: usize = 128;
/// Lines from here on are of other tasks.
const FOREIGN: u32 = 1 << 31;

impl Memory {
    #[inline]
    pub(super) fn pass(&mut self, ns: f64) {
        self.time.now_ns += ns;
        if self.time.now_ns >= self.events.next_ns() {
            self.catch_up();
        }
    }

    fn catch_up(&mut self) {
        while let Some(event) = self.events.due(self.time.now_ns) {
            // What an interrupt that is no tick throws out is left out: it is little.
            let harmless = matches!(event, Event::Speed(_) | Event::Interrupt(_));
            self.disturbances += u64::from(!harmless);
            match event {
                Event::Tick => {
                    self.tick();
                    self.time.now_ns += self.around.tick_ns;
                    self.caches.disturb_first(0, TICK_LINES, &mut self.rng);
                }
                Event::Interrupt(takes_ns) => self.time.now_ns += takes_ns,
                Event::Theft(length_ns) => {
                    self.time.stolen_ns += length_ns;
                    self.time.now_ns += length_ns;
                    self.caches.disturb_first(0, THEFT_LINES, &mut self.rng);
                }
                Event::Burst => self.intrude(),
                Event::Speed(share) => self.time.set_speed(share),
            }
        }
    }

    /// Every tick is counted; the coarse clock moves on by those that its keeper sees.
    fn tick(&mut self) {
        self.time.ticks += 1;
        if self
            .time
            .ticks
            .is_multiple_of(self.around.kernel.keeps_every)
        {
            self.time.coarse_ns = self.time.now_ns;
        }
    }

    fn intrude(&mut self) {
        let lines = self.events.neighbour().map_or(0, |n| n.burst_lines);
        let mut coming: Option<u32> = None;
        for _ in 0..lines {
            let line = FOREIGN + few(self.rng.below(index(u64::from(FOREIGN - 1))));
            self.caches.expect(0, line);
            if let Some(line) = coming.replace(line) {
                self.caches.intrude(line);
            }
        }
        if let Some(line) = coming {
            self.caches.intrude(line);
        }
    }
}
