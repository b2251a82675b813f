//! Memory that a process of the ring reads through at every visit.

use mapped::Map;
use std::io;
use std::ptr::NonNull;

/// Private memory, read one word a cache line. After a fork each process gets
/// pages of its own by touching them.
#[derive(Debug)]
pub struct Footprint {
    /// None where there are no words.
    _map: Option<Map>,
    start: NonNull<u64>,
    words: usize,
    /// Words from one read to the next: one cache line.
    stride: usize,
}

impl Footprint {
    /// Maps `bytes` bytes, to be read in steps of `line_bytes`.
    ///
    /// # Errors
    /// What mmap says.
    pub fn map(bytes: usize, line_bytes: usize) -> io::Result<Footprint> {
        let stride = (line_bytes / size_of::<u64>()).max(1);
        let map = match bytes {
            0 => None,
            _ => Some(Map::private(bytes)?),
        };
        let start = map
            .as_ref()
            .map_or(NonNull::dangling(), |map| map.base().cast());
        Ok(Footprint {
            _map: map,
            start,
            words: bytes / size_of::<u64>(),
            stride,
        })
    }

    /// Writes every word: pages of this process's own, present and cached.
    pub fn touch(&self) {
        for i in 0..self.words {
            // SAFETY: within the mapping, which nobody else uses.
            unsafe { self.start.add(i).write_volatile(i as u64) };
        }
    }

    /// Sums one word of every line, as a process would that works on its own
    /// data. The loads do not depend on each other.
    #[inline]
    pub fn read(&self) -> u64 {
        // SAFETY: the mapping holds that many words; dangling but aligned where
        // there are none.
        let words = unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.words) };
        let mut sum = 0u64;
        for word in words.iter().step_by(self.stride) {
            sum = sum.wrapping_add(*word);
        }
        std::hint::black_box(sum)
    }
}

#[cfg(test)]
mod tests {
    use super::Footprint;

    #[test]
    fn one_word_of_each_line_is_read() {
        let footprint = Footprint::map(4096, 64).unwrap();
        footprint.touch();
        // Words 0, 8, 16, ... 504 hold their own index.
        assert_eq!(footprint.read(), (0..512).step_by(8).sum::<u64>());
    }

    #[test]
    fn no_footprint_reads_nothing() {
        let footprint = Footprint::map(0, 64).unwrap();
        footprint.touch();
        assert_eq!(footprint.read(), 0);
    }
}
