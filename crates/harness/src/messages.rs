//! Messages for people, on standard error. Where they lead nobody may read them: a pipe
//! whose reader has left, a closed descriptor, a full disk. What is measured does not
//! depend on that, so writing one cannot fail, where `eprintln!` would panic.

use std::fmt;
use std::io::{self, Write};

/// A message, in one write: lines of several processes do not mix. Causes repeat words
/// of files: what a terminal would obey is replaced.
pub fn line(text: fmt::Arguments<'_>) {
    written(&escape::lines(&format!("{text}\n")));
}

/// Text without a new line behind it; carriage returns and colours stay.
pub fn part(text: &str) {
    written(&escape::screen(text));
}

fn written(text: &str) {
    // Lost where it cannot be written: see above.
    let _ = io::stderr().lock().write_all(text.as_bytes());
}

/// A line on standard error, as `eprintln!` would write it.
#[macro_export]
macro_rules! message {
    ($($text:tt)*) => {
        $crate::messages::line(::core::format_args!($($text)*))
    };
}
