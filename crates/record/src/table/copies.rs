//! The table of recorded copies: a row for each.

use super::column_reader::TableFault;
use super::key;
use super::read::{check_version, each_group};
use super::stored::Stored::{self, OptText, Word};
use super::stored::field;
use super::write::{EncodedTable, Field, ROWS_PER_GROUP, TableFile, properties};
use crate::copies::{CopyOperation, Engine, RecordedCopy};
use crate::error::RecordError;
use crate::run::RunHead;
use parquet::errors::Result;
use std::path::Path;

/// Raised when a reader of the version before would misread the new one.
/// 2: copies through an iov_iter, and the process. 3: the process has the name `pid`, because
/// tables of samples number the processes that measured under the old one.
pub(crate) const VERSION: u32 = 3;

static COLUMNS: [(&str, Stored<RecordedCopy>); 13] = [
    (
        "operation",
        Word(
            |c| c.operation.name(),
            |c, word| CopyOperation::named(word).map(|o| c.operation = o),
        ),
    ),
    ("ring", field!(U32, ring)),
    ("sequence", field!(U64, sequence)),
    ("size_bytes", field!(Size, size_bytes)),
    ("cpu_start", field!(U32, cpu_start)),
    ("cpu_end", field!(OptU32, cpu_end)),
    ("t0_ns", field!(U64, t0_ns)),
    ("t1_ns", field!(U64, t1_ns)),
    ("caller", field!(U64, caller)),
    (
        "symbol",
        OptText(|c| c.symbol.as_deref(), |c, text| c.symbol = text),
    ),
    (
        "engine",
        Word(
            |c| c.engine.name(),
            |c, word| Engine::named(word).map(|e| c.engine = e),
        ),
    ),
    ("not_copied_bytes", field!(OptU64, not_copied_bytes)),
    (PID, field!(OptU32, process)),
];
const PID: &str = "pid";
/// Its name in version 2; version 1 has none.
const PROCESS: &str = "process";

/// A table in the making, in the order the copies are given: it holds those of
/// one row group, not all of them.
pub(crate) struct CopiesTable {
    file: TableFile<'static>,
    waiting: Vec<RecordedCopy>,
}

impl CopiesTable {
    /// An empty table of the copies of `experiment`.
    pub fn begin(run: &RunHead, experiment: &str) -> Result<Self> {
        let version = Some((key::COPIES_VERSION, VERSION.to_string()));
        let fields = COLUMNS.iter().map(|(name, column)| Field {
            name,
            kind: column.kind(),
            nullable: column.is_nullable(),
        });
        let file = TableFile::begin("copies", fields, properties(run, experiment, version))?;
        Ok(CopiesTable {
            file,
            waiting: Vec::new(),
        })
    }

    /// Adds copies; whole row groups are written at once.
    pub fn push(&mut self, copies: Vec<RecordedCopy>) -> Result<()> {
        self.waiting.extend(copies);
        while self.waiting.len() >= ROWS_PER_GROUP {
            let later = self.waiting.split_off(ROWS_PER_GROUP);
            let group = std::mem::replace(&mut self.waiting, later);
            self.write(&group)?;
        }
        Ok(())
    }

    /// Writes the rest; the finished file.
    pub fn end(mut self) -> Result<EncodedTable> {
        let last = std::mem::take(&mut self.waiting);
        if !last.is_empty() {
            self.write(&last)?;
        }
        self.file.end()
    }

    fn write(&mut self, group: &[RecordedCopy]) -> Result<()> {
        let cell = |row: usize, column: usize| COLUMNS[column].1.cell(&group[row]);
        self.file.group(group.len(), &cell)
    }
}

/// The table of `copies`, in the order given.
pub(crate) fn encode_copies(
    run: &RunHead,
    experiment: &str,
    copies: &[RecordedCopy],
) -> Result<EncodedTable> {
    let mut table = CopiesTable::begin(run, experiment)?;
    for group in copies.chunks(ROWS_PER_GROUP) {
        table.write(group)?;
    }
    table.end()
}

/// The copies of a table's bytes; `path` only names it in errors.
///
/// # Errors
/// `Damaged` when the bytes are no such table; `TooNew` when a later program
/// wrote it.
pub(crate) fn read_copies(path: &Path, bytes: Vec<u8>) -> Result<Vec<RecordedCopy>, RecordError> {
    let mut copies = Vec::new();
    let checked = |file: &_| check_version(path, file, key::COPIES_VERSION, VERSION);
    each_group(path, bytes, &checked, &mut |group| {
        let mut rows = Vec::new();
        for (name, column) in &COLUMNS {
            let read = match column.read(group, name, &mut rows) {
                Err(TableFault::NoColumn(PID)) => column.read(group, PROCESS, &mut rows),
                read => read,
            };
            match read {
                Err(TableFault::NoColumn(PROCESS)) => {}
                read => read?,
            }
        }
        copies.append(&mut rows);
        Ok(())
    })?;
    Ok(copies)
}
