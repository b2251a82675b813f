//! The threads and processes that a measurement needs: on which CPU they run, how they
//! are started, reaped, called to work and sent to sleep, and how points share them.

pub mod awake;
pub mod body;
pub mod child;
pub mod demand;
pub mod futex;
pub mod in_use;
pub mod poll;
pub mod shared;
pub mod threads;
pub mod waiting;
pub mod words;
