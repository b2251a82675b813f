//! How much is measured where the user names no points.

use serde::{Deserialize, Serialize};

/// How much to measure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Preset {
    /// The whole suite in about a minute.
    #[default]
    Quick,
    Full,
}

impl Preset {
    /// As it is typed and recorded.
    pub fn name(self) -> &'static str {
        self.choose("quick", "full")
    }

    /// The one of two that belongs to it.
    pub fn choose<T>(self, quick: T, full: T) -> T {
        match self {
            Preset::Quick => quick,
            Preset::Full => full,
        }
    }

    /// Processes that repeat each point unless set: many short ones say how processes differ,
    /// few long ones do not. Six and more need no assumption of how.
    pub fn processes(self) -> u32 {
        self.choose(5, 6)
    }

    /// Budgets of a point that all its processes together are given: each of many has a part
    /// of one.
    pub fn budgets(self) -> u32 {
        self.choose(2, 3)
    }
}
