//! Marks for the cache model that a guest's QEMU may have loaded
//! (lab/plugins/cache): stores into a page at a fixed address, of which the place in
//! the page is the message. The counts are in a table on the host. Elsewhere the
//! page is memory like any other.

use super::{Count, Counted, Whom};
use mapped::Map;
use std::io;

/// As `lab/plugins/cache/marks.h` has them.
const PAGE: u64 = 0x50_4741_0000;
const PAGE_BYTES: usize = 4096;
const ON: usize = 4094;

/// Regions that there can be, from 0: a region of the table is a point, by its
/// index in the plan.
pub const MARK_REGIONS: u32 = 2047;

/// Marks around the batches of the primary part that become samples: a row of the
/// table for each. The first batch of the process of whatever kind turns the model
/// on, so calibration finds its caches empty, and fills them.
#[derive(Debug, Default)]
pub struct Marks {
    /// None: it could not be mapped.
    page: Option<Page>,
    /// By member of the block; None: its number is beyond those there are.
    regions: Vec<Option<usize>>,
    on: bool,
    sampling: bool,
}

impl Marks {
    /// Maps the page; the reason where it cannot be.
    pub fn open() -> (Self, Vec<String>) {
        let (page, notes) = match Page::map() {
            Ok(page) => (Some(page), Vec::new()),
            Err(cause) => (
                None,
                vec![format!(
                    "simulated caches get no marks: cannot map their page at {PAGE:#x}: {cause}"
                )],
            ),
        };
        let marks = Marks {
            page,
            ..Marks::default()
        };
        (marks, notes)
    }

    /// The page's offset of a region's begin.
    fn begin(&self, member: usize, part: u16) -> Option<usize> {
        if part > 0 || !self.sampling {
            return None;
        }
        self.regions.get(member).copied().flatten().map(|r| 2 * r)
    }

    fn store(&mut self, offset: usize) {
        if let Some(page) = &mut self.page {
            page.store(offset);
        }
    }
}

impl Count for Marks {
    fn attach_block(&mut self, members: &[Whom]) -> Vec<Vec<String>> {
        let region = |whom: &Whom| (whom.index < MARK_REGIONS).then_some(whom.index as usize);
        self.regions = members.iter().map(region).collect();
        self.sampling = false;
        vec![Vec::new(); members.len()]
    }

    fn sampling_begins(&mut self) {
        self.sampling = true;
    }

    fn before(&mut self, member: usize, part: u16) {
        if !self.on {
            self.on = true;
            self.store(ON);
        }
        if let Some(begin) = self.begin(member, part) {
            self.store(begin);
        }
    }

    fn stop(&mut self, member: usize, part: u16) {
        if let Some(begin) = self.begin(member, part) {
            self.store(begin + 1);
        }
    }

    fn counted(&mut self, _ops: u64) -> Counted {
        Counted::default()
    }
}

/// The page, while it is mapped.
#[derive(Debug)]
struct Page(Map);

impl Page {
    fn map() -> io::Result<Page> {
        // A 32-bit process cannot reach the page.
        let at = usize::try_from(PAGE)
            .map_err(|_| io::Error::other("a 32-bit process has no such address"))?;
        Map::at(at, PAGE_BYTES).map(Page)
    }

    fn store(&mut self, offset: usize) {
        assert!(offset < PAGE_BYTES);
        // SAFETY: within the page, which is mapped and ours alone.
        unsafe { self.0.as_ptr().add(offset).write_volatile(1) };
    }
}

#[cfg(all(test, target_pointer_width = "64"))]
mod tests {
    use super::{MARK_REGIONS, Marks, PAGE_BYTES};
    use crate::counters::{Count, Counted, Whom};

    fn member(index: u32) -> Whom {
        Whom {
            index,
            ..Whom::default()
        }
    }

    /// The offsets that were stored to since the last look.
    fn stored(marks: &mut Marks) -> Vec<usize> {
        let page = marks.page.as_mut().unwrap();
        // SAFETY: the page is mapped as long as `marks` lives.
        let bytes = unsafe { std::slice::from_raw_parts_mut(page.0.as_ptr(), PAGE_BYTES) };
        let found = (0..PAGE_BYTES).filter(|at| bytes[*at] != 0).collect();
        bytes.fill(0);
        found
    }

    /// One test: the page is at one place, and tests run at the same time.
    #[test]
    fn samples_of_the_primary_part_are_marked_by_their_points() {
        let (mut marks, notes) = Marks::open();
        assert_eq!(notes, [""; 0]);
        assert_eq!(marks.page.as_ref().unwrap().0.as_ptr() as u64, super::PAGE);

        let (mut second, notes) = Marks::open();
        assert!(notes[0].contains("cannot map their page at 0x5047410000: "));
        second.attach_block(&[member(3)]);
        second.sampling_begins();
        second.before(0, 0);
        second.stop(0, 0);
        drop(second);

        marks.attach_block(&[member(7), member(2046), member(MARK_REGIONS)]);
        marks.before(0, 0);
        marks.stop(0, 0);
        assert_eq!(stored(&mut marks), [4094], "calibration turns it on");
        marks.sampling_begins();
        marks.before(0, 0);
        assert_eq!(stored(&mut marks), [14]);
        marks.stop(0, 0);
        assert_eq!(stored(&mut marks), [15]);
        marks.before(1, 0);
        marks.stop(1, 0);
        assert_eq!(stored(&mut marks), [4092, 4093]);
        for (member, part) in [(0, 1), (2, 0), (3, 0)] {
            marks.before(member, part);
            marks.stop(member, part);
            assert_eq!(stored(&mut marks), [0; 0], "{member} {part}");
        }
        assert_eq!(marks.counted(5), Counted::default());
        marks.attach_block(&[member(0)]);
        marks.before(0, 0);
        assert_eq!(
            stored(&mut marks),
            [0; 0],
            "the next block calibrates first"
        );

        drop(marks);
        let (again, notes) = Marks::open();
        assert!(again.page.is_some(), "{notes:?}");
    }

    #[test]
    fn the_messages_are_those_of_the_plugin() {
        let here = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
        let header = here.join("../../lab/plugins/cache/marks.h");
        let text = std::fs::read_to_string(header).unwrap();
        for line in [
            "#define PONTAGE_MARK_PAGE\t0x5047410000UL",
            "#define PONTAGE_MARK_PAGE_BYTES\t4096UL",
            "#define PONTAGE_MARK_REGIONS\t2047",
            "#define PONTAGE_MARK_BEGIN(region)\t(2 * (region))",
            "#define PONTAGE_MARK_END(region)\t(2 * (region) + 1)",
            "#define PONTAGE_MARK_ON\t\t4094",
        ] {
            assert!(text.lines().any(|l| l == line), "{line}");
        }
    }
}
