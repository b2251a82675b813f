//! Tasks beside each other: a task of known kind on a CPU of its own or a shared
//! one, that does its work for a window of time and says how much it was, or goes
//! on for as long as somebody else is measured.

pub mod axes;
pub mod command;
pub mod company;
pub mod crew;
pub mod evidence;
pub mod kinds;
pub mod mailbox;
pub mod occupancy;
pub mod seats;
pub mod task;
