//! Traces of the kernel, kept with the samples: files in `traces/`, listed with the
//! point that they were recorded for.

use crate::layout::TRACES;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// A trace.dat that is kept with a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TraceHead {
    /// File name inside `traces/`.
    pub file: String,
    pub bytes: u64,
}

impl TraceHead {
    /// Where it lies; None where its name leads out of the folder.
    pub fn path(&self, run: &Path) -> Option<PathBuf> {
        crate::run_id::check_id(&self.file).ok()?;
        Some(run.join(TRACES).join(&self.file))
    }
}

#[cfg(test)]
mod tests {
    use super::TraceHead;
    use std::path::Path;

    #[test]
    fn a_name_stays_in_its_folder() {
        let path = |file: &str| {
            let head = TraceHead {
                file: file.to_owned(),
                bytes: 1,
            };
            head.path(Path::new("/runs/a"))
        };
        assert_eq!(
            path("x.dat").as_deref(),
            Some(Path::new("/runs/a/traces/x.dat"))
        );
        for bad in ["", "..", "../x.dat", "/etc/passwd", "a/b.dat"] {
            assert_eq!(path(bad), None, "{bad}");
        }
    }
}
