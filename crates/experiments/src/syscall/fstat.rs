//! # syscall/fstat - Asking about an open file
//!
//! What does it cost to read the attributes of a file that is already open?
//!
//! ## Counts
//! One `fstat`: the crossing, finding the open file, collecting its attributes
//! and copying them (144 bytes on 64-bit machines) to user space.
//!
//! ## Does not count
//! Any walk along a path: that is what `syscall/stat` adds. The C library's
//! wrapper, which in some versions turns the call into a slower one by path.
//!
//! ## Origin
//! lmbench `lat_syscall fstat` (McVoy and Staelin, USENIX 1996); fstat(2).
//!
//! ## Theory
//! Between `syscall/getppid` and `syscall/stat`: the crossing is the same, the
//! answer is the same as stat's, but nothing has to be looked up by name. The
//! difference from getppid is the price of gathering and copying the answer,
//! the difference from stat at depth 1 that of a name.
//!
//! A device node and a regular file differ only in who fills the answer in;
//! where a file system keeps its attributes elsewhere (a network, an overlay)
//! the second one shows it.

use super::files;
use analysis::claims::{Quoted, all};
use catalogue::{Claim, Experiment, Grid};
use engines::scratch::CachedFile;
use engines::verdict;
use harness::{Context, Fault, Point, SetupError, Subject};
use std::fs::File;
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, RawFd};

/// Size of the cached file: what verify looks for in the answer.
const FILE_BYTES: usize = 321;

struct Fstat {
    file: File,
    bytes: usize,
    answer: MaybeUninit<libc::stat>,
    wrong: u64,
    _scratch: Option<CachedFile>,
}

/// The raw call where the kernel's structure is the C library's; where a
/// 32-bit C library converts it, its own function.
#[inline]
fn fstat(fd: RawFd, answer: *mut libc::stat) -> libc::c_long {
    // SAFETY: the caller's answer is a stat structure.
    #[cfg(all(target_pointer_width = "64", not(target_arch = "s390x")))]
    unsafe {
        libc::syscall(libc::SYS_fstat, fd, answer)
    }
    // SAFETY: as above.
    #[cfg(not(all(target_pointer_width = "64", not(target_arch = "s390x"))))]
    unsafe {
        libc::c_long::from(libc::fstat(fd, answer))
    }
}

impl Subject for Fstat {
    fn batch(&mut self, _part: u16, ops: u64) {
        let fd = self.file.as_raw_fd();
        for _ in 0..ops {
            self.wrong += u64::from(fstat(fd, self.answer.as_mut_ptr()) != 0);
        }
    }

    fn verify(&mut self) -> Result<(), Fault> {
        self.answer = MaybeUninit::zeroed();
        self.batch(0, 1);
        verdict::none(self.wrong, "calls of fstat failed")?;
        // SAFETY: zeroed above, so it is initialised whatever the call wrote.
        let answer = unsafe { self.answer.assume_init_ref() };
        let (size, bytes) = (answer.st_size, self.bytes);
        verdict::must(
            usize::try_from(size) == Ok(bytes) && answer.st_mode != 0,
            format!("fstat reported {size} bytes of a file of {bytes}"),
        )
    }
}

fn setup(point: &Point, context: &Context) -> Result<Box<dyn Subject>, SetupError> {
    let (file, scratch) = files::opened(point, context, FILE_BYTES)?;
    Ok(Box::new(Fstat {
        file,
        bytes: scratch.as_ref().map_or(0, |_| FILE_BYTES),
        answer: MaybeUninit::zeroed(),
        wrong: 0,
        _scratch: scratch,
    }))
}

pub static EXPERIMENT: Experiment = Experiment {
    axes: &[files::axis(
        "file that is queried: /dev/zero, or a file in the page cache",
        &["dev_zero", "cached_file"],
    )],
    parts: &[("latency", "time of one call")],
    grids: |_, _| vec![Grid::new(100).words("file", &["dev_zero", "cached_file"])],
    setup,
    claims: &[Claim {
        text: "A device and a cached file answer within a quarter of each other",
        check: |table| {
            let of = |file| Quoted::latency(table.point(&[("file", file)])?);
            let (zero, file) = (of("dev_zero")?, of("cached_file")?);
            let either = [file.clone().at_most(zero.clone()), zero.at_most(file)];
            all(either.map(|pair| pair.allowing(0.25)))
        },
    }],
    findings: |table, _| {
        let what = "Asking for an open file's attributes";
        files::costs(table, &[("cached_file", "fstat", what)])
    },
    in_cycles: true,
    singly: true,
    ..Experiment::EMPTY
};

#[cfg(test)]
mod tests {
    use super::{EXPERIMENT, Fstat};
    use crate::testing::table;
    use harness::Subject;
    use std::mem::MaybeUninit;
    use testbed::{context, measured, point, word};

    #[test]
    fn both_files_answer() {
        let (ctx, _keep) = context();
        for file in ["dev_zero", "cached_file"] {
            let at = point("syscall/fstat", &[word("file", file)]);
            let mut subject = (EXPERIMENT.setup)(&at, &ctx).unwrap();
            subject.batch(0, 10);
            assert_eq!(subject.verify(), Ok(()), "{file}");
        }
    }

    #[test]
    fn another_files_answer_is_noticed() {
        let mut subject = Fstat {
            file: std::fs::File::open("/dev/zero").unwrap(),
            bytes: 5,
            answer: MaybeUninit::zeroed(),
            wrong: 0,
            _scratch: None,
        };
        assert_eq!(
            subject.verify(),
            Err(harness::Fault::wrong(
                "fstat reported 0 bytes of a file of 5"
            ))
        );
    }

    #[test]
    fn the_claim_needs_both_files_and_sees_a_gap() {
        let at = |file, ns| measured("syscall/fstat", &[word("file", file)], &[ns]);
        let check = EXPERIMENT.claims[0].check;
        assert_eq!(
            check(&table("syscall/fstat", vec![at("dev_zero", 200.0)])),
            None
        );
        let apart = vec![at("dev_zero", 200.0), at("cached_file", 300.0)];
        assert_eq!(
            check(&table("syscall/fstat", apart)).unwrap().held(),
            Some(false)
        );
    }
}
