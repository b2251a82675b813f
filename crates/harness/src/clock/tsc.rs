//! The x86-64 time stamp counter.
//!
//! Fencing after the Intel SDM (vol. 2, RDTSC and RDTSCP): `lfence; rdtsc;
//! lfence` lets nothing of the batch start before the read, `rdtscp; lfence`
//! waits until the batch has executed and keeps what follows out of it.

use super::Clock;
use machine::Source;
use std::arch::x86_64::{__cpuid, __rdtscp, _mm_lfence, _rdtsc};
use std::path::Path;

/// The time stamp counter (Intel SDM vol. 3, "Time-Stamp Counter").
#[derive(Debug)]
pub struct TscClock {
    tick_ns: f64,
}

impl TscClock {
    /// A counter of `hz` ticks a second.
    pub fn new(hz: f64) -> Self {
        TscClock { tick_ns: 1e9 / hz }
    }
}

impl Clock for TscClock {
    #[inline]
    fn start(&self) -> u64 {
        // SAFETY: SSE2 and the TSC are part of x86-64; `check` has seen that
        // user space may read it.
        unsafe {
            // RDTSC is not ordered (Intel SDM vol. 2): the first fence keeps earlier work
            // out of the batch, the second keeps the batch behind the reading.
            _mm_lfence();
            let ticks = _rdtsc();
            _mm_lfence();
            ticks
        }
    }

    #[inline]
    fn stop(&self) -> u64 {
        read_stop()
    }

    fn tick_ns(&self) -> f64 {
        self.tick_ns
    }
}

/// Ticks now, read after everything before it.
#[inline]
pub fn read_stop() -> u64 {
    let mut cpu = 0;
    // SAFETY: `check` has seen the RDTSCP flag before this is reached.
    unsafe {
        // RDTSCP waits for all earlier instructions; the fence keeps later ones behind it
        // (Intel SDM vol. 2).
        let ticks = __rdtscp(&raw mut cpu);
        _mm_lfence();
        ticks
    }
}

/// What CPUID says of the counter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TscFlags {
    pub invariant: bool,
    pub rdtscp: bool,
}

/// Reads them from this CPU.
pub fn cpu_flags() -> TscFlags {
    let highest = __cpuid(0x8000_0000).eax;
    let invariant = highest >= 0x8000_0007 && __cpuid(0x8000_0007).edx & (1 << 8) != 0;
    let rdtscp = highest >= 0x8000_0001 && __cpuid(0x8000_0001).edx & (1 << 27) != 0;
    TscFlags { invariant, rdtscp }
}

/// Why the time stamp counter is not used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Untrusted {
    #[error("this processor has no RDTSCP; using clock_gettime")]
    NoRdtscp,
    #[error(
        "the time stamp counter is not invariant (CPUID 0x80000007 EDX bit 8 is 0): \
         it changes rate with the core's frequency; using clock_gettime"
    )]
    NotInvariant,
    #[error(
        "the kernel does not offer tsc as a clocksource (it offers {offered}): \
         it found the counter unstable; using clock_gettime"
    )]
    NotOffered { offered: String },
}

/// Whether the counter can be trusted; a note where that is not fully known.
///
/// The kernel watches the counter against other clocks and drops it from the
/// available clocksources when it drifts or jumps, which CPUID does not show.
///
/// # Errors
/// The reason for not using the counter.
pub fn check(flags: TscFlags, root: &Path) -> Result<Option<String>, Untrusted> {
    if !flags.rdtscp {
        return Err(Untrusted::NoRdtscp);
    }
    if !flags.invariant {
        return Err(Untrusted::NotInvariant);
    }
    let offered = machine::clock::read(&Source::new(root)).available;
    match offered.iter().any(|name| name == "tsc") {
        true => Ok(None),
        false if offered.is_empty() => Ok(Some(
            "the kernel lists no clocksources; trusting CPUID that the time stamp counter is \
             invariant"
                .to_owned(),
        )),
        false => Err(Untrusted::NotOffered {
            offered: offered.join(" "),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: TscFlags = TscFlags {
        invariant: true,
        rdtscp: true,
    };

    fn root_offering(text: &str) -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        let dir = root
            .path()
            .join("sys/devices/system/clocksource/clocksource0");
        std::fs::create_dir_all(&dir).unwrap();
        std::fs::write(dir.join("available_clocksource"), text).unwrap();
        root
    }

    #[test]
    fn a_counter_that_changes_rate_is_refused() {
        let flags = TscFlags {
            invariant: false,
            ..GOOD
        };
        let root = root_offering("tsc hpet acpi_pm\n");
        assert_eq!(check(flags, root.path()), Err(Untrusted::NotInvariant));
    }

    #[test]
    fn a_counter_the_kernel_gave_up_is_refused() {
        let root = root_offering("hpet acpi_pm\n");
        let why = check(GOOD, root.path()).unwrap_err().to_string();
        assert!(why.contains("hpet acpi_pm"), "{why}");
    }

    #[test]
    fn a_guest_clock_that_offers_tsc_too_is_fine() {
        let root = root_offering("kvm-clock tsc acpi_pm\n");
        assert_eq!(check(GOOD, root.path()), Ok(None));
    }

    #[test]
    fn without_sysfs_the_doubt_is_noted() {
        let note = check(GOOD, Path::new("/nonexistent")).unwrap();
        assert!(note.unwrap().contains("trusting CPUID"));
    }
}
