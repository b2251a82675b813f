//! The tables of a run, when it is closed.

use super::RunWriter;
use crate::describe::ExperimentHead;
use crate::durable::replace_file;
use crate::error::RecordError;
use crate::head_file::TableHead;
use crate::layout;
use crate::stream::{self, Points};
use crate::summary::SummaryRow;
use crate::table::{EncodedTable, encode_summary, encode_table};

impl RunWriter {
    pub(super) fn write_tables(&self) -> Result<Vec<TableHead>, RecordError> {
        let mut points = Points::default();
        stream::read_file(&self.folder, &mut |head, samples| points.add(head, samples))?;
        let head = &self.file.head;
        let table = |e: &ExperimentHead| {
            let own = points.0.values().filter(|(p, _)| p.experiment == e.id);
            let table = encode_table(head, e, own.map(|(p, s)| (p, &s[..])));
            self.store_table(&e.id, e.table_file(), table)
        };
        head.experiments.iter().map(table).collect()
    }

    /// Store what the points come to, in place of what was stored before; `close` lists it.
    ///
    /// # Errors
    /// A table that cannot be written.
    pub fn write_summary(&mut self, rows: &[SummaryRow]) -> Result<(), RecordError> {
        self.check_open()?;
        let table = encode_summary(&self.file.head, rows);
        self.file.summary = Some(self.store_table("all", layout::SUMMARY.to_owned(), table)?);
        Ok(())
    }

    pub(super) fn store_table(
        &self,
        experiment: &str,
        file: String,
        table: parquet::errors::Result<EncodedTable>,
    ) -> Result<TableHead, RecordError> {
        let path = self.folder.join(&file);
        let what = format!("the table of {experiment}");
        let table = table.map_err(|e| RecordError::unstorable(what, &path, e))?;
        replace_file(&path, &table.bytes)?;
        Ok(TableHead {
            experiment: experiment.to_owned(),
            file,
            rows: table.rows,
            bytes: table.bytes.len() as u64,
            crc32: crc32fast::hash(&table.bytes),
        })
    }
}
