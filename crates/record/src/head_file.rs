//! `run.json`: the head of a run and the list of its tables, in every schema
//! version there ever was.

use crate::durable::replace_file;
use crate::error::RecordError;
use crate::run::RunHead;
use crate::{SCHEMA_VERSION, layout};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::io;
use std::path::Path;

/// More is neither written nor read. A point takes some 600 bytes of it.
const LARGEST_HEAD_BYTES: u64 = 1 << 30;

/// A table of a closed run. Size and checksum tell a changed file from the one
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

/// What `run.json` holds.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct HeadFile {
    pub head: RunHead,
    /// Empty until the run is closed.
    pub tables: Vec<TableHead>,
    /// Tables of recorded copies, beside the samples of their experiments.
    pub copies: Vec<TableHead>,
}

impl HeadFile {
    /// Read the head of the run in `folder`.
    pub fn read(folder: &Path) -> Result<Self, RecordError> {
        let path = folder.join(layout::HEAD);
        let bytes = files::input::read(&path, LARGEST_HEAD_BYTES).map_err(|source| match source
            .kind()
        {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => missing(folder),
            _ => RecordError::io("read", &path, source),
        })?;
        Self::parse(&path, &bytes)
    }

    pub fn parse(path: &Path, bytes: &[u8]) -> Result<Self, RecordError> {
        let value: Value = serde_json::from_slice(bytes)
            .map_err(|cause| RecordError::damaged(path, format!("not JSON: {cause}")))?;
        let version = value
            .get("schema_version")
            .and_then(Value::as_u64)
            .ok_or_else(|| RecordError::not_a_run(path, "it has no schema_version"))?;
        let mut value = upgrade(path, value, version)?;
        let mut list = |name: &str| {
            let found = value.as_object_mut().and_then(|f| f.shift_remove(name));
            found
                .map_or(Ok(Vec::new()), serde_json::from_value)
                .map_err(|cause| RecordError::damaged(path, format!("{name}: {cause}")))
        };
        let (tables, copies) = (list("tables")?, list("copies")?);
        let head = serde_json::from_value(value).map_err(|e| RecordError::damaged(path, e))?;
        Ok(Self {
            head,
            tables,
            copies,
        })
    }

    /// Replace the head of the run in `folder`.
    pub fn write(&self, folder: &Path) -> Result<(), RecordError> {
        let path = folder.join(layout::HEAD);
        replace_file(&path, &self.encode(&path)?)
    }

    fn encode(&self, path: &Path) -> Result<Vec<u8>, RecordError> {
        let unstorable = |cause: serde_json::Error| RecordError::Unstorable {
            what: "the head of the run".into(),
            path: path.to_owned(),
            cause: cause.to_string(),
        };
        let mut value = serde_json::to_value(&self.head).map_err(unstorable)?;
        value["schema_version"] = SCHEMA_VERSION.into();
        value["tables"] = serde_json::to_value(&self.tables).map_err(unstorable)?;
        if !self.copies.is_empty() {
            value["copies"] = serde_json::to_value(&self.copies).map_err(unstorable)?;
        }
        let mut bytes = serde_json::to_vec_pretty(&value).map_err(unstorable)?;
        bytes.push(b'\n');
        if bytes.len() as u64 > LARGEST_HEAD_BYTES {
            return Err(RecordError::Unstorable {
                what: "the head of the run".into(),
                path: path.to_owned(),
                cause: format!(
                    "it has {} bytes, at most {LARGEST_HEAD_BYTES} are read again: \
                     measure fewer points in one run",
                    bytes.len()
                ),
            });
        }
        Ok(bytes)
    }
}

fn missing(folder: &Path) -> RecordError {
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

/// Bring a head of an older version to the current one, a version at a time.
fn upgrade(path: &Path, value: Value, found: u64) -> Result<Value, RecordError> {
    match found {
        // Version 1 is the first; later ones add `1 => upgrade(..., to_2(value), 2)`.
        v if v == u64::from(SCHEMA_VERSION) => Ok(value),
        0 => Err(RecordError::not_a_run(
            path,
            "schema version 0 never existed",
        )),
        _ => Err(RecordError::TooNew {
            path: path.to_owned(),
            found,
            known: SCHEMA_VERSION,
        }),
    }
}

/// Floats of a head that may be anything: JSON has no NaN or infinity and holds
/// null for them, which must not make the whole run unreadable.
pub(crate) mod float {
    use serde::{Deserialize, Deserializer};

    pub fn or_nan<'de, D: Deserializer<'de>>(from: D) -> Result<f64, D::Error> {
        Ok(Option::<f64>::deserialize(from)?.unwrap_or(f64::NAN))
    }
}
