//! Points of a table by their settings: picked, paired, and named.

use crate::view::{ExperimentTable, PointView};
use record::Setting;
use record::axis::human_bytes;

impl ExperimentTable {
    /// Measured points that have all of these words on their axes.
    pub fn measured<const N: usize>(
        &self,
        words: [(&str, &str); N],
    ) -> impl DoubleEndedIterator<Item = &PointView> {
        let points = self.points.iter();
        points.filter(move |p| p.has(&words) && p.median_ns().is_some())
    }

    /// The first measured point of this size that has all of these words.
    pub fn sized<const N: usize>(&self, words: [(&str, &str); N], size: i64) -> Option<&PointView> {
        let mut measured = self.measured(words);
        measured.find(|p| p.int("size") == Some(size))
    }
}

impl PointView {
    /// Whether it has all of these words on its axes.
    pub fn has(&self, words: &[(&str, &str)]) -> bool {
        words.iter().all(|(axis, word)| self.word(axis) == *word)
    }

    /// The bytes of an axis as people write them; `0 B` where it has none.
    pub fn bytes(&self, axis: &str) -> String {
        human_bytes(self.int(axis).unwrap_or(0).unsigned_abs())
    }

    /// All settings but those of these axes: what two points have in common that
    /// differ there.
    pub fn all_but<'a>(&'a self, axes: &[&str]) -> Vec<&'a Setting> {
        let settings = self.head.settings.iter();
        settings
            .filter(|s| !axes.contains(&s.axis.as_str()))
            .collect()
    }
}

/// Numbers of points on an axis, each once, ascending.
pub fn numbers<'a>(points: impl IntoIterator<Item = &'a PointView>, axis: &str) -> Vec<i64> {
    let mut found: Vec<i64> = points.into_iter().filter_map(|p| p.int(axis)).collect();
    found.sort_unstable();
    found.dedup();
    found
}
