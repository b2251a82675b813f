//! Anonymous memory with all pages present: mapped, page-aligned and touched
//! before an access to it is timed.

use mapped::Map;
use std::io;

/// A private anonymous mapping with the system's default page policy, every
/// page touched by the thread that made it. Unmapped on drop.
#[derive(Debug)]
pub struct Buffer {
    map: Map,
    bytes: usize,
}

impl Buffer {
    /// Maps at least one and at least `bytes` bytes and fills them with a
    /// pattern that differs from word to word.
    ///
    /// # Errors
    /// What mmap says, usually that there is not enough memory.
    pub fn touched(bytes: usize) -> io::Result<Buffer> {
        let map = Map::private(bytes.max(1).next_multiple_of(page_bytes()))?;
        let mut buffer = Buffer { map, bytes };
        scatter(buffer.whole_mut(), bytes as u64);
        Ok(buffer)
    }

    /// Its first byte.
    pub fn as_ptr(&self) -> *const u8 {
        self.map.as_ptr()
    }

    /// Its first byte, for writing.
    pub fn as_mut_ptr(&mut self) -> *mut u8 {
        self.map.as_ptr()
    }

    /// Bytes that were asked for.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// The bytes asked for.
    pub fn as_slice(&self) -> &[u8] {
        // SAFETY: `bytes` of the mapping are readable and initialised, and a
        // shared borrow of self keeps writers out.
        unsafe { std::slice::from_raw_parts(self.map.as_ptr(), self.bytes) }
    }

    /// The bytes asked for, for writing.
    pub fn as_mut_slice(&mut self) -> &mut [u8] {
        let bytes = self.bytes;
        &mut self.whole_mut()[..bytes]
    }

    fn whole_mut(&mut self) -> &mut [u8] {
        // SAFETY: the whole mapping is writable, and we hold it exclusively.
        unsafe { std::slice::from_raw_parts_mut(self.map.as_ptr(), self.map.bytes()) }
    }
}

/// Fills `bytes` with words that all differ, so that a wrong or missing move
/// shows. Equal seeds give equal contents.
pub fn scatter(bytes: &mut [u8], seed: u64) {
    let mut state = seed;
    for piece in bytes.chunks_mut(8) {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (state ^ (state >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let word = (mixed ^ (mixed >> 32)).to_le_bytes();
        piece.copy_from_slice(&word[..piece.len()]);
    }
}

/// Size of the base page, bytes.
pub fn page_bytes() -> usize {
    // SAFETY: sysconf only reads; the page size is always known.
    let size = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    usize::try_from(size).unwrap_or(4096)
}

#[cfg(test)]
mod tests {
    use super::{Buffer, page_bytes, scatter};

    #[test]
    fn a_buffer_is_aligned_sized_and_writable_to_its_end() {
        for bytes in [0, 1, 63, 4096, 4097, 100_000] {
            let mut b = Buffer::touched(bytes).expect("a few pages are available");
            assert_eq!(b.as_ptr() as usize % page_bytes(), 0);
            assert_eq!(b.as_slice().len(), bytes);
            b.as_mut_slice().fill(7);
            assert!(b.as_slice().iter().all(|v| *v == 7));
        }
    }

    #[test]
    fn a_buffer_that_cannot_be_is_an_error() {
        assert!(Buffer::touched(usize::MAX / 2).is_err());
    }

    #[test]
    fn scattered_words_differ_and_repeat_with_the_seed() {
        let (mut a, mut b, mut c) = ([0u8; 8003], [0u8; 8003], [0u8; 8003]);
        scatter(&mut a, 1);
        scatter(&mut b, 1);
        scatter(&mut c, 2);
        assert_eq!(a, b);
        assert_ne!(a, c);
        let mut words: Vec<&[u8]> = a.chunks_exact(8).collect();
        words.sort_unstable();
        words.dedup();
        assert_eq!(words.len(), 1000);
    }
}
