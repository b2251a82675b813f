//! Tables by PID and by address that cost little per event.

use crate::width::narrow;
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// PIDs of Linux are below this.
const DIRECT: usize = 1 << 22;

/// Rows by PID: a direct index, since PIDs are small numbers.
#[derive(Debug, Clone)]
pub struct ByPid<T> {
    /// Places in `rows`, plus one.
    index: Vec<u32>,
    /// PIDs that no kernel gives: a damaged capture.
    odd: HashMap<i32, u32>,
    rows: Vec<(i32, T)>,
}

impl<T> Default for ByPid<T> {
    fn default() -> Self {
        ByPid {
            index: Vec::new(),
            odd: HashMap::new(),
            rows: Vec::new(),
        }
    }
}

impl<T: Default> ByPid<T> {
    /// The row's place; made where there is none.
    #[inline]
    pub fn place(&mut self, pid: i32) -> usize {
        match self.index.get(pid as usize) {
            Some(place) if *place > 0 && pid >= 0 => *place as usize - 1,
            _ => self.add(pid),
        }
    }

    /// The row of a PID; made where there is none.
    #[inline]
    pub fn row(&mut self, pid: i32) -> &mut T {
        let place = self.place(pid);
        self.at(place)
    }

    /// The row at a place.
    #[inline]
    pub fn at(&mut self, place: usize) -> &mut T {
        &mut self.rows[place].1
    }

    #[cold]
    fn add(&mut self, pid: i32) -> usize {
        let new = narrow(self.rows.len()) + 1;
        let slot = match usize::try_from(pid) {
            Ok(at) if at < DIRECT => {
                if self.index.len() <= at {
                    self.index.resize(at + 1, 0);
                }
                &mut self.index[at]
            }
            _ => self.odd.entry(pid).or_insert(0),
        };
        if *slot == 0 {
            *slot = new;
            self.rows.push((pid, T::default()));
            return new as usize - 1;
        }
        *slot as usize - 1
    }

    /// In the order in which PIDs were first met.
    pub fn iter(&self) -> impl Iterator<Item = (i32, &T)> {
        self.rows.iter().map(|(pid, row)| (*pid, row))
    }

    /// In the same order.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = (i32, &mut T)> {
        self.rows.iter_mut().map(|(pid, row)| (*pid, row))
    }

    /// None where the PID has no row.
    pub fn get(&self, pid: i32) -> Option<&T> {
        let place = match self.index.get(usize::try_from(pid).ok()?) {
            Some(place) => *place,
            None => *self.odd.get(&pid)?,
        };
        Some(&self.rows.get((place as usize).checked_sub(1)?)?.1)
    }
}

/// The first row that `is` one; made where there is none.
pub fn found_or_new<T>(
    rows: &mut Vec<T>,
    is: impl Fn(&T) -> bool,
    new: impl FnOnce() -> T,
) -> &mut T {
    let at = rows.iter().position(is).unwrap_or_else(|| {
        rows.push(new());
        rows.len() - 1
    });
    &mut rows[at]
}

/// A hash for addresses: they differ in their middle bits.
#[derive(Debug, Clone, Copy, Default)]
pub struct AddressHasher(u64);

impl Hasher for AddressHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u64(u64::from(*byte));
        }
    }

    fn write_u64(&mut self, value: u64) {
        let mixed = (self.0 ^ value).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = mixed ^ (mixed >> 29);
    }
}

/// A map whose keys are addresses of the kernel.
pub type ByAddress<T> = HashMap<u64, T, BuildHasherDefault<AddressHasher>>;

#[cfg(test)]
mod tests {
    use super::ByPid;

    #[test]
    fn any_number_has_its_row() {
        let mut table: ByPid<u32> = ByPid::default();
        for pid in [0, 7, 4_194_303, 4_194_304, i32::MAX, -1, i32::MIN, 7] {
            *table.row(pid) += 1;
        }
        assert_eq!(table.get(7), Some(&2));
        assert_eq!(table.get(i32::MAX), Some(&1));
        assert_eq!(table.get(8), None);
        assert_eq!(table.iter().count(), 7);
    }
}
