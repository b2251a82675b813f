//! The table of recorded copies: a row for each.

use super::columns::{Cell, ColumnKind};
use super::key;
use super::read::{
    TableFault, all_set, check_version, each_group, ints, longs, nullable_ints, texts, wrong_type,
};
use super::write::{EncodedTable, Field, ROWS_PER_GROUP, TableFile, properties};
use crate::copies::{CopyOperation, Engine, RecordedCopy};
use crate::error::RecordError;
use crate::run::RunHead;
use parquet::errors::Result;
use parquet::file::reader::RowGroupReader;
use std::path::Path;

/// Raised when a reader of the version before would misread the new one.
/// 2: copies through an iov_iter, and the process.
pub(crate) const VERSION: u32 = 2;

mod name {
    pub const OPERATION: &str = "operation";
    pub const RING: &str = "ring";
    pub const SEQUENCE: &str = "sequence";
    pub const SIZE_BYTES: &str = "size_bytes";
    pub const CPU_START: &str = "cpu_start";
    pub const CPU_END: &str = "cpu_end";
    pub const T0_NS: &str = "t0_ns";
    pub const T1_NS: &str = "t1_ns";
    pub const CALLER: &str = "caller";
    pub const SYMBOL: &str = "symbol";
    pub const ENGINE: &str = "engine";
    pub const NOT_COPIED_BYTES: &str = "not_copied_bytes";
    pub const PROCESS: &str = "process";
}

struct Column {
    name: &'static str,
    kind: ColumnKind,
    nullable: bool,
    cell: fn(&RecordedCopy) -> Cell<'_>,
}

const fn column(
    name: &'static str,
    kind: ColumnKind,
    nullable: bool,
    cell: fn(&RecordedCopy) -> Cell<'_>,
) -> Column {
    Column {
        name,
        kind,
        nullable,
        cell,
    }
}

const COLUMNS: [Column; 13] = [
    column(name::OPERATION, ColumnKind::Text, false, |c| {
        Cell::Text(c.operation.name().into())
    }),
    column(name::RING, ColumnKind::Unsigned32, false, |c| {
        Cell::Int(c.ring.into())
    }),
    column(name::SEQUENCE, ColumnKind::Unsigned64, false, |c| {
        long(c.sequence)
    }),
    column(name::SIZE_BYTES, ColumnKind::Unsigned64, false, |c| {
        long(c.size_bytes)
    }),
    column(name::CPU_START, ColumnKind::Unsigned32, false, |c| {
        Cell::Int(c.cpu_start.into())
    }),
    column(name::CPU_END, ColumnKind::Unsigned32, true, |c| {
        c.cpu_end.map_or(Cell::Null, |v| Cell::Int(v.into()))
    }),
    column(name::T0_NS, ColumnKind::Unsigned64, false, |c| {
        long(c.t0_ns)
    }),
    column(name::T1_NS, ColumnKind::Unsigned64, false, |c| {
        long(c.t1_ns)
    }),
    column(name::CALLER, ColumnKind::Unsigned64, false, |c| {
        long(c.caller)
    }),
    column(name::SYMBOL, ColumnKind::Text, true, |c| {
        c.symbol
            .as_deref()
            .map_or(Cell::Null, |s| Cell::Text(s.into()))
    }),
    column(name::ENGINE, ColumnKind::Text, false, |c| {
        Cell::Text(c.engine.name().into())
    }),
    column(name::NOT_COPIED_BYTES, ColumnKind::Unsigned64, true, |c| {
        c.not_copied_bytes.map_or(Cell::Null, long)
    }),
    column(name::PROCESS, ColumnKind::Unsigned32, true, |c| {
        c.process.map_or(Cell::Null, |v| Cell::Int(v.into()))
    }),
];

/// Unsigned 64-bit values keep their bits.
fn long<'a>(value: u64) -> Cell<'a> {
    Cell::Int(value.cast_signed())
}

/// A table in the making, in the order the copies are given: it holds those of
/// one row group, not all of them.
pub(crate) struct CopiesTable {
    file: TableFile,
    waiting: Vec<RecordedCopy>,
}

impl CopiesTable {
    /// An empty table of the copies of `experiment`.
    pub fn begin(run: &RunHead, experiment: &str) -> Result<Self> {
        let version = Some((key::COPIES_VERSION, VERSION.to_string()));
        let file = TableFile::begin("copies", &fields(), properties(run, experiment, version))?;
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
        let cell = |row: usize, column: usize| (COLUMNS[column].cell)(&group[row]);
        self.file.group(&fields(), 0..group.len(), &cell)
    }
}

fn fields() -> [Field<'static>; COLUMNS.len()] {
    COLUMNS.map(|c| Field {
        name: c.name,
        kind: c.kind,
        nullable: c.nullable,
    })
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
        read_group(group, &mut copies)
    })?;
    Ok(copies)
}

fn read_group(
    group: &dyn RowGroupReader,
    copies: &mut Vec<RecordedCopy>,
) -> Result<(), TableFault> {
    let whole = |column: &'static str| all_set(column, longs(group, column)?);
    let operation = words(group, name::OPERATION, CopyOperation::named)?;
    let ring = ints(group, name::RING)?;
    let sequence = whole(name::SEQUENCE)?;
    let size = whole(name::SIZE_BYTES)?;
    let cpu_start = ints(group, name::CPU_START)?;
    let cpu_end = nullable_ints(group, name::CPU_END)?;
    let (t0, t1) = (whole(name::T0_NS)?, whole(name::T1_NS)?);
    let caller = whole(name::CALLER)?;
    let mut symbol = texts(group, name::SYMBOL)?;
    let engine = words(group, name::ENGINE, Engine::named)?;
    let not_copied = longs(group, name::NOT_COPIED_BYTES)?;
    let process = match nullable_ints(group, name::PROCESS) {
        // Version 1 did not keep it.
        Err(TableFault::NoColumn(_)) => vec![None; operation.len()],
        found => found?,
    };
    copies.extend((0..operation.len()).map(|row| RecordedCopy {
        operation: operation[row],
        ring: ring[row].cast_unsigned(),
        sequence: sequence[row].cast_unsigned(),
        size_bytes: size[row].cast_unsigned(),
        cpu_start: cpu_start[row].cast_unsigned(),
        cpu_end: cpu_end[row].map(i32::cast_unsigned),
        t0_ns: t0[row].cast_unsigned(),
        t1_ns: t1[row].cast_unsigned(),
        caller: caller[row].cast_unsigned(),
        symbol: symbol[row].take(),
        engine: engine[row],
        not_copied_bytes: not_copied[row].map(i64::cast_unsigned),
        process: process[row].map(i32::cast_unsigned),
    }));
    Ok(())
}

/// A column of words from a fixed list.
fn words<T>(
    group: &dyn RowGroupReader,
    column: &'static str,
    named: fn(&str) -> Option<T>,
) -> Result<Vec<T>, TableFault> {
    all_set(column, texts(group, column)?)?
        .iter()
        .map(|word| named(word).ok_or_else(|| wrong_type(column, "the words it may hold")))
        .collect()
}
