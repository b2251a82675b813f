//! Making pages: of a part of a trace, and in tests.

use super::{DATA_MAX, DELTA_BITS, DELTA_MASK, LOST, LOST_STORED, TIME_EXTEND, header_word};
use crate::bytes::Order;
use crate::format::PageLayout;
use crate::width::{low_word, narrow};

/// Writes one CPU's events into pages.
#[derive(Debug)]
pub struct PageWriter {
    order: Order,
    layout: PageLayout,
    page_bytes: usize,
    done: Vec<u8>,
    /// The page being filled; empty: none is.
    page: Vec<u8>,
    stamp: u64,
    /// Before the next event events are missing: how many, where it is known.
    gap: Option<Option<u64>>,
    /// Of the page being filled.
    page_gap: Option<Option<u64>>,
}

impl PageWriter {
    /// For pages of so many bytes, header included.
    pub fn new(page_bytes: usize, layout: PageLayout, order: Order) -> Self {
        PageWriter {
            order,
            layout,
            page_bytes,
            done: Vec::new(),
            page: Vec::new(),
            stamp: 0,
            gap: None,
            page_gap: None,
        }
    }

    /// Appends an event. Stamps must not go back; one that does takes the stamp
    /// of the event before. False: it is larger than a page, and left out.
    pub fn push(&mut self, stamp: u64, payload: &[u8]) -> bool {
        let length = payload.len().next_multiple_of(4);
        let small = length / 4 <= DATA_MAX as usize && length > 0;
        let needs = if small { 4 } else { 8 } + length;
        if self.layout.data_at + needs > self.page_bytes {
            return false;
        }
        // A gap is marked at the begin of a page only.
        if self.page.is_empty() || self.gap.is_some() || self.room() < needs + 8 {
            self.begin(stamp);
        }
        let delta = stamp.saturating_sub(self.stamp);
        self.stamp = self.stamp.max(stamp);
        let short = match u32::try_from(delta) {
            Ok(delta) if delta <= DELTA_MASK => delta,
            _ => {
                self.word(header_word(
                    TIME_EXTEND,
                    low_word(delta) & DELTA_MASK,
                    self.order,
                ));
                self.word(low_word(delta >> DELTA_BITS));
                0
            }
        };
        match small {
            true => self.word(header_word(narrow(length) / 4, short, self.order)),
            false => {
                self.word(header_word(0, short, self.order));
                self.word(narrow(length) + 4);
            }
        }
        self.page.extend_from_slice(payload);
        self.page
            .resize(self.page.len() + length - payload.len(), 0);
        true
    }

    /// Events are missing between the last one and the next.
    pub fn lose(&mut self, count: Option<u64>) {
        self.gap = Some(count);
    }

    /// All pages.
    pub fn finish(mut self) -> Vec<u8> {
        self.end();
        self.done
    }

    fn room(&self) -> usize {
        // What a count of lost events takes behind the data.
        self.page_bytes
            .saturating_sub(self.page.len() + self.layout.commit_bytes)
    }

    fn word(&mut self, word: u32) {
        self.page.extend_from_slice(&self.order.of_u32(word));
    }

    fn begin(&mut self, stamp: u64) {
        self.end();
        self.page.resize(self.layout.data_at, 0);
        let at = self.layout.stamp_at;
        self.page[at..at + 8].copy_from_slice(&self.order.of_u64(stamp));
        self.stamp = stamp;
        self.page_gap = self.gap.take();
    }

    fn end(&mut self) {
        if self.page.is_empty() {
            return;
        }
        let used = (self.page.len() - self.layout.data_at) as u64;
        let flags = match self.page_gap {
            None => 0,
            Some(None) => LOST,
            Some(Some(_)) => LOST | LOST_STORED,
        };
        let (at, size) = (self.layout.commit_at, self.layout.commit_bytes);
        let commit = self.number(used | flags);
        self.page[at..at + size].copy_from_slice(&commit);
        if let Some(Some(count)) = self.page_gap {
            let count = self.number(count);
            self.page.extend_from_slice(&count);
        }
        self.page.resize(self.page_bytes, 0);
        self.done.append(&mut self.page);
        self.page_gap = None;
    }

    /// As long as the traced kernel's longs.
    fn number(&self, value: u64) -> Vec<u8> {
        match self.layout.commit_bytes {
            4 => self.order.of_u32(low_word(value)).to_vec(),
            _ => self.order.of_u64(value).to_vec(),
        }
    }
}
