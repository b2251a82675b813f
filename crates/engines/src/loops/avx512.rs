//! 512-bit vectors: one whole cache line in each.

use super::turns::opaque;
use super::vector::PREFETCH_AHEAD;
use super::{Kernels, prefetch, small};
use core::arch::x86_64::*;

const WIDTH: usize = 64;
type V = __m512i;

vector_kernels!("avx512f");

#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn load(from: *const u8) -> V {
    // SAFETY: the caller has 64 readable bytes there.
    unsafe { _mm512_loadu_si512(from.cast()) }
}

#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn store_any(to: *mut u8, v: V) {
    // SAFETY: the caller has 64 writable bytes there.
    unsafe { _mm512_storeu_si512(to.cast(), v) }
}

#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn store4(to: *mut u8, a: V, b: V, c: V, d: V) {
    // SAFETY: the caller has 256 writable bytes at an aligned place.
    unsafe {
        _mm512_store_si512(to.cast(), a);
        _mm512_store_si512(to.add(64).cast(), b);
        _mm512_store_si512(to.add(128).cast(), c);
        _mm512_store_si512(to.add(192).cast(), d);
    }
}

#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn stream4(to: *mut u8, a: V, b: V, c: V, d: V) {
    // SAFETY: as for `store4`; `drain` follows before another thread reads.
    unsafe {
        _mm512_stream_si512(to.cast(), a);
        _mm512_stream_si512(to.add(64).cast(), b);
        _mm512_stream_si512(to.add(128).cast(), c);
        _mm512_stream_si512(to.add(192).cast(), d);
    }
}

#[inline]
#[target_feature(enable = "avx512f")]
fn xor(a: V, b: V) -> V {
    _mm512_xor_si512(a, b)
}

#[inline]
#[target_feature(enable = "avx512f")]
fn add(a: V, b: V) -> V {
    _mm512_add_epi64(a, b)
}

#[inline]
#[target_feature(enable = "avx512f")]
fn splat_byte(value: u8) -> V {
    _mm512_set1_epi64(i64::from_ne_bytes([value; 8]))
}

#[inline]
#[target_feature(enable = "avx512f")]
fn splat_word(value: u64) -> V {
    _mm512_set1_epi64(value.cast_signed())
}

#[inline]
#[target_feature(enable = "avx512f")]
fn ramp(word: u64) -> V {
    add(splat_word(word), _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0))
}

#[inline]
#[target_feature(enable = "avx512f")]
fn fold(v: V) -> u64 {
    let half = _mm256_castsi256_pd(_mm512_castsi512_si256(v));
    let other = _mm256_castsi256_pd(_mm512_extracti64x4_epi64::<1>(v));
    let both = _mm256_castpd_si256(_mm256_xor_pd(half, other));
    let quarter = _mm_xor_si128(
        _mm256_castsi256_si128(both),
        _mm256_extractf128_si256::<1>(both),
    );
    let swapped = _mm_unpackhi_epi64(quarter, quarter);
    _mm_cvtsi128_si64(_mm_xor_si128(quarter, swapped)).cast_unsigned()
}

#[inline]
#[target_feature(enable = "avx512f")]
fn drain() {
    _mm_sfence();
}
