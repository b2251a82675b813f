//! A new name or new tags for a run that is there: one field of its `run.json`.
//!
//! All other fields stay as they are, byte for byte: those of a newer program too, and the
//! schema version of an older one.

use crate::durable::replace_file;
use crate::error::RecordError;
use crate::head_file::HeadFile;
use crate::labels::Labels;
use crate::layout;
use crate::writer::held;
use serde::de::{MapAccess, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::{RawValue, to_raw_value};
use std::fmt;
use std::path::Path;

const FIELD: &str = "labels";
/// The field in front of it.
const BEFORE: &str = "state";

/// Changes the labels of the run in `folder`.
///
/// # Errors
/// A folder that is no run, a run that is being written, a file that cannot be replaced.
pub fn relabel(folder: &Path, change: impl FnOnce(&mut Labels)) -> Result<(), RecordError> {
    let _held = held(folder)?;
    let path = folder.join(layout::HEAD);
    let bytes = HeadFile::bytes(folder)?;
    let mut labels = HeadFile::parse(&path, &bytes)?.head.labels;
    change(&mut labels);
    let damaged = |cause: serde_json::Error| RecordError::damaged(&path, cause);
    let mut fields: Fields = serde_json::from_slice(&bytes).map_err(damaged)?;
    fields.set(&labels).map_err(damaged)?;
    let mut text = serde_json::to_vec_pretty(&fields).map_err(damaged)?;
    text.push(b'\n');
    replace_file(&path, &text)
}

/// Of an object, in their order, as they are written.
struct Fields(Vec<(String, Box<RawValue>)>);

impl Fields {
    fn set(&mut self, labels: &Labels) -> serde_json::Result<()> {
        self.0.retain(|(name, _)| name != FIELD);
        if labels.is_empty() {
            return Ok(());
        }
        let before = self.0.iter().position(|(name, _)| name == BEFORE);
        let at = before.map_or(0, |at| at + 1);
        let value = to_raw_value(labels)?;
        self.0.insert(at, (FIELD.to_owned(), value));
        Ok(())
    }
}

impl Serialize for Fields {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, value) in &self.0 {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for Fields {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Each;
        impl<'de> Visitor<'de> for Each {
            type Value = Fields;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Fields, A::Error> {
                let mut fields = Vec::new();
                while let Some(field) = map.next_entry()? {
                    fields.push(field);
                }
                Ok(Fields(fields))
            }
        }
        deserializer.deserialize_map(Each)
    }
}
