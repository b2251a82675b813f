//! Paths in a job and in a journal: text where they are text, else their bytes. JSON
//! has no other form for a folder whose name is not UTF-8.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Form {
    Text(String),
    Bytes(Vec<u8>),
}

impl Form {
    fn of(path: &Path) -> Self {
        match path.to_str() {
            Some(text) => Form::Text(text.to_owned()),
            None => Form::Bytes(path.as_os_str().as_bytes().to_vec()),
        }
    }

    fn path(self) -> PathBuf {
        match self {
            Form::Text(text) => text.into(),
            Form::Bytes(bytes) => OsString::from_vec(bytes).into(),
        }
    }
}

/// Text where the path is UTF-8, else a list of bytes.
pub fn serialize<S: Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
    Form::of(path).serialize(serializer)
}

/// Either form.
pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<PathBuf, D::Error> {
    Form::deserialize(deserializer).map(Form::path)
}

/// The same, for a path that may be missing.
pub mod option {
    use super::{Form, PathBuf};
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    /// Writes the path's bytes.
    pub fn serialize<S: Serializer>(
        path: &Option<PathBuf>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        path.as_deref().map(Form::of).serialize(serializer)
    }

    /// Reads a path of any bytes.
    pub fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<PathBuf>, D::Error> {
        let form: Option<Form> = Option::deserialize(deserializer)?;
        Ok(form.map(Form::path))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Line {
        #[serde(with = "super")]
        path: PathBuf,
    }

    #[test]
    fn every_path_comes_back_as_it_was_and_on_one_line() {
        for bytes in [&b"/tmp/q.dat"[..], b"/tmp/q\xff\n.dat", b"", b"\"\\\n"] {
            let path = OsString::from_vec(bytes.to_vec()).into();
            let line = Line { path };
            let text = serde_json::to_string(&line).unwrap();
            assert_eq!(text.lines().count(), 1);
            assert_eq!(serde_json::from_str::<Line>(&text).unwrap(), line);
        }
    }
}
