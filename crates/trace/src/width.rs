//! Numbers of another width: what is out of range saturates and never becomes
//! another number, and what keeps its low bits says so in its name.

/// A position or a count in memory.
#[inline]
pub fn index(value: u64) -> usize {
    usize::try_from(value).unwrap_or(usize::MAX)
}

/// The number of a row, a name or a CPU: far fewer than 2^32 are kept.
#[inline]
pub fn narrow(value: usize) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}

/// The low 32 bits.
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "the others are not wanted")]
pub const fn low_word(value: u64) -> u32 {
    value as u32
}

/// The low 8 bits.
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "the others are not wanted")]
pub const fn low_byte(value: u64) -> u8 {
    value as u8
}

/// A whole number that lies in a float; below 0 it is 0.
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "`as` saturates")]
pub fn whole(value: f64) -> u64 {
    value.max(0.0) as u64
}

/// The nearest whole number.
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "`as` saturates")]
pub fn nearest(value: f64) -> i64 {
    value.round() as i64
}
