//! What a list of runs shows of a run: the first fields of its `run.json`.
//!
//! A head may have a million points. They stand behind these fields, and are not read.

use crate::error::RecordError;
use crate::head_file::{known, missing};
use crate::labels::Labels;
use crate::layout;
use crate::open::state_now;
use crate::run::{RecipeHead, RunState};
use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, Visitor};
use std::fmt;
use std::io::{BufReader, ErrorKind, Read};
use std::path::{Path, PathBuf};

/// More than the fields in front of the points take.
const MOST_BYTES: u64 = 64 << 20;

/// The beginning of a run's head.
#[derive(Debug, Clone, PartialEq)]
pub struct BriefHead {
    pub id: String,
    /// RFC 3339.
    pub started_utc: String,
    pub recipe: RecipeHead,
    pub state: RunState,
    pub labels: Labels,
    pub machine: BriefMachine,
    /// `light`, `heavy`, `heavy-all`.
    pub load: String,
}

/// The machine that was measured.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
pub struct BriefMachine {
    pub host: String,
    pub cpu_model: String,
}

#[derive(Default)]
struct Found {
    schema_version: Option<u64>,
    id: Option<String>,
    started_utc: Option<String>,
    recipe: Option<RecipeHead>,
    state: Option<RunState>,
    labels: Labels,
    machine: Option<BriefMachine>,
    load: Option<Load>,
}

#[derive(Deserialize)]
struct Load {
    load: String,
}

/// Reads the beginning of the head of the run in `folder`.
///
/// # Errors
/// A folder that is no run, a newer schema, a head that is damaged this far.
pub fn read(folder: &Path) -> Result<BriefHead, RecordError> {
    let path = folder.join(layout::HEAD);
    let file = files::input::open(&path).map_err(|source| match source.kind() {
        ErrorKind::NotFound | ErrorKind::NotADirectory => missing(folder),
        _ => RecordError::io("read", &path, source),
    })?;
    let reader = BufReader::new(file.take(MOST_BYTES));
    let mut found = Found::default();
    let mut json = serde_json::Deserializer::from_reader(reader);
    let read = Fields(&mut found).deserialize(&mut json);
    if let Some(version) = found.schema_version {
        known(&path, version)?;
    }
    let damaged = |cause: &dyn fmt::Display| RecordError::damaged(&path, cause);
    match (found.head(folder), read) {
        (Some(head), _) => Ok(head),
        (None, Err(cause)) => Err(damaged(&cause)),
        (None, Ok(())) => Err(damaged(&"it is not the head of a run")),
    }
}

impl Found {
    fn is_whole(&self) -> bool {
        self.load.is_some() && self.machine.is_some() && self.state.is_some()
    }

    fn head(self, folder: &Path) -> Option<BriefHead> {
        self.schema_version?;
        Some(BriefHead {
            id: self.id?,
            started_utc: self.started_utc?,
            recipe: self.recipe?,
            state: state_now(folder, self.state?),
            labels: self.labels,
            machine: self.machine?,
            load: self.load?.load,
        })
    }
}

/// Takes what it knows and ends, by an error, as soon as it has all: behind that stand the points.
struct Fields<'a>(&'a mut Found);

impl<'de> DeserializeSeed<'de> for Fields<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Fields<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the head of a run")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let found = self.0;
        while let Some(name) = map.next_key::<String>()? {
            match name.as_str() {
                "schema_version" => found.schema_version = Some(map.next_value()?),
                "id" => found.id = Some(map.next_value()?),
                "started_utc" => found.started_utc = Some(map.next_value()?),
                "recipe" => found.recipe = Some(map.next_value()?),
                "state" => found.state = Some(map.next_value()?),
                "labels" => found.labels = map.next_value()?,
                "machine" => found.machine = Some(map.next_value()?),
                "conditions" => found.load = Some(map.next_value()?),
                _ => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
            if found.is_whole() {
                return Err(A::Error::custom("the rest is not read"));
            }
        }
        Ok(())
    }
}

/// A folder that holds a `run.json`, with the beginning of its head or why there is none.
#[derive(Debug)]
pub struct ListedBrief {
    pub folder: PathBuf,
    pub head: Result<BriefHead, RecordError>,
}

/// The runs in `parent`, in no order.
///
/// # Errors
/// When `parent` cannot be listed.
pub fn list(parent: &Path) -> Result<Vec<ListedBrief>, RecordError> {
    let failed = |source| RecordError::io("list", parent, source);
    let mut runs = Vec::new();
    for entry in std::fs::read_dir(parent).map_err(failed)? {
        let folder = entry.map_err(failed)?.path();
        if folder.join(layout::HEAD).exists() {
            let head = read(&folder);
            runs.push(ListedBrief { folder, head });
        }
    }
    Ok(runs)
}
