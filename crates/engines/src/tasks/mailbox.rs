//! Messages between a task and the measuring side, in memory that both see.

use crate::crew::futex::{futex_wait, futex_wake};
use crate::crew::shared::Shared;
use crate::crew::words::Row;
use harness::windows::Window;
use std::io;
use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering};

/// What a task is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub enum Ask {
    /// Sleep.
    Rest = 0,
    /// Work for a window, then report what it held.
    Window = 1,
    /// Work until something else is asked; answered after the first unit.
    Accompany = 2,
    /// Check all results so far.
    Verify = 3,
    Leave = 4,
}

impl Ask {
    fn of(word: u32) -> Ask {
        match word & MASK {
            0 => Ask::Rest,
            1 => Ask::Window,
            2 => Ask::Accompany,
            3 => Ask::Verify,
            _ => Ask::Leave,
        }
    }
}

/// Low bits of a word: what is asked. The others count.
const BITS: u32 = 3;
const MASK: u32 = (1 << BITS) - 1;

/// Longest sentence that fits.
const TEXT: usize = 1000;

/// Atomics, and bytes that one side writes before it raises `length`.
#[derive(Debug)]
pub struct Mailbox(Shared<Slots>);

/// The two sides write on lines of their own: a task that looks whether it shall
/// go on reads a line that is not written meanwhile.
#[repr(C)]
struct Slots {
    asked: AtomicU32,
    window_ns: AtomicU64,
    other: Apart,
    /// The last word that was answered.
    answered: AtomicU32,
    /// What a window held.
    numbers: Row<9>,
    length: AtomicUsize,
    text: [u8; TEXT],
}

#[repr(C, align(256))]
struct Apart;

impl Mailbox {
    /// # Errors
    /// What mmap says.
    pub fn map() -> io::Result<Mailbox> {
        // SAFETY: atomics, and bytes that one side writes before it raises `length`.
        unsafe { Shared::zeroed() }.map(Mailbox)
    }

    /// For the measuring side: asks, and wakes the task.
    pub fn ask(&self, what: Ask, window_ns: u64) {
        self.0.window_ns.store(window_ns, Ordering::Relaxed);
        let asked = &self.0.asked;
        let last = asked.load(Ordering::Relaxed);
        let next = ((last >> BITS).wrapping_add(1) << BITS) | what as u32;
        asked.store(next, Ordering::Release);
        futex_wake(asked);
    }

    /// For the measuring side: whether the last question is answered.
    #[inline]
    pub fn has_answer(&self) -> bool {
        self.0.answered.load(Ordering::Acquire) == self.0.asked.load(Ordering::Relaxed)
    }

    /// For the measuring side: whether the last question is answered. Sleeps for a
    /// tenth of a second at most where it is not.
    pub fn is_answered(&self) -> bool {
        let answered = self.0.answered.load(Ordering::Acquire);
        if answered == self.0.asked.load(Ordering::Relaxed) {
            return true;
        }
        futex_wait(&self.0.answered, answered);
        self.has_answer()
    }

    /// For the measuring side: what the last window held.
    pub fn window(&self) -> Window {
        let mut window = Window::default();
        for (number, left) in numbers(&mut window).into_iter().zip(self.0.numbers.read()) {
            *number = left;
        }
        window
    }

    /// For the measuring side: what the task had to say.
    pub fn text(&self) -> String {
        let length = self.0.length.load(Ordering::Acquire).min(TEXT);
        String::from_utf8_lossy(&self.0.text[..length]).into_owned()
    }

    /// For the task: sleeps until something else is asked than `last`.
    pub fn next(&self, last: u32) -> Asked {
        let asked = &self.0.asked;
        loop {
            let word = asked.load(Ordering::Acquire);
            if word != last {
                return Asked {
                    word,
                    what: Ask::of(word),
                    window_ns: self.0.window_ns.load(Ordering::Relaxed),
                };
            }
            futex_wait(asked, last);
        }
    }

