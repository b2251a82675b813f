//! # syscall/stat - Asking about a file by its name
//!
//! What does it cost to find a file by its path and read its attributes, and
//! what does each further folder in the path add?
//!
//! ## Counts
//! One `newfstatat` of a file in the page and directory caches: the crossing,
//! copying the path in, walking its `depth` components from an open folder,
//! and copying the attributes out.
//!
//! ## Does not count
//! Anything read from a disk, the components above the starting folder (the
//! walk begins at an open descriptor), symbolic links, and the C library's
//! wrapper.
//!
//! ## Origin
//! lmbench `lat_syscall stat` (McVoy and Staelin, USENIX 1996); stat(2),
//! path_resolution(7); Documentation/filesystems/path-lookup.rst of the kernel.
//!
//! ## Theory
//! A path is walked one component at a time. For each the kernel hashes the
//! name, looks it up in the directory cache, compares, and checks the right to
//! search; while everything is cached it does so without taking a lock or a
//! reference. The cost should therefore be a straight line: a fixed part (the
//! crossing, the attributes) plus the same amount for every component.
//!
//! The published figures of other tools take one path of whatever length it
//! has. Here the walk starts at an open folder, so `depth` 1 is the file's name
//! alone, and the slope is the price of a component.

use analysis::claims::{Outcome, Quoted, all};
use analysis::compared;
use analysis::sentence::{between, estimated};
use analysis::{ExperimentTable, PointView};
use catalogue::{AxisSpec, Claim, Experiment, Figure, Grid};
use engines::scratch::{CachedFile, c_path};
use engines::verdict;
use harness::{Context, Fault, Point, SetupError, Subject};
use record::{Finding, Unit};
use std::ffi::CString;
use std::fs::File;
use std::mem::MaybeUninit;
use std::os::fd::AsRawFd;

/// Size of the file asked about: what verify looks for in the answer.
const FILE_BYTES: usize = 321;

struct Stat {
    folder: File,
    path: CString,
    answer: MaybeUninit<libc::stat>,
    wrong: u64,
    _scratch: CachedFile,
}

impl Stat {
    /// The raw call where the kernel's structure is the C library's; where a
    /// 32-bit C library converts it, its own function.
    #[inline]
    fn stat(&mut self) -> libc::c_long {
        // SAFETY: the path is NUL-terminated, the answer is a stat structure.
        #[cfg(all(target_pointer_width = "64", not(target_arch = "s390x")))]
        unsafe {
            libc::syscall(
                libc::SYS_newfstatat,
                self.folder.as_raw_fd(),
                self.path.as_ptr(),
                self.answer.as_mut_ptr(),
                0,
            )
        }
        // SAFETY: as above.
        #[cfg(not(all(target_pointer_width = "64", not(target_arch = "s390x"))))]
        unsafe {
            let (at, path) = (self.folder.as_raw_fd(), self.path.as_ptr());
            libc::c_long::from(libc::fstatat(at, path, self.answer.as_mut_ptr(), 0))
        }
    }
}

impl Subject for Stat {
    fn batch(&mut self, _part: u16, ops: u64) {
        for _ in 0..ops {
            let result = self.stat();
            self.wrong += u64::from(result != 0);
        }
    }

    fn verify(&mut self) -> Result<(), Fault> {
        self.answer = MaybeUninit::zeroed();
        self.batch(0, 1);
        verdict::none(self.wrong, "calls of stat failed")?;
        // SAFETY: zeroed above, so it is initialised whatever the call wrote.
        let size = unsafe { self.answer.assume_init_ref() }.st_size;
        let why = format!("stat reported {size} bytes of a file of {FILE_BYTES}");
        verdict::must(usize::try_from(size) == Ok(FILE_BYTES), why)
    }
}

fn setup(point: &Point, context: &Context) -> Result<Box<dyn Subject>, SetupError> {
    let depth = point.size("depth");
    if depth == 0 {
        return Err(SetupError::fail(
            "walk a path",
            "a path has at least depth 1",
        ));
    }
    let scratch = CachedFile::create(point, context, FILE_BYTES, depth)?;
    let folder = File::open(scratch.root())
        .map_err(|e| SetupError::fail(&format!("open {}", scratch.root().display()), e))?;
    let below = scratch
        .path()
        .strip_prefix(scratch.root())
        .map_err(|e| SetupError::fail("shorten the scratch path", e))?;
    Ok(Box::new(Stat {
        folder,
        path: c_path(below)?,
        answer: MaybeUninit::zeroed(),
        wrong: 0,
        _scratch: scratch,
    }))
}

