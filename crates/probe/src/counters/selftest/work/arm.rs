//! The loops for 32-bit ARM. Counted by hand: a line is an instruction, but for labels.

use super::JUMPS;
use core::arch::asm;

/// 6 instructions a turn, 1 of them a branch.
pub fn multiply(turns: usize) {
    // SAFETY: registers only.
    unsafe {
        asm!(
            "2:",
            "mul {x}, {y}, {x}",
            "mul {x}, {y}, {x}",
            "mul {x}, {y}, {x}",
            "mul {x}, {y}, {x}",
            "subs {n}, {n}, #1",
            "bne 2b",
            x = inout(reg) 3usize => _,
            y = in(reg) 5usize,
            n = inout(reg) turns => _,
            options(nomem, nostack),
        );
    }
}

/// 4 instructions a turn: call, return, and the loop's two. 3 of them branches.
pub fn calls(turns: usize) {
    // SAFETY: registers only; the link register is given up.
    unsafe {
        asm!(
            "2:",
            "bl 3f",
            "subs {n}, {n}, #1",
            "bne 2b",
            "b 4f",
            "3:",
            "bx lr",
            "4:",
            n = inout(reg) turns => _,
            out("lr") _,
            options(nomem, nostack),
        );
    }
}

/// 6 instructions a turn, 4 of them loads.
pub fn loads(turns: usize) {
    let word = 7usize;
    // SAFETY: reads one word of ours.
    unsafe {
        asm!(
            "2:",
            "ldr {x}, [{p}]",
            "ldr {x}, [{p}]",
            "ldr {x}, [{p}]",
            "ldr {x}, [{p}]",
            "subs {n}, {n}, #1",
            "bne 2b",
            x = out(reg) _,
            p = in(reg) &raw const word,
            n = inout(reg) turns => _,
            options(readonly, nostack),
        );
    }
}

/// 6 instructions a turn, 4 of them stores.
pub fn stores(turns: usize) {
    let mut word = 7usize;
    // SAFETY: writes one word of ours.
    unsafe {
        asm!(
            "2:",
            "str {n}, [{p}]",
            "str {n}, [{p}]",
            "str {n}, [{p}]",
            "str {n}, [{p}]",
            "subs {n}, {n}, #1",
            "bne 2b",
            p = in(reg) &raw mut word,
            n = inout(reg) turns => _,
            options(nostack),
        );
    }
}

/// 3 instructions a turn, 1 of them a load.
///
/// # Safety
/// `at` and every address that is loaded from there on must be readable and hold such an
/// address.
pub unsafe fn chase(at: *const u8, turns: usize) -> *const u8 {
    let mut at = at;
    // SAFETY: as the caller says.
    unsafe {
        asm!(
            "2:",
            "ldr {p}, [{p}]",
            "subs {n}, {n}, #1",
            "bne 2b",
            p = inout(reg) at,
            n = inout(reg) turns => _,
            options(readonly, nostack),
        );
    }
    at
}

/// `JUMPS` + 2 instructions a turn, all but one of them branches.
#[inline(never)]
pub fn code(turns: usize) {
    // SAFETY: registers only.
    unsafe {
        asm!(
            "2:",
            ".rept {jumps}",
            "b 3f",
            ".p2align 6",
            "3:",
            ".endr",
            "subs {n}, {n}, #1",
            "bne 2b",
            jumps = const JUMPS,
            n = inout(reg) turns => _,
            options(nomem, nostack),
        );
    }
}

/// About 6 instructions a turn, 2 of them branches, one of which follows the highest bit of
/// a linear congruential generator (Numerical Recipes). Where it got to.
pub fn random(turns: usize, seed: u64) -> u64 {
    let mut state = u32::try_from(seed & u64::from(u32::MAX)).unwrap_or(0);
    // SAFETY: registers only.
    unsafe {
        asm!(
            "2:",
            "mla {s}, {m}, {s}, {c}",
            "tst {s}, #0x80000000",
            "bne 3f",
            "nop",
            "3:",
            "subs {n}, {n}, #1",
            "bne 2b",
            s = inout(reg) state,
            m = in(reg) 1_664_525u32,
            c = in(reg) 1_013_904_223u32,
            n = inout(reg) turns => _,
            options(nomem, nostack),
        );
    }
    u64::from(state)
}
