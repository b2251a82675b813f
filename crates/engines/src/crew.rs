//! Who runs where: the threads and processes that a measurement needs, how they are
//! started and reaped, called to work and sent to rest, and shared by points.

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
