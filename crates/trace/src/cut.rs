//! A part of a trace as a file: pages wholly inside are copied as they are, those
//! at the ends of the range are made anew.

use crate::capture::Capture;
use crate::error::{Result, TraceError};
use crate::file;
use crate::page::{CpuReader, Item, PageWriter};
use crate::pages::CpuPages;
use crate::select::{Selection, page_of};
use files::output::Output;
use std::io::{self, BufWriter, Read, Seek, Write};
use std::path::Path;

/// What was done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Cut {
    /// Pages wholly inside the range.
    pub pages_copied: u64,
    /// Pages at the ends of the range, of which some events were taken.
    pub pages_opened: u64,
    /// Places in those that could not be read.
    pub damaged: u64,
}

/// Writes the selected part as a trace.dat. What describes the trace stays; a
/// note names the range.
///
/// # Errors
/// As writing to `path`; a trace that cannot be read to its end.
pub fn cut(capture: &Capture, selection: &Selection, path: &Path) -> Result<Cut> {
    let create = TraceError::file("create", path);
    let mut out = BufWriter::new(Output::create_file(path).map_err(create)?);
    let done = cut_into(capture, selection, &mut out)?;
    done.and_then(|cut| {
        let whole = out.into_inner().map_err(io::IntoInnerError::into_error)?;
        whole.finish().map(|_bytes| cut)
    })
    .map_err(TraceError::file("write", path))
}

/// The outer error: the trace could not be read; the inner one: not written.
fn cut_into(
    capture: &Capture,
    selection: &Selection,
    out: &mut (impl Write + Seek),
) -> Result<io::Result<Cut>> {
    let mut head = capture.head.clone();
    if *selection != Selection::all() {
        let Selection { from_ns, to_ns, .. } = selection;
        head.notes.push(format!("cut {from_ns} {to_ns}"));
    }
    let cpus = capture.cpus.iter();
    let mut parts: Vec<Part<'_>> = cpus.map(|p| Part::new(capture, selection, p)).collect();
    let sources = parts.iter_mut().map(|part| {
        let (cpu, source): (u32, &mut dyn Read) = (part.reader.cpu(), part);
        (cpu, source)
    });
    let written = file::write(out, &head, sources.collect());
    if let Some(unread) = parts.iter_mut().find_map(|part| part.unread.take()) {
        return Err(unread);
    }
    let mut all = Cut::default();
    for part in &parts {
        all.pages_copied += part.cut.pages_copied;
        all.pages_opened += part.cut.pages_opened;
        all.damaged += part.cut.damaged;
    }
    Ok(written.map(|()| all))
}

/// One CPU's pages of the range, one behind the other.
struct Part<'a> {
    capture: &'a Capture,
    selection: &'a Selection,
    reader: CpuReader<'a>,
    /// The next page to be looked at; None at the end.
    next: Option<u64>,
    /// Why the rest could not be read.
    unread: Option<TraceError>,
    /// What was made and is not yet taken.
    ready: Vec<u8>,
    taken: usize,
    cut: Cut,
}

impl<'a> Part<'a> {
    fn new(capture: &'a Capture, selection: &'a Selection, pages: &'a CpuPages) -> Part<'a> {
        let reader = capture.reader(pages);
        let first = page_of(&reader, selection.from_ns);
        let rest = pages.len_bytes() % u64::from(capture.head.page_bytes);
        Part {
            capture,
            selection,
            next: selection.has_cpu(pages.cpu).then_some(first),
            reader,
            unread: None,
            ready: Vec::new(),
            taken: 0,
            cut: Cut {
                damaged: u64::from(rest > 0),
                ..Cut::default()
            },
        }
    }

    /// Makes the next page ready, whole or in part.
    fn advance(&mut self) -> Result<()> {
        let Some(index) = self.next.take() else {
            return Ok(());
        };
        (self.ready, self.taken) = (Vec::new(), 0);
        let Some(page) = self.reader.page(index) else {
            return Ok(());
        };
        let page = page?.to_vec();
        let begin = self.reader.page_begins_ns(index);
        let Some(begin_ns) = begin.filter(|at| *at < self.selection.to_ns) else {
            return Ok(());
        };
        self.next = Some(index + 1);
        let next_ns = self.reader.page_begins_ns(index + 1);
        let ends_inside = self.selection.to_ns == u64::MAX
            || next_ns.is_some_and(|next| next < self.selection.to_ns);
        if begin_ns >= self.selection.from_ns && ends_inside {
            self.cut.pages_copied += 1;
            self.ready = page;
        } else {
            self.cut.pages_opened += 1;
            self.ready = self.opened(&page);
        }
        Ok(())
    }

    /// The events of a page that are in the range, in a page of their own.
    fn opened(&mut self, page: &[u8]) -> Vec<u8> {
        let head = &self.capture.head;
        let layout = self.capture.layout;
        let cpu = self.reader.cpu();
        let mut plain = CpuReader::new(cpu, page, page.len(), layout, head.order);
        let mut timed = plain.clone().timed(head.scale, head.offset_ns);
        let mut writer = PageWriter::new(page.len(), layout, head.order);
        // Stamps of the page go back into a page; the range is in nanoseconds.
        while let Some((stamped, timed)) = plain.read().zip(timed.read()) {
            let (Ok(stamped), Ok(timed)) = (stamped, timed) else {
                self.cut.damaged += 1;
                continue;
            };
            match stamped {
                _ if !self.selection.has_time(timed.at_ns()) => {}
                Item::Lost(lost) => writer.lose(lost.count),
                Item::Event(event) => {
                    let fits = writer.push(event.at_ns, event.payload);
                    self.cut.damaged += u64::from(!fits);
                }
            }
        }
        writer.finish()
    }
}

impl Read for Part<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.taken == self.ready.len() {
            if self.next.is_none() {
                return Ok(0);
            }
            if let Err(error) = self.advance() {
                let cause = error.to_string();
                self.unread = Some(error);
                return Err(io::Error::other(cause));
            }
        }
        let rest = &self.ready[self.taken..];
        let count = rest.len().min(buffer.len());
        buffer[..count].copy_from_slice(&rest[..count]);
        self.taken += count;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::cut;
    use crate::bytes::Order;
    use crate::capture::Capture;
    use crate::format::PageLayout;
    use crate::head::{Head, TimeScale};
    use crate::page::{Item, PageWriter};
    use crate::pages::CpuPages;
    use crate::select::Selection;
    use proptest::prelude::*;

