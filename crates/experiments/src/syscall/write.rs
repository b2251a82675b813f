//! # syscall/write - Writing one byte
//!
//! What does the smallest write cost, to a device that throws it away and to a
//! file in memory?
//!
//! ## Counts
//! One `write` of one byte: the crossing, finding the open file, the permission
//! check, and the device's or the file system's write.
//!
//! ## Does not count
//! Opening the file, writing back to a disk, and the C library's wrapper and
//! buffering. The byte for /dev/null is never read by the kernel. The file is
//! rewound once in every 2^20 writes, which adds less than a thousandth of a
//! nanosecond to each.
//!
//! ## Origin
//! lmbench `lat_syscall write` (McVoy and Staelin, USENIX 1996), which writes
//! to /dev/null; write(2), null(4), memfd_create(2).
//!
//! ## Theory
//! /dev/null is the file layer with nothing behind it: its write returns the
//! length and does not look at the data, so this is usually a little cheaper
//! than reading /dev/zero, which has to clear a byte in user space.
//!
//! A file has to lock its inode, keep its time of modification, find the page,
//! copy the byte from user space and mark the page dirty. The file here lives
//! in memory only (memfd), so that no journal and no disk of the machine at
//! hand enters the figure; a disk file system adds its own work to it.

use super::files::{self, Lap};
use analysis::compared;
use catalogue::{Claim, Experiment, Grid};
use engines::scratch::FILL;
use engines::verdict;
use harness::{Context, Fault, Point, SetupError, Subject};
use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::FromRawFd;
use std::os::unix::fs::FileExt;
use std::path::Path;

/// How far the file is written before it is rewound.
const FILE_BYTES: u64 = 1 << 20;

struct Write {
    file: File,
    lap: Lap,
    /// Calls that did not return one byte.
    wrong: u64,
}

static FILL_BYTE: u8 = FILL;

impl Subject for Write {
    fn batch(&mut self, _part: u16, ops: u64) {
        let wrong = &mut self.wrong;
        self.lap.run(&self.file, ops, |fd, now| {
            for _ in 0..now {
                // SAFETY: the buffer is one static byte.
                let put =
                    unsafe { libc::syscall(libc::SYS_write, fd, &raw const FILL_BYTE, 1usize) };
                *wrong += u64::from(put != 1);
            }
        });
    }

    fn verify(&mut self) -> Result<(), Fault> {
        verdict::none(self.wrong, "writes did not take one byte")?;
        if self.lap.bytes().is_none() {
            return Ok(());
        }
        self.lap.rewind(&self.file);
        self.batch(0, 1);
        let mut back = [0u8];
        self.file
            .read_exact_at(&mut back, 0)
            .map_err(|e| Fault::refused("read back the written byte", e))?;
        let about = self.file.metadata();
        let length = about
            .map_err(|e| Fault::refused("stat the written file", e))?
            .len();
        let why = format!("wrote {back:#x?} and made {length} bytes of {FILE_BYTES}");
        verdict::must(back == [FILL] && length <= FILE_BYTES, why)
    }
}

fn memory_file() -> io::Result<File> {
    // SAFETY: the name is a NUL-terminated literal.
    let fd = unsafe { libc::memfd_create(c"pontage-write".as_ptr(), libc::MFD_CLOEXEC) };
    if fd < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the descriptor was just made and has no other owner.
    Ok(unsafe { File::from_raw_fd(fd) })
}

fn setup(point: &Point, _: &Context) -> Result<Box<dyn Subject>, SetupError> {
    let cached = point.word("file") == "memory_file";
    let file = if cached {
        memory_file().map_err(|e| SetupError::fail("create a memory file", e))?
    } else {
        OpenOptions::new()
            .write(true)
            .open("/dev/null")
            .map_err(|e| engines::scratch::not_opened(Path::new("/dev/null"), e))?
    };
    Ok(Box::new(Write {
        file,
        lap: Lap::new(cached.then_some(FILE_BYTES)),
        wrong: 0,
    }))
}

pub static EXPERIMENT: Experiment = Experiment {
    axes: &[files::axis(
        "what is written: /dev/null, or a file in memory",
        &["dev_null", "memory_file"],
    )],
    parts: &[("latency", "time of one write of one byte")],
    bytes_per_op: |_| Some(1),
    grids: |_, _| vec![Grid::new(100).words("file", &["dev_null", "memory_file"])],
    setup,
    claims: &[Claim {
        text: "A byte to a file in memory costs more than a byte to /dev/null",
        check: |table| {
            let of = |file| table.point(&[("file", file)]);
            compared::slower(of("memory_file"), of("dev_null"))
        },
    }],
    findings: |table, _| {
        let files = [
            (
                "dev_null",
                "write_dev_null",
                "Writing one byte to /dev/null",
            ),
            (
                "memory_file",
                "write_memory_file",
                "Writing one byte to a file in memory",
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
    use super::{EXPERIMENT, FILE_BYTES, Lap, Write};
    use harness::Subject;
    use std::fs::File;
    use testbed::{context, point, word};

    #[test]
    fn both_files_take_their_bytes() {
        let (ctx, _keep) = context();
        for file in ["dev_null", "memory_file"] {
            let at = point("syscall/write", &[word("file", file)]);
            let mut subject = (EXPERIMENT.setup)(&at, &ctx).unwrap();
            subject.batch(0, 10);
            assert_eq!(subject.verify(), Ok(()), "{file}");
        }
    }

    #[test]
    fn a_long_batch_does_not_grow_the_file() {
        let mut subject = Write {
            file: super::memory_file().unwrap(),
            lap: Lap::new(Some(FILE_BYTES)),
            wrong: 0,
        };
        subject.batch(0, FILE_BYTES + 7);
        assert_eq!(subject.file.metadata().unwrap().len(), FILE_BYTES);
        assert_eq!(subject.verify(), Ok(()));
    }

    #[test]
    fn a_descriptor_that_refuses_is_reported() {
        let mut subject = Write {
            file: File::open("/dev/null").unwrap(),
            lap: Lap::new(None),
            wrong: 0,
        };
        subject.batch(0, 4);
        assert_eq!(
            subject.verify(),
            Err(harness::Fault::wrong("4 writes did not take one byte"))
        );
    }
}
