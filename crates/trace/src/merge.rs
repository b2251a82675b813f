//! All CPUs' events by time.

use crate::error::Result;
use crate::page::{CpuReader, Item, Met};

/// Merges CPUs by time; what has the same time comes in the order of the CPUs.
/// An error of a CPU comes out where it is met, and its next page goes on.
///
/// An item is held until the next one is asked for, so that memory need not keep
/// what was read: `while let Some(item) = merged.next()`.
#[derive(Debug)]
pub struct Merged<'a> {
    cpus: Vec<Ahead<'a>>,
    /// The CPU that is being read.
    current: usize,
    /// The earliest head of all others.
    others_ns: u64,
    /// The current CPU's head was handed out.
    taken: bool,
    /// From the first to before the second.
    range_ns: (u64, u64),
}

/// A CPU, read one item ahead.
#[derive(Debug)]
struct Ahead<'a> {
    reader: CpuReader<'a>,
    head: Option<Result<Met>>,
}

impl Ahead<'_> {
    /// An error is handed out at once; the end sorts behind everything.
    #[inline]
    fn at_ns(&self) -> u64 {
        match &self.head {
            Some(Ok(met)) => met.at_ns(),
            Some(Err(_)) => 0,
            None => u64::MAX,
        }
    }
}

impl<'a> Merged<'a> {
    /// Merges the events of these CPUs by time.
    pub fn new(readers: Vec<CpuReader<'a>>) -> Merged<'a> {
        let ahead = |mut reader: CpuReader<'a>| {
            let head = reader.advance();
            Ahead { reader, head }
        };
        let mut merged = Merged {
            cpus: readers.into_iter().map(ahead).collect(),
            current: 0,
            others_ns: 0,
            taken: false,
            range_ns: (0, u64::MAX),
        };
        merged.choose();
        merged
    }

    /// Only what is from `from_ns` to before `to_ns`; `u64::MAX`: to the end.
    pub fn between(self, from_ns: u64, to_ns: u64) -> Merged<'a> {
        Merged {
            range_ns: (from_ns, to_ns),
            ..self
        }
    }

    /// Finds the CPU with the earliest head, and the earliest of the others:
    /// until then no other CPU need be looked at. CPUs are few, and runs of one
    /// CPU's events long.
    fn choose(&mut self) {
        let (mut best, mut others) = (u64::MAX, u64::MAX);
        let mut at = 0;
        for (index, cpu) in self.cpus.iter().enumerate() {
            let time = cpu.at_ns();
            if time < best || (time == best && cpu.head.is_some() && self.cpus[at].head.is_none()) {
                others = best;
                (best, at) = (time, index);
            } else {
                others = others.min(time);
            }
        }
        (self.current, self.others_ns) = (at, others);
    }
}

impl Merged<'_> {
    /// The next event or gap, or a place that cannot be read; None at the end.
    #[allow(clippy::should_implement_trait)] // An iterator's items outlive its next step.
    #[inline]
    pub fn next(&mut self) -> Option<Result<Item<'_>>> {
        self.settle();
        self.taken = true;
        let cpu = self.cpus.get_mut(self.current)?;
        Some(cpu.head.take()?.map(|met| cpu.reader.item(met)))
    }

    /// Goes on until the current head is the next item of the range.
    #[inline]
    fn settle(&mut self) {
        let (from_ns, to_ns) = self.range_ns;
        loop {
            if self.taken {
                self.step();
            }
            let Some(cpu) = self.cpus.get_mut(self.current) else {
                return;
            };
            match &cpu.head {
                // Before the range: pages begin earlier than it does.
                Some(Ok(met)) if met.at_ns() < from_ns => self.taken = true,
                Some(Ok(met)) if to_ns != u64::MAX && met.at_ns() >= to_ns => {
                    self.cpus.clear();
                    return;
                }
                _ => return,
            }
        }
    }

    #[inline]
    fn step(&mut self) {
        self.taken = false;
        let Some(cpu) = self.cpus.get_mut(self.current) else {
            return;
        };
        cpu.head = cpu.reader.advance();
        if cpu.head.is_none() || cpu.at_ns() >= self.others_ns {
            self.choose();
        }
    }

    /// What `of` makes of each.
    pub fn map<T>(self, of: impl FnMut(Result<Item<'_>>) -> T) -> impl Iterator<Item = T> {
        let (mut all, mut of) = (self, of);
        std::iter::from_fn(move || all.next().map(&mut of))
    }

    /// Reads to the end and counts what comes: events, gaps and errors.
    pub fn count(self) -> usize {
        self.map(|_| ()).count()
    }
}

#[cfg(test)]
mod tests {
    use super::Merged;
    use crate::bytes::Order;
    use crate::format::PageLayout;
    use crate::page::{CpuReader, Item, PageWriter};
    use proptest::prelude::*;

    const LAYOUT: fn() -> PageLayout = || PageLayout::usual(8);

    fn pages(stamps: &[u64]) -> Vec<u8> {
        let mut writer = PageWriter::new(4096, LAYOUT(), Order::Little);
        for stamp in stamps {
            writer.push(*stamp, &[0; 8]);
        }
        writer.finish()
    }

    fn merged(cpus: &[Vec<u8>]) -> Merged<'_> {
        let reader = |(cpu, pages)| CpuReader::new(cpu, pages, 4096, LAYOUT(), Order::Little);
        Merged::new(
            (0u32..)
                .zip(cpus.iter().map(Vec::as_slice))
                .map(reader)
                .collect(),
        )
    }

    #[test]
    fn no_cpu_and_empty_cpus_end() {
        assert_eq!(merged(&[]).count(), 0);
        assert_eq!(merged(&[Vec::new(), Vec::new()]).count(), 0);
    }

    #[test]
    fn an_error_of_one_cpu_does_not_end_the_others() {
        let mut broken = pages(&[5]);
        broken.extend([0; 100]);
        let cpus = [broken, pages(&[1, 9])];
        let all: Vec<bool> = merged(&cpus).map(|i| i.is_ok()).collect();
        assert_eq!(all.iter().filter(|ok| !**ok).count(), 1);
        assert_eq!(all.iter().filter(|ok| **ok).count(), 3);
    }

    proptest! {
        #[test]
        fn it_is_a_stable_sort(cpus in prop::collection::vec(prop::collection::vec(0u64..300, 0..200), 1..6)) {
            let cpus: Vec<Vec<u64>> = cpus.into_iter().map(|mut c| { c.sort_unstable(); c }).collect();
            let mut wanted: Vec<(u64, u32)> = Vec::new();
            for (cpu, stamps) in (0u32..).zip(&cpus) {
                wanted.extend(stamps.iter().map(|s| (*s, cpu)));
            }
            wanted.sort_by_key(|(stamp, _)| *stamp);
            let pages: Vec<Vec<u8>> = cpus.iter().map(|c| pages(c)).collect();
            let got: Vec<(u64, u32)> = merged(&pages).map(|item| match item.unwrap() {
                Item::Event(e) => (e.at_ns, e.cpu),
                Item::Lost(l) => (l.until_ns, l.cpu),
            }).collect();
            prop_assert_eq!(got, wanted);
        }
    }
}
