//! What one CPU of the crew does: an operation with a kernel, on its own lane.

use engines::loops::{CopyFn, FillFn, Kernels, ReadFn, WriteFn};
use engines::memory::buffer::Buffer;
use engines::verdict::must;
use harness::Fault;
use std::hint::black_box;
use std::io;

/// Not zero: some processors serve stores of zeros faster than others.
const FILL_VALUE: u8 = 0xa5;
const WRITE_SEED: u64 = 0x0101_0101_0101_0101;

/// One operation made of one kernel.
#[derive(Debug, Clone, Copy)]
pub enum Work {
    Copy(CopyFn),
    Fill(FillFn),
    Write(WriteFn),
    Read(ReadFn),
}

impl Work {
    /// The kernel for `operation` among those of a method.
    pub fn pick(operation: &str, kernels: &Kernels) -> Option<Work> {
        match operation {
            "copy" => kernels.copy.map(Work::Copy),
            "fill" => kernels.fill.map(Work::Fill),
            "write" => kernels.write.map(Work::Write),
            _ => kernels.read.map(Work::Read),
        }
    }
}

/// The buffers of one CPU.
#[derive(Debug)]
pub struct Lane {
    from: Buffer,
    to: Buffer,
    /// What reading `from` must give.
    sum: u64,
}

impl Lane {
    /// Maps and touches both buffers from the calling thread, so that they lie
    /// in its part of the memory. The source holds words that all differ, or
    /// zeros.
    pub fn new(bytes: usize, zeros: bool) -> io::Result<Lane> {
        let mut from = Buffer::touched(bytes)?;
        if zeros {
            from.as_mut_slice().fill(0);
        }
        let sum = sum_of(from.as_slice());
        let to = Buffer::touched(bytes)?;
        Ok(Lane { from, to, sum })
    }

    /// `ops` passes over the whole buffer.
    pub fn run(&mut self, work: Work, ops: u64) {
        let bytes = self.from.bytes();
        let from = self.from.as_ptr();
        let to = self.to.as_mut_ptr();
        // SAFETY: both buffers hold `bytes` bytes, are separate mappings and
        // are borrowed exclusively; `find` gave only kernels of this processor.
        unsafe {
            match work {
                Work::Copy(copy) => (0..ops).for_each(|_| copy(to, from, bytes)),
                Work::Fill(fill) => (0..ops).for_each(|_| fill(to, FILL_VALUE, bytes)),
                Work::Write(write) => (0..ops).for_each(|_| write(to, WRITE_SEED, bytes)),
                Work::Read(read) => (0..ops).for_each(|_| {
                    black_box(read(from, bytes));
                }),
            }
        }
    }

    /// One pass whose result is looked at.
    pub fn check(&mut self, work: Work) -> Result<(), Fault> {
        if let Work::Read(read) = work {
            // SAFETY: as in `run`.
            let sum = unsafe { read(self.from.as_ptr(), self.from.bytes()) };
            return must(sum == self.sum, "the sum of the bytes read is wrong");
        }
        // What was there before is one byte everywhere, and then its opposite:
        // a byte that is not written differs from the right one in one of them.
        for before in [FILL_VALUE, !FILL_VALUE] {
            self.to.as_mut_slice().fill(before);
            self.run(work, 1);
            let right = self.is_right(work);
            must(right, "the destination does not hold what was written")?;
        }
        Ok(())
    }

    fn is_right(&self, work: Work) -> bool {
        let to = self.to.as_slice();
        match work {
            Work::Copy(_) => to == self.from.as_slice(),
            // All bytes are alike, and the first is right.
            Work::Fill(_) => to.first() == Some(&FILL_VALUE) && to[1..] == to[..to.len() - 1],
            Work::Write(_) => self.holds_words(),
            Work::Read(_) => true,
        }
    }

    fn holds_words(&self) -> bool {
        let pieces = self.to.as_slice().chunks(8);
        pieces.zip(WRITE_SEED..).all(|(piece, word)| {
            let right = word.to_le_bytes();
            *piece == right[..piece.len()]
        })
    }
}

fn sum_of(bytes: &[u8]) -> u64 {
    bytes.chunks(8).fold(0, |sum, piece| {
        let mut word = [0; 8];
        word[..piece.len()].copy_from_slice(piece);
        sum ^ u64::from_le_bytes(word)
    })
}

#[cfg(test)]
mod tests {
    use super::{Lane, Work};

    /// # Safety
    /// As `CopyFn`.
    unsafe fn forgets_the_last_byte(to: *mut u8, from: *const u8, len: usize) {
        // SAFETY: shorter than what the caller promises.
        unsafe { to.copy_from_nonoverlapping(from, len - 1) };
    }

    /// # Safety
    /// As `FillFn`.
    unsafe fn fills_all_but_one(to: *mut u8, value: u8, len: usize) {
        // SAFETY: shorter than what the caller promises.
        unsafe { to.write_bytes(value, len - 1) };
    }

    /// # Safety
    /// As `WriteFn`.
    unsafe fn writes_nothing(_: *mut u8, _: u64, _: usize) {}

    /// # Safety
    /// As `ReadFn`.
    unsafe fn reads_nothing(_: *const u8, _: usize) -> u64 {
        0
    }

    #[test]
    fn a_kernel_that_cheats_is_caught() {
        let cheats = [
            Work::Copy(forgets_the_last_byte),
            Work::Fill(fills_all_but_one),
            Work::Write(writes_nothing),
            Work::Read(reads_nothing),
        ];
        let mut lane = Lane::new(1003, false).expect("a few pages are available");
        for cheat in cheats {
            assert!(lane.check(cheat).is_err(), "{cheat:?}");
        }
        let mut zeros = Lane::new(1003, true).expect("a few pages are available");
        assert!(zeros.check(cheats[0]).is_err(), "of a source of zeros, too");
    }
}
