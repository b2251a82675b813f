//! Recorded copies: appended while they come, a table when the run is closed.

use super::RunWriter;
use crate::append::Appender;
use crate::copies::RecordedCopy;
use crate::copies_stream;
use crate::durable::sync_folder_of;
use crate::error::RecordError;
use crate::head_file::TableHead;
use crate::layout;
use crate::table::{CopiesTable, encode_copies};
use std::fs;
use std::path::PathBuf;

impl RunWriter {
    /// Store the copies that `experiment` recorded, whole: what an earlier call
    /// stored for it is replaced. They are durable once this has returned, and
    /// are kept next to the experiment's samples.
    ///
    /// # Errors
    /// An experiment that the run does not have; a table that cannot be written.
    pub fn write_copies(
        &mut self,
        experiment: &str,
        copies: &[RecordedCopy],
    ) -> Result<(), RecordError> {
        self.check_open()?;
        self.copies_stream(experiment)?;
        let table = encode_copies(&self.file.head, experiment, copies);
        self.list_copies(experiment, table)?;
        self.file.write(&self.folder)
    }

    /// Add copies to those that `experiment` handed over before. They survive
    /// kill -9 once this has returned, a power cut about a second later, and
    /// become a table when the run is closed.
    ///
    /// # Errors
    /// An experiment that the run does not have, or whose table stands already;
    /// a medium that refuses. Copies before stay.
    pub fn append_copies(
        &mut self,
        experiment: &str,
        copies: &[RecordedCopy],
    ) -> Result<(), RecordError> {
        self.check_open()?;
        let path = self.copies_stream(experiment)?;
        if self.file.copies.iter().any(|t| t.experiment == experiment) {
            let what = format!("copies of {experiment}");
            let cause = "their table is written already";
            return Err(RecordError::unstorable(what, &self.folder, cause));
        }
        if !self.copies.contains_key(experiment) {
            let stream = copies_stream::open(&path)?;
            sync_folder_of(&path)?;
            self.copies.insert(experiment.to_owned(), stream);
        }
        let stream = self.copies.get_mut(experiment);
        stream.map_or(Ok(()), |s: &mut Appender<_>| {
            copies_stream::append(s, &path, copies)
        })
    }

    /// Where an experiment's copies wait for the end of the run.
    fn copies_stream(&self, experiment: &str) -> Result<PathBuf, RecordError> {
        let known = self.file.head.experiment(&self.folder, experiment)?;
        Ok(self.folder.join(known.copies_stream_file()))
    }

    /// Streams become tables, those that a resumed run found as well.
    pub(super) fn close_copies(&mut self) -> Result<(), RecordError> {
        let experiments = self.file.head.experiments.iter();
        let ids: Vec<String> = experiments.map(|e| e.id.clone()).collect();
        for id in ids {
            let path = self.copies_stream(&id)?;
            let has_table = self.file.copies.iter().any(|t| t.experiment == id);
            if has_table || !path.exists() {
                continue;
            }
            let unstorable = |e: parquet::errors::ParquetError| {
                RecordError::unstorable(format!("the copies of {id}"), &path, e)
            };
            let mut table = CopiesTable::begin(&self.file.head, &id).map_err(unstorable)?;
            copies_stream::read(&path, &mut |copies| table.push(copies).map_err(unstorable))?;
            self.list_copies(&id, table.end())?;
        }
        Ok(())
    }

    /// Once `run.json` lists their tables. Damaged bytes are kept.
    pub(super) fn remove_copies_streams(&mut self) -> Result<(), RecordError> {
        self.copies.clear();
        for experiment in &self.file.head.experiments {
            let path = self.folder.join(experiment.copies_stream_file());
            if path.exists() && copies_stream::read(&path, &mut |_| Ok(()))?.is_clean() {
                fs::remove_file(&path).map_err(|e| RecordError::io("remove", &path, e))?;
                sync_folder_of(&path)?;
            }
        }
        Ok(())
    }

    fn list_copies(
        &mut self,
        experiment: &str,
        table: parquet::errors::Result<crate::table::EncodedTable>,
    ) -> Result<(), RecordError> {
        let file = layout::copies_file(experiment);
        let stored: TableHead = self.store_table(experiment, file, table)?;
        self.file.copies.retain(|t| t.experiment != experiment);
        self.file.copies.push(stored);
        Ok(())
    }
}
