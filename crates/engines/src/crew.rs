//! Other processes that a measurement needs beside itself: how they are forked
//! and reaped, called to work and sent to rest.

pub mod awake;
pub mod child;
pub mod demand;
pub mod futex;
pub mod shared;
