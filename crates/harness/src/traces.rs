//! Traces that are kept with the run. An experiment hands one over while it is
//! set up; what cannot be kept is noted with the point and ends nothing.

use crate::point::{Context, Point};
use record::TraceHead;
use std::cell::RefCell;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use trace::{Capture, CpuPages, Selection, TraceError};

/// A run stays something that can be copied: bytes of one trace, and of all.
const MOST_BYTES: u64 = 64 << 20;
const MOST_OF_RUN_BYTES: u64 = 256 << 20;
/// What a trace leaves on the file system.
const SPARE_BYTES: u64 = 32 << 20;

/// What a set-up kept.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Kept {
    pub traces: Vec<TraceHead>,
    /// What could not be kept, and why.
    pub notes: Vec<String>,
}

#[derive(Default)]
struct Desk {
    /// `sched-slice-12`: the point that is being set up.
    point: String,
    kept: Kept,
}

thread_local! {
    static DESK: RefCell<Desk> = RefCell::default();
}

impl Context {
    /// Keeps `capture` with the run and the point that is being set up, as
    /// `traces/EXPERIMENT-POINT-NAME.dat`: the report draws it, `pontage trace`
    /// reads it. Call it in set-up; it never fails, the point says what was not
    /// kept.
    pub fn keep_trace(&self, name: &str, capture: &Capture) {
        let Some(folder) = &self.traces else { return };
        DESK.with_borrow_mut(|desk| {
            let file = format!("{}{}.dat", desk.point, plain(name));
            match keep(folder, &file, capture, (MOST_BYTES, MOST_OF_RUN_BYTES)) {
                Ok(bytes) => desk.kept.traces.push(TraceHead { file, bytes }),
                Err(cause) => desk
                    .kept
                    .notes
                    .push(format!("its trace is not kept: {cause}")),
            }
        });
    }
}

/// The set-up of `point` begins.
pub(crate) fn begin(point: &Point) {
    let point = format!("{}-{}-", plain(&point.experiment), point.index);
    let kept = Kept::default();
    DESK.set(Desk { point, kept });
}

/// What was kept since it began.
pub(crate) fn taken() -> Kept {
    DESK.with_borrow_mut(|desk| std::mem::take(&mut desk.kept))
}

fn plain(name: &str) -> String {
    let letter = |c: char| match c.to_ascii_lowercase() {
        c if c.is_ascii_alphanumeric() => c,
        _ => '-',
    };
    name.chars().take(60).map(letter).collect()
}

/// Why a trace is not kept with the run.
#[derive(Debug, thiserror::Error)]
enum NotKept {
    #[error("{what} would take {mib} MiB, at most {most_mib} MiB are kept")]
    TooLarge {
        what: &'static str,
        mib: u64,
        most_mib: u64,
    },
    #[error("cannot create {}: {source}", folder.display())]
    Folder { folder: PathBuf, source: io::Error },
    #[error("{} has {free_mib} MiB left", folder.display())]
    NoSpace { folder: PathBuf, free_mib: u64 },
    #[error("{0}")]
    Trace(#[from] TraceError),
}

/// Keeps a capture as `file` in `folder`, its bytes; whole or not at all, so that a
/// reader never meets half a file. `most`: bytes of one trace, and of all of a run.
fn keep(folder: &Path, file: &str, capture: &Capture, most: (u64, u64)) -> Result<u64, NotKept> {
    let pages: u64 = capture.cpus.iter().map(CpuPages::len_bytes).sum();
    room("it", pages, most.0)?;
    files::output::folder(folder).map_err(|source| NotKept::Folder {
        folder: folder.to_owned(),
        source,
    })?;
    room(
        "with it all traces of the run",
        used(folder, file) + pages,
        most.1,
    )?;
    spare(folder, pages)?;
    let path = folder.join(file);
    // What describes the kernel's other events is larger than most recordings.
    let written = capture
        .trimmed()
        .and_then(|small| trace::cut(&small, &Selection::all(), &path));
    written?;
    Ok(fs::metadata(&path).map_or(pages, |m| m.len()))
}

fn room(what: &'static str, bytes: u64, most: u64) -> Result<(), NotKept> {
    let mib = |bytes: u64| bytes.div_ceil(1 << 20);
    match bytes > most {
        false => Ok(()),
        true => Err(NotKept::TooLarge {
            what,
            mib: mib(bytes),
            most_mib: mib(most),
        }),
    }
}

/// The record comes first: a trace never takes the last bytes.
fn spare(folder: &Path, pages: u64) -> Result<(), NotKept> {
    let Ok(free) = machine::medium::free_bytes(folder) else {
        return Ok(());
    };
    match free < pages + SPARE_BYTES {
        false => Ok(()),
        true => Err(NotKept::NoSpace {
            folder: folder.to_owned(),
            free_mib: free >> 20,
        }),
    }
}

/// Bytes of the other traces.
fn used(folder: &Path, file: &str) -> u64 {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let others = entries.filter(|entry| entry.file_name() != file);
    others
        .filter_map(|entry| Some(entry.metadata().ok()?.len()))
        .sum()
}

#[cfg(test)]
mod tests {
    use super::{begin, keep, taken};
    use crate::point::Point;
    use std::fs;
    use std::path::Path;
    use trace::{Capture, CpuPages, Head, Order};

