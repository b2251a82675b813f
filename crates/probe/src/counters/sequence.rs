//! Counters read without a system call: the page the kernel shares with the
//! counting thread says which register holds the count, and RDPMC reads it.
//!
//! The kernel may change the page at any moment (the thread is switched out
//! and in between), so it is read like a sequence lock: again, until the
//! sequence number is the same before and after.
//!
//! Source: struct perf_event_mmap_page, include/uapi/linux/perf_event.h.

use super::reading::Times;
use std::sync::atomic::{AtomicU64, Ordering, fence};

/// The first 64 bytes of the page, as words.
pub type Words = [AtomicU64; 8];

/// The instructions that reading needs.
pub trait Registers {
    /// The counter register `index`.
    fn counter(&self, index: u32) -> u64;
    /// The time stamp counter.
    fn stamp(&self) -> u64;
}

const USER_COUNTER: u64 = 1 << 2;
const USER_TIME: u64 = 1 << 3;
/// A page that changes under every attempt is given up.
const ATTEMPTS: u32 = 100;

/// Totals by the page; None where the event is on no register now, or the
/// kernel does not let user programs read it.
pub fn read_page(words: &Words, registers: &impl Registers) -> Option<Times> {
    // The low half of the word.
    let sequence = || words[1].load(Ordering::Acquire) & u64::from(u32::MAX);
    for _ in 0..ATTEMPTS {
        let begun = sequence();
        let times = read_once(words, registers);
        fence(Ordering::Acquire);
        // Odd while the kernel writes.
        if sequence() == begun && begun.is_multiple_of(2) {
            return times;
        }
    }
    None
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "fields of 16 bits in a word of the page"
)]
fn read_once(words: &Words, registers: &impl Registers) -> Option<Times> {
    let word = |i: usize| words[i].load(Ordering::Relaxed);
    let index = (word(1) >> 32) as u32;
    let allowed = word(5) & (USER_COUNTER | USER_TIME) == USER_COUNTER | USER_TIME;
    if index == 0 || !allowed {
        return None;
    }
    let (width, shift, mult) = (word(6) as u16, (word(6) >> 16) as u16, word(6) >> 32);
    if !(1..=64).contains(&width) || shift > 63 {
        return None;
    }
    // Sign-extended from the register's width.
    let spare = 64 - u32::from(width);
    let register = (registers.counter(index - 1) << spare).cast_signed() >> spare;
    let stamp = registers.stamp();
    let whole = (stamp >> shift).wrapping_mul(mult);
    let rest = (stamp & ((1 << shift) - 1)).wrapping_mul(mult) >> shift;
    let passed_ns = word(7).wrapping_add(whole).wrapping_add(rest);
    Some(Times {
        value: word(2).wrapping_add(register.cast_unsigned()),
        enabled_ns: word(3).wrapping_add(passed_ns),
        running_ns: word(4).wrapping_add(passed_ns),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    /// A register whose reading may disturb the page, as a switch would.
    struct Fake<'a> {
        register: u64,
        disturbs: &'a dyn Fn(u32),
        reads: Cell<u32>,
    }

    impl Registers for Fake<'_> {
        fn counter(&self, index: u32) -> u64 {
            assert_eq!(index, 4);
            self.reads.set(self.reads.get() + 1);
            (self.disturbs)(self.reads.get());
            self.register
        }

        fn stamp(&self) -> u64 {
            1025
        }
    }

    /// Register 4, offset 1000, enabled 500, running 400, 48 bits wide, a
    /// stamp of 2^-1 * 3 ns, 7 ns on.
    fn page() -> Words {
        [
            0,
            5 << 32 | 2,
            1000,
            500,
            400,
            USER_COUNTER | USER_TIME,
            3 << 32 | 1 << 16 | 48,
            7,
        ]
        .map(AtomicU64::new)
    }

    fn read(page: &Words, register: u64, disturbs: &dyn Fn(u32)) -> (Option<Times>, u32) {
        let fake = Fake {
            register,
            disturbs,
            reads: Cell::new(0),
        };
        (read_page(page, &fake), fake.reads.get())
    }

    #[test]
    fn count_and_times_are_those_of_the_header_file() {
        // 1025 >> 1 = 512 turns of 3, the odd one 3 >> 1.
        let passed = 7 + 512 * 3 + 1;
        let (times, _) = read(&page(), 42, &|_| {});
        let times = times.unwrap();
        assert_eq!(times.value, 1042);
        assert_eq!(times.enabled_ns, 500 + passed);
        assert_eq!(times.running_ns, 400 + passed);
    }

    #[test]
    fn a_register_is_negative_above_half_its_width() {
        let (times, _) = read(&page(), (1 << 48) - 10, &|_| {});
        assert_eq!(times.unwrap().value, 990);
    }

    #[test]
    fn without_a_register_or_a_right_there_is_no_reading() {
        let words = page();
        words[1].store(2, Ordering::Relaxed);
        assert_eq!(read(&words, 0, &|_| {}), (None, 0));
        for lacking in [USER_COUNTER, USER_TIME] {
            let words = page();
            words[5].fetch_and(!lacking, Ordering::Relaxed);
            assert_eq!(read(&words, 0, &|_| {}), (None, 0));
        }
    }

    #[test]
    fn a_page_that_changes_meanwhile_is_read_again() {
        let words = page();
        let once = |reads: u32| {
            if reads == 1 {
                words[1].fetch_add(2, Ordering::Relaxed);
                words[2].store(2000, Ordering::Relaxed);
            }
        };
        let (times, reads) = read(&words, 42, &once);
        assert_eq!((times.unwrap().value, reads), (2042, 2));
    }

    #[test]
    fn a_page_that_never_rests_is_given_up() {
        let words = page();
        let always = |_| {
            words[1].fetch_add(2, Ordering::Relaxed);
        };
        assert_eq!(read(&words, 42, &always), (None, ATTEMPTS));
        // Odd: the kernel is writing.
        let words = page();
        words[1].fetch_or(1, Ordering::Relaxed);
        assert_eq!(read(&words, 42, &|_| {}).0, None);
    }

    #[test]
    fn nonsense_in_the_page_is_no_reading() {
        let words = page();
        words[6].store(u64::MAX, Ordering::Relaxed);
        assert_eq!(read(&words, 42, &|_| {}).0, None);
    }
}
