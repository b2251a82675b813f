//! Analyses of a capture: who ran, who waited, which timer fired when, where the
//! kernel spent its time. Pure: a capture goes in, numbers come out.
//!
//! A [`Pass`] reads the capture once and shows every event to all analyses
//! ([`Visitor`]). Events are missing where a [`Gap`] says so; nothing spans one.

pub mod compare;
mod course;
mod distribution;
mod event;
pub mod explain;
pub mod functions;
pub mod held;
pub mod idle;
pub mod interrupts;
mod known;
mod pass;
pub mod queue;
pub mod sleeps;
mod slice;
pub mod slices;
mod states;
pub mod summary;
pub mod symbols;
pub mod syscalls;
mod table;
pub mod tasks;
pub mod ticks;
pub mod timers;
pub mod words;

pub use course::Course;
pub use distribution::{Distribution, Estimate};
pub use event::{Comm, Happening, Interrupt, Switch, TimerStart, Wake, WakeKind, What};
pub use known::Known;
pub use pass::{CpuSpan, Gap, Pass, Visitor};
pub use states::States;
pub use symbols::Symbols;
pub use table::ByPid;

#[cfg(test)]
mod tests;
