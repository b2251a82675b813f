//! The result of a subject's check of its own work.

use harness::Fault;

/// Wrong with this sentence, unless it is right.
///
/// # Errors
/// The sentence.
pub fn must(right: bool, sentence: impl Into<String>) -> Result<(), Fault> {
    match right {
        true => Ok(()),
        false => Err(Fault::wrong(sentence)),
    }
}

/// `3 calls failed`: wrong where it happened at all.
///
/// # Errors
/// How often it happened, and `what`.
pub fn none(count: u64, what: &str) -> Result<(), Fault> {
    must(count == 0, format!("{count} {what}"))
}

/// The fault that was kept when it happened.
///
/// # Errors
/// That fault.
pub fn kept(fault: Option<&Fault>) -> Result<(), Fault> {
    fault.cloned().map_or(Ok(()), Err)
}
