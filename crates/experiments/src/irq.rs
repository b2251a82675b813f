//! What interrupts a CPU: ticks, timers, other CPUs, devices.

pub mod delta;
pub mod tick;
pub mod timer;

/// Windows of a point that counts in windows.
const WINDOWS: u32 = 5;

/// Of a point that counts in windows.
fn in_windows(point: &harness::Point) -> harness::Shape {
    harness::Shape::Recorded {
        lasts_ns: (point.size("window") as u64).saturating_mul(WINDOWS.into()),
    }
}

/// Where nothing counts the interrupts.
fn uncounted(cause: std::io::Error) -> harness::SetupError {
    harness::SetupError::skip(
        format!("cannot read /proc/interrupts: {cause}"),
        "cat /proc/interrupts (a container may hide it)",
    )
}
