//! Any other processor: stores only.

use super::Instruction;
use std::iter::StepBy;
use std::ops::Range;
use std::sync::atomic::{Ordering, fence};

pub fn line_bytes(instruction: Instruction) -> Option<usize> {
    (instruction == Instruction::Store).then_some(64)
}

pub unsafe fn push(_: Instruction, _: StepBy<Range<usize>>) {}

pub unsafe fn stream(to: *mut u8, seed: u64, len: usize) {
    // SAFETY: by the caller's promise.
    unsafe { super::store(to, seed, len) }
}

pub fn store_fence() {
    full_fence();
}

pub fn full_fence() {
    fence(Ordering::SeqCst);
}
