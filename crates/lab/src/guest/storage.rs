//! What a guest writes to and finds again after the next boot: an NVDIMM and
//! disks, each a sparse file in the run's folder.

use crate::data::Scenario;
use crate::stop::{Stop, cannot};
use std::fs::File;
use std::path::{Path, PathBuf};

/// The files of a scenario's storage.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Storage {
    /// The file, and its size in MiB.
    pub nvdimm: Option<(PathBuf, u32)>,
    pub disks: Vec<PathBuf>,
}

impl Storage {
    /// Removes the files: what they hold has been judged.
    pub fn remove(&self) {
        let nvdimm = self.nvdimm.iter().map(|(path, _)| path);
        for path in nvdimm.chain(&self.disks) {
            // Left-overs cost space and nothing else.
            let _ = std::fs::remove_file(path);
        }
    }

    /// Makes the files of a scenario anew, empty.
    ///
    /// # Errors
    /// The folder cannot be written.
    pub fn make(scenario: &Scenario, folder: &Path) -> Result<Storage, Stop> {
        let make = |name: String, mib: u32| -> Result<PathBuf, Stop> {
            let path = folder.join(name);
            File::create(&path)
                .and_then(|file| file.set_len(u64::from(mib) << 20))
                .map_err(cannot("make", &path))?;
            Ok(path)
        };
        let nvdimm = scenario
            .nvdimm_mib
            .map(|mib| Ok((make("nvdimm.img".to_owned(), mib)?, mib)));
        let disks = scenario.disks_mib.iter().enumerate();
        Ok(Storage {
            nvdimm: nvdimm.transpose()?,
            disks: disks
                .map(|(i, mib)| make(format!("disk{i}.img"), *mib))
                .collect::<Result<_, _>>()?,
        })
    }
}
