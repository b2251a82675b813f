//! 32-bit ARM.

use std::arch::asm;

/// `turns` turns of additions, each of which waits for the one before it.
#[inline(never)]
pub fn links(turns: u32) {
    // SAFETY: adds and counts in registers that it names; no memory.
    unsafe {
        asm!(
            "cmp {turns}, #0",
            "beq 3f",
            "2:",
            ".rept 64",
            "add {sum}, {sum}, {one}",
            ".endr",
            "subs {turns}, {turns}, #1",
            "bne 2b",
            "3:",
            turns = inout(reg) turns => _,
            sum = inout(reg) 0u32 => _,
            one = in(reg) 3u32,
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
            "cmp {turns}, #0",
            "beq 3f",
            "2:",
            ".rept 64",
            "mul {sum}, {sum}, {one}",
            ".endr",
            "subs {turns}, {turns}, #1",
            "bne 2b",
            "3:",
            turns = inout(reg) turns => _,
            sum = inout(reg) 5u32 => _,
            one = in(reg) 3u32,
            options(nomem, nostack),
        );
    }
}

/// As many additions in four chains: there are few registers, and no such core has more
/// than two adders.
#[inline(never)]
pub fn burst(turns: u32) {
    // SAFETY: as above.
    unsafe {
        asm!(
            "cmp {turns}, #0",
            "beq 3f",
            "2:",
            ".rept 16",
            "add {a}, {a}, {one}",
            "add {b}, {b}, {one}",
            "add {c}, {c}, {one}",
            "add {d}, {d}, {one}",
            ".endr",
            "subs {turns}, {turns}, #1",
            "bne 2b",
            "3:",
            turns = inout(reg) turns => _,
            a = inout(reg) 0u32 => _,
            b = inout(reg) 0u32 => _,
            c = inout(reg) 0u32 => _,
            d = inout(reg) 0u32 => _,
            one = in(reg) 3u32,
            options(nomem, nostack),
        );
    }
}
