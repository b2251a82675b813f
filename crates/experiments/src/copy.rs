//! Copies by the CPU: in user space, into the kernel and out of it.

pub mod from_user;
pub mod memcpy;
#[cfg(test)]
mod tests;
pub mod to_user;
