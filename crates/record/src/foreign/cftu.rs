//! The `.dat` files of the I/OAT-CFTU measurements (Tor Vergata, 2013): copies
//! traced in the kernel, latency and its synthesis, bandwidth of each channel,
//! programs measured during copies, and their synthesis.
//!
//! Every kind of line is read and printed by a file of its own. Printing gives
//! the bytes that the programs of that study wrote (tabs, digits, no line end);
//! reading also takes what people made of them: spaces, rulings and `|` of a
//! pasted table, a total at the end of a row, an address with a digit too many.
//!
//! MB means 2^20 bytes there, and keeps that meaning.

mod band;
mod copy_load;
mod fields;
mod file;
mod latency;
mod name;
mod pollution;
mod synth;
mod trace;

pub use band::{BandBlock, BandRecord};
pub use copy_load::CopyLoad;
pub use fields::Malformed;
pub use file::{DatFile, LARGEST_FILE_BYTES, Lines, MalformedLine, Note};
pub use latency::LatencyRecord;
pub use name::{DatName, Direction, Routine, menu_number};
pub use pollution::{VictimRecord, VictimSynth, is_test_name, percent, test_of, victim_of};
pub use synth::SynthRecord;
pub use trace::TraceRecord;

/// Folders of the four studies, from where they were unpacked.
pub const TRACE_FOLDER: &str = "trace/risultati";
/// Where the study keeps its latencies.
pub const LATENCY_FOLDER: &str = "micro-benchmark_Msg/risultati";
/// Where the study keeps its bandwidths.
pub const BAND_FOLDER: &str = "micro-benchmark_Band/risultati";
/// Where the study keeps the times of programs during copies.
pub const POLLUTION_FOLDER: &str = "micro-benchmark_Cache_2CPU/risultati";
