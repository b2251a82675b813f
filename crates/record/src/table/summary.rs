//! The table of summaries: a row for each metric of each point.

use super::key;
use super::read::{check_version, each_group};
use super::stored::Stored::{self, OptText};
use super::stored::field;
use super::write::{EncodedTable, Field, ROWS_PER_GROUP, TableFile, properties};
use crate::SCHEMA_VERSION;
use crate::error::RecordError;
use crate::run::RunHead;
use crate::summary::SummaryRow;
use parquet::errors::Result;
use std::path::Path;

/// A text that every row has.
macro_rules! text {
    ($field:ident) => {
        OptText(
            |row| Some(&row.$field),
            |row, text| row.$field = text.unwrap_or_default(),
        )
    };
}

/// A text that some rows have.
macro_rules! some_text {
    ($field:ident) => {
        OptText(|row| row.$field.as_deref(), |row, text| row.$field = text)
    };
}

static COLUMNS: [(&str, Stored<SummaryRow>); 28] = [
    ("experiment", text!(experiment)),
    ("point", field!(U32, point)),
    ("settings", text!(settings)),
    ("bytes_per_op", field!(OptU64, bytes_per_op)),
    ("metric_index", field!(U16, metric_index)),
    ("metric", text!(metric)),
    ("unit", text!(unit)),
    ("samples", field!(U32, samples)),
    ("processes", field!(U32, processes)),
    ("effective", field!(Double, effective)),
    ("median", field!(Double, median)),
    ("low", field!(OptDouble, low)),
    ("high", field!(OptDouble, high)),
    ("level", field!(Double, level)),
    ("method", text!(method)),
    ("min", field!(Double, min)),
    ("max", field!(Double, max)),
    ("mean", field!(Double, mean)),
    ("p25", field!(Double, p25)),
    ("p75", field!(Double, p75)),
    ("p90", field!(OptDouble, p90)),
    ("p99", field!(OptDouble, p99)),
    ("modes", field!(U32, modes)),
    ("at_best", field!(OptDouble, at_best)),
    ("at_best_share", field!(OptDouble, at_best_share)),
    ("link_ns", field!(OptDouble, link_ns)),
    ("verdict", some_text!(verdict)),
    ("reason", some_text!(reason)),
];

/// In the metadata in place of an experiment.
const ALL: &str = "all";

/// The table of `rows`, in the order given.
pub(crate) fn encode_summary(run: &RunHead, rows: &[SummaryRow]) -> Result<EncodedTable> {
    let fields = COLUMNS.iter().map(|(name, column)| Field {
        name,
        kind: column.kind(),
        nullable: column.is_nullable(),
    });
    let mut file = TableFile::begin("summary", fields, properties(run, ALL, None))?;
    for group in rows.chunks(ROWS_PER_GROUP) {
        file.group(group.len(), &|row, at| COLUMNS[at].1.cell(&group[row]))?;
    }
    file.end()
}

/// The rows of a table's bytes; `path` only names it in errors.
///
/// # Errors
/// `Damaged` when the bytes are no such table; `TooNew` when a later program wrote it.
pub(crate) fn read_summary(
    path: &Path,
    bytes: Vec<u8>,
) -> std::result::Result<Vec<SummaryRow>, RecordError> {
    let mut all = Vec::new();
    let checked = |file: &_| check_version(path, file, key::SCHEMA_VERSION, SCHEMA_VERSION);
    each_group(path, bytes, &checked, &mut |group| {
        let mut rows = Vec::new();
        for (name, column) in &COLUMNS {
            column.read(group, name, &mut rows)?;
        }
        all.append(&mut rows);
        Ok(())
    })?;
    Ok(all)
}
