//! # syscall/read - Reading one byte
//!
//! What does the smallest useful read cost, from a device that makes its bytes
//! up and from a file that is already in memory?
//!
//! ## Counts
//! One `read` of one byte: the crossing, finding the open file, the permission
//! check, the device's or the file system's read, and the copy of the byte to
//! user space.
//!
//! ## Does not count
//! Opening the file, any wait for a disk (the file is in the page cache), and
//! the C library's wrapper and buffering. The file is rewound once in every
//! 2^20 reads, which adds less than a thousandth of a nanosecond to each.
//!
//! ## Origin
//! lmbench `lat_syscall read` (McVoy and Staelin, USENIX 1996), which reads
//! /dev/zero; read(2), null(4).
//!
//! ## Theory
//! Subtract `syscall/getppid` and what is left is the price of the file layer:
//! looking the descriptor up, taking a reference, checking, calling through the
//! file's table of operations, and one `copy_to_user` that is too short to see.
//!
//! /dev/zero answers from nothing: it clears the byte and returns. A cached
//! file must also find its page in the page cache and keep the time of access,
//! so it costs more, though no disk is touched. Neither figure says anything
//! about throughput: at one byte the fixed part is everything. How the cost
//! grows with the size is the subject of the copy experiments.

use super::files::{self, Lap};
use analysis::compared;
use catalogue::{Claim, Experiment, Grid};
use engines::scratch::{CachedFile, FILL};
use engines::verdict;
use harness::{Context, Fault, Point, SetupError, Subject};
use std::fs::File;

/// Size of the cached file: how many reads there are between two rewinds.
const FILE_BYTES: usize = 1 << 20;

struct Read {
    file: File,
    lap: Lap,
    /// What every byte should be.
    expected: u8,
    byte: u8,
    /// Calls that did not return one byte.
    wrong: u64,
    /// Keeps the scratch file for as long as it is read.
    _scratch: Option<CachedFile>,
}

impl Subject for Read {
    fn batch(&mut self, _part: u16, ops: u64) {
        let (byte, wrong) = (&raw mut self.byte, &mut self.wrong);
        self.lap.run(&self.file, ops, |fd, now| {
            for _ in 0..now {
                // SAFETY: the buffer is one byte long and outlives the call.
                let got = unsafe { libc::syscall(libc::SYS_read, fd, byte, 1usize) };
                *wrong += u64::from(got != 1);
            }
        });
    }

    fn verify(&mut self) -> Result<(), Fault> {
        self.byte = !self.expected;
        self.batch(0, 1);
        let (byte, expected) = (self.byte, self.expected);
        let why = format!("read {byte:#04x} where {expected:#04x} was stored");
        verdict::must(byte == expected, why)?;
        verdict::none(self.wrong, "reads did not return one byte")
    }
}

fn setup(point: &Point, context: &Context) -> Result<Box<dyn Subject>, SetupError> {
    let (file, scratch) = files::opened(point, context, FILE_BYTES)?;
    Ok(Box::new(Read {
        file,
        lap: Lap::new(scratch.as_ref().map(|_| FILE_BYTES as u64)),
        expected: if scratch.is_some() { FILL } else { 0 },
        byte: 0,
        wrong: 0,
        _scratch: scratch,
    }))
}

pub static EXPERIMENT: Experiment = Experiment {
    axes: &[files::axis(
        "what is read: /dev/zero, or a file in the page cache",
        &["dev_zero", "cached_file"],
    )],
    parts: &[("latency", "time of one read of one byte")],
    bytes_per_op: |_| Some(1),
    grids: |_, _| vec![Grid::new(100).words("file", &["dev_zero", "cached_file"])],
    setup,
    claims: &[Claim {
        text: "A byte of a cached file costs more than a byte of /dev/zero",
        check: |table| {
            let of = |file| table.point(&[("file", file)]);
            compared::slower(of("cached_file"), of("dev_zero"))
        },
    }],
    findings: |table, _| {
        let files = [
            ("dev_zero", "read_dev_zero", "Reading one byte of /dev/zero"),
            (
                "cached_file",
                "read_cached_file",
                "Reading one byte of a cached file",
            ),
        ];
        files::costs(table, &files)
    },
    in_cycles: true,
    singly: true,
    ..Experiment::EMPTY
};

#[cfg(test)]
mod tests {
    use super::{EXPERIMENT, FILE_BYTES};
    use harness::Subject;
    use testbed::{context, point, word};

    fn subject(file: &str, ctx: &harness::Context) -> Box<dyn Subject> {
        (EXPERIMENT.setup)(&point("syscall/read", &[word("file", file)]), ctx).unwrap()
    }

    #[test]
    fn both_files_give_their_bytes() {
        let (ctx, _keep) = context();
        for file in ["dev_zero", "cached_file"] {
            let mut subject = subject(file, &ctx);
            subject.batch(0, 10);
            assert_eq!(subject.verify(), Ok(()), "{file}");
        }
    }

    #[test]
    fn a_batch_longer_than_the_file_rewinds() {
        let (ctx, _keep) = context();
        let mut subject = subject("cached_file", &ctx);
        subject.batch(0, FILE_BYTES as u64 - 1);
        subject.batch(0, 5);
        assert_eq!(subject.verify(), Ok(()));
    }

    #[test]
    fn a_truncated_file_is_reported() {
        let (ctx, _keep) = context();
        let mut subject = subject("cached_file", &ctx);
        let folder = std::fs::read_dir(&ctx.scratch)
            .unwrap()
            .next()
            .unwrap()
            .unwrap();
        std::fs::write(folder.path().join("file"), b"").unwrap();
        subject.batch(0, 3);
        assert!(subject.verify().is_err());
    }
}
