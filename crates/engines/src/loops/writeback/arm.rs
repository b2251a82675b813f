//! The instructions of 64-bit ARM.

use super::Instruction;
use core::arch::asm;
use std::iter::StepBy;
use std::ops::Range;

/// Bit of AT_HWCAP: DC CVAP is there for user programs.
const HWCAP_DCPOP: u64 = 1 << 16;

/// Smallest line of any data cache, bytes; None where the processor lacks
/// the instruction. Linux leaves cleaning by address to user programs.
pub fn line_bytes(instruction: Instruction) -> Option<usize> {
    // SAFETY: only reads what the kernel handed over at the program's start.
    let capabilities = unsafe { libc::getauxval(libc::AT_HWCAP) };
    let here = match instruction {
        Instruction::Store | Instruction::DcCvac | Instruction::DcCivac => true,
        Instruction::DcCvap => capabilities & HWCAP_DCPOP != 0,
        _ => false,
    };
    let cache_type: u64;
    // SAFETY: reads a register that the kernel exposes to user programs.
    unsafe {
        asm!("mrs {}, ctr_el0", out(reg) cache_type, options(nomem, nostack, preserves_flags));
    }
    here.then_some(4 << ((cache_type >> 16) & 0xf))
}

/// # Safety
/// The processor has the instruction, and each line is mapped.
#[inline]
pub unsafe fn push(instruction: Instruction, lines: StepBy<Range<usize>>) {
    match instruction {
        Instruction::DcCvac => each!("dc cvac, {}", lines),
        // DC CVAP, by its number: assemblers know the name from ARMv8.2 on.
        Instruction::DcCvap => each!("sys #3, c7, c12, #1, {}", lines),
        Instruction::DcCivac => each!("dc civac, {}", lines),
        _ => {}
    }
}

/// STNP is a hint that leaves open where the data go, so there is no
/// non-temporal store here; `line_bytes` reports that.
pub unsafe fn stream(to: *mut u8, seed: u64, len: usize) {
    // SAFETY: by the caller's promise.
    unsafe { super::store(to, seed, len) }
}

/// Orders stores before what follows: `dsb sy`.
#[inline]
pub fn store_fence() {
    full_fence();
}

/// The whole system, as the kernel does for persistent memory: the medium is
/// outside of the domain that the processors share.
#[inline]
pub fn full_fence() {
    // SAFETY: a barrier has no operands.
    unsafe { asm!("dsb sy", options(nostack, preserves_flags)) };
}
