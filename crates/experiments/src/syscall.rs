//! Between user space and the kernel.

pub mod clock;
mod files;
pub mod fstat;
pub mod getppid;
pub mod open;
pub mod read;
pub mod stat;
pub mod write;
