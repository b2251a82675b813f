//! The way predictor by virtual address of some AMD cores ("Take A Way", Lipp and others,
//! 2020): of lines of a set with one hash, only one can be there.

use super::sets::EMPTY;

/// The hash of each line of the first level; without a predictor it keeps nothing.
#[derive(Debug, Clone)]
pub struct WayHash {
    ways: usize,
    hashes: Vec<u8>,
}

impl WayHash {
    /// For a cache of that many sets and ways.
    pub fn new(present: bool, sets: usize, ways: usize) -> Self {
        WayHash {
            ways,
            hashes: vec![0; if present { sets * ways } else { 0 }],
        }
    }

    /// The way of a set that holds a line of this hash.
    #[inline]
    pub fn same(&self, set: usize, hash: u8, tags: &[u32]) -> Option<usize> {
        if self.hashes.is_empty() {
            return None;
        }
        let mut held = self.hashes[set * self.ways..].iter().zip(tags);
        held.position(|(held, tag)| *held == hash && *tag != EMPTY)
    }

    /// A line of this hash has come in.
    #[inline]
    pub fn keep(&mut self, set: usize, way: usize, hash: u8) {
        if let Some(held) = self.hashes.get_mut(set * self.ways + way) {
            *held = hash;
        }
    }
}

/// The hash of a virtual address.
#[inline]
pub fn hash(pairs: &[[u32; 2]], address: u64) -> u8 {
    let bit = |pair: &[u32; 2]| address >> pair[0] & 1 ^ address >> pair[1] & 1;
    let bits = pairs.iter().zip(0..8_u8);
    bits.fold(0, |hash, (pair, at)| hash | u8::from(bit(pair) == 1) << at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_pair_is_a_bit() {
        let pairs = [[12, 27], [13, 26]];
        assert_eq!(hash(&pairs, 1 << 12), 1);
        assert_eq!(hash(&pairs, 1 << 12 | 1 << 27), 0);
        assert_eq!(hash(&pairs, 1 << 26), 2);
    }

    #[test]
    fn an_empty_way_is_not_of_the_same_hash() {
        let mut held = WayHash::new(true, 1, 2);
        held.keep(0, 0, 3);
        assert_eq!(held.same(0, 3, &[9, 8]), Some(0));
        assert_eq!(held.same(0, 3, &[EMPTY, 8]), None);
        assert_eq!(WayHash::new(false, 1, 2).same(0, 0, &[9, 8]), None);
    }
}
