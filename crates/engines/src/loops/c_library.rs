//! What the C library offers: the version it picked for this processor.

use super::Kernels;

/// memcpy(3) of the C library.
pub const MEMCPY: Kernels = Kernels {
    copy: Some(memcpy),
    fill: Some(memset),
    write: None,
    read: None,
};

/// memmove(3) of the C library.
pub const MEMMOVE: Kernels = Kernels {
    copy: Some(memmove),
    fill: None,
    write: None,
    read: None,
};

/// # Safety
/// As `CopyFn`.
pub unsafe fn memcpy(to: *mut u8, from: *const u8, len: usize) {
    // SAFETY: the caller's ranges are valid and disjoint.
    unsafe { libc::memcpy(to.cast(), from.cast(), len) };
}

/// # Safety
/// As `CopyFn`.
unsafe fn memmove(to: *mut u8, from: *const u8, len: usize) {
    // SAFETY: the caller's ranges are valid.
    unsafe { libc::memmove(to.cast(), from.cast(), len) };
}

/// # Safety
/// As `FillFn`.
unsafe fn memset(to: *mut u8, value: u8, len: usize) {
    // SAFETY: the caller's range is valid for writing.
    unsafe { libc::memset(to.cast(), i32::from(value), len) };
}
