//! A part of a trace: a range of time, some CPUs. Reading begins near the range,
//! found by the stamps of pages, not at the begin of the file.

use crate::capture::Capture;
use crate::error::{Result, TraceError, ensure};
use crate::merge::Merged;
use crate::moment::Moment;
use crate::page::CpuReader;

/// From `from_ns` to before `to_ns`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Selection {
    /// First stamp inside.
    pub from_ns: u64,
    /// First stamp behind it.
    pub to_ns: u64,
    /// None: all.
    pub cpus: Option<Vec<u32>>,
}

impl Selection {
    /// The whole trace.
    pub fn all() -> Selection {
        Selection {
            from_ns: 0,
            to_ns: u64::MAX,
            cpus: None,
        }
    }

    /// Moments may be counted from the trace's begin. `cpus` is a list: `0,2-3`.
    ///
    /// # Errors
    /// A range that ends before it begins; CPUs that the trace does not have.
    pub fn of(
        capture: &Capture,
        from: Option<Moment>,
        to: Option<Moment>,
        cpus: Option<&str>,
    ) -> Result<Selection> {
        let begin_ns = capture.begin_ns().unwrap_or(0);
        let from_ns = from.map_or(0, |moment| moment.at_ns(begin_ns));
        let to_ns = to.map_or(u64::MAX, |moment| moment.at_ns(begin_ns));
        ensure(from_ns <= to_ns, "the range of time", || {
            format!("it would end at {to_ns} ns, before its start at {from_ns} ns")
        })?;
        Ok(Selection {
            from_ns,
            to_ns,
            cpus: cpus.map(|list| cpu_list(capture, list)).transpose()?,
        })
    }

    /// Whether the CPU with this number is selected.
    pub fn has_cpu(&self, cpu: u32) -> bool {
        self.cpus.as_ref().is_none_or(|cpus| cpus.contains(&cpu))
    }

    /// Whether the stamp lies inside.
    #[inline]
    pub fn has_time(&self, at_ns: u64) -> bool {
        (self.from_ns..self.to_ns).contains(&at_ns)
    }
}

fn cpu_list(capture: &Capture, list: &str) -> Result<Vec<u32>> {
    let what = format!("the list of CPUs {list:?}");
    let mut cpus = Vec::new();
    for part in list.split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let number = |text: &str| text.trim().parse::<u32>().ok();
        let range = number(first).zip(number(last)).filter(|(a, b)| a <= b);
        let (first, last) =
            range.ok_or_else(|| TraceError::malformed(&what, "lists are like 0,2-3"))?;
        let known = capture.cpus.iter().map(|pages| pages.cpu);
        let chosen: Vec<u32> = known.filter(|cpu| (first..=last).contains(cpu)).collect();
        ensure(!chosen.is_empty(), &what, || {
            let all: Vec<String> = capture.cpus.iter().map(|p| p.cpu.to_string()).collect();
            format!("the trace has CPUs {}, not {part}", all.join(","))
        })?;
        cpus.extend(chosen);
    }
    Ok(cpus)
}

/// The page of `reader` that the first event at or behind `from_ns` may be in.
pub fn page_of(reader: &CpuReader<'_>, from_ns: u64) -> u64 {
    let begins_before = |page| reader.page_begins_ns(page).is_some_and(|at| at < from_ns);
    let (mut low, mut high) = (0, reader.page_count());
    while low < high {
        let middle = low.midpoint(high);
        match begins_before(middle) {
            true => low = middle + 1,
            false => high = middle,
        }
    }
    // The page before may end with events of the range.
    low.saturating_sub(1)
}

/// Of the last page that has an event.
fn last_ns(mut reader: CpuReader<'_>) -> Option<u64> {
    for page in (0..reader.page_count()).rev() {
        reader.seek(page);
        let mut last = None;
        while let Some(Ok(item)) = reader.read() {
            last = Some(item.at_ns());
        }
        if last.is_some() {
            return last;
        }
    }
    None
}

