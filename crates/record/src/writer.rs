//! Writing a run: append while measuring, tables when closed.

mod copies;
mod older;
mod tables;

use crate::append::Appender;
use crate::durable::{keep_cut_bytes, sync_folder_of};
use crate::error::RecordError;
use crate::head_file::HeadFile;
use crate::layout;
use crate::old_sample;
use crate::open::merge_stream;
use crate::own_files;
use crate::run::{PointHead, PointState, RunHead, RunState};
use crate::sample::Sample;
use crate::shared::Shared;
use crate::stream::{self, Recovery};
use files::output;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Runs that may begin in one second.
const AT_ONCE: u32 = 100;

/// Makes a folder that nobody else has; `id` becomes its name.
fn own_folder(parent: &Path, id: &mut String) -> Result<PathBuf, RecordError> {
    let asked = id.clone();
    for number in 2..=AT_ONCE {
        let folder = parent.join(&*id);
        match output::new_folder(&folder) {
            Ok(()) => return Ok(folder),
            Err(source) if source.kind() == std::io::ErrorKind::AlreadyExists => {
                *id = format!("{asked}-{number}");
            }
            Err(source) => return Err(RecordError::io("create", &folder, source)),
        }
    }
    Err(RecordError::Exists {
        path: parent.join(asked),
    })
}

/// The one writer of a run. Dropping it without [`RunWriter::close`] leaves a
/// run that opens as incomplete and can be resumed.
#[derive(Debug)]
pub struct RunWriter {
    folder: PathBuf,
    file: HeadFile,
    /// Of the head's points.
    places: HashMap<u32, usize>,
    stream: Appender<File>,
    /// Of the experiments that hand over copies while they go on.
    copies: BTreeMap<String, Appender<File>>,
    recovery: Recovery,
    closed: bool,
    /// The stream of an older schema that this one took the place of: its lock is held, for
    /// whoever opened it before.
    _older: Option<File>,
}

impl RunWriter {
    /// Make the folder `head.id` in `parent` (made too, if need be) and the
    /// files of an empty run. Where another run began in the same second the id
    /// gets a number: `-2`, `-3`.
    ///
    /// # Errors
    /// When there are too many of them, or something cannot be written.
    pub fn create(parent: &Path, mut head: RunHead) -> Result<Self, RecordError> {
        crate::run_id::check_id(&head.id)?;
        output::folder(parent).map_err(|e| RecordError::io("create", parent, e))?;
        loop {
            if let Some(made) = Self::create_once(parent, &mut head)? {
                return Ok(made);
            }
        }
    }

    /// `None`: another process took the empty folder for one of a killed run.
    fn create_once(parent: &Path, head: &mut RunHead) -> Result<Option<Self>, RecordError> {
        let folder = own_folder(parent, &mut head.id)?;
        let made = Self::begin(folder.clone(), head.clone());
        if made.is_ok() {
            return made.map(Some);
        }
        if !folder.exists() {
            return Ok(None);
        }
        // An empty folder would only be in the way of the next attempt.
        for name in [layout::STREAM, layout::HEAD] {
            let _ = fs::remove_file(folder.join(name));
        }
        let _ = fs::remove_dir(&folder);
        made.map(Some)
    }

    fn begin(folder: PathBuf, head: RunHead) -> Result<Self, RecordError> {
        let path = folder.join(layout::STREAM);
        let file = output::options()
            .append(true)
            .create_new(true)
            .open(&path)
            .map_err(|source| RecordError::io("create", &path, source))?;
        lock(&folder, &file)?;
        let writer = Self {
            stream: Appender::open(file, &path, 0, &stream::encode_header())?,
            copies: BTreeMap::new(),
            places: places(&head.points),
            file: HeadFile {
                head,
                tables: Vec::new(),
                copies: Vec::new(),
                summary: None,
            },
            folder,
            recovery: Recovery::default(),
            closed: false,
            _older: None,
        };
        writer.file.write(&writer.folder)?;
        sync_folder_of(&writer.folder)?;
        Ok(writer)
    }

