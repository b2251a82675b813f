//! A chain of addresses through memory: every line once, in random order.

use mapped::Map;
use std::io;

/// Of every processor that the program is built for; where lines are longer, some loads hit.
const LINE: usize = 64;
/// 16 MiB: more than second levels hold, and 4096 pages.
const LINES: usize = 1 << 18;

/// The lines, and where the walk is.
#[derive(Debug)]
pub struct Chain {
    lines: Map,
    at: *const u8,
}

impl Chain {
    /// One cycle through all lines (Sattolo 1986), in pages of the smallest size.
    ///
    /// # Errors
    /// As mmap(2).
    pub fn new() -> io::Result<Self> {
        let lines = Map::private(LINES * LINE)?;
        let base = lines.as_ptr();
        // SAFETY: advice about memory of ours that is not yet touched; refused, it stays as it
        // was. Huge pages would have translations that a near buffer holds.
        unsafe { libc::madvise(base.cast(), LINES * LINE, libc::MADV_NOHUGEPAGE) };
        // SAFETY: a line of the mapping, aligned, that only this function knows.
        let line = |i: usize| unsafe { &mut *base.add(i * LINE).cast::<*const u8>() };
        for i in 0..LINES {
            *line(i) = base.wrapping_add(i * LINE);
        }
        let mut state = 0x9e37_79b9_7f4a_7c15_u64;
        for i in (1..LINES).rev() {
            // xorshift (Marsaglia 2003).
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            let other = usize::try_from((state >> 33) % i as u64).unwrap_or(0);
            std::mem::swap(line(i), line(other));
        }
        Ok(Chain { lines, at: base })
    }

    /// Goes on by so many lines, by a function that loads the next address from each.
    pub fn walk(&mut self, steps: usize, chase: unsafe fn(*const u8, usize) -> *const u8) {
        debug_assert!(self.lines.bytes() == LINES * LINE);
        // SAFETY: every line of the cycle holds the address of another one of it.
        self.at = unsafe { chase(self.at, steps) };
    }
}

#[cfg(test)]
mod tests {
    use super::{Chain, LINE, LINES};

    unsafe fn one_by_one(mut at: *const u8, steps: usize) -> *const u8 {
        for _ in 0..steps {
            // SAFETY: as of `walk`.
            at = unsafe { at.cast::<*const u8>().read() };
        }
        at
    }

    #[test]
    fn the_chain_visits_every_line_once() {
        let mut chain = Chain::new().unwrap();
        let start = chain.at;
        let mut seen = vec![false; LINES];
        for _ in 0..LINES {
            let place = (chain.at.addr() - chain.lines.as_ptr().addr()) / LINE;
            assert!(!std::mem::replace(&mut seen[place], true));
            chain.walk(1, one_by_one);
        }
        assert_eq!(chain.at, start);
    }
}
