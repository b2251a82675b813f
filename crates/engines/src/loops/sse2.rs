//! 128-bit vectors, which every 64-bit x86 processor has.

use super::turns::opaque;
use super::vector::PREFETCH_AHEAD;
use super::{Kernels, prefetch, small};
use core::arch::x86_64::*;

const WIDTH: usize = 16;
type V = __m128i;

vector_kernels!("sse2");

#[inline]
#[target_feature(enable = "sse2")]
unsafe fn load(from: *const u8) -> V {
    // SAFETY: the caller has 16 readable bytes there.
    unsafe { _mm_loadu_si128(from.cast()) }
}

#[inline]
#[target_feature(enable = "sse2")]
unsafe fn store_any(to: *mut u8, v: V) {
    // SAFETY: the caller has 16 writable bytes there.
    unsafe { _mm_storeu_si128(to.cast(), v) }
}

#[inline]
#[target_feature(enable = "sse2")]
unsafe fn store4(to: *mut u8, a: V, b: V, c: V, d: V) {
    // SAFETY: the caller has 64 writable bytes at an aligned place.
    unsafe {
        _mm_store_si128(to.cast(), a);
        _mm_store_si128(to.add(16).cast(), b);
        _mm_store_si128(to.add(32).cast(), c);
        _mm_store_si128(to.add(48).cast(), d);
    }
}

#[inline]
#[target_feature(enable = "sse2")]
unsafe fn stream4(to: *mut u8, a: V, b: V, c: V, d: V) {
    // SAFETY: as for `store4`; `drain` follows before another thread reads.
    unsafe {
        _mm_stream_si128(to.cast(), a);
        _mm_stream_si128(to.add(16).cast(), b);
        _mm_stream_si128(to.add(32).cast(), c);
        _mm_stream_si128(to.add(48).cast(), d);
    }
}

#[inline]
#[target_feature(enable = "sse2")]
fn xor(a: V, b: V) -> V {
    _mm_xor_si128(a, b)
}

#[inline]
#[target_feature(enable = "sse2")]
fn add(a: V, b: V) -> V {
    _mm_add_epi64(a, b)
}

#[inline]
#[target_feature(enable = "sse2")]
fn splat_byte(value: u8) -> V {
    _mm_set1_epi8(value.cast_signed())
}

#[inline]
#[target_feature(enable = "sse2")]
fn splat_word(value: u64) -> V {
    _mm_set1_epi64x(value.cast_signed())
}

#[inline]
#[target_feature(enable = "sse2")]
fn ramp(word: u64) -> V {
    _mm_add_epi64(splat_word(word), _mm_set_epi64x(1, 0))
}

#[inline]
#[target_feature(enable = "sse2")]
fn fold(v: V) -> u64 {
    let swapped = _mm_unpackhi_epi64(v, v);
    _mm_cvtsi128_si64(xor(v, swapped)).cast_unsigned()
}

#[inline]
#[target_feature(enable = "sse2")]
fn drain() {
    _mm_sfence();
}
