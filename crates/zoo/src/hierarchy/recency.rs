//! The order in which the lines of one set were used, as a list through all of them: the line
//! that was used longest ago is known without a look at the others.

use super::narrow::index;

/// In a link the way used just after this one; above these bits the one used just before it.
const BITS: u32 = 16;
const LOW: u32 = (1 << BITS) - 1;

/// The order of one set: the links of its ways, and the ends of the list.
pub struct Recency<'a> {
    /// One for each way.
    pub links: &'a mut [u32],
    /// The way used last; above it the one used longest ago.
    pub ends: &'a mut u32,
}

/// Links and ends of so many ways, 65536 at most, in any order.
pub fn begin(ways: u32) -> (impl Iterator<Item = u32>, u32) {
    let links = (0..ways).map(move |way| way.saturating_sub(1) | (way + 1).min(ways - 1) << BITS);
    (links, (ways - 1) << BITS)
}

impl Recency<'_> {
    /// The way used longest ago.
    #[inline]
    pub fn oldest(&self) -> u32 {
        *self.ends >> BITS
    }

    /// A way was used.
    #[inline]
    pub fn used(&mut self, way: u32) {
        let (newest, oldest) = (*self.ends & LOW, *self.ends >> BITS);
        if way == newest {
            return;
        }
        let (newer, older) = (self.link(way) & LOW, self.link(way) >> BITS);
        let oldest = match way == oldest {
            true => newer,
            false => {
                self.set_newer(older, newer);
                oldest
            }
        };
        self.set_older(newer, older);
        self.set_newer(newest, way);
        self.set_older(way, newest);
        *self.ends = way | oldest << BITS;
    }

    #[inline]
    fn link(&self, way: u32) -> u32 {
        self.links[index(u64::from(way))]
    }

    #[inline]
    fn set_newer(&mut self, way: u32, newer: u32) {
        let link = &mut self.links[index(u64::from(way))];
        *link = *link & !LOW | newer;
    }

    #[inline]
    fn set_older(&mut self, way: u32, older: u32) {
        let link = &mut self.links[index(u64::from(way))];
        *link = *link & LOW | older << BITS;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stats::Rng;

    #[test]
    fn it_is_the_order_of_use() {
        for ways in [1, 2, 5, 64] {
            let (links, mut ends) = begin(ways);
            let mut links: Vec<u32> = links.collect();
            let mut order: Vec<u32> = (0..ways).rev().collect();
            let mut rng = Rng::new(u64::from(ways));
            for _ in 0..1000 {
                let way = order[rng.below(order.len())];
                order.retain(|other| *other != way);
                order.push(way);
                let mut recency = Recency {
                    links: &mut links,
                    ends: &mut ends,
                };
                recency.used(way);
                assert_eq!(recency.oldest(), order[0]);
            }
        }
    }
}
