//! Virtual memory: what is mapped where, and the page tables that say so.

use super::frames::Frames;
use super::narrow::{few, index, number};
use super::surroundings::Guest;
use crate::cores::Core;
use stats::Rng;

/// Mappings begin above this address; what is mapped in place lies below it.
const FIRST_BASE: u64 = 1 << 36;
/// Pages that come on frames in a row now and then, as a buddy allocator hands them out.
const RUN_PAGES: u64 = 4;
/// One run of pages in this many does.
const RUN_ONE_IN: usize = 4;

/// The page of an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Page {
    /// The address's physical address.
    pub physical: u64,
    /// Its virtual number, in pages of its size; of a coalesced run, the run's.
    pub number: u32,
    /// What the number counts: TLB entries of different kinds are not the same.
    pub kind: Kind,
    /// First virtual address of the physical piece that it lies in.
    pub start: u64,
    /// Size of that piece, in bytes.
    pub bytes: u64,
    mapping: usize,
}

/// What a translation is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// One base page.
    Base,
    /// A huge page.
    Huge,
    /// Base pages in a row on frames in a row.
    Run,
}

#[derive(Debug, Clone)]
struct Mapping {
    base: u64,
    bytes: u64,
    /// Of the guest's page, which the tables describe.
    page_shift: u32,
    is_huge: bool,
    /// Of the pieces that are whole in physical memory; TLBs hold translations of these.
    piece_shift: u32,
    /// First base frame of each piece.
    pieces: Vec<u32>,
    /// Of each `coalesce` pieces, whether one TLB entry serves them.
    runs: Vec<bool>,
    /// The frames of its page tables, of each level from the last one up.
    tables: Vec<Vec<u32>>,
}

/// Everything that is mapped.
#[derive(Debug, Clone)]
pub struct AddressSpace {
    page_shift: u32,
    huge_shift: u32,
    /// The host's pages are base pages: huge ones are pieces.
    splinters: bool,
    levels: usize,
    coalesce_shift: u32,
    frames: Frames,
    rng: Rng,
    next_base: u64,
    mappings: Vec<Mapping>,
    last: usize,
}

impl AddressSpace {
    /// Nothing mapped.
    pub fn new(core: &Core, guest: Guest, seed: u64) -> Self {
        let mut rng = Rng::new(seed);
        AddressSpace {
            page_shift: core.page_bytes.trailing_zeros(),
            huge_shift: core.huge_page_bytes.trailing_zeros(),
            splinters: guest == Guest::SmallHost,
            levels: index(u64::from(core.walk.levels)),
            coalesce_shift: core.dtlb.coalesce.trailing_zeros(),
            frames: Frames::new(core.page_bytes, rng.next_u64()),
            next_base: FIRST_BASE,
            mappings: Vec::new(),
            last: 0,
            rng,
        }
    }

    /// Maps memory on frames of random places; its virtual base, aligned to a huge page.
    pub fn map(&mut self, bytes: u64, huge: bool) -> u64 {
        let huge_bytes = 1 << self.huge_shift;
        let gap = 1 + self.rng.next_u64() % 64;
        let base = self.next_base + gap * huge_bytes;
        let bytes = bytes.max(1).next_multiple_of(1 << self.guest_shift(huge));
        self.next_base = base + bytes.next_multiple_of(huge_bytes);
        let piece_shift = if huge && !self.splinters {
            self.huge_shift
        } else {
            self.page_shift
        };
        let pieces = self.pieces(bytes, piece_shift);
        self.add(base, bytes, huge, piece_shift, pieces);
        base
    }

    /// Maps base pages at virtual addresses equal to the physical ones.
    ///
    /// # Panics
    /// If they lie above 32 GiB.
    pub fn map_in_place(&mut self, base: u64, bytes: u64) {
        let pages = bytes.div_ceil(1 << self.page_shift);
        let first = number(base >> self.page_shift);
        self.frames.take_at(first, pages);
        let pieces = (0..number(pages)).map(|page| first + page).collect();
        let bytes = pages << self.page_shift;
        self.add(base, bytes, false, self.page_shift, pieces);
    }