    /// Pages of 128 bytes, gaps before some of them.
    fn capture(cpus: &[Vec<u64>], order: Order, scaled: bool) -> Capture {
        let pages = |(cpu, stamps): (u32, &Vec<u64>)| {
            let mut writer = PageWriter::new(128, PageLayout::usual(8), order);
            for (index, stamp) in stamps.iter().enumerate() {
                if index % 11 == 5 {
                    writer.lose((index % 2 == 0).then_some(9));
                }
                let small = index as u8 % 5 * 4 + 8;
                writer.push(*stamp, &vec![index as u8; usize::from(small)]);
            }
            CpuPages::owned(cpu, writer.finish())
        };
        let cpus = (0..).zip(cpus).map(pages).collect();
        let mut head = Head::empty(order, 8, 128);
        head.offset_ns = 40;
        head.scale = scaled.then_some(TimeScale {
            mult: 3,
            shift: 1,
            offset: 7,
        });
        Capture::new(head, cpus).unwrap()
    }

    type Plain = (u64, u32, Option<Vec<u8>>, Option<u64>);

    fn plain(item: &Item<'_>) -> Plain {
        match item {
            Item::Event(e) => (e.at_ns, e.cpu, Some(e.payload.to_vec()), None),
            Item::Lost(l) => (l.until_ns, l.cpu, None, l.count),
        }
    }

    proptest! {
        #[test]
        fn a_cut_is_a_filter_of_all(
            cpus in prop::collection::vec(prop::collection::vec(0u64..(1 << 30), 0..90), 1..4),
            near in any::<bool>(), big in any::<bool>(), scaled in any::<bool>(),
            from in 0u64..1000, length in 0u64..1000, only_first in any::<bool>(),
        ) {
            let mut cpus = cpus;
            // Either close together, with equal stamps on both sides of a page's end,
            // or far apart.
            let (divide, ends, step) = if near { (1 << 24, 110, 1) } else { (1, 1000, 3 << 20) };
            for cpu in &mut cpus {
                cpu.iter_mut().for_each(|stamp| *stamp /= divide);
                cpu.sort_unstable();
            }
            let order = if big { Order::Big } else { Order::Little };
            let capture = capture(&cpus, order, scaled);
            let (from_ns, length) = (from % ends * step, length % ends);
            let selection = Selection {
                from_ns,
                to_ns: from_ns + length * step,
                cpus: only_first.then(|| vec![0]),
            };
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("cut.dat");
            let done = cut(&capture, &selection, &path).unwrap();
            prop_assert_eq!(done.damaged, 0);
            prop_assert!(done.pages_opened <= 3 * cpus.len() as u64 || near, "{:?}", done);
            let again = crate::file::open(&path).unwrap();
            let got: Vec<Plain> = again.merged().map(|i| plain(&i.unwrap())).collect();
            let wanted: Vec<Plain> = capture.merged().map(|i| plain(&i.unwrap()))
                .filter(|i| selection.has_time(i.0))
                .filter(|i| selection.has_cpu(i.1)).collect();
            prop_assert!(got == wanted, "{} events, not {}", got.len(), wanted.len());
        }
    }

    #[test]
    fn everything_is_copied_as_it_is() {
        let capture = capture(&[(0..200).collect(), vec![]], Order::Little, false);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("all.dat");
        let done = cut(&capture, &Selection::all(), &path).unwrap();
        assert_eq!(done.pages_opened, 0);
        let again = crate::file::open(&path).unwrap();
        assert!(again.cpus[0].to_vec().unwrap() == capture.cpus[0].to_vec().unwrap());
        assert_eq!(again.head, capture.head);
    }
}