    /// Go on with a run that was not completed. What the stream holds in whole
    /// frames stays; bytes behind the last whole frame are moved to
    /// `samples.stream.cut`, so that nothing is thrown away.
    ///
    /// # Errors
    /// When it is complete, another process writes it, or its files cannot be
    /// read or written.
    pub fn resume(folder: &Path) -> Result<Self, RecordError> {
        let mut file = HeadFile::read(folder)?;
        let path = folder.join(layout::STREAM);
        let refuse = |cause: &str| RecordError::NotResumable {
            path: folder.to_owned(),
            cause: cause.into(),
        };
        if file.head.state == RunState::Complete {
            return Err(refuse("it is complete"));
        }
        if !path.exists() {
            return Err(refuse("its samples.stream is missing"));
        }
        own_files::check(folder)?;
        let mut stream = output::open_own(output::options().read(true).append(true), &path)
            .map_err(|source| RecordError::io("open", &path, source))?;
        lock(folder, &stream)?;
        if !path.exists() {
            return Err(refuse("it was completed just now"));
        }
        let recovery = merge_stream(folder, &mut file.head)?;
        if recovery.dropped_bytes > 0 {
            keep_cut_bytes(&path, &mut stream, recovery.kept_bytes)?;
        }
        let (mut older, mut whole_bytes) = (None, recovery.kept_bytes);
        if (1..old_sample::LATER).contains(&recovery.version) {
            older = Some(std::mem::replace(&mut stream, older::rewritten(folder)?));
            let length = stream.metadata().map(|m| m.len());
            whole_bytes = length.map_err(|source| RecordError::io("read", &path, source))?;
        }
        file.head.state = RunState::Running;
        file.head.ended_utc = None;
        // What was summarised lacks what will be measured.
        file.summary = None;
        let header = stream::encode_header();
        let stream = Appender::open(stream, &path, whole_bytes, &header)?;
        file.write(folder)?;
        Ok(Self {
            folder: folder.to_owned(),
            places: places(&file.head.points),
            file,
            stream,
            copies: BTreeMap::new(),
            recovery,
            closed: false,
            _older: older,
        })
    }

    /// The run's folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The head as last written, points in the state the stream says.
    pub fn head(&self) -> &RunHead {
        &self.file.head
    }

    /// What a resumed run's stream held.
    pub fn recovery(&self) -> &Recovery {
        &self.recovery
    }

    /// Indexes of the points that need not be measured again.
    pub fn done(&self) -> BTreeSet<u32> {
        let points = self.file.head.points.iter();
        let done = points.filter(|p| p.state == PointState::Done);
        done.map(|p| p.index).collect()
    }

    /// Store one point with its samples (none for skipped and failed points).
    /// Survives kill -9 once this has returned. Several calls for one point add
    /// up; only what a `Failed` attempt left is superseded.
    ///
    /// # Errors
    /// The point is then not stored and everything before it is; the call may
    /// be repeated, for instance after space was made.
    pub fn append_point(
        &mut self,
        point: &PointHead,
        samples: &[Sample],
    ) -> Result<(), RecordError> {
        self.check_open()?;
        let unstorable = |cause: &dyn std::fmt::Display| {
            let what = format!("point {} of {}", point.index, point.experiment);
            RecordError::unstorable(what, &self.folder, cause)
        };
        let mut experiments = self.file.head.experiments.iter();
        if !experiments.any(|e| e.id == point.experiment) {
            return Err(unstorable(&"the run has no such experiment"));
        }
        let payload = stream::encode_point(point, samples).map_err(|e| unstorable(&e))?;
        self.stream.append(&payload)?;
        let points = &mut self.file.head.points;
        match self.places.get(&point.index) {
            Some(at) => points[*at].take(point),
            None => {
                self.places.insert(point.index, points.len());
                points.push(point.clone().into());
            }
        }
        Ok(())
    }

    /// Replace `run.json`, atomically. Points that the new head leaves pending
    /// keep the state of what was appended.
    ///
    /// # Errors
    /// The old `run.json` then stays.
    pub fn update_head(&mut self, head: &RunHead) -> Result<(), RecordError> {
        self.check_open()?;
        self.take_head(head.clone());
        // The head must not say of a point that it is done before it is durable.
        self.sync()?;
        self.file.write(&self.folder)
    }

