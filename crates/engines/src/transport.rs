//! Ways by which two tasks hand bytes to each other, as subjects.
//!
//! This module has what all transports share: the two ends, the partner
//! on the other side (a thread or a process, on which CPU, asleep or awake),
//! the batch that streams messages or plays ping-pong, the count of system
//! calls and switches on both sides, and the pass that checks every byte. A
//! transport itself is one file of `ipc/`: it makes a pair of ends.

pub mod advise;
pub mod axes;
pub mod baton;
pub mod claims;
pub mod control;
pub mod end;
pub mod fds;
pub mod figures;
pub mod findings;
pub mod janitor;
pub mod keeper;
pub mod link;
pub mod own;
pub mod pages;
pub mod partner;
pub mod recommend;
pub mod ring;
pub mod semantics;
pub mod serve;
pub mod setup;
pub mod shared;
pub mod slot;
pub mod socket;
mod still;
pub mod tally;
#[cfg(test)]
mod testing;
pub mod tether;

pub use axes::{AXES, PARTS, TALLIES, grids};
pub use end::{End, Options, Transport, Wait};
pub use setup::setup;
