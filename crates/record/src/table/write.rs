//! Samples of one experiment -> bytes of a Parquet file.

use super::columns::{Cell, Column, Kind, Row, columns};
use super::key;
use crate::SCHEMA_VERSION;
use crate::describe::ExperimentHead;
use crate::run::{PointHead, RunHead};
use crate::sample::Sample;
use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical};
use parquet::data_type::{ByteArray, ByteArrayType, DataType, DoubleType, Int32Type, Int64Type};
use parquet::errors::Result;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::types::Type;
use std::sync::Arc;

/// Rows in one group: what a reader must hold of a column at once.
const ROWS_PER_GROUP: usize = 1 << 18;

/// A table and how many rows it has.
pub(crate) struct EncodedTable {
    pub bytes: Vec<u8>,
    pub rows: u64,
}

/// The table of `experiment`, from its points in the order given.
pub(crate) fn encode_table<'a>(
    run: &'a RunHead,
    experiment: &'a ExperimentHead,
    points: impl Iterator<Item = (&'a PointHead, &'a [Sample])>,
) -> Result<EncodedTable> {
    let rows: Vec<Row<'a>> = points
        .flat_map(|(point, samples)| samples.iter().map(move |sample| Row { point, sample }))
        .collect();
    let columns = columns(run, experiment);
    let schema = Arc::new(schema(&columns)?);
    let mut bytes = Vec::new();
    let mut file = SerializedFileWriter::new(&mut bytes, schema, properties(run, experiment))?;
    for rows in rows.chunks(ROWS_PER_GROUP) {
        let mut group = file.next_row_group()?;
        for column in &columns {
            let mut writer = group
                .next_column()?
                .ok_or_else(|| parquet::errors::ParquetError::General("schema is short".into()))?;
            write_column(&mut writer, column, rows)?;
            writer.close()?;
        }
        group.close()?;
    }
    file.close()?;
    let rows = rows.len() as u64;
    Ok(EncodedTable { bytes, rows })
}

fn properties(run: &RunHead, experiment: &ExperimentHead) -> Arc<WriterProperties> {
    let pair = |key: &str, value: &str| KeyValue::new(key.to_owned(), value.to_owned());
    let metadata = vec![
        pair(key::SCHEMA_VERSION, &SCHEMA_VERSION.to_string()),
        pair(key::RUN, &run.id),
        pair(key::EXPERIMENT, &experiment.id),
        pair(key::HOST, &run.machine.host),
    ];
    let properties = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .set_created_by(format!("pontage {}", run.tool_version))
        // A table is read whole: indexes within a column would only be bytes.
        .set_statistics_enabled(EnabledStatistics::Chunk)
        .set_offset_index_disabled(true)
        .set_key_value_metadata(Some(metadata))
        .build();
    Arc::new(properties)
}

fn schema(columns: &[Column]) -> Result<Type> {
    let fields = columns
        .iter()
        .map(|column| field(column).map(Arc::new))
        .collect::<Result<Vec<_>>>()?;
    Type::group_type_builder("samples")
        .with_fields(fields)
        .build()
}

fn field(column: &Column) -> Result<Type> {
    let (physical, logical) = match column.kind {
        Kind::Unsigned16 => (Physical::INT32, Some(LogicalType::integer(16, false))),
        Kind::Unsigned32 => (Physical::INT32, Some(LogicalType::integer(32, false))),
        Kind::Unsigned64 => (Physical::INT64, Some(LogicalType::integer(64, false))),
        Kind::Signed64 => (Physical::INT64, Some(LogicalType::integer(64, true))),
        Kind::Double => (Physical::DOUBLE, None),
        Kind::Text => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
    };
    let repetition = if column.nullable {
        Repetition::OPTIONAL
    } else {
        Repetition::REQUIRED
    };
    Type::primitive_type_builder(&column.name, physical)
        .with_logical_type(logical)
        .with_repetition(repetition)
        .build()
}

fn write_column<'a>(
    to: &mut SerializedColumnWriter<'_>,
    column: &Column<'a>,
    rows: &[Row<'a>],
) -> Result<()> {
    match column.kind {
        // Unsigned 32-bit values keep their bits in the signed physical type.
        Kind::Unsigned16 | Kind::Unsigned32 => {
            write_cells::<Int32Type>(to, column, rows, |cell| match cell {
                Cell::Int(v) => Some(v as i32),
                _ => None,
            })
        }
        Kind::Unsigned64 | Kind::Signed64 => {
            write_cells::<Int64Type>(to, column, rows, |cell| match cell {
                Cell::Int(v) => Some(v),
                _ => None,
            })
        }
        Kind::Double => write_cells::<DoubleType>(to, column, rows, |cell| match cell {
            Cell::Double(v) => Some(v),
            _ => None,
        }),
        Kind::Text => write_cells::<ByteArrayType>(to, column, rows, |cell| match cell {
            Cell::Text(v) => Some(ByteArray::from(&*v)),
            _ => None,
        }),
    }
}

/// Values without the nulls, and for nullable columns a level for each row.
fn write_cells<'a, T: DataType>(
    to: &mut SerializedColumnWriter<'_>,
    column: &Column<'a>,
    rows: &[Row<'a>],
    value_of: fn(Cell<'a>) -> Option<T::T>,
) -> Result<()> {
    let cells: Vec<Option<T::T>> = rows
        .iter()
        .map(|row| value_of((column.cell)(*row)))
        .collect();
    let levels: Vec<i16> = cells.iter().map(|cell| i16::from(cell.is_some())).collect();
    let values: Vec<T::T> = cells.into_iter().flatten().collect();
    let levels = column.nullable.then_some(&levels[..]);
    to.typed::<T>().write_batch(&values, levels, None)?;
    Ok(())
}
