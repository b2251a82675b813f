//! One Parquet table for each experiment of a closed run: a row for each
//! sample, typed columns for the axes, no column that needs us to be read.

mod bounds;
mod columns;
mod copies;
mod read;
mod write;

pub use columns::{Cell, Column, ColumnKind, SampleRow, columns};
pub(crate) use copies::{CopiesTable, VERSION as COPIES_VERSION, encode_copies, read_copies};
pub(crate) use read::read_table;
pub(crate) use write::{EncodedTable, encode_table};

/// Keys of the table's own metadata, so that a file that strayed from its run
/// folder still says what it is.
pub(crate) mod key {
    pub const SCHEMA_VERSION: &str = "pontage.schema_version";
    pub const EXPERIMENT: &str = "pontage.experiment";
    pub const RUN: &str = "pontage.run";
    pub const HOST: &str = "pontage.host";
    /// Only where an emulated processor took the times.
    pub const EMULATED: &str = "pontage.emulated";
    /// Version of a table of recorded copies; other tables do not have it.
    pub const COPIES_VERSION: &str = "pontage.copies_version";
}

/// Columns that the reader needs back.
pub(crate) mod name {
    pub const POINT: &str = "point";
    pub const METRIC_INDEX: &str = "metric_index";
    pub const PROCESS: &str = "process";
    pub const SAMPLE: &str = "sample";
    pub const OPS: &str = "ops";
    pub const ELAPSED_NS: &str = "elapsed_ns";
    pub const FLOOR_NS: &str = "floor_ns";
    pub const VALUE: &str = "value";
    pub const CPU: &str = "cpu";
    pub const VOLUNTARY_SWITCHES: &str = "voluntary_switches";
    pub const INVOLUNTARY_SWITCHES: &str = "involuntary_switches";
    pub const MINOR_FAULTS: &str = "minor_faults";
    pub const MAJOR_FAULTS: &str = "major_faults";
    pub const MIGRATIONS: &str = "migrations";
    pub const STEAL_NS: &str = "steal_ns";
    pub const INTERRUPTS: &str = "interrupts";
}
