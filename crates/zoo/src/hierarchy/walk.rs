//! A page walk: which entries of page tables it loads.

use super::narrow::{few, number};
use super::paging::{AddressSpace, Page};
use super::surroundings::Guest;
use super::tlb::Translations;

/// Of a guest four levels each side, the loads of one walk: a host's entry for each of the
/// guest's, and one for the page.
const MOST_LOADS: usize = 16;

/// Lines from here on hold the host's tables of a guest's memory.
const HOST_TABLES: u32 = 1 << 30;
/// Base pages and huge pages of the host.
const HOST_PAGE_SHIFT: u32 = 12;
const HOST_HUGE_SHIFT: u32 = 21;

/// The lines that a walk loads, one after another.
#[derive(Debug, Clone, Copy)]
pub struct Loads {
    lines: [u32; MOST_LOADS],
    count: usize,
}

impl Loads {
    /// The lines, by physical number.
    pub fn lines(&self) -> &[u32] {
        &self.lines[..self.count]
    }

    fn add(&mut self, line: u32) {
        if let Some(free) = self.lines.get_mut(self.count) {
            *free = line;
            self.count += 1;
        }
    }
}

/// What a walk for this page loads. Upper entries that the CPU keeps are not loaded again.
/// Of a host's tables only the last level is loaded: its upper ones are always kept.
pub fn loads(
    space: &AddressSpace,
    kept: &mut Translations,
    page: &Page,
    address: u64,
    guest: Guest,
    line_shift: u32,
) -> Loads {
    let mut loads = Loads {
        lines: [0; MOST_LOADS],
        count: 0,
    };
    if space.levels() == 0 {
        return loads;
    }
    let leaf = space.leaf(page);
    let top = first_unknown(space, kept, leaf, address);
    for level in (leaf..top).rev() {
        let entry = space.entry_at(page, address, level);
        host_load(&mut loads, guest, entry, line_shift);
        loads.add(number(entry >> line_shift));
    }
    host_load(&mut loads, guest, page.physical, line_shift);
    loads
}

/// The walk reads the levels below this one: of those above it, the entry is kept.
fn first_unknown(
    space: &AddressSpace,
    kept: &mut Translations,
    leaf: usize,
    address: u64,
) -> usize {
    let page_shift = space.level_bits() + 3;
    let mut top = space.levels();
    for level in (leaf + 1..space.levels().min(3)).rev() {
        let shift = page_shift + few(level) * space.level_bits();
        if kept.keeps_upper(level, number(address >> shift)) {
            top = level;
        }
    }
    top
}

fn host_load(loads: &mut Loads, guest: Guest, physical: u64, line_shift: u32) {
    let page_shift = match guest {
        Guest::Bare => return,
        Guest::HugeHost => HOST_HUGE_SHIFT,
        Guest::SmallHost => HOST_PAGE_SHIFT,
    };
    let entry = (physical >> page_shift) * 8;
    loads.add(HOST_TABLES + number(entry >> line_shift));
}
