//! Results of other programs, read so that they can be recorded and compared.

pub mod cftu;
#[cfg(test)]
mod fuzz;
pub mod ipc_benchmark;
