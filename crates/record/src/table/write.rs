//! Samples of one experiment -> bytes of a Parquet file.

use super::cell::{Cell, ColumnKind};
use super::columns::{SampleRow, columns};
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
pub(super) const ROWS_PER_GROUP: usize = 1 << 18;

/// A table and how many rows it has.
pub(crate) struct EncodedTable {
    pub bytes: Vec<u8>,
    pub rows: u64,
}

/// A column without what it is filled from.
pub(super) struct Field<'a> {
    pub name: &'a str,
    pub kind: ColumnKind,
    pub nullable: bool,
}

/// The table of `experiment`, from its points in the order given.
pub(crate) fn encode_table<'a>(
    run: &'a RunHead,
    experiment: &'a ExperimentHead,
    points: impl Iterator<Item = (&'a PointHead, &'a [Sample])>,
) -> Result<EncodedTable> {
    let rows_of = |(point, samples): (&'a PointHead, &'a [Sample])| {
        let row = move |sample| SampleRow { point, sample };
        samples.iter().map(row)
    };
    let rows: Vec<SampleRow<'a>> = points.flat_map(rows_of).collect();
    let columns = columns(run, experiment);
    let fields = columns.iter().map(|column| Field {
        name: &column.name,
        kind: column.kind,
        nullable: column.nullable,
    });
    let mut file = TableFile::begin("samples", fields, properties(run, &experiment.id, None))?;
    for group in rows.chunks(ROWS_PER_GROUP) {
        file.group(group.len(), &|row, at| (columns[at].cell)(group[row]))?;
    }
    file.end()
}

/// A file of which the row groups are given one after the other.
pub(super) struct TableFile<'f> {
    file: SerializedFileWriter<Vec<u8>>,
    fields: Vec<Field<'f>>,
    rows: u64,
}

impl<'f> TableFile<'f> {
    /// A file without rows.
    pub fn begin(
        name: &str,
        fields: impl Iterator<Item = Field<'f>>,
        properties: WriterProperties,
    ) -> Result<Self> {
        let fields: Vec<Field<'f>> = fields.collect();
        let schema = Arc::new(schema(name, &fields)?);
        let file = SerializedFileWriter::new(Vec::new(), schema, Arc::new(properties))?;
        let rows = 0;
        Ok(TableFile { file, fields, rows })
    }

    /// `cell` gives the cells of so many rows, by row and column.
    pub fn group<'a>(
        &mut self,
        rows: usize,
        cell: &dyn Fn(usize, usize) -> Cell<'a>,
    ) -> Result<()> {
        self.rows += rows as u64;
        let mut group = self.file.next_row_group()?;
        for (at, field) in self.fields.iter().enumerate() {
            let mut writer = group
                .next_column()?
                .ok_or_else(|| parquet::errors::ParquetError::General("schema is short".into()))?;
            let cells = (0..rows).map(|row| cell(row, at)).collect();
            write_column(&mut writer, field, cells)?;
            writer.close()?;
        }
        group.close()?;
        Ok(())
    }

    /// The finished file.
    pub fn end(self) -> Result<EncodedTable> {
        let bytes = self.file.into_inner()?;
        Ok(EncodedTable {
            bytes,
            rows: self.rows,
        })
    }
}

/// `table` says what the rows are where they are no samples.
pub(super) fn properties(
    run: &RunHead,
    experiment: &str,
    table: Option<(&str, String)>,
) -> WriterProperties {
    let pair = |key: &str, value: &str| KeyValue::new(key.to_owned(), value.to_owned());
    let mut metadata = vec![
        pair(key::SCHEMA_VERSION, &SCHEMA_VERSION.to_string()),
        pair(key::RUN, &run.id),
        pair(key::EXPERIMENT, experiment),
        pair(key::HOST, &run.machine.host),
    ];
    if run.machine.is_emulated() {
        metadata.push(pair(key::EMULATED, "true"));
    }
    metadata.extend(table.map(|(key, version)| pair(key, &version)));
    WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .set_created_by(format!("pontage {}", run.tool_version))
        // A table is read whole: indexes within a column would only be bytes.
        .set_statistics_enabled(EnabledStatistics::Chunk)
        .set_offset_index_disabled(true)
        .set_key_value_metadata(Some(metadata))
        .build()
}

fn schema(name: &str, fields: &[Field<'_>]) -> Result<Type> {
    let fields = fields
        .iter()
        .map(|field| parquet_field(field).map(Arc::new))
        .collect::<Result<Vec<_>>>()?;
    Type::group_type_builder(name).with_fields(fields).build()
}

fn parquet_field(field: &Field<'_>) -> Result<Type> {
    let (physical, logical) = match field.kind {
        ColumnKind::Unsigned16 => (Physical::INT32, Some(LogicalType::integer(16, false))),
        ColumnKind::Unsigned32 => (Physical::INT32, Some(LogicalType::integer(32, false))),
        ColumnKind::Unsigned64 => (Physical::INT64, Some(LogicalType::integer(64, false))),
        ColumnKind::Signed64 => (Physical::INT64, Some(LogicalType::integer(64, true))),
        ColumnKind::Double => (Physical::DOUBLE, None),
        ColumnKind::Text => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
    };
    let repetition = if field.nullable {
        Repetition::OPTIONAL
    } else {
        Repetition::REQUIRED
    };
    Type::primitive_type_builder(field.name, physical)
        .with_logical_type(logical)
        .with_repetition(repetition)
        .build()
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "the column has at most 32 bits"
)]
fn low_word(value: i64) -> i32 {
    value as i32
}

fn write_column(
    to: &mut SerializedColumnWriter<'_>,
    field: &Field<'_>,
    cells: Vec<Cell<'_>>,
) -> Result<()> {
    match field.kind {
        // Unsigned 32-bit values keep their bits in the signed physical type.
        ColumnKind::Unsigned16 | ColumnKind::Unsigned32 => {
            write_cells::<Int32Type>(to, field, cells, |cell| cell.int().map(low_word))
        }
        ColumnKind::Unsigned64 | ColumnKind::Signed64 => {
            write_cells::<Int64Type>(to, field, cells, |cell| cell.int())
        }
        ColumnKind::Double => write_cells::<DoubleType>(to, field, cells, |cell| match cell {
            Cell::Double(v) => Some(v),
            _ => None,
        }),
        ColumnKind::Text => write_cells::<ByteArrayType>(to, field, cells, |cell| match cell {
            Cell::Text(v) => Some(ByteArray::from(&*v)),
            _ => None,
        }),
    }
}

/// Values without the nulls, and for nullable columns a level for each row.
fn write_cells<T: DataType>(
    to: &mut SerializedColumnWriter<'_>,
    field: &Field<'_>,
    cells: Vec<Cell<'_>>,
    value_of: fn(Cell<'_>) -> Option<T::T>,
) -> Result<()> {
    let cells: Vec<Option<T::T>> = cells.into_iter().map(value_of).collect();
    let levels: Vec<i16> = cells.iter().map(|cell| i16::from(cell.is_some())).collect();
    let values: Vec<T::T> = cells.into_iter().flatten().collect();
    let levels = field.nullable.then_some(&levels[..]);
    to.typed::<T>().write_batch(&values, levels, None)?;
    Ok(())
}
