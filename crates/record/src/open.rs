//! Opening a run: closed, being written, or left behind by a crash.

use crate::copies::RecordedCopy;
use crate::copies_stream;
use crate::describe::ExperimentHead;
use crate::error::RecordError;
use crate::head_file::{HeadFile, TableHead};
use crate::layout;
use crate::migrate;
use crate::run::{PointState, RunHead, RunState};
use crate::sample::SamplesByPoint;
use crate::stream::{self, Points, Recovery};
use crate::summary::SummaryRow;
use crate::table::{encode_copies, encode_table, read_copies, read_summary, read_table};
use parquet::errors::ParquetError;
use std::collections::BTreeMap;
use std::fs::{self, TryLockError};
use std::path::{Path, PathBuf};

/// A run as it lies on disk. Reading never changes the folder.
#[derive(Debug, Clone)]
pub struct Run {
    folder: PathBuf,
    file: HeadFile,
    /// What the stream held; None where the samples are in tables.
    recovery: Option<Recovery>,
}

impl Run {
    /// Open the run in `folder` (its `run.json` is accepted too).
    ///
    /// A run whose program died opens as `Incomplete`, its points `Done` as far
    /// as the stream holds them; see [`Run::recovery`].
    ///
    /// # Errors
    /// A folder that is no run, a newer schema, damaged or unreadable files.
    pub fn open(folder: &Path) -> Result<Self, RecordError> {
        let folder = match (folder.file_name(), folder.parent()) {
            (Some(name), Some(parent)) if name == layout::HEAD => parent,
            _ => folder,
        };
        let mut file = HeadFile::read(folder)?;
        let head = &mut file.head;
        let streamed = folder.join(layout::STREAM).exists();
        let recovery = match streamed && head.state != RunState::Complete {
            true => Some(merge_stream(folder, head)?),
            false => None,
        };
        head.state = state_now(folder, head.state.clone());
        Ok(Self {
            folder: folder.to_owned(),
            file,
            recovery,
        })
    }

    /// The run's folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// What the run was, from its head file.
    pub fn head(&self) -> &RunHead {
        &self.file.head
    }

    /// What the stream held, where the samples come from the stream.
    pub fn recovery(&self) -> Option<&Recovery> {
        self.recovery.as_ref()
    }

    /// Samples of an experiment by point index, in the order they were taken.
    /// Points without samples (skipped, failed, pending) have no entry.
    ///
    /// # Errors
    /// An experiment that the run does not hold; a missing, changed or damaged
    /// table.
    pub fn samples(&self, experiment: &str) -> Result<SamplesByPoint, RecordError> {
        self.experiment(experiment)?;
        if self.recovery.is_some() {
            return self.streamed_samples(experiment);
        }
        let (path, bytes) = self.checked_table(self.table(experiment)?)?;
        read_table(&path, bytes)
    }

    /// Samples of all experiments by id, of a run that has only its stream yet: read once, where
    /// [`Run::samples`] reads all of it for each experiment. None of a run that has tables.
    ///
    /// # Errors
    /// A stream that is missing or no such stream.
    pub fn streamed(&self) -> Result<Option<BTreeMap<String, SamplesByPoint>>, RecordError> {
        if self.recovery.is_none() {
            return Ok(None);
        }
        let mut points = Points::default();
        stream::read_file(&self.folder, &mut |head, samples| points.add(head, samples))?;
        let mut all: BTreeMap<String, SamplesByPoint> = BTreeMap::new();
        for (index, (head, samples)) in points.0 {
            if !samples.is_empty() {
                all.entry(head.experiment)
                    .or_default()
                    .insert(index, samples);
            }
        }
        Ok(Some(all))
    }

    /// The Parquet file of an experiment's samples: as it was written, checked
    /// against the checksum in `run.json`, or made from the stream of a run that
    /// is not complete.
    ///
    /// # Errors
    /// As [`Run::samples`].
    pub fn table_bytes(&self, experiment: &str) -> Result<Vec<u8>, RecordError> {
        let head = self.experiment(experiment)?;
        if self.recovery.is_none() {
            return Ok(self.checked_table(self.table(experiment)?)?.1);
        }
        let samples = self.streamed_samples(experiment)?;
        let points = self.file.head.points.iter();
        let rows = points.filter_map(|p| Some((&**p, samples.get(&p.index)?.as_slice())));
        encode_table(&self.file.head, head, rows)
            .map(|table| table.bytes)
            .map_err(|e| self.unstorable("table", experiment, e))
    }

    /// The summaries that were written when the run was closed; None of runs of before
    /// there were any, and of those that were not closed.
    ///
    /// # Errors
    /// A table that is missing, changed or damaged.
    pub fn summary(&self) -> Result<Option<Vec<SummaryRow>>, RecordError> {
        let Some(table) = self.file.summary.as_ref() else {
            return Ok(None);
        };
        let (path, bytes) = self.checked_table(table)?;
        read_summary(&path, bytes).map(Some)
    }

    /// The copies that an experiment recorded, in the order they were stored;
    /// None where it stored none. Those of a run that was not closed are read
    /// from their stream, as far as it is whole.
    ///
    /// # Errors
    /// A table that is missing, changed or damaged.
    pub fn copies(&self, experiment: &str) -> Result<Option<Vec<RecordedCopy>>, RecordError> {
        if let Some(table) = self.copies_table(experiment) {
            let (path, bytes) = self.checked_table(table)?;
            return read_copies(&path, bytes).map(Some);
        }
        let Some(path) = self.copies_stream(experiment) else {
            return Ok(None);
        };
        let mut all = Vec::new();
        copies_stream::read(&path, &mut |copies| {
            all.extend(copies);
            Ok(())
        })?;
        Ok(Some(all))
    }