    /// Make everything appended so far durable against a power cut; appending
    /// does this by itself about once a second.
    ///
    /// # Errors
    /// What the medium says.
    pub fn sync(&mut self) -> Result<(), RecordError> {
        self.check_open()?;
        self.copies.values_mut().try_for_each(Appender::sync)?;
        self.stream.sync()
    }

    /// Write the tables and the final head. Of a complete run the stream is
    /// then removed; of an incomplete one it stays, for [`RunWriter::resume`].
    /// A head that says `Complete` while points are pending, or `Running`, is
    /// stored as incomplete.
    ///
    /// # Errors
    /// The stream then stays, and closing may be repeated.
    pub fn close(&mut self, head: RunHead) -> Result<(), RecordError> {
        self.check_open()?;
        self.take_head(head);
        self.file.head.state = honest_state(&self.file.head);
        self.sync()?;
        let complete = self.file.head.state == RunState::Complete;
        if !complete {
            // The head is small and matters most: first, in case space ends with the tables.
            self.file.write(&self.folder)?;
        }
        self.file.tables = self.write_tables()?;
        self.close_copies()?;
        self.file.write(&self.folder)?;
        self.closed = true;
        self.remove_copies_streams()?;
        if complete {
            let path = self.folder.join(layout::STREAM);
            fs::remove_file(&path).map_err(|e| RecordError::io("remove", &path, e))?;
            sync_folder_of(&path)?;
        }
        Ok(())
    }

    fn take_head(&mut self, mut head: RunHead) {
        let mut places = places(&head.points);
        for known in &self.file.head.points {
            match places.get(&known.index).map(|at| &mut head.points[*at]) {
                Some(point) if point.state == PointState::Pending => point.clone_from(known),
                Some(_) => {}
                None => {
                    places.insert(known.index, head.points.len());
                    head.points.push(known.clone());
                }
            }
        }
        self.places = places;
        head.id.clone_from(&self.file.head.id);
        self.file.head = head;
    }

    fn check_open(&self) -> Result<(), RecordError> {
        if self.closed {
            let path = self.folder.clone();
            return Err(RecordError::Closed { path });
        }
        Ok(())
    }
}

/// Where points stand, by their index: a head may have a million. The first of an index
/// counts, in a head that another program wrote too.
fn places(points: &[Shared<PointHead>]) -> HashMap<u32, usize> {
    let mut places = HashMap::new();
    for (at, point) in points.iter().enumerate() {
        places.entry(point.index).or_insert(at);
    }
    places
}

/// `Complete` only where every point has an outcome.
fn honest_state(head: &RunHead) -> RunState {
    let pending = head
        .points
        .iter()
        .filter(|p| p.state == PointState::Pending)
        .count();
    let reason = match &head.state {
        RunState::Complete if pending == 0 => return RunState::Complete,
        RunState::Complete => format!("{pending} points were not measured"),
        RunState::Running => "closed before its end".to_owned(),
        RunState::Incomplete { reason } => reason.clone(),
    };
    RunState::Incomplete { reason }
}

/// Takes a run that is not to be measured any further, as long as what is returned lives; a
/// complete one has nothing to be taken by.
pub(crate) fn held(folder: &Path) -> Result<Option<File>, RecordError> {
    let path = folder.join(layout::STREAM);
    match files::input::open(&path) {
        Ok(stream) => lock(folder, &stream).map(|()| Some(stream)),
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(RecordError::io("open", &path, source)),
    }
}

/// Take the run for this process. A reader that looks whether the run is alive
/// holds the lock for microseconds, and a program that is just being started until it
/// executes: one refusal is not the last word, but a second of them is.
fn lock(folder: &Path, stream: &File) -> Result<(), RecordError> {
    for _ in 0..200 {
        match stream.try_lock() {
            Ok(()) => return Ok(()),
            Err(TryLockError::WouldBlock) => std::thread::sleep(Duration::from_millis(5)),
            // A file system without locks (some network ones): nothing to hold.
            Err(TryLockError::Error(e)) if e.kind() == std::io::ErrorKind::Unsupported => {
                return Ok(());
            }
            Err(TryLockError::Error(source)) => {
                let path = folder.join(layout::STREAM);
                return Err(RecordError::io("lock", &path, source));
            }
        }
    }
    Err(RecordError::Locked {
        path: folder.to_owned(),
    })
}
