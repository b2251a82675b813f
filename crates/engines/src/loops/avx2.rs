//! 256-bit vectors.

use super::turns::opaque;
use super::vector::PREFETCH_AHEAD;
use super::{Kernels, prefetch, small};
use core::arch::x86_64::*;

const WIDTH: usize = 32;
type V = __m256i;

vector_kernels!("avx2");

#[inline]
#[target_feature(enable = "avx2")]
unsafe fn load(from: *const u8) -> V {
    // SAFETY: the caller has 32 readable bytes there.
    unsafe { _mm256_loadu_si256(from.cast()) }
}

#[inline]
#[target_feature(enable = "avx2")]
unsafe fn store_any(to: *mut u8, v: V) {
    // SAFETY: the caller has 32 writable bytes there.
    unsafe { _mm256_storeu_si256(to.cast(), v) }
}

#[inline]
#[target_feature(enable = "avx2")]
unsafe fn store4(to: *mut u8, a: V, b: V, c: V, d: V) {
    // SAFETY: the caller has 128 writable bytes at an aligned place.
    unsafe {
        _mm256_store_si256(to.cast(), a);
        _mm256_store_si256(to.add(32).cast(), b);
        _mm256_store_si256(to.add(64).cast(), c);
        _mm256_store_si256(to.add(96).cast(), d);
    }
}

#[inline]
#[target_feature(enable = "avx2")]
unsafe fn stream4(to: *mut u8, a: V, b: V, c: V, d: V) {
    // SAFETY: as for `store4`; `drain` follows before another thread reads.
    unsafe {
        _mm256_stream_si256(to.cast(), a);
        _mm256_stream_si256(to.add(32).cast(), b);
        _mm256_stream_si256(to.add(64).cast(), c);
        _mm256_stream_si256(to.add(96).cast(), d);
    }
}

#[inline]
#[target_feature(enable = "avx2")]
fn xor(a: V, b: V) -> V {
    _mm256_xor_si256(a, b)
}

#[inline]
#[target_feature(enable = "avx2")]
fn add(a: V, b: V) -> V {
    _mm256_add_epi64(a, b)
}

#[inline]
#[target_feature(enable = "avx2")]
fn splat_byte(value: u8) -> V {
    _mm256_set1_epi8(value.cast_signed())
}

#[inline]
#[target_feature(enable = "avx2")]
fn splat_word(value: u64) -> V {
    _mm256_set1_epi64x(value.cast_signed())
}

#[inline]
#[target_feature(enable = "avx2")]
fn ramp(word: u64) -> V {
    _mm256_add_epi64(splat_word(word), _mm256_set_epi64x(3, 2, 1, 0))
}

#[inline]
#[target_feature(enable = "avx2")]
fn fold(v: V) -> u64 {
    let half = _mm_xor_si128(_mm256_castsi256_si128(v), _mm256_extracti128_si256::<1>(v));
    let swapped = _mm_unpackhi_epi64(half, half);
    _mm_cvtsi128_si64(_mm_xor_si128(half, swapped)).cast_unsigned()
}

#[inline]
#[target_feature(enable = "avx2")]
fn drain() {
    _mm_sfence();
}
