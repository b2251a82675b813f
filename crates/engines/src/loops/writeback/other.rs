//! Any other processor: stores only.

use super::Instruction;
use std::iter::StepBy;
use std::ops::Range;
use std::sync::atomic::{Ordering, fence};

/// None: no such instruction is known here.
pub fn line_bytes(instruction: Instruction) -> Option<usize> {
    (instruction == Instruction::Store).then_some(64)
}

/// Nothing to send.
///
/// # Safety
/// None is needed.
pub unsafe fn push(_: Instruction, _: StepBy<Range<usize>>) {}

/// Fills `len` bytes by plain stores.
///
/// # Safety
/// They are writable.
pub unsafe fn stream(to: *mut u8, seed: u64, len: usize) {
    // SAFETY: by the caller's promise.
    unsafe { super::store(to, seed, len) }
}

/// A fence of the language.
pub fn store_fence() {
    full_fence();
}

/// A fence of the language.
pub fn full_fence() {
    fence(Ordering::SeqCst);
}