    /// The Parquet file of the copies that an experiment recorded: as it was
    /// written, or made from the stream of a run that was not closed. None where
    /// it stored none.
    ///
    /// # Errors
    /// As [`Run::copies`].
    pub fn copies_bytes(&self, experiment: &str) -> Result<Option<Vec<u8>>, RecordError> {
        if let Some(table) = self.copies_table(experiment) {
            return Ok(Some(self.checked_table(table)?.1));
        }
        let Some(copies) = self.copies(experiment)? else {
            return Ok(None);
        };
        encode_copies(&self.file.head, experiment, &copies)
            .map(|table| Some(table.bytes))
            .map_err(|e| self.unstorable("copies", experiment, e))
    }

    fn unstorable(&self, what: &str, experiment: &str, cause: ParquetError) -> RecordError {
        RecordError::unstorable(format!("the {what} of {experiment}"), &self.folder, cause)
    }

    fn copies_table(&self, experiment: &str) -> Option<&TableHead> {
        self.file.copies.iter().find(|t| t.experiment == experiment)
    }

    fn copies_stream(&self, experiment: &str) -> Option<PathBuf> {
        let head = self.experiment(experiment).ok()?;
        let path = self.folder.join(head.copies_stream_file());
        path.exists().then_some(path)
    }

    fn experiment(&self, id: &str) -> Result<&ExperimentHead, RecordError> {
        self.file.head.experiment(&self.folder, id)
    }

    fn table(&self, experiment: &str) -> Result<&TableHead, RecordError> {
        let found = self.file.tables.iter().find(|t| t.experiment == experiment);
        found.ok_or_else(|| {
            let cause =
                format!("it names no table of {experiment}, and there is no samples.stream");
            RecordError::damaged(&self.folder.join(layout::HEAD), cause)
        })
    }

    fn checked_table(&self, table: &TableHead) -> Result<(PathBuf, Vec<u8>), RecordError> {
        let path = self.folder.join(plain_file(&self.folder, &table.file)?);
        let io = |source| RecordError::io("read", &path, source);
        let file = files::input::open(&path).map_err(io)?;
        // What run.json says is held against what is there before it is read.
        let there = file.metadata().map_err(io)?.len();
        if there != table.bytes {
            let cause = format!("it has {there} bytes, {} were written", table.bytes);
            return Err(RecordError::damaged(&path, cause));
        }
        let bytes = files::input::read_from(file, there).map_err(io)?;
        if crc32fast::hash(&bytes) != table.crc32 {
            return Err(RecordError::damaged(&path, "checksum mismatch"));
        }
        Ok((path, bytes))
    }

    fn streamed_samples(&self, experiment: &str) -> Result<SamplesByPoint, RecordError> {
        let mut points = Points::default();
        stream::read_file(&self.folder, &mut |head, samples| {
            if head.experiment == experiment {
                points.add(head, samples);
            }
        })?;
        Ok(points.into_samples())
    }
}

/// A table's name must not lead out of the run folder.
fn plain_file<'a>(folder: &Path, file: &'a str) -> Result<&'a str, RecordError> {
    crate::run_id::check_id(file).map(|()| file).map_err(|_| {
        let cause = format!("table name {file:?} leads out of the folder");
        RecordError::damaged(&folder.join(layout::HEAD), cause)
    })
}

/// Bring what the stream says of the points into the head: for those it holds,
/// the stream is right; a point marked as done that it does not hold (a damaged
/// frame) has to be measured again.
pub(crate) fn merge_stream(folder: &Path, head: &mut RunHead) -> Result<Recovery, RecordError> {
    let mut points = Points::default();
    let recovery = stream::read_file(folder, &mut |point, _| points.add(point, Vec::new()))?;
    for known in &mut head.points {
        match points.0.remove(&known.index) {
            Some((point, _)) => *known = point.into(),
            None if known.state == PointState::Done => known.state = PointState::Pending,
            None => {}
        }
    }
    head.points
        .extend(points.0.into_values().map(|(point, _)| point.into()));
    migrate::head(head);
    Ok(recovery)
}

/// A run that says it is running may have been left behind.
pub(crate) fn state_now(folder: &Path, state: RunState) -> RunState {
    if state != RunState::Running {
        return state;
    }
    let streamed = folder.join(layout::STREAM).exists();
    let reason = match streamed {
        true if is_locked(folder) => return state,
        true => {
            "the measuring program ended without closing the run (killed, crashed or power lost)"
        }
        false => "the run was not closed and its samples.stream is missing",
    };
    RunState::Incomplete {
        reason: reason.into(),
    }
}

/// Whether a living process writes the run.
fn is_locked(folder: &Path) -> bool {
    files::input::open(&folder.join(layout::STREAM))
        .is_ok_and(|file| matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)))
}

/// A folder that holds a `run.json`.
#[derive(Debug)]
pub struct ListedRun {
    pub folder: PathBuf,
    /// Why it cannot be opened, where it cannot.
    pub head: Result<RunHead, RecordError>,
}

/// The runs in `parent`, oldest first. Folders without `run.json` are not runs
/// and are left out.
///
/// # Errors
/// When `parent` cannot be listed.
pub fn list_runs(parent: &Path) -> Result<Vec<ListedRun>, RecordError> {
    let failed = |source| RecordError::io("list", parent, source);
    let mut runs = Vec::new();
    for entry in fs::read_dir(parent).map_err(failed)? {
        let folder = entry.map_err(failed)?.path();
        if folder.join(layout::HEAD).exists() {
            let head = Run::open(&folder).map(|run| run.file.head);
            runs.push(ListedRun { folder, head });
        }
    }
    runs.sort_by(|a, b| a.folder.cmp(&b.folder));
    Ok(runs)
}
