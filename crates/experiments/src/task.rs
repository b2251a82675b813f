//! Making and ending tasks: threads, processes, programs.

pub mod create;