    /// For the task: whether `asked` still holds.
    #[inline]
    pub fn holds(&self, asked: &Asked) -> bool {
        self.0.asked.load(Ordering::Relaxed) == asked.word
    }

    /// For the task: sleeps while `asked` holds, for a tenth of a second at most.
    pub fn sleep_while(&self, asked: &Asked) {
        futex_wait(&self.0.asked, asked.word);
    }

    /// For the task: how many units it has done since it began to accompany.
    #[inline]
    pub fn leave_units(&self, units: u64) {
        self.0.numbers.0[0].store(units, Ordering::Relaxed);
    }

    /// For the measuring side: the same, as of now.
    pub fn units(&self) -> u64 {
        self.0.numbers.0[0].load(Ordering::Relaxed)
    }

    /// For the task: leaves what a window held, for the answer.
    pub fn leave_window(&self, mut window: Window) {
        let left = numbers(&mut window).map(|number| *number);
        self.0.numbers.leave(left);
    }

    /// For the task: leaves a sentence, for the answer; cut where it is too long.
    pub fn leave_text(&self, text: &str) {
        let length = text.len().min(TEXT);
        // SAFETY: the task alone writes these bytes, inside the mapping; the other
        // side reads them when it has seen the answer.
        unsafe {
            let bytes = (&raw mut (*self.0.as_ptr()).text).cast::<u8>();
            std::ptr::copy_nonoverlapping(text.as_ptr(), bytes, length);
        }
        self.0.length.store(length, Ordering::Release);
    }

    /// For the task: answers.
    pub fn answer(&self, asked: &Asked) {
        let answered = &self.0.answered;
        answered.store(asked.word, Ordering::Release);
        futex_wake(answered);
    }
}

/// The numbers of a window, in the order in which they are left.
fn numbers(window: &mut Window) -> [&mut u64; 9] {
    [
        &mut window.units,
        &mut window.elapsed_ns,
        &mut window.cpu_ns,
        &mut window.longest_ns,
        &mut window.usage.voluntary_switches,
        &mut window.usage.involuntary_switches,
        &mut window.usage.minor_faults,
        &mut window.usage.major_faults,
        &mut window.units_before,
    ]
}

/// A question as the task got it.
#[derive(Debug, Clone, Copy)]
pub struct Asked {
    pub word: u32,
    pub what: Ask,
    pub window_ns: u64,
}

#[cfg(test)]
mod tests {
    use super::{Ask, Mailbox};
    use harness::windows::Window;

    #[test]
    fn a_question_is_new_each_time_and_answered_once() {
        let mailbox = Mailbox::map().unwrap();
        assert!(mailbox.is_answered(), "nothing was asked");
        let mut last = 0;
        for what in [Ask::Window, Ask::Window, Ask::Leave, Ask::Rest] {
            mailbox.ask(what, 7);
            assert!(!mailbox.is_answered());
            let asked = mailbox.next(last);
            assert_eq!((asked.what, asked.window_ns), (what, 7));
            assert!(mailbox.holds(&asked));
            mailbox.answer(&asked);
            assert!(mailbox.is_answered());
            last = asked.word;
        }
    }

    #[test]
    fn windows_and_sentences_come_across() {
        let mailbox = Mailbox::map().unwrap();
        let mut window = Window {
            units: 1,
            elapsed_ns: 2,
            cpu_ns: 3,
            longest_ns: 4,
            units_before: 6,
            ..Window::default()
        };
        window.usage.major_faults = 5;
        mailbox.leave_window(window);
        assert_eq!(mailbox.window(), window);
        mailbox.leave_text("why");
        assert_eq!(mailbox.text(), "why");
        mailbox.leave_text(&"x".repeat(5000));
        assert_eq!(mailbox.text().len(), 1000);
        mailbox.leave_text("");
        assert_eq!(mailbox.text(), "");
    }
}
