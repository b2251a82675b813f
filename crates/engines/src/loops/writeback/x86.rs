//! The instructions of x86-64.

use super::Instruction;
use core::arch::asm;
use core::arch::x86_64::{__cpuid, __cpuid_count, __m128i, _mm_set_epi64x, _mm_stream_si128};
use std::iter::StepBy;
use std::ops::Range;

const CLFLUSH_EDX: u32 = 1 << 19;
const CLFLUSHOPT_EBX: u32 = 1 << 23;
const CLWB_EBX: u32 = 1 << 24;

/// Line of the instruction, bytes; None where the processor lacks it.
pub fn line_bytes(instruction: Instruction) -> Option<usize> {
    let basic = __cpuid(1);
    let clflush = basic.edx & CLFLUSH_EDX != 0;
    let cpuid_bytes = ((basic.ebx >> 8) & 0xff) as usize * 8;
    let line_bytes = if clflush && cpuid_bytes >= 16 {
        cpuid_bytes
    } else {
        64
    };
    let extended = match __cpuid(0).eax {
        0..=6 => 0,
        _ => __cpuid_count(7, 0).ebx,
    };
    let here = match instruction {
        Instruction::Store | Instruction::NonTemporal => true,
        Instruction::Clflush => clflush,
        Instruction::Clflushopt => extended & CLFLUSHOPT_EBX != 0,
        Instruction::Clwb => extended & CLWB_EBX != 0,
        Instruction::DcCvac | Instruction::DcCvap | Instruction::DcCivac => false,
    };
    here.then_some(line_bytes)
}

/// # Safety
/// The processor has the instruction, and each line is mapped.
#[inline]
pub unsafe fn push(instruction: Instruction, lines: StepBy<Range<usize>>) {
    match instruction {
        Instruction::Clflush => each!("clflush [{}]", lines),
        Instruction::Clflushopt => each!("clflushopt [{}]", lines),
        Instruction::Clwb => each!("clwb [{}]", lines),
        _ => {}
    }
}

/// # Safety
/// As `Writeback::write`.
#[inline]
pub unsafe fn stream(to: *mut u8, seed: u64, len: usize) {
    for grain in 0..len / super::GRAIN_BYTES {
        let word = seed.wrapping_add(2 * grain as u64);
        // SAFETY: aligned grains inside the range; SSE2 is part of x86-64.
        unsafe {
            let value = _mm_set_epi64x(word.wrapping_add(1).cast_signed(), word.cast_signed());
            _mm_stream_si128(to.cast::<__m128i>().add(grain), value);
        }
    }
}

/// `sfence`.
#[inline]
pub fn store_fence() {
    // SAFETY: a fence has no operands.
    unsafe { asm!("sfence", options(nostack, preserves_flags)) };
}

/// `mfence`.
#[inline]
pub fn full_fence() {
    // SAFETY: a fence has no operands.
    unsafe { asm!("mfence", options(nostack, preserves_flags)) };
}