    /// Takes the mapping at this base away; nothing where there is none.
    pub fn unmap(&mut self, base: u64) {
        let Some(at) = self.mappings.iter().position(|m| m.base == base) else {
            return;
        };
        let gone = self.mappings.remove(at);
        let frames = 1 << (gone.piece_shift - self.page_shift);
        gone.pieces
            .iter()
            .for_each(|p| self.frames.free(*p, frames));
        gone.tables
            .iter()
            .flatten()
            .for_each(|t| self.frames.free(*t, 1));
        self.last = 0;
    }

    /// Where an address leads.
    ///
    /// # Panics
    /// If nothing is mapped there: the simulated program would die.
    pub fn page_of(&mut self, address: u64) -> Page {
        let at = self.mapping_of(address);
        let mapping = &self.mappings[at];
        let within = address - mapping.base;
        let piece = within >> mapping.piece_shift;
        let frame = u64::from(mapping.pieces[index(piece)]);
        let bytes = 1_u64 << mapping.piece_shift;
        let run = piece >> self.coalesce_shift;
        let (number_shift, kind) = if mapping.piece_shift > self.page_shift {
            (mapping.piece_shift, Kind::Huge)
        } else if mapping.runs.get(index(run)) == Some(&true) {
            (mapping.piece_shift + self.coalesce_shift, Kind::Run)
        } else {
            (mapping.piece_shift, Kind::Base)
        };
        Page {
            physical: (frame << self.page_shift) + (within & (bytes - 1)),
            number: number(address >> number_shift),
            kind,
            start: address & !(bytes - 1),
            bytes,
            mapping: at,
        }
    }

    /// Bits of an address that one level of tables translates.
    pub fn level_bits(&self) -> u32 {
        self.page_shift - 3
    }

    /// The level of tables that has the last word on a page: 0 for base pages.
    pub fn leaf(&self, page: &Page) -> usize {
        usize::from(self.mappings[page.mapping].is_huge)
    }

    /// Levels of tables.
    pub fn levels(&self) -> usize {
        self.levels
    }

    /// The physical address of the entry that a walk reads at that level.
    pub fn entry_at(&self, page: &Page, address: u64, level: usize) -> u64 {
        let mapping = &self.mappings[page.mapping];
        let above_leaf = few(level - self.leaf(page));
        let shift = mapping.page_shift + above_leaf * self.level_bits();
        let entry = (address - mapping.base) >> shift;
        let table = &mapping.tables[level][index(entry >> self.level_bits())];
        let slot = entry & ((1 << self.level_bits()) - 1);
        (u64::from(*table) << self.page_shift) + slot * 8
    }

    fn guest_shift(&self, huge: bool) -> u32 {
        if huge {
            self.huge_shift
        } else {
            self.page_shift
        }
    }

    fn add(&mut self, base: u64, bytes: u64, is_huge: bool, piece_shift: u32, pieces: Vec<u32>) {
        let page_shift = self.guest_shift(is_huge);
        let mut tables = vec![Vec::new(); self.levels];
        let mut entries = bytes >> page_shift;
        for level in tables.iter_mut().skip(usize::from(is_huge)) {
            entries = entries.div_ceil(1 << self.level_bits());
            *level = (0..entries).map(|_| self.frames.take(1)).collect();
        }
        let mapping = Mapping {
            runs: self.runs(&pieces, piece_shift),
            base,
            bytes,
            page_shift,
            is_huge,
            piece_shift,
            pieces,
            tables,
        };
        self.last = self.mappings.partition_point(|m| m.base < base);
        self.mappings.insert(self.last, mapping);
    }

    fn pieces(&mut self, bytes: u64, piece_shift: u32) -> Vec<u32> {
        let wanted = bytes >> piece_shift;
        let frames = 1 << (piece_shift - self.page_shift);
        let mut pieces = Vec::with_capacity(index(wanted));
        while (pieces.len() as u64) < wanted {
            let left = wanted - pieces.len() as u64;
            if frames == 1 && left >= RUN_PAGES && self.frames.one_in(RUN_ONE_IN) {
                let first = self.frames.take(RUN_PAGES);
                pieces.extend((0..number(RUN_PAGES)).map(|page| first + page));
            } else {
                let singles = if frames == 1 { left.min(RUN_PAGES) } else { 1 };
                pieces.extend((0..singles).map(|_| self.frames.take(frames)));
            }
        }
        pieces
    }

