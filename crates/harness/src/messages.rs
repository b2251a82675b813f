//! Messages for people, on standard error. Where they lead nobody may read them: a pipe
//! whose reader has left, a closed descriptor, a full disk. What is measured does not
//! depend on that, so writing one cannot fail, where `eprintln!` would panic.

use std::fmt;
use std::io::{self, Write};

/// One line, in one write: lines of several processes do not mix.
pub fn line(text: fmt::Arguments<'_>) {
    part(&format!("{text}\n"));
}

/// Text without a new line behind it. Causes repeat words of files: what a terminal
/// would obey is replaced, but for colours.
pub fn part(text: &str) {
    // Lost where it cannot be written: see above.
    let _ = io::stderr()
        .lock()
        .write_all(escape::screen(text).as_bytes());
}

/// A line on standard error, as `eprintln!` would write it.
#[macro_export]
macro_rules! message {
    ($($text:tt)*) => {
        $crate::messages::line(::core::format_args!($($text)*))
    };
}
