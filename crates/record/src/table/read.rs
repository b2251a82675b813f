//! Bytes of a Parquet file -> samples by point.

use super::bounds;
use super::column_reader::{TableFault, ints};
use super::key;
use super::samples::{POINT, SAMPLE, SINCE_3, as_read_alone};
use crate::SCHEMA_VERSION;
use crate::error::RecordError;
use crate::sample::Sample;
use bytes::Bytes;
use parquet::file::reader::{FileReader, RowGroupReader, SerializedFileReader};
use std::collections::BTreeMap;
use std::path::Path;

/// Samples by point index of a table's bytes; `path` only names it in errors.
///
/// The parquet crate asserts some properties of a file instead of checking
/// them, so a forged file can make it panic; that, too, is an error here.
/// (Accidental damage is found before, by the checksum in `run.json`.)
///
/// # Errors
/// `Damaged` when the bytes are no table of a run, or one with other columns;
/// `TooNew` when a later program wrote it.
pub(crate) fn read_table(
    path: &Path,
    bytes: Vec<u8>,
) -> Result<BTreeMap<u32, Vec<Sample>>, RecordError> {
    let mut points: BTreeMap<u32, Vec<Sample>> = BTreeMap::new();
    let checked = |file: &_| check_version(path, file, key::SCHEMA_VERSION, SCHEMA_VERSION);
    each_group(path, bytes, &checked, &mut |group| {
        let indexes = ints(group, POINT)?;
        let mut samples = Vec::new();
        let mut older = false;
        for (name, column) in &SAMPLE {
            match column.read(group, name, &mut samples) {
                Err(TableFault::NoColumn(name)) if SINCE_3.contains(&name) => older = true,
                read => read?,
            }
        }
        if older {
            samples.iter_mut().for_each(as_read_alone);
        }
        let mut rows_of: BTreeMap<u32, usize> = BTreeMap::new();
        for index in &indexes {
            *rows_of.entry(index.cast_unsigned()).or_default() += 1;
        }
        // Vectors that double would leave a third of a large table's memory unused.
        for (index, rows) in rows_of {
            points.entry(index).or_default().reserve_exact(rows);
        }
        for (index, sample) in indexes.into_iter().zip(samples) {
            let point = points.entry(index.cast_unsigned()).or_default();
            point.push(sample);
        }
        Ok(())
    })?;
    Ok(points)
}

/// Hands the row groups of a file to `take`, once `checked` has let it pass.
///
/// # Errors
/// As [`read_table`].
pub(super) fn each_group(
    path: &Path,
    bytes: Vec<u8>,
    checked: &dyn Fn(&SerializedFileReader<Bytes>) -> Result<(), RecordError>,
    take: &mut dyn FnMut(&dyn RowGroupReader) -> Result<(), TableFault>,
) -> Result<(), RecordError> {
    let read = || {
        let damaged = |cause: TableFault| RecordError::damaged(path, cause);
        let bytes = Bytes::from(bytes);
        let file = SerializedFileReader::new(bytes.clone()).map_err(|e| damaged(e.into()))?;
        checked(&file)?;
        bounds::check(file.metadata(), &bytes).map_err(|e| damaged(e.into()))?;
        for group in 0..file.num_row_groups() {
            let group = file.get_row_group(group).map_err(|e| damaged(e.into()))?;
            take(&*group).map_err(damaged)?;
        }
        Ok(())
    };
    // What a panic leaves behind is dropped by the caller with the error.
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(read))
        .unwrap_or_else(|_| Err(RecordError::damaged(path, "it is not a valid Parquet file")))
}

/// `version_key` stands in the file, and its version is not above `known`.
pub(super) fn check_version(
    path: &Path,
    file: &SerializedFileReader<Bytes>,
    version_key: &str,
    known: u32,
) -> Result<(), RecordError> {
    let version = file
        .metadata()
        .file_metadata()
        .key_value_metadata()
        .and_then(|pairs| pairs.iter().find(|pair| pair.key == version_key))
        .and_then(|pair| pair.value.as_ref()?.parse::<u64>().ok())
        .ok_or_else(|| {
            let cause = format!("it is not such a table of a run: no metadata {version_key}");
            RecordError::damaged(path, cause)
        })?;
    if version > u64::from(known) {
        return Err(RecordError::too_new(path, version, known));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &[u8] =
        include_bytes!("../../../../fixtures/records/v1-small/copy-memcpy.parquet");

    /// The table with one name replaced by another of the same length.
    fn renamed(from: &str, to: &str) -> Vec<u8> {
        assert_eq!(from.len(), to.len());
        let mut bytes = TABLE.to_vec();
        let found: Vec<usize> = (0..bytes.len() - from.len())
            .filter(|at| bytes[*at..].starts_with(from.as_bytes()))
            .collect();
        assert!(!found.is_empty());
        for at in found {
            bytes[at..at + to.len()].copy_from_slice(to.as_bytes());
        }
        bytes
    }

    fn error(bytes: Vec<u8>) -> String {
        read_table(Path::new("t.parquet"), bytes)
            .unwrap_err()
            .to_string()
    }

    #[test]
    fn other_columns_and_other_files_are_distinguished() {
        assert_eq!(
            error(renamed("migrations", "emigration")),
            "cannot read t.parquet: it has no column migrations"
        );
        let swapped = renamed("floor_ns", "metric__");
        assert_eq!(
            error(swapped),
            "cannot read t.parquet: it has no column floor_ns"
        );
        let foreign = error(renamed("pontage.schema_version", "another.schema_version"));
        assert!(
            foreign.contains("it is not such a table of a run"),
            "{foreign}"
        );
        let mut doubled = renamed("value", "valux");
        for at in 0..doubled.len() - 5 {
            if doubled[at..].starts_with(b"cache") {
                doubled[at..at + 5].copy_from_slice(b"value");
            }
        }
        assert_eq!(
            error(doubled),
            "cannot read t.parquet: column value does not hold doubles"
        );
        assert!(error(b"PAR1 and no more".to_vec()).starts_with("cannot read t.parquet: "));
        assert!(error(Vec::new()).starts_with("cannot read t.parquet: "));
    }

    /// Flipped signs: the parquet crate would panic at a place before the file.
    #[test]
    fn a_column_lies_in_the_file() {
        let length = TABLE[TABLE.len() - 8..].first_chunk().expect("a length");
        let footer = TABLE.len() - 8 - u32::from_le_bytes(*length) as usize;
        let mut before_the_file = 0;
        for at in footer..TABLE.len() - 8 {
            let mut bytes = TABLE.to_vec();
            bytes[at] ^= 1;
            if let Err(cause) = read_table(Path::new("t.parquet"), bytes) {
                let cause = cause.to_string();
                before_the_file += u32::from(cause.ends_with("its pages lie outside the file"));
            }
        }
        assert!(
            before_the_file >= 16,
            "no sign of a column: {before_the_file}"
        );
    }
}
