//! 64-bit ARM.

use std::arch::asm;

/// `turns` turns of additions, each of which waits for the one before it.
#[inline(never)]
pub fn links(turns: u32) {
    // SAFETY: adds and counts in registers that it names; no memory.
    unsafe {
        asm!(
            "cbz {turns:w}, 3f",
            "2:",
            ".rept 64",
            "add {sum}, {sum}, {one}",
            ".endr",
            "subs {turns:w}, {turns:w}, #1",
            "b.ne 2b",
            "3:",
            turns = inout(reg) turns => _,
            sum = inout(reg) 0u64 => _,
            one = in(reg) 3u64,
            options(nomem, nostack),
        );
    }
}

/// The same, of multiplications.
#[inline(never)]
pub fn products(turns: u32) {
    // SAFETY: as above.
    unsafe {
        asm!(
            "cbz {turns:w}, 3f",
            "2:",
            ".rept 64",
            "mul {sum}, {sum}, {one}",
            ".endr",
            "subs {turns:w}, {turns:w}, #1",
            "b.ne 2b",
            "3:",
            turns = inout(reg) turns => _,
            sum = inout(reg) 5u64 => _,
            one = in(reg) 3u64,
            options(nomem, nostack),
        );
    }
}

/// As many additions in eight chains.
#[inline(never)]
pub fn burst(turns: u32) {
    // SAFETY: as above.
    unsafe {
        asm!(
            "cbz {turns:w}, 3f",
            "2:",
            ".rept 8",
            "add {a}, {a}, {one}",
            "add {b}, {b}, {one}",
            "add {c}, {c}, {one}",
            "add {d}, {d}, {one}",
            "add {e}, {e}, {one}",
            "add {f}, {f}, {one}",
            "add {g}, {g}, {one}",
            "add {h}, {h}, {one}",
            ".endr",
            "subs {turns:w}, {turns:w}, #1",
            "b.ne 2b",
            "3:",
            turns = inout(reg) turns => _,
            a = inout(reg) 0u64 => _,
            b = inout(reg) 0u64 => _,
            c = inout(reg) 0u64 => _,
            d = inout(reg) 0u64 => _,
            e = inout(reg) 0u64 => _,
            f = inout(reg) 0u64 => _,
            g = inout(reg) 0u64 => _,
            h = inout(reg) 0u64 => _,
            one = in(reg) 3u64,
            options(nomem, nostack),
        );
    }
}
