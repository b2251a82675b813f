//! What is measured: the contract between an experiment and the instrument.

use crate::Fault;
use crate::lateness;
use crate::refused::{self, Cause};

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

    /// Warm-up is over: the next batch is the first that counts.
    fn sampling_begins(&mut self) {}

    /// What the last batch used besides time, for the whole batch: system calls,
    /// switches of a partner. One value for each of the experiment's tallies, in
    /// their order; none for parts that are not tallied. Called after the timed
    /// part of every batch.
    fn tally(&mut self, part: u16) -> Vec<f64> {
        let _ = part;
        Vec::new()
    }

    /// Whether the batches so far hold enough readings, where not every batch yields
    /// one. Asked before each pass over the points of a block, which ends
    /// once all of them have enough.
    fn has_enough(&self) -> bool {
        false
    }

    /// What an instrument of the subject's own read of the last batch, where ours
    /// cannot see the operation alone: a kernel module times the copy, without
    /// the call that asks for it. The reading takes the place of ours; `None`
    /// leaves it. Asked after every batch, before `tally`.
    fn reading(&mut self, part: u16) -> Option<Reading> {
        let _ = part;
        None
    }

    /// How many operations a recording holds, where the subject is one: they
    /// happened in set-up at their own pace (the slices of a scheduler), and each
    /// batch hands the next one to `reading`. Such a point has as many samples
    /// as there are, and what disturbs the machine now is not theirs. Asked
    /// once, after set-up; `sampling_begins` goes back to the first.
    fn recorded(&self) -> Option<u32> {
        None
    }

    /// Batches are multiples of this many operations (an unrolled loop, a full
    /// turn of a ring).
    fn quantum(&self) -> u64 {
        1
    }

    /// Check that the operations really did what they claim (contents, counts).
    /// Called once before sampling (in the first process of a run) and once after.
    ///
    /// # Errors
    /// What is wrong; the point is recorded as failed.
    fn verify(&mut self) -> Result<(), Fault> {
        Ok(())
    }

    /// Threads, by number (gettid(2)), that do a part of the operation besides
    /// the calling one: the other side of a transfer. A process is named by its
    /// own number. Where a run asks for counters, they are counted too and
    /// added. Asked once, after set-up; they must live until the drop.
    fn counted_threads(&self) -> Vec<u32> {
        Vec::new()
    }

    /// Whether those threads do all of the operation and the calling one only waits:
    /// then it is not counted.
    fn counted_alone(&self) -> bool {
        false
    }

    /// Facts of the set-up worth keeping with the point: what was really
    /// obtained (`huge pages: 512 of 512 MiB`, `pipe capacity 1 MiB`).
    fn notes(&self) -> Vec<String> {
        Vec::new()
    }
}

/// A batch as an instrument of the subject's own read it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Reading {
    /// Operations that this time is of.
    pub ops: u64,
    pub elapsed_ns: f64,
    /// What that instrument reads of nothing, ns: kept with the time.
    pub floor_ns: f64,
    /// CPU that did it; ours where it is None.
    pub cpu: Option<u16>,
    /// Points of a block whose batches are one and the same event (the channels
    /// of an engine, all at once) give the same number, and their samples get
    /// the same index.
    pub turn: Option<u64>,
}

/// Why a point could not be set up.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SetupError {
    /// The machine lacks something: a result, not an error.
    #[error("{reason} ({remedy})")]
    Skip { reason: String, remedy: String },
    /// Something went wrong that should not have.
    #[error("{0}")]
    Fail(String),
}

impl SetupError {
    /// A set-up that this machine cannot have; `remedy` is a command, or `none: <why>`.
    pub fn skip(reason: impl Into<String>, remedy: impl Into<String>) -> Self {
        SetupError::Skip {
            reason: reason.into(),
            remedy: remedy.into(),
        }
    }

    /// A set-up that took too long, and of which nothing else is wrong.
    pub fn late(why: &str) -> Self {
        SetupError::skip(lateness::reason(why), lateness::REMEDY)
    }

    /// `cannot <verb> <object>: <cause>`. What a sandbox or a limit refuses, by its
    /// error number, is a skip with what lifts it.
    pub fn fail(doing: &str, cause: impl Cause) -> Self {
        let reason = format!("cannot {doing}: {cause}");
        match cause.error_number().and_then(refused::remedy) {
            Some(remedy) => SetupError::skip(reason, remedy),
            None => SetupError::Fail(reason),
        }
    }
}

impl From<Fault> for SetupError {
    fn from(fault: Fault) -> Self {
        match fault.is_slow() {
            true => SetupError::late(&fault.to_string()),
            false => SetupError::Fail(fault.to_string()),
        }
    }
}
