//! Software prefetching: asking for a line before the loop arrives there.
//!
//! Written as instructions because the library's intrinsics changed from unsafe
//! to safe between compilers that we support.

use core::arch::asm;

/// Bytes of the line that the prefetching loops count with. Where lines are
/// longer, some requests ask for the same line twice.
const LINE_BYTES: usize = 64;

/// Asks for the lines of a block, to be read. Any address may be given: a
/// prefetch never faults.
#[inline(always)]
pub fn to_read<const BLOCK_BYTES: usize>(at: *const u8) {
    for line in 0..BLOCK_BYTES.div_ceil(LINE_BYTES) {
        let at = at.wrapping_add(line * LINE_BYTES);
        // SAFETY: a prefetch changes nothing but caches.
        unsafe {
            #[cfg(target_arch = "x86_64")]
            asm!("prefetcht0 [{}]", in(reg) at, options(nostack, readonly, preserves_flags));
            #[cfg(target_arch = "aarch64")]
            asm!("prfm pldl1keep, [{}]", in(reg) at, options(nostack, readonly, preserves_flags));
        }
    }
}

/// The same, to be written: the line comes in a state that may be changed.
#[inline(always)]
pub fn to_write<const BLOCK_BYTES: usize>(at: *const u8) {
    for line in 0..BLOCK_BYTES.div_ceil(LINE_BYTES) {
        let at = at.wrapping_add(line * LINE_BYTES);
        // SAFETY: a prefetch changes nothing but caches.
        unsafe {
            #[cfg(target_arch = "x86_64")]
            asm!("prefetchw [{}]", in(reg) at, options(nostack, readonly, preserves_flags));
            #[cfg(target_arch = "aarch64")]
            asm!("prfm pstl1keep, [{}]", in(reg) at, options(nostack, readonly, preserves_flags));
        }
    }
}
