//! `run.json`: the head of a run and the list of its tables, in every schema
//! version there ever was.

use crate::durable::replace_file;
use crate::error::RecordError;
use crate::run::RunHead;
use crate::{SCHEMA_VERSION, layout, migrate};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::io;
use std::path::Path;

/// More is neither written nor read. A point takes some 600 bytes of it.
const LARGEST_HEAD_BYTES: u64 = 1 << 30;

/// A table of a closed run. Size and checksum show whether the file is the one
/// that was written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableHead {
    pub experiment: String,
    /// File name inside the run folder.
    pub file: String,
    pub rows: u64,
    pub bytes: u64,
    /// CRC-32 (IEEE) of the whole file.
    pub crc32: u32,
}

/// Of the machine's description, which may be any JSON; a machine of 2 CPUs has 12 KiB.
const LARGEST_MACHINE_BYTES: usize = 16 << 20;

/// What is looked at before the rest.
#[derive(Deserialize)]
struct Begin<'a> {
    schema_version: u64,
    #[serde(borrow)]
    machine_full: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Lists {
    #[serde(default)]
    tables: Vec<TableHead>,
    #[serde(default)]
    copies: Vec<TableHead>,
    #[serde(default)]
    summary: Option<TableHead>,
}

/// What `run.json` holds.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct HeadFile {
    pub head: RunHead,
    /// Empty until the run is closed.
    pub tables: Vec<TableHead>,
    /// Tables of recorded copies, next to the samples of their experiments.
    pub copies: Vec<TableHead>,
    /// The table of summaries; none of records of before there was one, and of imported ones.
    pub summary: Option<TableHead>,
}

impl HeadFile {
    /// Read the head of the run in `folder`.
    pub fn read(folder: &Path) -> Result<Self, RecordError> {
        Self::parse(&folder.join(layout::HEAD), &Self::bytes(folder)?)
    }

    /// The head of the run in `folder` as it is written.
    pub fn bytes(folder: &Path) -> Result<Vec<u8>, RecordError> {
        let path = folder.join(layout::HEAD);
        files::input::read(&path, LARGEST_HEAD_BYTES).map_err(|source| match source.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => missing(folder),
            _ => RecordError::io("read", &path, source),
        })
    }

    /// Each part is read as what it is: as JSON of any kind it would take 26 times its
    /// size.
    pub fn parse(path: &Path, bytes: &[u8]) -> Result<Self, RecordError> {
        let damaged = |cause: serde_json::Error| RecordError::damaged(path, cause);
        if bytes.trim_ascii_start().first() != Some(&b'{') {
            return Err(RecordError::damaged(
                path,
                "not JSON: it does not start with {",
            ));
        }
        let begin: Begin<'_> = serde_json::from_slice(bytes).map_err(|e| match e.is_data() {
            true => RecordError::not_a_run(path, "it has no schema_version"),
            false => RecordError::damaged(path, format!("not JSON: {e}")),
        })?;
        known(path, begin.schema_version)?;
        let machine_bytes = begin.machine_full.map_or(0, |text| text.get().len());
        if machine_bytes > LARGEST_MACHINE_BYTES {
            let cause = format!(
                "machine_full has {machine_bytes} bytes, at most {LARGEST_MACHINE_BYTES} are read"
            );
            return Err(RecordError::damaged(path, cause));
        }
        let Lists {
            tables,
            copies,
            summary,
        } = serde_json::from_slice(bytes).map_err(damaged)?;
        let mut head: RunHead = serde_json::from_slice(bytes).map_err(damaged)?;
        migrate::head(&mut head);
        head.schema_version = SCHEMA_VERSION;
        // serde takes room for four at least; most points have two.
        for point in &mut head.points {
            point.settings.shrink_to_fit();
        }
        Ok(Self {
            head,
            tables,
            copies,
            summary,
        })
    }

    /// Replace the head of the run in `folder`.
    pub fn write(&self, folder: &Path) -> Result<(), RecordError> {
        let path = folder.join(layout::HEAD);
        replace_file(&path, &self.encode(&path)?)
    }

    fn encode(&self, path: &Path) -> Result<Vec<u8>, RecordError> {
        let what = "the head of the run";
        let unstorable = |e: serde_json::Error| RecordError::unstorable(what, path, e);
        let mut value = serde_json::to_value(&self.head).map_err(unstorable)?;
        value["schema_version"] = SCHEMA_VERSION.into();
        value["tables"] = serde_json::to_value(&self.tables).map_err(unstorable)?;
        if !self.copies.is_empty() {
            value["copies"] = serde_json::to_value(&self.copies).map_err(unstorable)?;
        }
        if let Some(summary) = &self.summary {
            value["summary"] = serde_json::to_value(summary).map_err(unstorable)?;
        }
        let mut bytes = serde_json::to_vec_pretty(&value).map_err(unstorable)?;
        bytes.push(b'\n');
        if bytes.len() as u64 > LARGEST_HEAD_BYTES {
            let cause = format!(
                "it has {} bytes, at most {LARGEST_HEAD_BYTES} are read again: \
                 measure fewer points in one run",
                bytes.len()
            );
            return Err(RecordError::unstorable(what, path, cause));
        }
        Ok(bytes)
    }
}

pub(crate) fn missing(folder: &Path) -> RecordError {
    let cause = if !folder.exists() {
        "there is no such folder"
    } else if !folder.is_dir() {
        "it is not a folder"
    } else if folder.join(layout::STREAM).exists() {
        "it has no run.json (the run was interrupted before its first point)"
    } else {
        "it has no run.json"
    };
    RecordError::not_a_run(folder, cause)
}

/// Versions that this program reads.
pub(crate) fn known(path: &Path, found: u64) -> Result<(), RecordError> {
    match found {
        0 => Err(RecordError::not_a_run(
            path,
            "schema version 0 never existed",
        )),
        v if v <= u64::from(SCHEMA_VERSION) => Ok(()),
        _ => Err(RecordError::too_new(path, found, SCHEMA_VERSION)),
    }
}
