//! The ARM generic timer's virtual count (Arm ARM, D12: the Generic Timer in
//! AArch64 state). It runs at a constant rate by architecture; Linux lets user
//! space read it.

use super::{Clock, ClockKind, ClockSpec, Rate};
use std::arch::asm;

/// The generic timer's virtual counter (CNTVCT_EL0; Arm ARM, D11).
#[derive(Debug)]
pub struct CounterClock {
    tick_ns: f64,
}

impl CounterClock {
    /// A counter of `hz` ticks a second.
    pub fn new(hz: f64) -> Self {
        CounterClock { tick_ns: 1e9 / hz }
    }
}

impl Clock for CounterClock {
    fn start(&self) -> u64 {
        let ticks: u64;
        // SAFETY: reads a system register that Linux opens to user space
        // (CNTKCTL_EL1.EL0VCTEN); the barriers touch no memory.
        unsafe {
            asm!("isb", "mrs {}, cntvct_el0", "isb", out(reg) ticks, options(nostack));
        }
        ticks
    }

    fn stop(&self) -> u64 {
        read_stop()
    }

    fn tick_ns(&self) -> f64 {
        self.tick_ns
    }
}

/// Ticks now, read after everything before it.
pub fn read_stop() -> u64 {
    let ticks: u64;
    // SAFETY: as in `start`.
    unsafe {
        asm!("isb", "mrs {}, cntvct_el0", "isb", out(reg) ticks, options(nostack));
    }
    ticks
}

/// What the firmware says the counter's rate is, Hz.
pub fn frequency_hz() -> u64 {
    let hz: u64;
    // SAFETY: reads a system register open to user space.
    unsafe {
        asm!("mrs {}, cntfrq_el0", out(reg) hz, options(nomem, nostack));
    }
    hz
}

/// The stated rate is used, and checked: some firmware states a wrong one.
pub fn spec(stated_hz: u64, measured: &Rate) -> ClockSpec {
    let stated = stated_hz as f64;
    let off_ppm = (measured.hz / stated - 1.0) * 1e6;
    let wrong = off_ppm.abs() > 1000.0 + measured.uncertainty_ppm;
    let mut notes = vec![measured.describe()];
    if wrong {
        notes.push(format!(
            "cntfrq_el0 states {stated:.0} Hz, {off_ppm:+.0} ppm from the measured rate; \
             using the measured one"
        ));
    }
    ClockSpec {
        kind: ClockKind::Cntvct,
        hz: if wrong { measured.hz } else { stated },
        uncertainty_ppm: if wrong { measured.uncertainty_ppm } else { 0.0 },
        invariant: true,
        notes,
    }
}
