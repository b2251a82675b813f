//! Bytes of a Parquet file -> samples by point.

use super::bounds::{self, BoundsError};
use super::{key, name};
use crate::SCHEMA_VERSION;
use crate::error::RecordError;
use crate::sample::{Disturbance, Sample};
use bytes::Bytes;
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::{ByteArray, ByteArrayType, DataType, DoubleType, Int32Type, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::reader::{FileReader, RowGroupReader, SerializedFileReader};
use std::collections::BTreeMap;
use std::path::Path;

/// Of a cell. A text that stands once in the file may be meant by every row; the
/// longest are names of kernel functions (KSYM_NAME_LEN, 512).
const LONGEST_TEXT_BYTES: usize = 1 << 10;

/// Of the cells of a column: so many bytes for each row of a group, and room for few
/// rows. Names of kernel functions have 20.
const TEXT_BYTES_PER_ROW: usize = 64;
const FEW_TEXT_BYTES: usize = 1 << 20;

/// Rows asked of a column at a time.
const ROWS_AT_ONCE: usize = 1 << 16;

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
        for (point, sample) in Columns::read(group)?.rows() {
            points.entry(point).or_default().push(sample);
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

#[derive(Debug, thiserror::Error)]
pub(super) enum TableFault {
    #[error("{0}")]
    Parquet(#[from] ParquetError),
    #[error("{0}")]
    Bounds(#[from] BoundsError),
    #[error("column {column} holds a text of more than {LONGEST_TEXT_BYTES} bytes")]
    LongText { column: &'static str },
    #[error("column {column} holds {all} bytes of text in {rows} rows, at most {most} are read")]
    MuchText {
        column: &'static str,
        all: usize,
        rows: usize,
        most: usize,
    },
    #[error("it has no column {0}")]
    NoColumn(&'static str),
    #[error("column {column} does not hold {wanted}")]
    WrongType {
        column: &'static str,
        wanted: &'static str,
    },
    #[error("column {column} has {have} values for {need} rows")]
    Short {
        column: &'static str,
        have: usize,
        need: usize,
    },
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
        return Err(RecordError::TooNew {
            path: path.to_owned(),
            found: version,
            known,
        });
    }
    Ok(())
}

/// The columns that make a sample, of one row group.
struct Columns {
    point: Vec<i32>,
    metric: Vec<i32>,
    process: Vec<i32>,
    sample: Vec<i32>,
    ops: Vec<i64>,
    elapsed_ns: Vec<f64>,
    floor_ns: Vec<f64>,
    value: Vec<f64>,
    cpu: Vec<i32>,
    voluntary_switches: Vec<i32>,
    involuntary_switches: Vec<i32>,
    minor_faults: Vec<i32>,
    major_faults: Vec<i32>,
    migrations: Vec<i32>,
    steal_ns: Vec<Option<i64>>,
    interrupts: Vec<Option<i32>>,
}

impl Columns {
    fn read(group: &dyn RowGroupReader) -> Result<Self, TableFault> {
        Ok(Self {
            point: ints(group, name::POINT)?,
            metric: ints(group, name::METRIC_INDEX)?,
            process: ints(group, name::PROCESS)?,
            sample: ints(group, name::SAMPLE)?,
            ops: all_set(name::OPS, longs(group, name::OPS)?)?,
            elapsed_ns: doubles(group, name::ELAPSED_NS)?,
            floor_ns: doubles(group, name::FLOOR_NS)?,
            value: doubles(group, name::VALUE)?,
            cpu: ints(group, name::CPU)?,
            voluntary_switches: ints(group, name::VOLUNTARY_SWITCHES)?,
            involuntary_switches: ints(group, name::INVOLUNTARY_SWITCHES)?,
            minor_faults: ints(group, name::MINOR_FAULTS)?,
            major_faults: ints(group, name::MAJOR_FAULTS)?,
            migrations: ints(group, name::MIGRATIONS)?,
            steal_ns: longs(group, name::STEAL_NS)?,
            interrupts: nullable_ints(group, name::INTERRUPTS)?,
        })
    }

    fn rows(&self) -> impl Iterator<Item = (u32, Sample)> {
        (0..self.point.len()).map(|row| (self.point[row].cast_unsigned(), self.sample(row)))
    }

    fn sample(&self, row: usize) -> Sample {
        Sample {
            metric: self.metric[row] as u16,
            process: self.process[row] as u16,
            index: self.sample[row].cast_unsigned(),
            ops: self.ops[row].cast_unsigned(),
            elapsed_ns: self.elapsed_ns[row],
            floor_ns: self.floor_ns[row],
            value: self.value[row],
            cpu: self.cpu[row] as u16,
            disturbance: Disturbance {
                voluntary_switches: self.voluntary_switches[row].cast_unsigned(),
                involuntary_switches: self.involuntary_switches[row].cast_unsigned(),
                minor_faults: self.minor_faults[row].cast_unsigned(),
                major_faults: self.major_faults[row].cast_unsigned(),
                migrations: self.migrations[row].cast_unsigned(),
                steal_ns: self.steal_ns[row].map(i64::cast_unsigned),
                interrupts: self.interrupts[row].map(i32::cast_unsigned),
            },
        }
    }
}

pub(super) fn ints(
    group: &dyn RowGroupReader,
    column: &'static str,
) -> Result<Vec<i32>, TableFault> {
    all_set(column, nullable_ints(group, column)?)
}

pub(super) fn nullable_ints(
    group: &dyn RowGroupReader,
    column: &'static str,
) -> Result<Vec<Option<i32>>, TableFault> {
    match reader(group, column)? {
        ColumnReader::Int32ColumnReader(from) => cells::<Int32Type>(group, column, from),
        _ => Err(wrong_type(column, "32-bit integers")),
    }
}

pub(super) fn longs(
    group: &dyn RowGroupReader,
    column: &'static str,
) -> Result<Vec<Option<i64>>, TableFault> {
    match reader(group, column)? {
        ColumnReader::Int64ColumnReader(from) => cells::<Int64Type>(group, column, from),
        _ => Err(wrong_type(column, "64-bit integers")),
    }
}

fn doubles(group: &dyn RowGroupReader, column: &'static str) -> Result<Vec<f64>, TableFault> {
    match reader(group, column)? {
        ColumnReader::DoubleColumnReader(from) => {
            all_set(column, cells::<DoubleType>(group, column, from)?)
        }
        _ => Err(wrong_type(column, "doubles")),
    }
}

pub(super) fn texts(
    group: &dyn RowGroupReader,
    column: &'static str,
) -> Result<Vec<Option<String>>, TableFault> {
    let ColumnReader::ByteArrayColumnReader(from) = reader(group, column)? else {
        return Err(wrong_type(column, "text"));
    };
    let cells = cells::<ByteArrayType>(group, column, from)?;
    let long =
        |cell: &Option<ByteArray>| cell.as_ref().is_some_and(|b| b.len() > LONGEST_TEXT_BYTES);
    if cells.iter().any(long) {
        return Err(TableFault::LongText { column });
    }
    let all: usize = cells.iter().flatten().map(ByteArray::len).sum();
    let most = cells.len() * TEXT_BYTES_PER_ROW + FEW_TEXT_BYTES;
    if all > most {
        return Err(TableFault::MuchText {
            column,
            all,
            rows: cells.len(),
            most,
        });
    }
    let text = |bytes: ByteArray| String::from_utf8_lossy(bytes.data()).into_owned();
    Ok(cells.into_iter().map(|cell| cell.map(text)).collect())
}

pub(super) fn wrong_type(column: &'static str, wanted: &'static str) -> TableFault {
    TableFault::WrongType { column, wanted }
}

pub(super) fn all_set<T>(
    column: &'static str,
    cells: Vec<Option<T>>,
) -> Result<Vec<T>, TableFault> {
    let need = cells.len();
    let values: Vec<T> = cells.into_iter().flatten().collect();
    if values.len() < need {
        let have = values.len();
        return Err(TableFault::Short { column, have, need });
    }
    Ok(values)
}

fn reader(group: &dyn RowGroupReader, column: &'static str) -> Result<ColumnReader, TableFault> {
    let index = (group.metadata().columns().iter())
        .position(|c| c.column_path().parts() == [column])
        .ok_or(TableFault::NoColumn(column))?;
    let chunk = group.metadata().column(index);
    if chunk.column_descr().max_rep_level() > 0 {
        return Err(wrong_type(column, "one value a row"));
    }
    Ok(group.get_column_reader(index)?)
}

/// One cell for each row of the group.
fn cells<T: DataType>(
    group: &dyn RowGroupReader,
    column: &'static str,
    mut from: ColumnReaderImpl<T>,
) -> Result<Vec<Option<T::T>>, TableFault> {
    let nullable = group
        .metadata()
        .columns()
        .iter()
        .any(|c| c.column_path().parts() == [column] && c.column_descr().max_def_level() > 0);
    let need = usize::try_from(group.metadata().num_rows()).unwrap_or(usize::MAX);
    let mut levels = Vec::new();
    let mut values = Vec::new();
    // Pages may hold more than the group says; they are not read to their end.
    while values.len().max(levels.len()) <= need {
        let asked = nullable.then_some(&mut levels);
        if from.read_records(ROWS_AT_ONCE, asked, None, &mut values)?.0 == 0 {
            break;
        }
    }
    let mut values = values.into_iter();
    let cells: Vec<Option<T::T>> = if nullable {
        let cell = |level: i16| if level > 0 { values.next() } else { None };
        levels.into_iter().map(cell).collect()
    } else {
        values.map(Some).collect()
    };
    if cells.len() == need {
        return Ok(cells);
    }
    let have = cells.len();
    Err(TableFault::Short { column, have, need })
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
