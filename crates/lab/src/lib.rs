//! Virtual machines for kernel work. What exists is data under `lab/`
//! (kernels, machines, scenarios); this crate fetches Debian's kernels into a
//! cache folder, builds modules and test programs against them, boots QEMU
//! without hardware help, and judges the guest's output.
//!
//! Nothing here measures: times are deadlines, and what a guest says about time
//! is emulated.
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

pub mod build;
pub mod cache;
mod command;
pub mod counted;
pub mod data;
pub mod expected;
pub mod fetch;
pub mod guard;
pub mod guest;
pub mod ktap;
pub mod needs;
pub mod outcome;
pub mod queue;
pub mod stop;
pub mod up;
pub mod workshop;

pub use outcome::{Outcome, Verdict};
pub use stop::Stop;
pub use up::Lab;
