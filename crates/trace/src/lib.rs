//! Traces of the kernel: the pages of its ring buffers, the files that hold
//! them, and what they tell.
//!
//! The way of the data: a [`Head`] (what the kernel says of its own formats)
//! and each CPU's pages make a [`Capture`]; its events come out one by one, by
//! CPU or merged by time. Nothing here touches a running machine: recording is
//! in `probe`.

mod bytes;
mod capture;
mod error;
pub mod file;
pub mod format;
mod head;
mod merge;
pub mod page;
pub mod timeline;

pub use bytes::{Order, Words};
pub use capture::{Capture, CpuPages};
pub use error::{Result, TraceError};
pub use head::{CpuStat, Head, System, TimeScale};
pub use merge::Merged;
pub use page::{Event, Item, Lost};
