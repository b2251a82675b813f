//! Building for a guest: its kernel, modules against its kernel, test programs for its
//! processor, plugins for the QEMU around it, and what stands in their way.

pub mod host_programs;
pub mod kernel;
pub mod modules;
pub mod plugins;
pub mod programs;
pub mod tree;
