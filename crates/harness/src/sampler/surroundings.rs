//! What was seen of a block as a whole, for each of its batches.

use super::Bench;
use super::cell::Raw;
use crate::watch::Whole;
use crate::yardstick::Readings;
use record::{Disturbance, Yardstick};

/// The brackets of the watch and the readings of the yardstick, now that the block has ended.
pub struct Surroundings {
    whole: Whole,
    readings: Readings,
}

impl Surroundings {
    /// Ends the watch over the block.
    pub fn of_block(bench: &mut Bench<'_>) -> Self {
        let yardstick = bench.yardstick.take();
        Surroundings {
            readings: yardstick.map_or_else(Readings::default, |y| y.end(bench.clock)),
            whole: bench.watch.block_ends(),
        }
    }

    /// Sentences about the block.
    pub fn notes(&self) -> &[String] {
        &self.whole.notes
    }

    /// What disturbed a batch; nothing is known of one that the watch did not watch: another
    /// CPU's, or one that was recorded before.
    pub fn disturbance(&self, raw: &Raw) -> Disturbance {
        let mut seen = raw.seen;
        if raw.watched {
            self.whole.complete(&mut seen);
        }
        seen.disturbance
    }

    /// How fast the CPU was around a batch.
    pub fn yardstick(&self, raw: &Raw) -> Option<Yardstick> {
        let place = raw.place.filter(|_| raw.watched)?;
        self.readings.around(place)
    }
}
