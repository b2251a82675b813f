//! Every kernel against plain reference code, at any length and place, with
//! guard bytes around and a page that cannot be touched behind.

use super::{Kernels, METHODS, executable, find, methods_of, missing};
use crate::memory::buffer::{page_bytes, scatter};
use proptest::prelude::*;

const GUARD: u8 = 0xc3;

fn here() -> Vec<(&'static str, Kernels)> {
    METHODS
        .iter()
        .filter_map(|m| find(m).ok().map(|k| (*m, k)))
        .collect()
}

fn reference_words(seed: u64, len: usize) -> Vec<u8> {
    (0..len.div_ceil(8) as u64)
        .flat_map(|i| seed.wrapping_add(i).to_le_bytes())
        .take(len)
        .collect()
}

fn reference_sum(bytes: &[u8]) -> u64 {
    bytes.chunks(8).fold(0, |sum, piece| {
        let mut word = [0; 8];
        word[..piece.len()].copy_from_slice(piece);
        sum ^ u64::from_le_bytes(word)
    })
}

/// Pages of which the last cannot be touched: an access one byte beyond
/// `usable` ends the test.
struct Fenced {
    base: *mut u8,
    usable: usize,
}

impl Fenced {
    fn new(at_least: usize) -> Fenced {
        let page = page_bytes();
        let usable = at_least.max(1).next_multiple_of(page);
        // SAFETY: a new mapping, the last page of which is closed.
        let base = unsafe {
            let at = libc::mmap(
                std::ptr::null_mut(),
                usable + page,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
                -1,
                0,
            );
            assert_ne!(at, libc::MAP_FAILED);
            let fence = at.cast::<u8>().add(usable);
            assert_eq!(libc::mprotect(fence.cast(), page, libc::PROT_NONE), 0);
            at.cast::<u8>()
        };
        Fenced { base, usable }
    }

    fn bytes(&mut self) -> &mut [u8] {
        // SAFETY: the usable pages are ours alone.
        unsafe { std::slice::from_raw_parts_mut(self.base, self.usable) }
    }

    /// The place from which `len` bytes end `gap` bytes before the fence.
    fn place(&self, len: usize, gap: usize) -> *mut u8 {
        // SAFETY: the callers' lengths and gaps fit into the usable pages.
        unsafe { self.base.add(self.usable - gap - len) }
    }

    /// Checks that nothing but `wanted` at its place has changed.
    fn check(&mut self, wanted: &[u8], gap: usize, what: &str) {
        let end = self.usable - gap;
        let start = end - wanted.len();
        assert!(self.bytes()[start..end] == *wanted, "{what}: contents");
        assert!(
            self.bytes()[..start].iter().all(|b| *b == GUARD),
            "{what}: wrote in front"
        );
        assert!(
            self.bytes()[end..].iter().all(|b| *b == GUARD),
            "{what}: wrote behind"
        );
    }
}

impl Drop for Fenced {
    fn drop(&mut self) {
        // SAFETY: made by mmap with this length.
        unsafe { libc::munmap(self.base.cast(), self.usable + page_bytes()) };
    }
}

fn check_all(len: usize, to_gap: usize, from_gap: usize, seed: u64) {
    let mut from = Fenced::new(len + from_gap);
    scatter(from.bytes(), seed);
    let start = from.usable - from_gap - len;
    let source = from.bytes()[start..start + len].to_vec();
    let mut to = Fenced::new(len + to_gap);
    let (out, into) = (to.place(len, to_gap), from.place(len, from_gap));
    for (method, kernels) in here() {
        if let Some(copy) = kernels.copy {
            to.bytes().fill(GUARD);
            // SAFETY: both places hold `len` bytes in different mappings.
            unsafe { copy(out, into, len) };
            to.check(&source, to_gap, &format!("copy by {method}"));
        }
        if let Some(fill) = kernels.fill {
            to.bytes().fill(GUARD);
            // SAFETY: the place holds `len` bytes.
            unsafe { fill(out, seed as u8, len) };
            to.check(&vec![seed as u8; len], to_gap, &format!("fill by {method}"));
        }
        if let Some(write) = kernels.write {
            to.bytes().fill(GUARD);
            // SAFETY: the place holds `len` bytes.
            unsafe { write(out, seed, len) };
            let wanted = reference_words(seed, len);
            to.check(&wanted, to_gap, &format!("write by {method}"));
        }
        if let Some(read) = kernels.read {
            // SAFETY: the place holds `len` bytes.
            let sum = unsafe { read(into, len) };
            assert_eq!(sum, reference_sum(&source), "read by {method}");
        }
    }
}

#[test]
fn every_short_length_at_the_fence() {
    for len in 0..=600 {
        check_all(len, 0, 0, 0x1234_5678_9abc_def0);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn any_length_at_any_place(
        len in prop_oneof![0usize..300, 0usize..6000, 30_000usize..70_000],
        to_gap in 0usize..200,
        from_gap in 0usize..200,
        seed: u64,
    ) {
        check_all(len, to_gap, from_gap, seed);
    }
}

#[test]
fn each_method_is_here_or_says_what_it_needs() {
    for method in METHODS {
        match find(method) {
            Ok(k) => assert!(k.copy.is_some(), "{method} has no copy"),
            Err(missing) => {
                assert!(missing.reason.contains("needs"), "{}", missing.reason);
                assert!(missing.remedy.contains("--axis method="));
            }
        }
    }
    assert!(find("telepathy").is_err());
}

#[test]
fn an_architecture_lists_no_foreign_method() {
    assert!(!methods_of("x86_64").contains(&"neon"));
    assert!(methods_of("x86_64").contains(&"avx512"));
    assert!(methods_of("aarch64").contains(&"neon"));
    assert!(!methods_of("aarch64").contains(&"movsb"));
    assert_eq!(methods_of("riscv64"), ["libc", "memmove", "words"]);
}

/// AVX-512 is a method of every x86 processor, and few have it.
#[test]
fn what_is_missing_is_never_its_own_remedy() {
    let here = executable();
    assert!(here.iter().all(|method| find(method).is_ok()), "{here:?}");
    for method in METHODS {
        let Err(refused) = find(method) else {
            assert!(here.contains(method), "{method}");
            continue;
        };
        let (_, list) = refused.remedy.split_once("method=").unwrap();
        assert!(list.split(',').all(|other| find(other).is_ok()), "{list}");
    }
    let without: Vec<&str> = here.into_iter().filter(|m| *m != "avx512").collect();
    let remedy = missing("avx512", &without).remedy;
    assert!(!remedy.contains("avx512"), "{remedy}");
}
