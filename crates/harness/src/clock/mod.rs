//! The clock that times batches: the processor's own counter where it runs at
//! a constant rate, `clock_gettime(CLOCK_MONOTONIC_RAW)` elsewhere.

#[cfg(target_arch = "aarch64")]
mod arm;
mod calibrate;
mod posix;
#[cfg(target_arch = "x86_64")]
mod tsc;

pub use calibrate::{Rate, rate as rate_of, rate_against};
pub use posix::{RawClock, monotonic_now_ns, raw_now_ns, sleep_until};

/// Whether user programs may read the time stamp counter with RDTSCP.
#[cfg(target_arch = "x86_64")]
pub fn has_rdtscp() -> bool {
    tsc::cpu_flags().rdtscp
}

use serde::{Deserialize, Serialize};
use stats::whole;
use std::path::Path;

/// A source of time stamps around a batch.
///
/// `start` and `stop` are fenced differently: nothing of the batch may begin
/// before `start` has read, and all of it must have executed before `stop`
/// reads. Stores may still sit in the store buffer at `stop`; an experiment
/// whose operation ends with its stores being visible must fence itself.
pub trait Clock {
    /// Time stamp before a batch, ticks.
    fn start(&self) -> u64;
    /// Time stamp after a batch, ticks.
    fn stop(&self) -> u64;
    /// Length of one tick, ns.
    fn tick_ns(&self) -> f64;

    /// Ticks as ns. A stamp that lies before its start counts as no time.
    fn elapsed_ns(&self, start: u64, stop: u64) -> f64 {
        stop.saturating_sub(start) as f64 * self.tick_ns()
    }

    /// Time since an arbitrary point, ns; never runs back on one CPU.
    fn now_ns(&self) -> u64 {
        whole(self.stop() as f64 * self.tick_ns())
    }
}

/// The clocks that samples can be timed with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ClockKind {
    /// x86-64 time stamp counter, invariant.
    Rdtscp,
    /// ARM generic timer, virtual count.
    Cntvct,
    ClockGettime,
}

impl ClockKind {
    /// Name as kept in the record.
    pub fn name(self) -> &'static str {
        match self {
            ClockKind::Rdtscp => "rdtscp",
            ClockKind::Cntvct => "cntvct_el0",
            ClockKind::ClockGettime => "clock_gettime",
        }
    }
}

/// Which clock a run uses and how fast it ticks: found once, then handed to
/// every measuring process, so that all samples of a run share one scale.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ClockSpec {
    pub kind: ClockKind,
    /// Ticks per second.
    pub hz: f64,
    /// Half-width of the rate's uncertainty, parts per million. 0: the rate is
    /// the unit itself or stated by the hardware.
    pub uncertainty_ppm: f64,
    /// Whether the counter keeps its rate in every power state.
    pub invariant: bool,
    /// Why this clock and not a better one.
    pub notes: Vec<String>,
}

impl ClockSpec {
    /// The best clock of this machine; `root` is where /sys is found. Takes
    /// about 20 ms where a rate must be calibrated.
    pub fn choose(root: &Path) -> Self {
        match counter(root) {
            Ok(spec) => spec,
            Err(why) => Self::posix(Some(why.to_string())),
        }
    }

    /// `clock_gettime`, with the reason it was chosen.
    pub fn posix(why: Option<String>) -> Self {
        ClockSpec {
            kind: ClockKind::ClockGettime,
            hz: 1e9,
            uncertainty_ppm: 0.0,
            invariant: true,
            notes: why.into_iter().collect(),
        }
    }

    /// The clock itself. A spec of another architecture gives `clock_gettime`.
    pub fn build(&self) -> Box<dyn Clock> {
        match self.kind {
            #[cfg(target_arch = "x86_64")]
            ClockKind::Rdtscp => Box::new(tsc::TscClock::new(self.hz)),
            #[cfg(target_arch = "aarch64")]
            ClockKind::Cntvct => Box::new(arm::CounterClock::new(self.hz)),
            _ => Box::new(RawClock),
        }
    }
}

/// The rate of a counter, measured anew; `None` for a clock that is its own
/// yardstick or is not of this architecture.
pub fn measure_rate(kind: ClockKind) -> Option<Rate> {
    match kind {
        #[cfg(target_arch = "x86_64")]
        ClockKind::Rdtscp => Some(calibrate::rate(tsc::read_stop)),
        #[cfg(target_arch = "aarch64")]
        ClockKind::Cntvct => Some(calibrate::rate(arm::read_stop)),
        _ => None,
    }
}

/// Why `clock_gettime` is used instead of a counter.
#[derive(Debug, thiserror::Error)]
enum NoCounter {
    #[cfg(target_arch = "x86_64")]
    #[error("{0}")]
    Tsc(#[from] tsc::Untrusted),
    #[cfg(target_arch = "aarch64")]
    #[error("firmware left cntfrq_el0 at 0; using clock_gettime")]
    NoFrequency,
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    #[error("this architecture has no counter that user space may read; using clock_gettime")]
    OtherArchitecture,
}

#[cfg(target_arch = "x86_64")]
fn counter(root: &Path) -> Result<ClockSpec, NoCounter> {
    let mut notes = Vec::new();
    notes.extend(tsc::check(tsc::cpu_flags(), root)?);
    let rate = calibrate::rate(tsc::read_stop);
    notes.push(rate.describe());
    Ok(ClockSpec {
        kind: ClockKind::Rdtscp,
        hz: rate.hz,
        uncertainty_ppm: rate.uncertainty_ppm,
        invariant: true,
        notes,
    })
}

#[cfg(target_arch = "aarch64")]
#[allow(clippy::unnecessary_wraps)]
fn counter(_root: &Path) -> Result<ClockSpec, NoCounter> {
    let hz = arm::frequency_hz();
    if hz == 0 {
        return Err(NoCounter::NoFrequency);
    }
    let measured = calibrate::rate(arm::read_stop);
    Ok(arm::spec(hz, &measured))
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn counter(_root: &Path) -> Result<ClockSpec, NoCounter> {
    Err(NoCounter::OtherArchitecture)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_chosen_clock_agrees_with_the_kernel_about_a_sleep() {
        let clock = ClockSpec::choose(Path::new("/")).build();
        let raw = raw_now_ns();
        let start = clock.start();
        std::thread::sleep(std::time::Duration::from_millis(20));
        let ours = clock.elapsed_ns(start, clock.stop());
        let kernel = (raw_now_ns() - raw) as f64;
        // The kernel's pair encloses ours, so ours is no longer than it plus
        // the clocks' disagreement; a wrong rate would be off by a factor.
        assert!(ours >= 20e6 * 0.99, "{ours}");
        assert!(ours <= kernel * 1.01, "{ours} in {kernel}");
    }

    #[test]
    fn a_root_without_sysfs_still_gives_a_clock() {
        let nowhere = Path::new("/nonexistent");
        let spec = ClockSpec::choose(nowhere);
        assert!(!spec.notes.is_empty());
        let clock = spec.build();
        assert!(clock.now_ns() <= clock.now_ns());
    }

    #[test]
    fn a_stamp_before_its_start_is_no_time() {
        assert_eq!(RawClock.elapsed_ns(10, 3), 0.0);
        assert_eq!(RawClock.elapsed_ns(3, 10), 7.0);
    }
}