impl Capture {
    /// Events and gaps of a selection, by time.
    pub fn selected(&self, selection: &Selection) -> Merged<'_> {
        let mut readers = Vec::new();
        for pages in self.cpus.iter().filter(|p| selection.has_cpu(p.cpu)) {
            let mut reader = self.reader(pages);
            reader.seek(page_of(&reader, selection.from_ns));
            readers.push(reader);
        }
        Merged::new(readers).between(selection.from_ns, selection.to_ns)
    }

    /// When the earliest page begins; None in an empty trace.
    pub fn begin_ns(&self) -> Option<u64> {
        let begins = self.cpus.iter().map(|p| self.reader(p).page_begins_ns(0));
        begins.flatten().min()
    }

    /// When the latest event is; None in an empty trace.
    pub fn end_ns(&self) -> Option<u64> {
        let ends = self.cpus.iter().map(|p| last_ns(self.reader(p)));
        ends.flatten().max()
    }
}

#[cfg(test)]
mod tests {
    use super::Selection;
    use crate::bytes::Order;
    use crate::capture::Capture;
    use crate::format::PageLayout;
    use crate::head::Head;
    use crate::page::{Item, PageWriter};
    use crate::pages::CpuPages;
    use proptest::prelude::*;

    fn capture(cpus: &[Vec<u64>]) -> Capture {
        // Small pages, so that there are many.
        let pages = |(cpu, stamps): (u32, &Vec<u64>)| {
            let mut writer = PageWriter::new(64, PageLayout::usual(8), Order::Little);
            for (index, stamp) in stamps.iter().enumerate() {
                if index % 7 == 3 {
                    writer.lose(Some(1));
                }
                writer.push(*stamp, &[1; 8]);
            }
            CpuPages::owned(cpu, writer.finish())
        };
        let cpus = (0..).zip(cpus).map(pages).collect();
        Capture::new(Head::empty(Order::Little, 8, 64), cpus).unwrap()
    }

    #[test]
    fn lists_of_cpus_are_the_traces() {
        let capture = capture(&[vec![5], vec![3], vec![9]]);
        let of = |list| Selection::of(&capture, None, None, Some(list)).map(|s| s.cpus.unwrap());
        assert_eq!(of("0,2").unwrap(), [0, 2]);
        assert_eq!(of("1-7").unwrap(), [1, 2]);
        for (list, cause) in [
            ("3", "has CPUs 0,1,2, not 3"),
            ("2-1", "like 0,2-3"),
            ("", "like"),
        ] {
            let error = of(list).unwrap_err().to_string();
            assert!(error.contains(cause), "{error}");
        }
        assert_eq!((capture.begin_ns(), capture.end_ns()), (Some(3), Some(9)));
        let range = |from: &str, to: &str| {
            let (from, to) = (from.parse().unwrap(), to.parse().unwrap());
            Selection::of(&capture, Some(from), Some(to), None)
        };
        assert_eq!(range("2ns", "4ns").unwrap().from_ns, 5);
        assert!(range("4ns", "2ns").is_err());
    }

    proptest! {
        #[test]
        fn a_selection_is_a_filter_of_all(
            cpus in prop::collection::vec(prop::collection::vec(0u64..300, 0..60), 1..4),
            from_ns in 0u64..310, length_ns in 0u64..310,
        ) {
            let mut cpus = cpus;
            cpus.iter_mut().for_each(|c| c.sort_unstable());
            let capture = capture(&cpus);
            let last = cpus.iter().filter_map(|c| c.last()).max();
            prop_assert_eq!(capture.end_ns(), last.copied());
            let selection = Selection { from_ns, to_ns: from_ns + length_ns, cpus: None };
            let of = |item: crate::Result<Item<'_>>| (item.as_ref().unwrap().at_ns(), format!("{item:?}"));
            let wanted: Vec<_> = capture.merged().map(of)
                .filter(|i| selection.has_time(i.0)).collect();
            let got: Vec<_> = capture.selected(&selection).map(of).collect();
            prop_assert_eq!(got, wanted);
        }
    }
}