    /// Aligned groups of pages whose frames are a row, aligned alike.
    fn runs(&self, pieces: &[u32], piece_shift: u32) -> Vec<bool> {
        if self.coalesce_shift == 0 || piece_shift > self.page_shift {
            return Vec::new();
        }
        let pages = 1 << self.coalesce_shift;
        let is_run = |group: &[u32]| {
            let aligned = group.len() == pages && index(u64::from(group[0])).is_multiple_of(pages);
            aligned
                && group
                    .windows(2)
                    .all(|pair| pair[1] == pair[0].wrapping_add(1))
        };
        pieces.chunks(pages).map(is_run).collect()
    }

    #[inline]
    fn mapping_of(&mut self, address: u64) -> usize {
        let has = |m: &Mapping| address.wrapping_sub(m.base) < m.bytes;
        if self.mappings.get(self.last).is_some_and(has) {
            return self.last;
        }
        let after = self.mappings.partition_point(|m| m.base <= address);
        let found = after.checked_sub(1).filter(|at| has(&self.mappings[*at]));
        self.last = found.unwrap_or_else(|| panic!("nothing is mapped at {address:#x}"));
        self.last
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cores;

    fn space(name: &str, guest: Guest, seed: u64) -> AddressSpace {
        AddressSpace::new(&cores::named(name).unwrap(), guest, seed)
    }

    /// How many of neighbouring 4 KiB pieces lie in a row.
    fn in_a_row(space: &mut AddressSpace, base: u64, pages: u64) -> usize {
        let at = |space: &mut AddressSpace, page: u64| space.page_of(base + page * 4096).physical;
        let follows = |page: &u64| {
            let here = at(space, *page);
            at(space, page + 1) == here + 4096
        };
        (0..pages - 1).filter(follows).count()
    }

    #[test]
    fn base_pages_are_scattered_and_huge_ones_whole() {
        let mut bare = space("zen3", Guest::Bare, 1);
        let small = bare.map(4 << 20, false);
        let row = in_a_row(&mut bare, small, 1024);
        assert!((50..350).contains(&row), "{row}");
        let huge = bare.map(2 << 20, true);
        assert_eq!(in_a_row(&mut bare, huge, 512), 511);
    }

    #[test]
    fn the_huge_pages_of_a_small_host_are_pieces() {
        let mut guest = space("zen3", Guest::SmallHost, 1);
        let huge = guest.map(4 << 20, true);
        let row = in_a_row(&mut guest, huge, 1024);
        assert!((50..350).contains(&row), "{row}");
        let page = guest.page_of(huge);
        assert_eq!((page.kind == Kind::Huge, guest.leaf(&page)), (false, 1));
    }

    #[test]
    fn another_seed_has_other_frames() {
        let physical = |seed| {
            let mut space = space("zen3", Guest::Bare, seed);
            let base = space.map(4096, false);
            space.page_of(base).physical
        };
        assert_eq!(physical(1), physical(1));
        assert_ne!(physical(1), physical(2));
    }

    #[test]
    fn entries_of_neighbouring_pages_are_neighbours() {
        let mut space = space("zen3", Guest::Bare, 1);
        let base = space.map(8 << 20, false);
        let entry = |space: &mut AddressSpace, at: u64, level| {
            let page = space.page_of(at);
            space.entry_at(&page, at, level)
        };
        let first = entry(&mut space, base, 0);
        assert_eq!(entry(&mut space, base + 4096, 0), first + 8);
        let upper = entry(&mut space, base, 1);
        assert_eq!(entry(&mut space, base + (2 << 20), 1), upper + 8);
        assert_eq!(entry(&mut space, base + 4096, 1), upper);
    }

    #[test]
    fn what_is_unmapped_is_gone_and_its_neighbours_stay() {
        let mut space = space("zen3", Guest::Bare, 1);
        let (first, second) = (space.map(4096, false), space.map(4096, false));
        let kept = space.page_of(second).physical;
        space.unmap(first);
        assert_eq!(space.page_of(second).physical, kept);
        space.map_in_place(0, 8192);
        assert_eq!(space.page_of(5000).physical, 5000);
    }

    #[test]
    #[should_panic(expected = "nothing is mapped at 0x1234")]
    fn an_address_that_is_not_mapped_ends_the_program() {
        space("zen3", Guest::Bare, 1).page_of(0x1234);
    }
}
