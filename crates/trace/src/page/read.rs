//! One CPU's pages, event by event.

use super::{
    DATA_MAX, DELTA_BITS, Event, IN_USE, Item, LOST, LOST_STORED, Lost, PADDING, TIME_EXTEND,
    TIME_STAMP, header,
};
use crate::bytes::{Order, Words};
use crate::error::{Result, TraceError};
use crate::format::PageLayout;
use crate::head::TimeScale;
use crate::pages::Window;
use crate::width::index;
use std::ops::Range;

/// Stamps have 59 bits in an event; the upper ones stay as they were.
const STAMP_BITS: u32 = 59;

/// Reads one CPU's pages, one behind the other. A page that is damaged is an
/// error once; reading goes on with the next.
#[derive(Debug, Clone)]
pub struct CpuReader<'a> {
    cpu: u32,
    order: Order,
    layout: PageLayout,
    scale: Option<TimeScale>,
    offset_ns: i64,
    window: Window<'a>,
    next_page: u64,
    /// Where in the window the data of the current page end, and the next event is.
    end: usize,
    at: usize,
    stamp: u64,
}

/// What was met, its bytes left in the window: true until reading goes on.
#[derive(Debug, Clone)]
pub(crate) enum Met {
    Event { at_ns: u64, payload: Range<usize> },
    Lost(Lost),
}

impl Met {
    /// Time of the event, ns of the trace's clock.
    #[inline]
    pub fn at_ns(&self) -> u64 {
        match self {
            Met::Event { at_ns, .. } => *at_ns,
            Met::Lost(lost) => lost.until_ns,
        }
    }
}

impl<'a> CpuReader<'a> {
    /// `pages` is whole pages of `page_bytes` each; a rest that is none is an
    /// error when it is reached.
    pub fn new(
        cpu: u32,
        pages: &'a [u8],
        page_bytes: usize,
        layout: PageLayout,
        order: Order,
    ) -> Self {
        CpuReader::over(cpu, Window::whole(pages, page_bytes.max(1)), layout, order)
    }

    pub(crate) fn over(cpu: u32, window: Window<'a>, layout: PageLayout, order: Order) -> Self {
        CpuReader {
            cpu,
            order,
            layout,
            scale: None,
            offset_ns: 0,
            window,
            next_page: 0,
            end: 0,
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

    /// Number of the CPU.
    pub fn cpu(&self) -> u32 {
        self.cpu
    }

    /// The stamp that page `index` begins at, in ns; None behind the last one.
    pub fn page_begins_ns(&self, index: u64) -> Option<u64> {
        let stamp = self.window.peek(index, self.layout.stamp_at)?;
        Some(self.ns(self.order.u64(stamp)))
    }

    /// How many whole pages there are.
    pub fn page_count(&self) -> u64 {
        self.window.page_count()
    }

    /// Goes on with page `index`.
    pub fn seek(&mut self, index: u64) {
        self.next_page = index;
        (self.end, self.at) = (0, 0);
    }

    /// The bytes of page `index`; None where there is no whole one.
    pub(crate) fn page(&mut self, index: u64) -> Option<Result<&[u8]>> {
        if index >= self.page_count() {
            return None;
        }
        let begin = self.window.page(index);
        Some(begin.map(|begin| &self.window.held()[begin..][..self.window.page_bytes()]))
    }

    #[inline]
    fn ns(&self, stamp: u64) -> u64 {
        match self.scale {
            None if self.offset_ns == 0 => stamp,
            None => stamp.wrapping_add_signed(self.offset_ns),
            Some(scale) => {
                let product = u128::from(stamp) * u128::from(scale.mult);
                let scaled = product >> scale.shift.min(127);
                // Saturated: a damaged stamp is not another moment.
                (u64::try_from(scaled).unwrap_or(u64::MAX)).wrapping_add_signed(self.offset_ns)
            }
        }
    }

    fn malformed(&self, cause: impl Into<String>) -> TraceError {
        let page = self.next_page.saturating_sub(1);
        TraceError::malformed(format!("page {page} of CPU {}", self.cpu), cause)
    }

    /// Opens the next page; a gap before it comes out first. None at the end.
    fn turn_page(&mut self) -> Option<Result<Option<Lost>>> {
        let (index, count) = (self.next_page, self.page_count());
        (self.end, self.at) = (0, 0);
        if index >= count {
            let rest = self.window.len_bytes() % self.window.page_bytes() as u64;
            self.next_page = count.saturating_add(1);
            // Once.
            if index > count || rest == 0 {
                return None;
            }
            let cause = format!("{rest} bytes of {} are there", self.window.page_bytes());
            return Some(Err(self.malformed(cause)));
        }
        self.next_page += 1;
        match self.window.page(index) {
            Ok(begin) => Some(self.open(begin)),
            // What cannot be read now cannot be read behind it either.
            Err(error) => {
                self.next_page = u64::MAX;
                Some(Err(error))
            }
        }
    }

    /// The page that begins at this byte of the window.
    fn open(&mut self, begin: usize) -> Result<Option<Lost>> {
        let PageLayout {
            stamp_at,
            commit_at,
            commit_bytes,
            data_at,
        } = self.layout;
        let page = &self.window.held()[begin..][..self.window.page_bytes()];
        let stamp = page.u64_at(stamp_at, self.order);
        let commit = page.unsigned_at(commit_at, commit_bytes, self.order);
        let (Some(stamp), Some(commit), Some(room)) = (stamp, commit, page.get(data_at..)) else {
            return Err(self.malformed("it is shorter than its own header"));
        };
        let used = (commit & IN_USE) as usize;
        if used > room.len() {
            let cause = format!(
                "it claims {used} bytes in use and has room for {}",
                room.len()
            );
            return Err(self.malformed(cause));
        }
        // The kernel stores the number of lost events behind the data, where there is room.
        let count = room.unsigned_at(used, commit_bytes, self.order);
        self.stamp = stamp;
        self.at = begin + data_at;
        self.end = self.at + used;
        if commit & LOST == 0 {
            return Ok(None);
        }
        let stored = commit & LOST_STORED != 0;
        Ok(Some(Lost {
            cpu: self.cpu,
            until_ns: self.ns(stamp),
            count: count.filter(|_| stored),
        }))
    }

    /// An event's end lies behind the page's.
    #[cold]
    fn cut(&mut self) -> TraceError {
        let at = (self.at % self.window.page_bytes()).saturating_sub(self.layout.data_at);
        let cause = format!("an event at byte {at} goes beyond its end");
        self.at = self.end;
        self.malformed(cause)
    }

    /// The next event or gap; None at the end.
    #[inline]
    pub fn read(&mut self) -> Option<Result<Item<'_>>> {
        Some(self.advance()?.map(|met| self.item(met)))
    }

    /// What was met last, with its bytes.
    #[inline]
    pub(crate) fn item(&self, met: Met) -> Item<'_> {
        match met {
            Met::Lost(lost) => Item::Lost(lost),
            Met::Event { at_ns, payload } => Item::Event(Event {
                at_ns,
                cpu: self.cpu,
                payload: &self.window.held()[payload],
            }),
        }
    }

