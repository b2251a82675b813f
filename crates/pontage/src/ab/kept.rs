//! The folder of a comparison in turn: the runs of both sides, and ab.json.

use super::Subject;
use crate::failure::Failure;
use analysis::paired::Study;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// The name of the study in its folder.
const STUDY: &str = "ab.json";
/// That may begin in one second.
const AT_ONCE: u32 = 100;

pub struct Kept {
    folder: PathBuf,
}

impl Kept {
    /// Makes a new folder.
    ///
    /// # Errors
    /// Where it cannot be made.
    pub fn begin(out: &Path) -> Result<Kept, Failure> {
        let failed = |folder: &Path, e: std::io::Error| {
            Failure::new(format!("cannot create {}: {e}", folder.display()))
                .hint("choose a writable folder with --out DIR")
        };
        files::output::folder(out).map_err(|e| failed(out, e))?;
        let host = harness::card::card(&machine::read(Path::new("/"))).host;
        let id = format!("ab-{}", record::run_id(SystemTime::now(), &host));
        for number in 1..=AT_ONCE {
            let folder = match number {
                1 => out.join(&id),
                number => out.join(format!("{id}-{number}")),
            };
            match files::output::new_folder(&folder) {
                Ok(()) => return Ok(Kept { folder }),
                Err(e) if e.kind() == ErrorKind::AlreadyExists => {}
                Err(e) => return Err(failed(&folder, e)),
            }
        }
        let taken = std::io::Error::from(ErrorKind::AlreadyExists);
        Err(failed(&out.join(&id), taken))
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Has `subject` write its runs here.
    ///
    /// # Errors
    /// As it says.
    pub fn place(&self, subject: &mut dyn Subject) -> Result<(), Failure> {
        subject.place(&self.folder)
    }

    /// Removes the folder of a study without a block, unless a run of it is there.
    pub fn drop_empty(&self) {
        // What is not empty stays: that is what it asks the kernel.
        let _ = std::fs::remove_file(self.folder.join(STUDY));
        let _ = std::fs::remove_dir(&self.folder);
    }

    /// Replaces ab.json by the study as it stands.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn write(&self, study: &Study) -> Result<(), Failure> {
        let path = self.folder.join(STUDY);
        let text = serde_json::to_string_pretty(study)
            .map_err(|e| Failure::new(format!("cannot write JSON: {e}")))?;
        files::output::replace_own(&path, (text + "\n").as_bytes())
            .map_err(|e| Failure::new(format!("cannot write {}: {e}", path.display())))
    }
}
