//! How long single loads take: each of a chain is timed on its own, so that those
//! that found their line in a cache can be distinguished from those that did not.
//!
//! On x86-64 by RDTSCP with LFENCE on both sides (Intel SDM vol. 2), elsewhere by the
//! clock that the processor shows to user programs. A step of that clock that is
//! longer than a miss makes all loads look alike: whoever uses this calibrates against
//! lines that are known to be there and known to be gone, and says how often it errs.

use std::sync::OnceLock;

/// Follows a chain from `place` for as many loads as there are `times`; each element
/// holds the address of the next. Leaves each load's ticks, the reading's own included,
/// and returns where it stands.
///
/// # Safety
/// Every element holds the address of a readable, aligned element.
#[inline(never)]
pub unsafe fn time_each(mut place: *const usize, times: &mut [u32]) -> *const usize {
    for time in times {
        let before = now();
        // SAFETY: by the caller's promise.
        place = unsafe { place.cast::<*const usize>().read_volatile() };
        let after = now();
        *time = u32::try_from(after.wrapping_sub(before)).unwrap_or(u32::MAX);
    }
    place
}

/// Asks for the line at an address, whether there is one or not, and waits for nothing: it is
/// on its way while other work is done. Where the processor has no such instruction that we
/// know of, nothing happens.
#[inline]
pub fn ask_for(address: usize) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: every x86-64 processor has it, and no address makes it fault.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(address as *const i8);
    }
    #[cfg(target_arch = "aarch64")]
    // SAFETY: as above (Arm ARM, PRFM: a hint).
    unsafe {
        std::arch::asm!("prfm pldl1keep, [{}]", in(reg) address, options(nostack, readonly));
    }
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    let _ = address;
}

#[cfg(target_arch = "x86_64")]
#[inline]
fn now() -> u64 {
    let mut cpu = 0;
    // SAFETY: every x86-64 processor with an invariant counter has RDTSCP; without
    // one the loads cannot be timed, which `is_available` reports.
    unsafe {
        let ticks = std::arch::x86_64::__rdtscp(&raw mut cpu);
        std::arch::x86_64::_mm_lfence();
        ticks
    }
}

#[cfg(target_arch = "aarch64")]
#[inline]
fn now() -> u64 {
    let ticks: u64;
    // SAFETY: reads a counter that the kernel shows to user programs.
    unsafe {
        std::arch::asm!("isb", "mrs {}, cntvct_el0", "isb", out(reg) ticks, options(nostack));
    }
    ticks
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
#[inline]
fn now() -> u64 {
    crate::clock::raw_now_ns()
}

/// Length of one tick of `time_each`, ns: measured once a process, in about 20 ms.
pub fn tick_ns() -> f64 {
    static TICK_NS: OnceLock<f64> = OnceLock::new();
    *TICK_NS.get_or_init(|| 1e9 / crate::clock::rate_of(now).hz)
}

/// Whether this processor has a counter that user programs may read.
pub fn is_available() -> bool {
    #[cfg(target_arch = "x86_64")]
    {
        crate::clock::has_rdtscp()
    }
    #[cfg(not(target_arch = "x86_64"))]
    true
}

#[cfg(test)]
mod tests {
    use super::time_each;

    #[test]
    fn a_tick_has_the_length_of_a_counter_s() {
        let ns = super::tick_ns();
        assert!((0.05..=200.0).contains(&ns), "{ns}");
    }

    #[test]
    fn every_load_is_timed_and_the_chain_is_followed() {
        let mut ring = [0usize; 5];
        let start = ring.as_ptr();
        for (i, element) in ring.iter_mut().enumerate() {
            *element = start.wrapping_add((i + 2) % 5) as usize;
        }
        let mut times = [0u32; 7];
        // SAFETY: a closed ring.
        let place = unsafe { time_each(ring.as_ptr(), &mut times) };
        assert_eq!(place, ring.as_ptr().wrapping_add(14 % 5));
        assert!(super::is_available());
    }
}
