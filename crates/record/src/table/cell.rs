//! One value of a table, and the types that columns have.

use std::borrow::Cow;

/// Type of a column's cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnKind {
    Unsigned16,
    Unsigned32,
    Unsigned64,
    Signed64,
    Double,
    Text,
}

/// One value of a table.
#[derive(Debug, Clone, PartialEq)]
pub enum Cell<'a> {
    /// Of any integer kind; unsigned 64-bit values keep their bits.
    Int(i64),
    Double(f64),
    Text(Cow<'a, str>),
    Null,
}

impl Cell<'_> {
    pub(super) fn int(&self) -> Option<i64> {
        match self {
            Cell::Int(v) => Some(*v),
            _ => None,
        }
    }
}

impl From<u64> for Cell<'_> {
    fn from(value: u64) -> Self {
        Cell::Int(value.cast_signed())
    }
}

impl From<u32> for Cell<'_> {
    fn from(value: u32) -> Self {
        Cell::Int(value.into())
    }
}

impl<'a> From<&'a str> for Cell<'a> {
    fn from(text: &'a str) -> Self {
        Cell::Text(text.into())
    }
}

impl<'a, T: Into<Cell<'a>>> From<Option<T>> for Cell<'a> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Cell::Null, T::into)
    }
}
