//! 128-bit vectors of 64-bit ARM.

use super::turns::opaque;
use super::vector::PREFETCH_AHEAD;
use super::{Kernels, prefetch, small};
use core::arch::aarch64::*;
use core::arch::asm;

const WIDTH: usize = 16;
type V = uint64x2_t;

vector_kernels!("neon");

#[inline]
#[target_feature(enable = "neon")]
unsafe fn load(from: *const u8) -> V {
    // SAFETY: the caller has 16 readable bytes there; byte loads need no
    // alignment.
    vreinterpretq_u64_u8(unsafe { vld1q_u8(from) })
}

#[inline]
#[target_feature(enable = "neon")]
unsafe fn store_any(to: *mut u8, v: V) {
    // SAFETY: the caller has 16 writable bytes there.
    unsafe { vst1q_u8(to, vreinterpretq_u8_u64(v)) }
}

#[inline]
#[target_feature(enable = "neon")]
unsafe fn store4(to: *mut u8, a: V, b: V, c: V, d: V) {
    // SAFETY: the caller has 64 writable bytes there.
    unsafe {
        store_any(to, a);
        store_any(to.add(16), b);
        store_any(to.add(32), c);
        store_any(to.add(48), d);
    }
}

/// STNP is a hint to the memory system that the data will not be used soon. Its
/// effect differs from core to core.
#[inline]
#[target_feature(enable = "neon")]
unsafe fn stream4(to: *mut u8, a: V, b: V, c: V, d: V) {
    // SAFETY: as for `store4`.
    unsafe {
        asm!(
            "stnp {a:q}, {b:q}, [{to}]",
            "stnp {c:q}, {d:q}, [{to}, #32]",
            to = in(reg) to,
            a = in(vreg) a,
            b = in(vreg) b,
            c = in(vreg) c,
            d = in(vreg) d,
            options(nostack, preserves_flags),
        );
    }
}

#[inline]
#[target_feature(enable = "neon")]
fn xor(a: V, b: V) -> V {
    veorq_u64(a, b)
}

#[inline]
#[target_feature(enable = "neon")]
fn add(a: V, b: V) -> V {
    vaddq_u64(a, b)
}

#[inline]
#[target_feature(enable = "neon")]
fn splat_byte(value: u8) -> V {
    vreinterpretq_u64_u8(vdupq_n_u8(value))
}

#[inline]
#[target_feature(enable = "neon")]
fn splat_word(value: u64) -> V {
    vdupq_n_u64(value)
}

#[inline]
#[target_feature(enable = "neon")]
fn ramp(word: u64) -> V {
    vcombine_u64(vcreate_u64(word), vcreate_u64(word.wrapping_add(1)))
}

#[inline]
#[target_feature(enable = "neon")]
fn fold(v: V) -> u64 {
    vgetq_lane_u64::<0>(v) ^ vgetq_lane_u64::<1>(v)
}

#[inline]
fn drain() {
    // SAFETY: a barrier between stores has no operands.
    unsafe { asm!("dmb ishst", options(nostack, preserves_flags)) };
}
