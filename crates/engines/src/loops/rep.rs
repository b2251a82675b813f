//! x86 string instructions: one instruction moves the whole block.
//!
//! The microcode chooses its own step. Processors that announce `erms` are fast
//! from some hundred bytes up, those with `fsrm` also below.

use super::Kernels;
use core::arch::asm;

/// `rep movsb` and `rep stosb`.
pub const KERNELS: Kernels = Kernels {
    copy: Some(movsb),
    fill: Some(stosb),
    write: None,
    read: None,
};

/// # Safety
/// As `CopyFn`.
unsafe fn movsb(to: *mut u8, from: *const u8, len: usize) {
    // SAFETY: the instruction touches exactly the caller's two ranges; the
    // direction flag is clear by the calling convention.
    unsafe {
        asm!(
            "rep movsb",
            inout("rcx") len => _,
            inout("rdi") to => _,
            inout("rsi") from => _,
            options(nostack, preserves_flags),
        );
    }
}

/// # Safety
/// As `FillFn`.
unsafe fn stosb(to: *mut u8, value: u8, len: usize) {
    // SAFETY: as for `movsb`, with one range.
    unsafe {
        asm!(
            "rep stosb",
            inout("rcx") len => _,
            inout("rdi") to => _,
            in("al") value,
            options(nostack, preserves_flags),
        );
    }
}
