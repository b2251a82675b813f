//! Which pixels are still to be visited, a bit each, found in the order of reading.

/// A set of pixels.
#[derive(Debug)]
pub struct Pending {
    /// Words of a row.
    words: usize,
    bits: Vec<u64>,
}

const BITS: usize = u64::BITS as usize;

impl Pending {
    /// Without pixels, for a picture of this size.
    pub fn new(width: usize, height: usize) -> Pending {
        let words = width.div_ceil(BITS);
        Pending {
            words,
            bits: vec![0; words * height],
        }
    }

    /// Those that are not 0, in rows of `width`.
    pub fn set_all(&mut self, width: usize, pixels: &[u8]) {
        let rows = self.bits.chunks_exact_mut(self.words);
        for (row, line) in rows.zip(pixels.chunks_exact(width)) {
            for (word, part) in row.iter_mut().zip(line.chunks(BITS)) {
                let bit = |(at, pixel): (usize, &u8)| u64::from(*pixel > 0) << at;
                *word = part.iter().enumerate().map(bit).sum();
            }
        }
    }

    /// Takes the first of row `y` from column `x` on.
    pub fn take(&mut self, x: usize, y: usize) -> Option<usize> {
        let row = &mut self.bits[y * self.words..][..self.words];
        let mut from = u64::MAX << (x % BITS);
        for (at, word) in row.iter_mut().enumerate().skip(x / BITS) {
            let left = *word & from;
            if left > 0 {
                let bit = left.trailing_zeros();
                *word &= !(1 << bit);
                return Some(at * BITS + bit as usize);
            }
            from = u64::MAX;
        }
        None
    }

    /// Those up to `reach` rows and columns around; all must be in the picture.
    pub fn set_around(&mut self, x: usize, y: usize, reach: usize) {
        let first = x - reach;
        let run = u128::from(u64::MAX >> (BITS - 1 - 2 * reach)) << (first % BITS);
        for row in y - reach..=y + reach {
            let at = row * self.words + first / BITS;
            self.bits[at] |= run as u64;
            if let beyond @ 1.. = (run >> BITS) as u64 {
                self.bits[at + 1] |= beyond;
            }
        }
    }

    /// Bytes of its memory.
    pub fn bytes(&self) -> usize {
        size_of_val(&*self.bits)
    }
}

#[cfg(test)]
mod tests {
    use super::Pending;

    fn all(pending: &mut Pending, height: usize) -> Vec<(usize, usize)> {
        let mut found = Vec::new();
        for y in 0..height {
            while let Some(x) = pending.take(0, y) {
                found.push((x, y));
            }
        }
        found
    }

    #[test]
    fn what_is_set_is_taken_once_in_order() {
        let mut pixels = vec![0; 130 * 2];
        for at in [0, 63, 64, 129, 130 + 65] {
            pixels[at] = 1;
        }
        let mut pending = Pending::new(130, 2);
        pending.set_all(130, &pixels);
        assert_eq!(pending.take(64, 0), Some(64));
        assert_eq!(pending.take(64, 0), Some(129));
        assert_eq!(all(&mut pending, 2), [(0, 0), (63, 0), (65, 1)]);
    }

    #[test]
    fn a_square_is_set_wherever_words_end() {
        for x in 2..128 {
            let mut pending = Pending::new(130, 5);
            pending.set_around(x, 2, 2);
            let expected: Vec<(usize, usize)> = (0..5)
                .flat_map(|y| (x - 2..=x + 2).map(move |x| (x, y)))
                .collect();
            assert_eq!(all(&mut pending, 5), expected, "{x}");
        }
    }
}
