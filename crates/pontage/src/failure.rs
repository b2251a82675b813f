//! One form for every failure: what could not be done, why, and what helps.

use std::fmt;

/// Exit statuses, in one place.
pub const DONE: u8 = 0;
/// A comparison found a difference, a test failed, or something was lost or left behind.
pub const FAILED: u8 = 1;
/// Usage, or a failure of ours.
pub const USAGE: u8 = 2;
/// Nothing of what was asked can run on this machine.
pub const NOTHING_RUNS: u8 = 77;
/// The user interrupted (128 + SIGINT, as shells say it).
pub const INTERRUPTED: u8 = 130;

/// A failure as it is printed: `cannot <verb> <object>: <cause>`, then a hint.
#[derive(Debug)]
pub struct Failure {
    pub message: String,
    pub hint: Option<String>,
}

impl Failure {
    pub fn new(message: impl fmt::Display) -> Self {
        Failure {
            message: message.to_string(),
            hint: None,
        }
    }

    #[must_use]
    pub fn hint(mut self, hint: impl fmt::Display) -> Self {
        self.hint = Some(hint.to_string());
        self
    }

    /// With the hint that an error has, where it has one.
    #[must_use]
    pub fn hinted(self, hint: Option<impl fmt::Display>) -> Self {
        match hint {
            Some(hint) => self.hint(hint),
            None => self,
        }
    }

    /// With this hint, unless it has one.
    #[must_use]
    pub fn or_hint(self, hint: impl fmt::Display) -> Self {
        match self.hint {
            Some(_) => self,
            None => self.hint(hint),
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // It repeats words of files and of arguments, which could forge a line.
        write!(f, "pontage: {}", escape::terminal(&self.message))?;
        if let Some(hint) = &self.hint {
            // One below the other.
            write!(f, "\nhint: {}", escape::lines(hint))?;
        }
        Ok(())
    }
}

/// Says what is absent here, and what helps.
pub fn say_skip(what: &str, reason: &str, remedy: &str) {
    harness::message!("SKIP {what}: {reason}\nenable: {remedy}");
}

/// What a command ends with: an exit status, or a failure.
pub type Outcome = Result<u8, Failure>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_is_one_line_whatever_a_file_says() {
        let failure = Failure::new("cannot read \u{1b}[8mx\r\npontage: wrote y").hint("a\nhint: b");
        let printed = "pontage: cannot read ?[8mx  pontage: wrote y\nhint: a\nhint: b";
        assert_eq!(failure.to_string(), printed);
    }
}
