//! Turns of a timed loop that no optimiser merges.
//!
//! Whether a loop is unrolled depends on the profile of the build and on the compiler, and it showed:
//! copies of 16 KiB by 256-bit vectors took 6 % longer on a Zen 5 where LLVM had unrolled them once more. A
//! count that it cannot follow keeps one turn as it is written.

use core::arch::asm;

/// The same number, of which the optimiser knows nothing any more. It costs no instruction.
#[inline(always)]
pub fn opaque(mut number: usize) -> usize {
    // SAFETY: there is no instruction in it.
    unsafe {
        asm!("/* {0} */", inout(reg) number, options(nomem, nostack, preserves_flags, pure));
    }
    number
}
