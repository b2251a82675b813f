//! Simulated numbers as indices. Simulated memory has less than 2^32 lines and pages, so
//! nothing is lost.

/// As an index.
#[expect(
    clippy::cast_possible_truncation,
    reason = "sizes of simulated things, far below 2^32"
)]
pub fn index(value: u64) -> usize {
    value as usize
}

/// A number of a line, a page or a frame.
#[expect(
    clippy::cast_possible_truncation,
    reason = "simulated memory ends below 2^32 lines"
)]
pub fn number(value: u64) -> u32 {
    value as u32
}

/// A count of things of which there are few.
#[expect(clippy::cast_possible_truncation, reason = "few")]
pub fn few(value: usize) -> u32 {
    value as u32
}

/// A positive number without its fraction.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "positive, and the fraction is not wanted"
)]
pub fn whole(value: f64) -> u64 {
    value as u64
}
