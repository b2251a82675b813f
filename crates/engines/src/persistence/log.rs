//! A log that outlives a crash: records with length, number and checksum, each
//! brought to the medium before it is acknowledged.
//!
//! A record is `length` and `number` (64-bit words, little endian), a checksum
//! over both and the payload, and the payload, filled up to whole words. The log
//! ends where a length is zero, or no length, or the checksum does not fit: what
//! follows was never acknowledged. So one fence a record is enough: whatever part
//! of a record reaches the medium before the fence, it is whole or it is no
//! record.

use crate::memory::buffer::scatter;
use std::io;

mod file;

#[cfg(test)]
mod simulated;
#[cfg(test)]
mod tests;

pub use file::{FileStore, Way};

const WORD_BYTES: usize = 8;
const HEAD_BYTES: usize = 3 * WORD_BYTES;

/// Longest payload. Lengths differ, so that records begin and end anywhere in
/// lines and pages.
const LONGEST_BYTES: usize = 300;

/// Most bytes of one record.
pub const RECORD_BYTES: usize = HEAD_BYTES + LONGEST_BYTES.next_multiple_of(WORD_BYTES);

/// Where a log is written. What `write` puts there may get lost until `flush`
/// has named it and `fence` has returned.
pub trait Store {
    /// Puts bytes at an offset.
    ///
    /// # Errors
    /// The store is full, or gone.
    fn write(&mut self, at: usize, bytes: &[u8]) -> io::Result<()>;

    /// Sends bytes of the store to the medium, without waiting.
    ///
    /// # Errors
    /// The store is gone.
    fn flush(&mut self, at: usize, len: usize) -> io::Result<()>;

    /// Returns when all that was sent is on the medium.
    ///
    /// # Errors
    /// The medium refuses.
    fn fence(&mut self) -> io::Result<()>;
}

/// A log in the making.
pub struct Writer<S> {
    store: S,
    /// Offset of the next record.
    at: usize,
    /// Number of the next record, from 1 on.
    number: u64,
}

impl<S: Store> Writer<S> {
    /// An empty log in this store.
    pub fn new(store: S) -> Writer<S> {
        Writer {
            store,
            at: 0,
            number: 1,
        }
    }

    /// Writes the next record and makes it persistent. From the moment that
    /// this returns, its number may be acknowledged.
    ///
    /// # Errors
    /// What the store says; the record is not acknowledged then.
    pub fn append(&mut self) -> io::Result<u64> {
        let record = record(self.number);
        self.store.write(self.at, &record)?;
        self.store.flush(self.at, record.len())?;
        self.store.fence()?;
        self.at += record.len();
        self.number += 1;
        Ok(self.number - 1)
    }
}

/// What a log holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Found {
    /// Whole records from the start on, without a gap.
    pub records: u64,
    /// Offset behind the last of them, bytes.
    pub end: usize,
    /// After them there is something that is not a whole record.
    pub torn: bool,
}

/// Reads a log as far as it is whole.
pub fn read(log: &[u8]) -> Found {
    let mut found = Found {
        records: 0,
        end: 0,
        torn: false,
    };
    while let Some(len) = whole(&log[found.end..], found.records + 1) {
        found.records += 1;
        found.end += len;
    }
    let rest = &log[found.end..];
    found.torn = rest.iter().take(RECORD_BYTES).any(|b| *b != 0);
    found
}

/// Length of the record that `bytes` begin with, if it is whole and has this
/// number.
fn whole(bytes: &[u8], number: u64) -> Option<usize> {
    let payload = usize::try_from(word(bytes, 0)?).ok()?;
    let len = HEAD_BYTES
        .checked_add(payload)?
        .checked_next_multiple_of(WORD_BYTES)?;
    let fits = (1..=LONGEST_BYTES).contains(&payload) && word(bytes, 1)? == number;
    (fits && bytes.get(..len)? == record(number)).then_some(len)
}

fn word(bytes: &[u8], index: usize) -> Option<u64> {
    let bytes = bytes.get(index * WORD_BYTES..(index + 1) * WORD_BYTES)?;
    bytes.try_into().ok().map(u64::from_le_bytes)
}

/// The record of a number: always the same, so that a reader needs no copy.
#[expect(
    clippy::cast_possible_truncation,
    reason = "a remainder below LONGEST_BYTES"
)]
fn record(number: u64) -> Vec<u8> {
    let payload = 1 + (number.wrapping_mul(37) % LONGEST_BYTES as u64) as usize;
    let mut bytes = vec![0; (HEAD_BYTES + payload).next_multiple_of(WORD_BYTES)];
    let (head, body) = bytes.split_at_mut(HEAD_BYTES);
    scatter(&mut body[..payload], number);
    head[..8].copy_from_slice(&(payload as u64).to_le_bytes());
    head[8..16].copy_from_slice(&number.to_le_bytes());
    let sum = checksum(&head[..16], &body[..payload]);
    head[16..].copy_from_slice(&sum.to_le_bytes());
    bytes
}

/// FNV-1a over both pieces.
fn checksum(head: &[u8], body: &[u8]) -> u64 {
    let all = head.iter().chain(body);
    all.fold(0xcbf2_9ce4_8422_2325, |sum, byte| {
        (sum ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    })
}
