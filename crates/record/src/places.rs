//! Where the points of a head stand, by their index: a head may have a million.

use crate::run::PointHead;
use std::collections::HashMap;

#[derive(Debug, Default)]
pub(crate) struct Places(HashMap<u32, usize>);

impl Places {
    /// Positions of `points` by index.
    pub fn of(points: &[PointHead]) -> Self {
        let mut places = Places::default();
        for (at, point) in points.iter().enumerate() {
            places.add(point.index, at);
        }
        places
    }

    /// The first of an index counts, in the head of a stranger too.
    pub fn add(&mut self, index: u32, at: usize) {
        self.0.entry(index).or_insert(at);
    }

    /// Where the point of that index stands.
    pub fn find(&self, index: u32) -> Option<usize> {
        self.0.get(&index).copied()
    }
}
