//! The other line of an aligned pair, into L2 ("spatial prefetcher").

use super::trigger::{Trigger, Wanted};

/// Remembers nothing: every miss of the second level brings two lines.
#[derive(Debug, Clone)]
pub struct Adjacent;

impl Adjacent {
    /// A load that missed the first level.
    pub fn see(&mut self, trigger: &Trigger, wanted: &mut Wanted) {
        if trigger.depth >= 2 {
            wanted.add(trigger.line ^ 1, 1);
        }
    }
}
