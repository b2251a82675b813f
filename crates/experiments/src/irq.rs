//! What interrupts a CPU: ticks, timers, other CPUs, devices.

pub mod delta;
pub mod tick;
pub mod timer;

/// Where nothing counts the interrupts.
fn uncounted(cause: std::io::Error) -> harness::SetupError {
    harness::SetupError::skip(
        format!("cannot read /proc/interrupts: {cause}"),
        "cat /proc/interrupts (a container may hide it)",
    )
}
