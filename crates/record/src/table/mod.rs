//! One Parquet table for each experiment of a closed run: a row for each
//! sample, typed columns for the axes, no column that needs us to be read.

mod bounds;
mod cell;
mod column_reader;
mod columns;
mod copies;
mod read;
mod samples;
mod stored;
mod summary;
mod write;

pub use cell::{Cell, ColumnKind};
pub use columns::{Column, SampleRow, columns};
pub(crate) use copies::{CopiesTable, VERSION as COPIES_VERSION, encode_copies, read_copies};
pub(crate) use read::read_table;
pub(crate) use summary::{encode_summary, read_summary};
pub(crate) use write::{EncodedTable, encode_table};

/// Keys of the table's own metadata, so that a file that strayed from its run
/// folder still says what it is.
pub(crate) mod key {
    /// The schema version of the record.
    pub const SCHEMA_VERSION: &str = "pontage.schema_version";
    /// Id of the experiment.
    pub const EXPERIMENT: &str = "pontage.experiment";
    /// Name of the run.
    pub const RUN: &str = "pontage.run";
    /// Name of the host.
    pub const HOST: &str = "pontage.host";
    /// Only where an emulated processor took the times.
    pub const EMULATED: &str = "pontage.emulated";
    /// Version of a table of recorded copies; other tables do not have it.
    pub const COPIES_VERSION: &str = "pontage.copies_version";
}
