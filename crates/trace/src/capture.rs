//! A trace that can be read: what describes it, and each CPU's pages.

use crate::error::{Result, ensure};
use crate::format::{Formats, PageLayout};
use crate::head::Head;
use crate::merge::Merged;
use crate::page::CpuReader;
use crate::pages::{CpuPages, Window};
use std::collections::HashMap;

/// A trace: its head, its formats, its pages.
#[derive(Debug, Clone)]
pub struct Capture {
    /// What the kernel says of its formats, and of the recording.
    pub head: Head,
    /// The events' formats, parsed.
    pub formats: Formats,
    /// The pages of each CPU that was recorded.
    pub cpus: Vec<CpuPages>,
    /// How a page begins.
    pub layout: PageLayout,
    /// Rings of the file that have events too and are not read here: instances;
    /// `top` is the machine's own.
    pub other_rings: Vec<String>,
    names: HashMap<i32, String>,
}

impl Capture {
    /// # Errors
    /// Descriptions in the head that cannot be understood.
    pub fn new(head: Head, cpus: Vec<CpuPages>) -> Result<Capture> {
        let layout = match head.header_page.trim().is_empty() {
            true => PageLayout::usual(head.long_bytes),
            false => PageLayout::parse(&head.header_page)?,
        };
        let (data_at, page_bytes) = (layout.data_at, head.page_bytes);
        ensure(data_at < page_bytes as usize, "header_page", || {
            format!("data should begin at byte {data_at} of pages of {page_bytes}")
        })?;
        Ok(Capture {
            formats: Formats::of(&head)?,
            names: names(&head.comms),
            layout,
            other_rings: Vec::new(),
            cpus,
            head,
        })
    }

    /// One CPU's events; None where there is no such CPU.
    pub fn cpu(&self, cpu: u32) -> Option<Merged<'_>> {
        let pages = self.cpus.iter().find(|pages| pages.cpu == cpu)?;
        Some(Merged::new(vec![self.reader(pages)]))
    }

    /// All events, by time.
    pub fn merged(&self) -> Merged<'_> {
        Merged::new(self.cpus.iter().map(|pages| self.reader(pages)).collect())
    }

    pub(crate) fn reader<'a>(&self, pages: &'a CpuPages) -> CpuReader<'a> {
        let head = &self.head;
        let window = Window::over(pages, head.page_bytes as usize, self.cpus.len());
        CpuReader::over(pages.cpu, window, self.layout, head.order)
            .timed(head.scale, head.offset_ns)
    }

    /// What the kernel called the task last, as far as it remembered.
    pub fn task_name(&self, pid: i32) -> Option<&str> {
        if pid == 0 {
            return Some("<idle>");
        }
        self.names.get(&pid).map(String::as_str)
    }

    /// Tasks that had the name last.
    pub fn pids_of(&self, name: &str) -> Vec<i32> {
        if name == "<idle>" {
            return vec![0];
        }
        let named = self.names.iter().filter(|(_, known)| *known == name);
        named.map(|(pid, _)| *pid).collect()
    }

    /// All tasks whose names the kernel remembered.
    pub fn tasks(&self) -> impl Iterator<Item = (i32, &str)> {
        self.names.iter().map(|(pid, name)| (*pid, name.as_str()))
    }
}

/// Lines of `PID NAME`; a name may have spaces.
fn names(comms: &str) -> HashMap<i32, String> {
    let pair = |line: &str| {
        let (pid, name) = line.trim_start().split_once(' ')?;
        Some((pid.parse().ok()?, name.to_owned()))
    };
    comms.lines().filter_map(pair).collect()
}

#[cfg(test)]
mod tests {
    use super::Capture;
    use crate::bytes::Order;
    use crate::format::PageLayout;
    use crate::head::Head;
    use crate::page::PageWriter;
    use crate::pages::CpuPages;

    #[test]
    fn names_are_the_kernels_and_cpus_merge() {
        let mut head = Head::empty(Order::Little, 8, 4096);
        head.comms = "17 kworker/0:1 x\n 4 cat\nodd\n".to_owned();
        let pages = |cpu: u32, stamps: &[u64]| {
            let mut writer = PageWriter::new(4096, PageLayout::usual(8), Order::Little);
            for stamp in stamps {
                assert!(writer.push(*stamp, &[1, 0, 0, 0, 4, 0, 0, 0]));
            }
            CpuPages::owned(cpu, writer.finish())
        };
        let capture = Capture::new(head, vec![pages(0, &[1, 9]), pages(2, &[4, 9])]).unwrap();
        assert_eq!(capture.task_name(17), Some("kworker/0:1 x"));
        assert_eq!(capture.task_name(4), Some("cat"));
        assert_eq!(capture.task_name(0), Some("<idle>"));
        assert_eq!(capture.task_name(5), None);
        let order: Vec<u64> = capture.merged().map(|i| i.unwrap().at_ns()).collect();
        assert_eq!(order, [1, 4, 9, 9]);
        assert_eq!(capture.cpu(2).unwrap().count(), 2);
        assert!(capture.cpu(1).is_none());
    }
}
