//! What a prefetcher sees of a load, and what it may ask for.

/// One load, served.
#[derive(Debug, Clone, Copy)]
pub struct Trigger {
    /// Stands for the instruction's address.
    pub code: u32,
    /// Physical address / size of a line.
    pub line: u32,
    /// The virtual address within its block of 4 KiB, in bytes.
    pub offset: u32,
    /// log2 of a line's size.
    pub line_shift: u32,
    /// The level that had it: 0 is the first.
    pub depth: usize,
}

/// What no prefetcher crosses, in bytes: the next page may be anywhere.
pub const BLOCK_BYTES: u32 = 4096;

impl Trigger {
    /// Lines of a block that is not crossed.
    #[inline]
    pub fn block_lines(&self) -> u32 {
        BLOCK_BYTES >> self.line_shift
    }

    /// The line's place in its block.
    #[inline]
    pub fn place(&self) -> u32 {
        self.offset >> self.line_shift
    }

    /// The block's number, as its lines are numbered.
    #[inline]
    pub fn block(&self) -> u32 {
        self.line / self.block_lines()
    }

    /// The line so many lines further on, in the same block.
    #[inline]
    pub fn neighbour(&self, lines: i32) -> Option<u32> {
        let place = self.place().checked_add_signed(lines)?;
        (place < self.block_lines()).then(|| self.line.wrapping_add_signed(lines))
    }
}

const MOST: usize = 64;

/// Lines that prefetchers ask for after one load, with the level they shall come to.
#[derive(Debug, Clone)]
pub struct Wanted {
    lines: [(u32, usize); MOST],
    count: usize,
}

impl Wanted {
    /// None.
    pub fn new() -> Self {
        Wanted {
            lines: [(0, 0); MOST],
            count: 0,
        }
    }

    /// A line into a level; what there is no room for is not fetched.
    #[inline]
    pub fn add(&mut self, line: u32, depth: usize) {
        if let Some(free) = self.lines.get_mut(self.count) {
            *free = (line, depth);
            self.count += 1;
        }
    }

    /// How many.
    #[inline]
    pub fn count(&self) -> usize {
        self.count
    }

    /// One of them: the line and the level.
    #[inline]
    pub fn at(&self, at: usize) -> (u32, usize) {
        self.lines[at]
    }

    /// All are on their way.
    #[inline]
    pub fn clear(&mut self) {
        self.count = 0;
    }
}
