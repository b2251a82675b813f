//! What the tasks do: compute, or write and read a file. In small pieces, with
//! a look at the clock behind each.

use harness::slices::Watch;
use std::hint::black_box;
use std::os::fd::RawFd;

/// Rows and columns: a row times the matrix is some hundred nanoseconds, and all
/// of it stays in the first cache level.
const ORDER: usize = 24;
/// Of one write or read.
const BLOCK: usize = 4096;
/// Blocks of the file; it is written to its storage once a round.
const BLOCKS: libc::off_t = 16;

/// What a task of a scene does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Work {
    /// Multiplies matrices: always runnable.
    Compute,
    /// Writes a file, waits until storage has it, reads it: sleeps in between.
    File(RawFd),
}

impl Work {
    /// Works until `until_ns`. Allocates nothing; false: the file failed.
    pub fn until(self, until_ns: u64, watch: &mut Watch<'_>) -> bool {
        match self {
            Work::Compute => {
                compute(until_ns, watch);
                true
            }
            Work::File(file) => io(file, until_ns, watch),
        }
    }
}

fn compute(until_ns: u64, watch: &mut Watch<'_>) {
    let a = black_box([[1.5f64; ORDER]; ORDER]);
    let b = black_box([[0.5f64; ORDER]; ORDER]);
    let mut product = [[0.0f64; ORDER]; ORDER];
    loop {
        for (row, out) in a.iter().zip(&mut product) {
            for (column, sum) in out.iter_mut().enumerate() {
                *sum = row.iter().zip(&b).map(|(x, line)| x * line[column]).sum();
            }
            black_box(&out);
            if watch.look() >= until_ns {
                return;
            }
        }
    }
}

fn io(file: RawFd, until_ns: u64, watch: &mut Watch<'_>) -> bool {
    let mut block = [7u8; BLOCK];
    loop {
        for at in 0..BLOCKS {
            let place = at * BLOCK as libc::off_t;
            // SAFETY: reads the live array, whose length it is given.
            let done = unsafe { libc::pwrite(file, block.as_ptr().cast(), BLOCK, place) };
            if done != BLOCK as isize {
                return false;
            }
            watch.look();
        }
        // SAFETY: takes a descriptor only.
        if unsafe { libc::fdatasync(file) } != 0 {
            return false;
        }
        watch.look();
        for at in 0..BLOCKS {
            let place = at * BLOCK as libc::off_t;
            // SAFETY: writes into the live array, whose length it is given.
            let done = unsafe { libc::pread(file, block.as_mut_ptr().cast(), BLOCK, place) };
            if done != BLOCK as isize {
                return false;
            }
            if watch.look() >= until_ns {
                return true;
            }
        }
    }
}
