//! Traces of the kernel: the pages of its ring buffers, the files that hold
//! them, and analyses of them.
//!
//! The way of the data: a [`Head`] (what the kernel says of its own formats)
//! and each CPU's pages make a [`Capture`]; its events come out one by one, by
//! CPU or merged by time. Nothing here touches a running machine: recording is
//! in `probe`.
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

// The builders of tests are also compiled into the benchmark, from outside.
#[cfg(test)]
extern crate self as trace;

pub mod analyse;
mod bytes;
mod capture;
mod cut;
mod error;
pub mod export;
pub mod file;
pub mod format;
mod head;
mod merge;
mod moment;
pub mod page;
mod pages;
pub mod print;
mod select;
#[cfg(test)]
mod testing;
pub mod text;
pub mod timeline;
mod trim;
mod width;

pub use bytes::{Order, Words};
pub use capture::Capture;
pub use cut::{Cut, cut};
pub use error::{Result, TraceError};
pub use head::{CpuStat, Head, System, TimeScale};
pub use merge::Merged;
pub use moment::{Moment, MomentError};
pub use page::{Event, Item, Lost};
pub use pages::CpuPages;
pub use print::Printer;
pub use select::Selection;
