//! What the scheduler decides: slices and wake-ups.

pub mod slice;
pub mod wakeup;
