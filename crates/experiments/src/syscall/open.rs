//! # syscall/open - Opening and closing a file
//!
//! What does it cost to open a file that the kernel already knows, and to close
//! it again?
//!
//! ## Counts
//! Two system calls: one `openat` for reading and the `close` of what it gave.
//! Both crossings, the walk along the path, the permission checks, making and
//! freeing the open file and its descriptor.
//!
//! ## Does not count
//! Creating or truncating a file, anything read from a disk, and the C
//! library's wrapper. The path's length is what it is: /dev/null, or an
//! absolute path in the scratch folder (given in the point's notes).
//!
//! ## Origin
//! lmbench `lat_syscall open` (McVoy and Staelin, USENIX 1996), which also
//! counts the pair; open(2), close(2).
//!
//! ## Theory
//! The pair is the slowest of the file calls because it is the only one that
//! makes and destroys something: a file structure, a slot in the descriptor
//! table, references on the directory entry and on the mount. Freeing is partly
//! put off until the way back to user space, which is why open and close are
//! timed together and never apart: timed alone, each would borrow from the
//! other.
//!
//! From the sum, the two crossings (`syscall/getppid` twice) and the walk
//! (`syscall/stat` at the same depth) can be taken off; the rest is the life of
//! an open file.

use super::files;
use analysis::claims::{Quoted, one};
use catalogue::{Claim, Experiment, Grid};
use engines::scratch::CachedFile;
use engines::verdict;
use harness::{Context, Fault, Point, SetupError, Subject};
use std::ffi::CString;
use std::fs::File;
use std::path::Path;

struct Open {
    path: CString,
    wrong: u64,
    _scratch: Option<CachedFile>,
}

const FLAGS: libc::c_int = libc::O_RDONLY | libc::O_CLOEXEC;

impl Subject for Open {
    fn batch(&mut self, _part: u16, ops: u64) {
        let path = self.path.as_ptr();
        for _ in 0..ops {
            // SAFETY: the path is NUL-terminated and outlives the call.
            let fd = unsafe { libc::syscall(libc::SYS_openat, libc::AT_FDCWD, path, FLAGS) };
            // SAFETY: closes what the line above opened, or -1, which fails.
            let closed = unsafe { libc::syscall(libc::SYS_close, fd) };
            self.wrong += u64::from(closed != 0);
        }
    }

    fn verify(&mut self) -> Result<(), Fault> {
        let path = self.path.to_string_lossy();
        let what = format!("of the open and close pairs on {path} failed");
        verdict::none(self.wrong, &what)
    }

    fn notes(&self) -> Vec<String> {
        let path = self.path.to_string_lossy();
        let depth = path.split('/').filter(|part| !part.is_empty()).count();
        vec![format!("path of {depth} components: {path}")]
    }
}

fn setup(point: &Point, context: &Context) -> Result<Box<dyn Subject>, SetupError> {
    let scratch = files::cached(point, context, 1)?;
    let path = match &scratch {
        Some(file) => file.c_path()?,
        None => {
            let null = Path::new("/dev/null");
            File::open(null).map_err(|e| engines::scratch::not_opened(null, e))?;
            engines::scratch::c_path(null)?
        }
    };
    Ok(Box::new(Open {
        path,
        wrong: 0,
        _scratch: scratch,
    }))
}

pub static EXPERIMENT: Experiment = Experiment {
    axes: &[files::axis(
        "what is opened: /dev/null, or a file in the page cache",
        &["dev_null", "cached_file"],
    )],
    parts: &[("latency", "time of one open and one close")],
    grids: |_, _| vec![Grid::new(100).words("file", &["dev_null", "cached_file"])],
    setup,
    claims: &[Claim {
        text: "Opening and closing a cached file stays under ten microseconds",
        check: |table| {
            let call = Quoted::latency(table.point(&[("file", "cached_file")])?)?;
            one(call.below(Quoted::limit(10_000.0, "ns")))
        },
    }],
    findings: |table, _| {
        let what = "Opening and closing a cached file";
        files::costs(table, &[("cached_file", "open_close", what)])
    },
    in_cycles: true,
    singly: true,
    ..Experiment::EMPTY
};

#[cfg(test)]
mod tests {
    use super::EXPERIMENT;
    use testbed::{context, point, word};

    #[test]
    fn both_files_open_and_no_descriptor_stays() {
        let (ctx, _keep) = context();
        for file in ["dev_null", "cached_file"] {
            let at = point("syscall/open", &[word("file", file)]);
            let mut subject = (EXPERIMENT.setup)(&at, &ctx).unwrap();
            // More pairs than a process may hold descriptors by default.
            subject.batch(0, 5000);
            assert_eq!(subject.verify(), Ok(()), "{file}");
        }
    }

    #[test]
    fn a_file_that_vanishes_is_reported() {
        let (ctx, _keep) = context();
        let at = point("syscall/open", &[word("file", "cached_file")]);
        let mut subject = (EXPERIMENT.setup)(&at, &ctx).unwrap();
        std::fs::remove_dir_all(&ctx.scratch).unwrap();
        subject.batch(0, 2);
        assert!(
            subject
                .verify()
                .unwrap_err()
                .to_string()
                .starts_with("2 of the open")
        );
    }
}
