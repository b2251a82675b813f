//! What the processes of a point met besides the operation.

/// What the processes of a point met.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Met {
    pub processes: u16,
    /// Processes whose samples something else had a part in.
    pub doubted: u16,
    /// What that was, of the latest.
    pub why: String,
}

impl Met {
    /// The median over processes may rest on a doubted one: half of them are.
    pub fn wants_another(&self) -> bool {
        2 * self.doubted >= self.processes && self.doubted > 0
    }

    /// Share of the processes that are doubted, 0..=1.
    pub fn share(&self) -> f64 {
        f64::from(self.doubted) / f64::from(self.processes.max(1))
    }

    /// What is said of the point when it is measured again, if it is for its own sake.
    pub fn note(&self) -> Option<String> {
        (self.doubted > 0).then(|| {
            format!(
                "measured again: in {} of {} processes before {}",
                self.doubted, self.processes, self.why
            )
        })
    }
}
