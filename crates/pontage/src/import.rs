//! Results of other programs become a run that can be shown and compared.

mod cftu;
mod ipc_benchmark;

use crate::arguments::{Import, ImportFormat};
use crate::failure::Outcome;

/// # Errors
/// A file that cannot be read, or is none of that program; a record that cannot
/// be written.
pub fn run(arguments: &Import) -> Outcome {
    match arguments.format {
        ImportFormat::IpcBenchmark => ipc_benchmark::run(arguments),
        ImportFormat::Cftu => cftu::run(arguments),
    }
}
