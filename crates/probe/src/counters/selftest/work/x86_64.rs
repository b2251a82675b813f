//! The loops for x86-64. Counted by hand: a line is an instruction, but for labels.

use super::JUMPS;
use core::arch::asm;

/// 6 instructions a turn, 1 of them a branch.
pub fn multiply(turns: usize) {
    // SAFETY: registers only.
    unsafe {
        asm!(
            "2:",
            "imul {x}, {x}",
            "imul {x}, {x}",
            "imul {x}, {x}",
            "imul {x}, {x}",
            "dec {n}",
            "jnz 2b",
            x = inout(reg) 3usize => _,
            n = inout(reg) turns => _,
            options(nomem, nostack),
        );
    }
}

/// 4 instructions a turn: call, return, and the loop's two. 3 of them branches.
pub fn calls(turns: usize) {
    // SAFETY: pushes and pops one address on our own stack, whose red zone the compiler leaves
    // alone without `nostack`.
    unsafe {
        asm!(
            "2:",
            "call 3f",
            "dec {n}",
            "jnz 2b",
            "jmp 4f",
            "3:",
            "ret",
            "4:",
            n = inout(reg) turns => _,
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
            "mov {x}, [{p}]",
            "mov {x}, [{p}]",
            "mov {x}, [{p}]",
            "mov {x}, [{p}]",
            "dec {n}",
            "jnz 2b",
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
            "mov [{p}], {n}",
            "mov [{p}], {n}",
            "mov [{p}], {n}",
            "mov [{p}], {n}",
            "dec {n}",
            "jnz 2b",
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
            "mov {p}, [{p}]",
            "dec {n}",
            "jnz 2b",
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
            "jmp 3f",
            ".p2align 6",
            "3:",
            ".endr",
            "dec {n}",
            "jnz 2b",
            jumps = const JUMPS,
            n = inout(reg) turns => _,
            options(nomem, nostack),
        );
    }
}

/// About 6 instructions a turn, 2 of them branches, one of which follows the highest bit of
/// a linear congruential generator (Knuth's multiplier). Where it got to.
pub fn random(turns: usize, seed: u64) -> u64 {
    let mut state = seed;
    // SAFETY: registers only.
    unsafe {
        asm!(
            "2:",
            "imul {s}, {m}",
            "add {s}, {c}",
            "js 3f",
            "nop",
            "3:",
            "dec {n}",
            "jnz 2b",
            s = inout(reg) state,
            m = in(reg) 6_364_136_223_846_793_005u64,
            c = in(reg) 1_442_695_040_888_963_407u64,
            n = inout(reg) turns => _,
            options(nomem, nostack),
        );
    }
    state
}
