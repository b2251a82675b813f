//! Results of other programs, read so that they can be recorded and compared.

pub mod ipc_benchmark;
