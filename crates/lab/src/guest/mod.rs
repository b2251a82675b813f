//! A guest: what lies in its memory when it boots, the QEMU around it, and its
//! life up to the END marker or the deadline.

pub mod image;
pub mod life;
pub mod qemu;
pub mod storage;
