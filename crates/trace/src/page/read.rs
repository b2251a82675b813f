//! One CPU's pages, event by event.

use super::{
    DATA_MAX, DELTA_BITS, Event, IN_USE, Item, LOST, LOST_STORED, Lost, PADDING, TIME_EXTEND,
    TIME_STAMP, header,
};
use crate::bytes::{Order, Words};
use crate::error::{Result, TraceError};
use crate::format::PageLayout;
use crate::head::TimeScale;

/// Stamps have 59 bits in an event; the upper ones stay as they were.
const STAMP_BITS: u32 = 59;

/// Reads one CPU's pages, one behind the other. A page that is damaged is an
/// error once; reading goes on with the next.
#[derive(Debug, Clone)]
pub struct CpuReader<'a> {
    cpu: u32,
    order: Order,
    layout: PageLayout,
    page_bytes: usize,
    scale: Option<TimeScale>,
    offset_ns: i64,
    pages: &'a [u8],
    /// Where the next page begins.
    next_page: usize,
    /// The data of the current page, and where in it the next event is.
    data: &'a [u8],
    at: usize,
    stamp: u64,
}

impl<'a> CpuReader<'a> {
    /// `pages` is whole pages of `page_bytes` each; a rest that is none is an
    /// error when it is reached.
    #[must_use]
    pub fn new(
        cpu: u32,
        pages: &'a [u8],
        page_bytes: usize,
        layout: PageLayout,
        order: Order,
    ) -> Self {
        CpuReader {
            cpu,
            order,
            layout,
            page_bytes: page_bytes.max(layout.data_at + 4),
            scale: None,
            offset_ns: 0,
            pages,
            next_page: 0,
            data: &[],
            at: 0,
            stamp: 0,
        }
    }

    /// Makes nanoseconds of stamps.
    #[must_use]
    pub fn timed(mut self, scale: Option<TimeScale>, offset_ns: i64) -> Self {
        self.scale = scale;
        self.offset_ns = offset_ns;
        self
    }

    #[must_use]
    pub fn cpu(&self) -> u32 {
        self.cpu
    }

    /// The stamp that page `index` begins at, in ns; None behind the last one.
    #[must_use]
    pub fn page_begins_ns(&self, index: usize) -> Option<u64> {
        let begin = index.checked_mul(self.page_bytes)?;
        let page = self.pages.get(begin..begin + self.page_bytes)?;
        let stamp = page.u64_at(self.layout.stamp_at, self.order)?;
        Some(self.ns(stamp))
    }

    /// How many whole pages there are.
    #[must_use]
    pub fn page_count(&self) -> usize {
        self.pages.len() / self.page_bytes
    }

    /// Goes on with page `index`.
    pub fn seek(&mut self, index: usize) {
        self.next_page = index.saturating_mul(self.page_bytes);
        (self.data, self.at) = (&[], 0);
    }

    #[inline]
    fn ns(&self, stamp: u64) -> u64 {
        match self.scale {
            None if self.offset_ns == 0 => stamp,
            None => stamp.wrapping_add_signed(self.offset_ns),
            Some(scale) => {
                let product = u128::from(stamp) * u128::from(scale.mult);
                let scaled = (product >> scale.shift.min(127)) as u64;
                scaled.wrapping_add_signed(self.offset_ns)
            }
        }
    }

    fn malformed(&self, cause: impl Into<String>) -> TraceError {
        let page = (self.next_page / self.page_bytes).saturating_sub(1);
        TraceError::malformed(format!("page {page} of CPU {}", self.cpu), cause)
    }

    /// Opens the next page; a gap before it comes out first. None at the end.
    fn turn_page(&mut self) -> Option<Result<Option<Lost>>> {
        let rest = self.pages.get(self.next_page..).filter(|r| !r.is_empty())?;
        self.next_page += self.page_bytes;
        (self.data, self.at) = (&[], 0);
        let Some(page) = rest.get(..self.page_bytes) else {
            self.next_page = self.pages.len();
            let cause = format!("{} bytes of {} are there", rest.len(), self.page_bytes);
            return Some(Err(self.malformed(cause)));
        };
        Some(self.open(page))
    }

