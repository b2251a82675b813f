//! One machine word at a time, on any processor: what a plain loop costs when it
//! is not vectorised.

use super::turns::opaque;
use super::{Kernels, small};
use core::sync::atomic::{Ordering, compiler_fence};

/// Eight bytes at a time.
pub const KERNELS: Kernels = Kernels {
    copy: Some(copy),
    fill: Some(fill),
    write: Some(write),
    read: Some(read),
};

/// Keeps the compiler from joining two word accesses into a wider one. It
/// costs no instruction.
#[inline(always)]
fn apart() {
    compiler_fence(Ordering::SeqCst);
}

/// # Safety
/// As `CopyFn`.
unsafe fn copy(to: *mut u8, from: *const u8, len: usize) {
    let whole = len - len % 32;
    // SAFETY: the loop stays below `whole`, the rest is `len - whole` bytes.
    unsafe {
        let mut at = 0;
        while at < whole {
            for word in 0..4 {
                let offset = at + 8 * word;
                let value = from.add(offset).cast::<u64>().read_unaligned();
                to.add(offset).cast::<u64>().write_unaligned(value);
                apart();
            }
            at = opaque(at + 32);
        }
        small::copy(to.add(whole), from.add(whole), len - whole);
    }
}

/// # Safety
/// As `FillFn`.
unsafe fn fill(to: *mut u8, value: u8, len: usize) {
    let whole = len - len % 32;
    let pattern = u64::from_ne_bytes([value; 8]);
    // SAFETY: as for `copy`.
    unsafe {
        let mut at = 0;
        while at < whole {
            for word in 0..4 {
                to.add(at + 8 * word).cast::<u64>().write_unaligned(pattern);
                apart();
            }
            at = opaque(at + 32);
        }
        small::fill(to.add(whole), value, len - whole);
    }
}

/// # Safety
/// As `WriteFn`.
unsafe fn write(to: *mut u8, seed: u64, len: usize) {
    let whole = len - len % 32;
    let mut value = seed;
    // SAFETY: as for `copy`.
    unsafe {
        let mut at = 0;
        while at < whole {
            for word in 0..4 {
                to.add(at + 8 * word)
                    .cast::<u64>()
                    .write_unaligned(value.to_le());
                value = value.wrapping_add(1);
                apart();
            }
            at = opaque(at + 32);
        }
        small::write(to.add(whole), value, len - whole);
    }
}

/// # Safety
/// As `ReadFn`.
unsafe fn read(from: *const u8, len: usize) -> u64 {
    let whole = len - len % 32;
    let mut sums = [0u64; 4];
    // SAFETY: as for `copy`.
    unsafe {
        let mut at = 0;
        while at < whole {
            for (word, sum) in sums.iter_mut().enumerate() {
                let offset = at + 8 * word;
                *sum ^= u64::from_le(from.add(offset).cast::<u64>().read_unaligned());
                apart();
            }
            at = opaque(at + 32);
        }
        let ends = small::read(from.add(whole), len - whole);
        sums.iter().fold(ends, |all, sum| all ^ sum)
    }
}
