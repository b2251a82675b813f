//! The record is the product: a run is a folder, and everything that is ever
//! shown, compared or exported is read back from that folder.
//!
//! This crate is a leaf. It knows how a run is stored, not how one is measured
//! or drawn.
#![cfg_attr(
    not(test),
    deny(clippy::disallowed_methods, clippy::print_stderr, clippy::print_stdout)
)]
// With 64 bits: on armv7 types of the C library are narrower than elsewhere.
#![cfg_attr(
    all(not(test), target_pointer_width = "64"),
    deny(clippy::cast_possible_truncation)
)]
#![forbid(unsafe_code)]

mod append;
pub mod axis;
pub mod brief;
pub mod copies;
mod copies_stream;
pub mod counters;
pub mod describe;
pub mod discard;
mod durable;
pub mod error;
pub mod finding;
mod float;
pub mod foreign;
pub mod frame;
mod head_file;
pub mod interrupts;
pub mod labels;
pub mod layout;
pub mod machine_card;
mod migrate;
pub mod moment;
mod old_sample;
mod open;
mod own_files;
pub mod placement;
pub mod relabel;
pub mod run;
mod run_id;
pub mod sample;
pub mod self_test;
mod shared;
mod stream;
pub mod summary;
pub mod table;
pub mod traces;
mod writer;

pub use axis::{AxisValue, Setting, Unit, word_as_read};
pub use brief::{BriefHead, BriefMachine, ListedBrief};
pub use copies::{CopyOperation, Engine, RecordedCopy};
pub use counters::{
    ALARM, COUNTED_TIME, CounterAbsence, CounterHead, CountersHead, ON_COUNTERS, PROBE_EFFECT,
};
pub use describe::{
    AxisHead, ExperimentHead, FigureHead, FigureKind, KindHead, MarkKind, MetricHead,
    RoundTripHead, SINGLE, TollGroup, TollHead,
};
pub use discard::Discard;
pub use error::RecordError;
pub use finding::{
    ClaimOutcome, ClaimState, Confidence, Finding, FindingClass, MethodSays, Pattern, Region,
    Stand, Verdict,
};
pub use frame::{FrameError, FrameReader, HEADER_BYTES, frame_header, write_frame};
pub use head_file::TableHead;
pub use interrupts::{InterruptRow, InterruptsHead};
pub use labels::Labels;
pub use layout::{STREAM, is_run_id, rfc3339_utc, run_id};
pub use machine_card::{Cache, CacheKind, CpuPlace, MachineCard};
pub use open::{ListedRun, Run, list_runs};
pub use placement::Placement;
pub use relabel::relabel;
pub use run::{
    Conditions, Instrument, PointHead, PointState, RecipeHead, RunHead, RunState, YardstickHead,
};
pub use sample::{Disturbance, Sample, SamplesByPoint, Yardstick};
pub use self_test::{SelfTest, SelfTestReading, SelfTestRow, SelfTestUnit, SelfTestVerdict};
pub use shared::Shared;
pub use stream::{Recovery, STREAM_HEADER_BYTES};
pub use summary::SummaryRow;
pub use traces::TraceHead;
pub use writer::RunWriter;

/// Version of the layout of `run.json` and of the tables. Raised when a reader
/// of the previous version would misread the new one; every version ever
/// released stays readable.
pub const SCHEMA_VERSION: u32 = 3;