    fn open(&mut self, page: &'a [u8]) -> Result<Option<Lost>> {
        let PageLayout {
            stamp_at,
            commit_at,
            commit_bytes,
            data_at,
        } = self.layout;
        let stamp = page.u64_at(stamp_at, self.order);
        let commit = page.unsigned_at(commit_at, commit_bytes, self.order);
        let (Some(stamp), Some(commit), Some(room)) = (stamp, commit, page.get(data_at..)) else {
            return Err(self.malformed("it is shorter than its own header"));
        };
        self.stamp = stamp;
        let used = (commit & IN_USE) as usize;
        let Some(data) = room.get(..used) else {
            let cause = format!(
                "it says {used} bytes in use and has room for {}",
                room.len()
            );
            return Err(self.malformed(cause));
        };
        self.data = data;
        if commit & LOST == 0 {
            return Ok(None);
        }
        let stored = commit & LOST_STORED != 0;
        let count = room.unsigned_at(used, commit_bytes, self.order);
        Ok(Some(Lost {
            cpu: self.cpu,
            until_ns: self.ns(stamp),
            count: count.filter(|_| stored),
        }))
    }

    /// An event's end lies behind the page's.
    #[cold]
    fn cut(&mut self) -> TraceError {
        let cause = format!("an event at byte {} goes beyond its end", self.at);
        self.at = self.data.len();
        self.malformed(cause)
    }

    /// The next event or gap; None at the end.
    #[inline]
    pub fn read(&mut self) -> Option<Result<Item<'a>>> {
        loop {
            if self.at >= self.data.len() {
                match self.turn_page()? {
                    Ok(None) => continue,
                    Ok(Some(lost)) => return Some(Ok(Item::Lost(lost))),
                    Err(error) => return Some(Err(error)),
                }
            }
            match self.step() {
                Some(Ok(event)) => return Some(Ok(Item::Event(event))),
                Some(Err(error)) => return Some(Err(error)),
                None => {}
            }
        }
    }

    /// One entry of the page; None where it was no event.
    #[inline]
    fn step(&mut self) -> Option<Result<Event<'a>>> {
        let Some(word) = self.data.u32_at(self.at, self.order) else {
            return Some(Err(self.cut()));
        };
        let (type_len, delta) = header(word, self.order);
        if (1..=DATA_MAX).contains(&type_len) {
            let length = type_len as usize * 4;
            return Some(self.event(4, length, delta));
        }
        let Some(more) = self.data.u32_at(self.at + 4, self.order) else {
            // Padding to the end needs no second word.
            if type_len == PADDING && delta == 0 {
                self.at = self.data.len();
                return None;
            }
            return Some(Err(self.cut()));
        };
        match type_len {
            0 => {
                // The length counts the word that it stands in.
                let length = more as usize;
                if length < 4 {
                    return Some(Err(self.cut()));
                }
                return Some(self.event(8, (length - 4).next_multiple_of(4), delta));
            }
            PADDING if delta == 0 => self.at = self.data.len(),
            PADDING => {
                // A discarded event: the next one's time counts from it.
                self.stamp = self.stamp.wrapping_add(u64::from(delta));
                self.at = self
                    .at
                    .saturating_add(4 + (more as usize).next_multiple_of(4));
            }
            TIME_EXTEND => {
                self.stamp = self.stamp.wrapping_add(long_time(more, delta));
                self.at += 8;
            }
            TIME_STAMP => {
                let kept = self.stamp >> STAMP_BITS << STAMP_BITS;
                self.stamp = kept | long_time(more, delta);
                self.at += 8;
            }
            _ => unreachable!("five bits have 32 values"),
        }
        None
    }

    #[inline]
    fn event(&mut self, header: usize, length: usize, delta: u32) -> Result<Event<'a>> {
        let begin = self.at + header;
        let Some(payload) = self.data.get(begin..begin.saturating_add(length)) else {
            return Err(self.cut());
        };
        self.at = begin + length;
        self.stamp = self.stamp.wrapping_add(u64::from(delta));
        Ok(Event {
            at_ns: self.ns(self.stamp),
            cpu: self.cpu,
            payload,
        })
    }
}

fn long_time(high: u32, low: u32) -> u64 {
    (u64::from(high) << DELTA_BITS) + u64::from(low)
}

impl<'a> Iterator for CpuReader<'a> {
    type Item = Result<Item<'a>>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        self.read()
    }
}
