//! What is said of a point that there was no time for, which is no fault of its own.

/// What such reasons begin with.
const NO_TIME: &str = "no time for it: ";
/// What to do about it.
pub const REMEDY: &str = "measure it by itself: pontage run ID";

/// The reason that `why` gives.
pub fn reason(why: &str) -> String {
    format!("{NO_TIME}{why}")
}

/// Whether a reason is one of these.
pub fn is_one(reason: &str) -> bool {
    reason.starts_with(NO_TIME)
}