    fn capture() -> Capture {
        let head = Head::empty(Order::Little, 8, 4096);
        Capture::new(head, vec![CpuPages::owned(0, vec![0; 3 * 4096])]).unwrap()
    }

    #[test]
    fn a_trace_is_kept_whole_and_can_be_opened() {
        let folder = tempfile::tempdir().unwrap();
        let traces = folder.path().join("traces");
        let bytes = keep(&traces, "a.dat", &capture(), (1 << 20, 1 << 20)).unwrap();
        let path = traces.join("a.dat");
        assert_eq!(fs::metadata(&path).unwrap().len(), bytes);
        assert_eq!(trace::file::open(&path).unwrap().cpus.len(), 1);
        // Measured again after a crash: the same name, not counted twice.
        keep(&traces, "a.dat", &capture(), (1 << 20, bytes)).unwrap();
        assert_eq!(fs::read_dir(&traces).unwrap().count(), 1);
    }

    #[test]
    fn what_is_too_large_is_not_kept_and_says_so() {
        let folder = tempfile::tempdir().unwrap();
        let refused = keep(folder.path(), "a.dat", &capture(), (4096, 1 << 20)).unwrap_err();
        assert_eq!(
            refused.to_string(),
            "it would take 1 MiB, at most 1 MiB are kept"
        );
        keep(folder.path(), "a.dat", &capture(), (1 << 20, 1 << 20)).unwrap();
        let refused = keep(folder.path(), "b.dat", &capture(), (1 << 20, 15_000)).unwrap_err();
        let refused = refused.to_string();
        assert!(refused.starts_with("with it all traces"), "{refused}");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_trace_leaves_room_for_the_record() {
        let folder = tempfile::tempdir().unwrap();
        assert!(machine::medium::free_bytes(folder.path()).unwrap() > 0);
        assert!(machine::medium::free_bytes(Path::new("/nonexistent/x")).is_err());
        let error = super::spare(folder.path(), u64::MAX / 2)
            .unwrap_err()
            .to_string();
        assert!(error.contains(" MiB left"), "{error}");
    }

    #[test]
    fn a_medium_that_refuses_leaves_nothing_half() {
        let refused = keep(
            Path::new("/dev/null/x"),
            "a.dat",
            &capture(),
            (1 << 20, 1 << 20),
        );
        assert!(
            refused
                .unwrap_err()
                .to_string()
                .starts_with("cannot create /dev/null/x: ")
        );
        let folder = tempfile::tempdir().unwrap();
        // A folder stands where the file should be.
        fs::create_dir(folder.path().join("a.dat")).unwrap();
        assert!(keep(folder.path(), "a.dat", &capture(), (1 << 20, 1 << 20)).is_err());
        assert!(!folder.path().join("a.dat.tmp").exists());
    }

    #[test]
    fn traces_belong_to_the_point_that_is_set_up() {
        let folder = tempfile::tempdir().unwrap();
        let mut context = crate::point::tests::context();
        let point = Point {
            index: 12,
            experiment: "sched/slice".to_owned(),
            settings: Vec::new(),
        };
        begin(&point);
        context.keep_trace("switches", &capture());
        assert_eq!(taken().traces, [], "a run that keeps none");
        context.traces = Some(folder.path().to_owned());
        context.keep_trace("The switches", &capture());
        context.traces = Some("/dev/null/x".into());
        context.keep_trace("b", &capture());
        let kept = taken();
        assert_eq!(kept.traces[0].file, "sched-slice-12-the-switches.dat");
        assert_eq!(kept.notes.len(), 1);
        assert_eq!(taken(), super::Kept::default());
    }
}