    /// Goes on by one event or gap; None at the end.
    #[inline]
    pub(crate) fn advance(&mut self) -> Option<Result<Met>> {
        loop {
            if self.at >= self.end {
                match self.turn_page()? {
                    Ok(None) => continue,
                    Ok(Some(lost)) => return Some(Ok(Met::Lost(lost))),
                    Err(error) => return Some(Err(error)),
                }
            }
            if let Some(met) = self.step() {
                return Some(met);
            }
        }
    }

    /// One entry of the page; None where it was no event.
    #[inline]
    fn step(&mut self) -> Option<Result<Met>> {
        let data = &self.window.held()[..self.end];
        let Some(word) = data.u32_at(self.at, self.order) else {
            return Some(Err(self.cut()));
        };
        let (type_len, delta) = header(word, self.order);
        if (1..=DATA_MAX).contains(&type_len) {
            let length = type_len as usize * 4;
            return Some(self.event(4, length, delta));
        }
        let Some(more) = data.u32_at(self.at + 4, self.order) else {
            // Padding to the end needs no second word.
            if type_len == PADDING && delta == 0 {
                self.at = self.end;
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
            PADDING if delta == 0 => self.at = self.end,
            PADDING => {
                // A discarded event: the next one's time counts from it.
                self.stamp = self.stamp.wrapping_add(u64::from(delta));
                let length = 4 + (u64::from(more)).next_multiple_of(4);
                self.at = self.at.saturating_add(index(length));
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
    fn event(&mut self, header: usize, length: usize, delta: u32) -> Result<Met> {
        let begin = self.at + header;
        let end = begin.saturating_add(length);
        if end > self.end {
            return Err(self.cut());
        }
        self.at = end;
        self.stamp = self.stamp.wrapping_add(u64::from(delta));
        Ok(Met::Event {
            at_ns: self.ns(self.stamp),
            payload: begin..end,
        })
    }
}

fn long_time(high: u32, low: u32) -> u64 {
    (u64::from(high) << DELTA_BITS) + u64::from(low)
}
