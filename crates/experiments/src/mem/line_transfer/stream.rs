//! Lines one way: a ring with one producer and one consumer.
//!
//! Word 0 of a line is its number, counted from 1 and written last, so a line
//! says for itself that it is there; the other words are computed from it. The
//! consumer tells how far it has come on a line of its own, once for several
//! lines and whenever it has to wait: then the producer may be waiting too.

use super::word::{STOP, Wait, Word};
use harness::Fault;

/// Lines between two reports of the consumer.
const REPORT: u64 = 16;

/// A cache line, or two of them on machines with 32-byte lines.
#[repr(align(64))]
#[derive(Debug)]
pub struct Line<W, const WORDS: usize>(pub [W; WORDS]);

/// A ring of lines with `WORDS` words each.
pub struct Ring<'a, W, const WORDS: usize> {
    pub lines: &'a [Line<W, WORDS>],
    /// Lines that the consumer has taken.
    pub taken: &'a W,
}

/// Contents of word `word` of line `number`.
fn content(number: u64, word: usize) -> u64 {
    number
        .wrapping_mul(0x9e37_79b9_7f4a_7c15)
        .wrapping_add(word as u64)
}

fn fill<W: Word, const WORDS: usize>(Line(line): &Line<W, WORDS>, number: u64) {
    for (i, word) in line.iter().enumerate().skip(1) {
        word.put(content(number, i));
    }
    line[0].give(number);
}

/// Whether all words belong to line `number`.
fn is_whole<W: Word, const WORDS: usize>(Line(line): &Line<W, WORDS>, number: u64) -> bool {
    let words = line.iter().enumerate().skip(1);
    words.fold(0, |wrong, (i, word)| {
        wrong | (word.peek() ^ content(number, i))
    }) == 0
}

impl<W: Word, const WORDS: usize> Ring<'_, W, WORDS> {
    #[expect(
        clippy::cast_possible_truncation,
        reason = "only the remainder by the number of lines counts, a power of two"
    )]
    fn line(&self, number: u64) -> &Line<W, WORDS> {
        &self.lines[(number - 1) as usize % self.lines.len()]
    }

    /// Empties the ring. Only while no other thread uses it.
    pub fn clear(&self) {
        self.taken.put(0);
        for line in self.lines {
            for word in &line.0 {
                word.put(0);
            }
        }
    }

    /// Sends `count` lines and waits until all are taken.
    ///
    /// # Errors
    /// The consumer is gone.
    pub fn send(&self, count: u64, wait: &mut impl Wait) -> Result<u64, Fault> {
        let mut taken = 0;
        let mut result = Ok(count);
        for number in 1..=count {
            // The place is free once the line in it is taken.
            if number > taken + self.lines.len() as u64 {
                let upto = number - self.lines.len() as u64;
                match self.await_taken(upto, wait) {
                    Ok(now) => taken = now,
                    Err(why) => {
                        result = Err(why);
                        break;
                    }
                }
            }
            fill(self.line(number), number);
        }
        let result = result.and_then(|n| self.await_taken(count, wait).map(|_| n));
        self.stop(if result.is_ok() { count } else { 0 });
        result
    }

    /// Ends a turn of which `sent` lines were sent and taken; 0 where that is
    /// not known, and then everywhere.
    pub fn stop(&self, sent: u64) {
        if sent > 0 {
            self.line(sent + 1).0[0].give(STOP);
        } else {
            self.lines.iter().for_each(|line| line.0[0].give(STOP));
        }
    }

    fn await_taken(&self, upto: u64, wait: &mut impl Wait) -> Result<u64, Fault> {
        loop {
            let taken = self.taken.take();
            if taken >= upto {
                wait.rest();
                return Ok(taken);
            }
            if !wait.again() {
                return Err(Fault::wrong(format!(
                    "the consumer stopped after {taken} of {upto} lines"
                )));
            }
        }
    }

    /// Takes lines until the producer stops. Returns how many.
    ///
    /// # Errors
    /// A line was lost, repeated or torn.
    pub fn receive(&self, wait: &mut impl Wait) -> Result<u64, Fault> {
        let mut reported = 0;
        for number in 1.. {
            let line = self.line(number);
            let before = number.saturating_sub(self.lines.len() as u64);
            loop {
                let seen = line.0[0].take();
                if seen == number {
                    break;
                }
                if seen == STOP {
                    return Ok(number - 1);
                }
                if seen != before {
                    return Err(Fault::wrong(format!(
                        "waited for line {number} and found line {seen}"
                    )));
                }
                if reported + 1 < number {
                    reported = number - 1;
                    self.taken.give(reported);
                } else if !wait.again() {
                    return Err(Fault::wrong("the producer is gone"));
                }
            }
            wait.rest();
            if !is_whole(line, number) {
                return Err(Fault::wrong(format!("line {number} is torn")));
            }
            if number - reported >= REPORT {
                reported = number;
                self.taken.give(reported);
            }
        }
        Ok(0)
    }

    /// Fills and reads the lines in one thread.
    ///
    /// # Errors
    /// A line does not hold what was written.
    pub fn alone(&self, count: u64) -> Result<(), Fault> {
        for number in 1..=count {
            let line = self.line(number);
            fill(line, number);
            if line.0[0].take() != number || !is_whole(line, number) {
                return Err(Fault::wrong(format!(
                    "line {number} does not hold what was written"
                )));
            }
        }
        Ok(())
    }
}
