//! Columns of a row group as values, one for each row.

use super::bounds::BoundsError;
use parquet::data_type::{ByteArray, ByteArrayType, DataType, DoubleType, Int32Type, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::reader::RowGroupReader;

/// Of a cell. A text that stands once in the file may be meant by every row; the
/// longest are names of kernel functions (KSYM_NAME_LEN, 512).
const LONGEST_TEXT_BYTES: usize = 1 << 10;

/// Of the cells of a column: so many bytes for each row of a group, and room for few
/// rows. Names of kernel functions have 20.
const TEXT_BYTES_PER_ROW: usize = 64;
const FEW_TEXT_BYTES: usize = 1 << 20;

/// Rows asked of a column at a time.
const ROWS_AT_ONCE: usize = 1 << 16;

/// Why a table is none of ours.
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

/// The values of a column.
type Values<T> = Result<Vec<T>, TableFault>;

pub(super) fn ints(group: &dyn RowGroupReader, column: &'static str) -> Values<i32> {
    all_set(column, nullable_ints(group, column)?)
}

pub(super) fn nullable_ints(
    group: &dyn RowGroupReader,
    column: &'static str,
) -> Values<Option<i32>> {
    cells::<Int32Type>(group, column, "32-bit integers")
}

pub(super) fn longs(group: &dyn RowGroupReader, column: &'static str) -> Values<Option<i64>> {
    cells::<Int64Type>(group, column, "64-bit integers")
}

pub(super) fn nullable_doubles(
    group: &dyn RowGroupReader,
    column: &'static str,
) -> Values<Option<f64>> {
    cells::<DoubleType>(group, column, "doubles")
}

pub(super) fn doubles(group: &dyn RowGroupReader, column: &'static str) -> Values<f64> {
    all_set(column, nullable_doubles(group, column)?)
}

pub(super) fn texts(group: &dyn RowGroupReader, column: &'static str) -> Values<Option<String>> {
    let cells = cells::<ByteArrayType>(group, column, "text")?;
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

pub(super) fn all_set<T>(column: &'static str, cells: Vec<Option<T>>) -> Values<T> {
    let need = cells.len();
    let values: Vec<T> = cells.into_iter().flatten().collect();
    if values.len() < need {
        let have = values.len();
        return Err(TableFault::Short { column, have, need });
    }
    Ok(values)
}

/// One cell for each row of the group, of a column that must hold `wanted`.
fn cells<T: DataType>(
    group: &dyn RowGroupReader,
    column: &'static str,
    wanted: &'static str,
) -> Values<Option<T::T>> {
    let columns = group.metadata().columns();
    let index = (columns.iter())
        .position(|c| c.column_path().parts() == [column])
        .ok_or(TableFault::NoColumn(column))?;
    let described = columns[index].column_descr();
    if described.max_rep_level() > 0 {
        return Err(wrong_type(column, "one value a row"));
    }
    let mut from = T::get_column_reader(group.get_column_reader(index)?)
        .ok_or_else(|| wrong_type(column, wanted))?;
    let nullable = described.max_def_level() > 0;
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