/// Measured points by depth.
fn by_depth(table: &ExperimentTable) -> Vec<(i64, &PointView)> {
    let measured = table.measured([]);
    let mut points: Vec<_> = measured
        .filter_map(|p| Some((p.int("depth")?, p)))
        .collect();
    points.sort_by_key(|(depth, _)| *depth);
    points
}

/// Price of one component: the rise between the shallowest and the deepest
/// path, with the interval that the two ends' intervals allow.
fn component(table: &ExperimentTable) -> Option<Finding> {
    let points = by_depth(table);
    let ((d0, first), (d1, last)) = (points.first()?, points.last()?);
    let per = compared::rise(first, last, (d1 - d0) as f64)?;
    let text = format!(
        "Each further folder in a cached path adds {:.1} ns ({})",
        per.center,
        between(&per, 1)
    );
    Some(estimated("path_component", Unit::Nanoseconds, per, text))
}

/// Each deeper path takes longer.
fn rises(table: &ExperimentTable) -> Option<Outcome> {
    let points = by_depth(table);
    if points.len() < 2 {
        return None;
    }
    let time = |(_, point): &(i64, &PointView)| Quoted::latency(point);
    let deeper = points.windows(2);
    all(deeper.filter_map(|two| Some(time(&two[1])?.above(time(&two[0])?))))
}

pub static EXPERIMENT: Experiment = Experiment {
    axes: &[AxisSpec::number(
        "depth",
        Unit::Count,
        "components of the path, counted from an open folder",
    )],
    parts: &[("latency", "time of one call")],
    grids: |preset, _| {
        let depths: &[i64] = preset.choose(&[1, 2, 4, 8], &[1, 2, 3, 4, 6, 8, 12, 16, 24, 32]);
        vec![Grid::new(100).ints("depth", depths.iter().copied())]
    },
    setup,
    figures: || {
        let figure = Figure::of("Cost of stat by depth of the path", "depth", "latency");
        vec![figure.reading(
            "A straight line: its slope is the cost of one path component, its start at depth 1 \
             the cost of the call.",
        )]
    },
    claims: &[Claim {
        text: "Every further folder in the path makes stat slower",
        check: rises,
    }],
    findings: |table, _| {
        let shortest = by_depth(table).first().map(|(_, p)| *p);
        let what = "Asking for a cached file's attributes by name";
        let cost = compared::cost(shortest, "stat", what);
        cost.into_iter().chain(component(table)).collect()
    },
    in_cycles: true,
    singly: true,
    ..Experiment::EMPTY
};

#[cfg(test)]
mod tests {
    use super::{EXPERIMENT, component, rises};
    use crate::testing::table;
    use analysis::PointView;
    use testbed::{context, int, measured, point};

    fn at(depth: i64, ns: f64) -> PointView {
        measured("syscall/stat", &[int("depth", depth)], &[ns])
    }

    #[test]
    fn every_depth_finds_its_file() {
        let (ctx, _keep) = context();
        for depth in [1, 2, 8] {
            let point = point("syscall/stat", &[int("depth", depth)]);
            let mut subject = (EXPERIMENT.setup)(&point, &ctx).unwrap();
            subject.batch(0, 10);
            assert_eq!(subject.verify(), Ok(()), "depth {depth}");
        }
    }

    #[test]
    fn a_file_that_vanishes_is_reported() {
        let (ctx, _keep) = context();
        let mut subject =
            (EXPERIMENT.setup)(&point("syscall/stat", &[int("depth", 1)]), &ctx).unwrap();
        std::fs::remove_dir_all(&ctx.scratch).unwrap();
        subject.batch(0, 2);
        assert!(subject.verify().is_err());
    }

    #[test]
    fn depth_zero_is_refused() {
        let (ctx, _keep) = context();
        assert!((EXPERIMENT.setup)(&point("syscall/stat", &[int("depth", 0)]), &ctx).is_err());
    }

    #[test]
    fn slope_is_the_price_of_a_component() {
        let table = table(
            "syscall/stat",
            vec![at(8, 840.0), at(1, 700.0), at(4, 760.0)],
        );
        let value = component(&table).unwrap().value.unwrap();
        assert!((value - 20.0).abs() < 1e-9, "{value}");
        assert_eq!(rises(&table).unwrap().held(), Some(true));
    }

    #[test]
    fn one_depth_has_no_slope() {
        let table = table("syscall/stat", vec![at(1, 700.0)]);
        assert!(component(&table).is_none());
        assert!(rises(&table).is_none());
    }

    #[test]
    fn a_cheaper_deeper_path_breaks_the_claim() {
        let table = table("syscall/stat", vec![at(1, 700.0), at(2, 690.0)]);
        assert_eq!(rises(&table).unwrap().held(), Some(false));
    }
}
