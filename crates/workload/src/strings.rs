//! Words of a text: split, counted in a hash, sought, rewritten and joined.
//!
//! Stands for perlbench (SPEC CPU) at its text work; its other half, the dispatch of
//! operations, is `interpreter`. Like it: bytes looked at one by one with short
//! branches on what they are; a hash function over a few letters, then one load that
//! may be anywhere in a table, then a comparison; a search that skips (Horspool);
//! output written in pieces. Unlike it: strings are places in the text, nothing is
//! allocated or reference-counted, and the hash has open addresses and no lists.
//!
//! Working set: the text, the list of its words, the table, the output; some 300 KB.
//! A unit is about a millisecond.

use crate::Workload;
use crate::digest::{Digest, of_bytes};
use crate::unit::{Unit, program};

#[cfg(test)]
mod tests;
mod text;

/// Slots of the table, of which the words take up to half.
const SLOTS: usize = 4096;
/// Words more frequent than that get a capital, rarer ones than `RARE` are turned round.
const FREQUENT: u32 = 16;
const RARE: u32 = 3;
/// Words of a line of the output.
const LINE: usize = 12;

#[derive(Clone, Copy, Default)]
struct Word {
    at: u32,
    bytes: u32,
    slot: u32,
}

/// A word of the table: where it stands first. None has no bytes.
#[derive(Clone, Copy, Default)]
struct Slot {
    hash: u32,
    at: u32,
    bytes: u32,
    count: u32,
}

struct Work {
    text: Box<[u8]>,
    needles: [Vec<u8>; text::NEEDLES],
    words: Vec<Word>,
    table: Box<[Slot; SLOTS]>,
    output: Vec<u8>,
}

/// What the text comes to; `tests` finds it with a map and strings.
const KNOWN: u64 = 0xef22_a553_ad10_2b37;

/// Makes it ready to run; the list of all programs states its unit.
pub fn build() -> Box<dyn Workload> {
    let mut work = Work::new();
    // The first run shows how much memory the words and the output take.
    work.process();
    work.words.shrink_to_fit();
    work.output.shrink_to_fit();
    program(work, KNOWN)
}

impl Unit for Work {
    fn once(&mut self) -> u64 {
        self.process()
    }

    fn bytes(&self) -> u64 {
        let needles: usize = self.needles.iter().map(Vec::capacity).sum();
        let words = self.words.capacity() * size_of::<Word>();
        let fixed = size_of_val(&*self.text) + size_of_val(&*self.table);
        (fixed + needles + words + self.output.capacity()) as u64
    }
}

impl Work {
    fn new() -> Work {
        let text = text::text();
        Work {
            needles: text::needles(&text),
            text,
            words: Vec::new(),
            table: Box::new([Slot::default(); SLOTS]),
            output: Vec::new(),
        }
    }

    fn process(&mut self) -> u64 {
        self.table.fill(Slot::default());
        self.words.clear();
        self.output.clear();
        self.split();
        self.join();
        let mut digest = Digest::default().with(of_bytes(&self.output));
        for needle in &self.needles {
            digest = digest.with(occurrences(&self.text, needle));
        }
        digest.value()
    }

    fn split(&mut self) {
        let (mut at, end) = (0, self.text.len());
        while at < end {
            let (from, mut hash) = (at, 0u32);
            while at < end && self.text[at].is_ascii_alphabetic() {
                hash = (hash ^ u32::from(self.text[at] | 0x20)).wrapping_mul(0x0100_0193);
                at += 1;
            }
            if at > from {
                self.count(from, at, hash ^ (hash >> 15));
            }
            at += 1;
        }
    }

    fn count(&mut self, from: usize, end: usize, hash: u32) {
        let word = &self.text[from..end];
        let mut place = hash as usize % SLOTS;
        loop {
            let slot = &mut self.table[place];
            if slot.bytes == 0 {
                (slot.hash, slot.at) = (hash, from as u32);
                slot.bytes = (end - from) as u32;
            }
            let known = slot.at as usize..(slot.at + slot.bytes) as usize;
            if slot.hash == hash && self.text[known].eq_ignore_ascii_case(word) {
                slot.count += 1;
                break;
            }
            place = (place + 1) % SLOTS;
        }
        self.words.push(Word {
            at: from as u32,
            bytes: (end - from) as u32,
            slot: place as u32,
        });
    }

    fn join(&mut self) {
        for (index, word) in self.words.iter().enumerate() {
            if index > 0 {
                let ends_line = index.is_multiple_of(LINE);
                self.output.push(if ends_line { b'\n' } else { b' ' });
            }
            let slot = &self.table[word.slot as usize];
            let letters = &self.text[word.at as usize..(word.at + word.bytes) as usize];
            if slot.count > FREQUENT {
                self.output.push(letters[0].to_ascii_uppercase());
                self.output.extend_from_slice(&letters[1..]);
            } else if slot.count < RARE {
                self.output.extend(letters.iter().rev());
            } else {
                self.output.extend_from_slice(letters);
            }
            if slot.at == word.at {
                self.output.push(b':');
                number(&mut self.output, slot.count);
            }
        }
    }
}

fn number(output: &mut Vec<u8>, value: u32) {
    if value > 9 {
        number(output, value / 10);
    }
    output.push(b'0' + (value % 10) as u8);
}

/// How often the needle stands in the text; by the last byte under it one knows how
/// far it may be moved (Horspool 1980).
fn occurrences(text: &[u8], needle: &[u8]) -> u64 {
    let last = needle.len() - 1;
    let mut far = [needle.len() as u8; 256];
    for (at, byte) in needle[..last].iter().enumerate() {
        far[usize::from(*byte)] = (last - at) as u8;
    }
    let (mut at, mut count) = (0, 0);
    while at + last < text.len() {
        let under = text[at + last];
        if under == needle[last] && text[at..at + last] == needle[..last] {
            count += 1;
        }
        at += usize::from(far[usize::from(under)]);
    }
    count
}
