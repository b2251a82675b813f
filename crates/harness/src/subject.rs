//! What is measured: the contract between an experiment and the instrument.

use std::fmt;

/// A thing that can perform operations. Made by an experiment's set-up,
/// dropped by the harness; dropping undoes everything (children reaped, files
/// and mappings gone).
///
/// It never reads a clock, prints, sleeps or decides how often it runs.
pub trait Subject {
    /// Perform `ops` operations of part `part`. This call, and only this call,
    /// is timed. Part 0 is the experiment's primary metric; further parts are
    /// references measured interleaved with it (a zero-length call, the ring
    /// without its switches), each its own metric.
    fn batch(&mut self, part: u16, ops: u64);

    /// Bring the machine into the state a batch expects (flush caches, refill
    /// a pipe). Outside the timed part, before every batch.
    fn prepare(&mut self, part: u16) {
        let _ = part;
    }

    /// What the last batch used besides time, for the whole batch: system calls,
    /// switches of a partner. One value for each of the experiment's tallies, in
    /// their order; none for parts that are not tallied. Called after the timed
    /// part of every batch.
    fn tally(&mut self, part: u16) -> Vec<f64> {
        let _ = part;
        Vec::new()
    }

    /// Batches are multiples of this many operations (an unrolled loop, a full
    /// turn of a ring).
    fn quantum(&self) -> u64 {
        1
    }

    /// Check that the operations really did what they claim (contents, counts).
    /// Called once before sampling and once after.
    ///
    /// # Errors
    /// A sentence naming what is wrong; the point is recorded as failed.
    fn verify(&mut self) -> Result<(), String> {
        Ok(())
    }

    /// Facts of the set-up worth keeping beside the point: what was really
    /// obtained (`huge pages: 512 of 512 MiB`, `pipe capacity 1 MiB`).
    fn notes(&self) -> Vec<String> {
        Vec::new()
    }
}

/// Why a point could not be set up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SetupError {
    /// The machine lacks something: a result, not an error.
    Skip { reason: String, remedy: String },
    /// Something went wrong that should not have.
    Fail(String),
}

impl SetupError {
    pub fn skip(reason: impl Into<String>, remedy: impl Into<String>) -> Self {
        SetupError::Skip {
            reason: reason.into(),
            remedy: remedy.into(),
        }
    }

    /// `cannot <verb> <object>: <cause>`.
    pub fn fail(doing: &str, cause: impl fmt::Display) -> Self {
        SetupError::Fail(format!("cannot {doing}: {cause}"))
    }
}

impl fmt::Display for SetupError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SetupError::Skip { reason, remedy } => write!(f, "{reason} ({remedy})"),
            SetupError::Fail(cause) => f.write_str(cause),
        }
    }
}

impl std::error::Error for SetupError {}
