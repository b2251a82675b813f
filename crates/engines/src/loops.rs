//! Inner loops that move bytes, one file for each instruction set, and the
//! choice among them at run time.
//!
//! All kernels of one operation have one signature and one result, whatever
//! they are made of, so that only their speed differs:
//!
//! - *copy*: `len` bytes from one place to another that does not overlap it;
//! - *fill*: every byte the same value, what memset does;
//! - *write*: every 64-bit word a different value (`seed`, `seed + 1`, ...),
//!   which no hardware shortcut for constant data can serve;
//! - *read*: the exclusive or of all 64-bit little-endian words, the last one
//!   padded with zeros. A byte that is not read changes the result.

mod c_library;
pub mod flush;
mod small;
mod turns;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
#[macro_use]
mod vector;
mod words;
pub mod writeback;

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "aarch64")]
mod neon;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod prefetch;
#[cfg(target_arch = "x86_64")]
mod rep;
#[cfg(target_arch = "x86_64")]
mod sse2;

#[cfg(test)]
mod tests;

/// Copies `len` bytes from the second to the first pointer.
///
/// # Safety
/// Both ranges are valid for `len` bytes and do not overlap.
pub type CopyFn = unsafe fn(*mut u8, *const u8, usize);

/// Sets `len` bytes to one value.
///
/// # Safety
/// The range is valid for writing `len` bytes.
pub type FillFn = unsafe fn(*mut u8, u8, usize);

/// Writes `len` bytes of the word sequence that starts with the seed.
///
/// # Safety
/// The range is valid for writing `len` bytes.
pub type WriteFn = unsafe fn(*mut u8, u64, usize);

/// Exclusive or of the words in `len` bytes.
///
/// # Safety
/// The range is valid for reading `len` bytes.
pub type ReadFn = unsafe fn(*const u8, usize) -> u64;

/// The kernels of one method; None where the method has no such operation.
#[derive(Debug, Clone, Copy, Default)]
pub struct Kernels {
    pub copy: Option<CopyFn>,
    pub fill: Option<FillFn>,
    pub write: Option<WriteFn>,
    pub read: Option<ReadFn>,
}

/// Why this processor lacks a method.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Missing {
    pub reason: String,
    pub remedy: String,
}

/// Every method on any processor, in the order of figures.
pub const METHODS: &[&str] = &[
    "libc", "memmove", "movsb", "words", "sse2", "avx2", "avx512", "neon", "nt", "prefetch",
];

/// Methods that exist on an architecture, named as `uname -m` names it.
pub fn methods_of(arch: &str) -> Vec<&'static str> {
    let foreign: &[&str] = match arch {
        "x86_64" => &["neon"],
        "aarch64" => &["movsb", "sse2", "avx2", "avx512"],
        _ => &["movsb", "sse2", "avx2", "avx512", "neon", "nt", "prefetch"],
    };
    METHODS
        .iter()
        .copied()
        .filter(|m| !foreign.contains(m))
        .collect()
}

/// The kernels of `method`, when this processor can execute them.
///
/// # Errors
/// The instruction set that is missing, and what would help.
pub fn find(method: &str) -> Result<Kernels, Missing> {
    match method {
        "libc" => Ok(c_library::MEMCPY),
        "memmove" => Ok(c_library::MEMMOVE),
        "words" => Ok(words::KERNELS),
        other => native(other).ok_or_else(|| missing(method, &executable())),
    }
}

/// Methods that this processor can execute.
pub fn executable() -> Vec<&'static str> {
    let mut methods = methods_of(std::env::consts::ARCH);
    methods.retain(|method| {
        matches!(*method, "libc" | "memmove" | "words") || native(method).is_some()
    });
    methods
}

#[cfg(target_arch = "x86_64")]
fn native(method: &str) -> Option<Kernels> {
    let avx2_here = std::arch::is_x86_feature_detected!("avx2");
    let avx512_here = std::arch::is_x86_feature_detected!("avx512f");
    match method {
        "movsb" => Some(rep::KERNELS),
        "sse2" => Some(sse2::PLAIN),
        "avx2" if avx2_here => Some(avx2::PLAIN),
        "avx512" if avx512_here => Some(avx512::PLAIN),
        "nt" if avx512_here => Some(avx512::NON_TEMPORAL),
        "nt" if avx2_here => Some(avx2::NON_TEMPORAL),
        "nt" => Some(sse2::NON_TEMPORAL),
        "prefetch" if avx512_here => Some(avx512::PREFETCHING),
        "prefetch" if avx2_here => Some(avx2::PREFETCHING),
        "prefetch" => Some(sse2::PREFETCHING),
        _ => None,
    }
}

#[cfg(target_arch = "aarch64")]
fn native(method: &str) -> Option<Kernels> {
    match method {
        "neon" => Some(neon::PLAIN),
        "nt" => Some(neon::NON_TEMPORAL),
        "prefetch" => Some(neon::PREFETCHING),
        _ => None,
    }
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn native(_: &str) -> Option<Kernels> {
    None
}

/// Width of the vectors that `nt` and `prefetch` use here, bits.
pub fn widest_bits() -> u32 {
    #[cfg(target_arch = "x86_64")]
    {
        if std::arch::is_x86_feature_detected!("avx512f") {
            return 512;
        }
        if std::arch::is_x86_feature_detected!("avx2") {
            return 256;
        }
    }
    if cfg!(any(target_arch = "x86_64", target_arch = "aarch64")) {
        128
    } else {
        usize::BITS
    }
}

/// `here`: what can be had instead.
fn missing(method: &str, here: &[&str]) -> Missing {
    let needs = match method {
        "movsb" | "sse2" => "an x86 processor",
        "avx2" => "a processor with AVX2",
        "avx512" => "a processor with AVX-512F",
        "neon" => "a 64-bit ARM processor",
        _ => "x86-64 or 64-bit ARM",
    };
    Missing {
        reason: format!("method {method} needs {needs}"),
        remedy: format!(
            "choose one that exists here: --axis method={}",
            here.join(",")
        ),
    }
}
