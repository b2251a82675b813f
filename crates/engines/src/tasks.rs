//! Tasks that run at the same time: a task of known kind, on a CPU of its own or a
//! shared one, that works for a window of time and reports how much it did, or
//! works for as long as another task is measured.

pub mod axes;
pub mod command;
pub mod corun;
pub mod crew;
pub mod evidence;
pub mod kinds;
pub mod mailbox;
pub mod occupancy;
pub mod seats;
pub mod task;
