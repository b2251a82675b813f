//! Building for a guest: its kernel, modules against its kernel, test programs for its
//! processor, plugins for the QEMU around it, and what stands in their way.

pub mod host_programs;
pub mod kernel;
pub mod modules;
pub mod plugins;
pub mod programs;
pub mod rust_programs;
pub mod tree;

use crate::command;
use crate::data::Architecture;
use std::path::Path;
use std::process::Command;
use std::thread;

/// Of programs of ours in C: no warning passes.
const C_FLAGS: [&str; 6] = ["-std=gnu11", "-O2", "-g", "-Wall", "-Wextra", "-Werror"];

/// make in a folder of the kernel's, with a job for each CPU.
fn make(folder: &Path, architecture: Architecture) -> Command {
    let jobs = thread::available_parallelism().map_or(1, usize::from);
    let mut make = command::tied("make");
    make.arg("-C").arg(folder).arg(format!("-j{jobs}"));
    make.arg(format!("ARCH={}", architecture.kernel()));
    make.arg(format!("CROSS_COMPILE={}", architecture.cross_prefix()));
    // As the kernel itself was built, and not as the host's default is.
    make.arg(format!("CC={}", architecture.compiler()));
    make.env_remove("MAKEFLAGS").env_remove("MFLAGS");
    make
}
