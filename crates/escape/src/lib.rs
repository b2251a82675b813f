//! Text from a file, made safe for the place where it is shown.
//!
//! A task's name, a host's name or a note of a record is chosen by whoever
//! wrote the file. One function for each destination says what becomes of it;
//! nothing else in this workspace escapes text for these places.
//!
//! | destination | function | what could happen |
//! |---|---|---|
//! | a field on a terminal | [`terminal`] | escape sequences, forged lines, reversed text |
//! | a command to be judged | [`spelled`] | the same, or something left unseen |
//! | a whole text on a terminal | [`screen`] | the same, where a field was forgotten |
//! | JSON on a terminal | [`json`] | the same |
//! | a page | [`page`] | reversed text (maud escapes the markup) |
//! | a cell of CSV | [`csv`] | formulas of a spreadsheet, forged rows |
//! | a label of a metric | [`metric`] | forged metrics |
//! | XML (SVG) | [`xml`] | characters that XML cannot hold |
#![cfg_attr(
    not(test),
    deny(clippy::disallowed_methods, clippy::print_stderr, clippy::print_stdout)
)]
// With 64 bits: on armv7 types of the C library are narrower than elsewhere.
#![cfg_attr(
    all(not(test), target_pointer_width = "64"),
    deny(clippy::cast_possible_truncation)
)]
#![forbid(unsafe_code)]

use std::borrow::Cow;

/// Printed for a character that must not be obeyed.
pub const REPLACEMENT: char = '?';

/// Characters that reverse, isolate or hide the text around them. Sources:
/// Unicode Standard Annex 9 (explicit directional formatting), Trojan Source
/// (CVE-2021-42574), and the invisible tags of plane 14.
pub fn is_deceptive(c: char) -> bool {
    matches!(c,
        '\u{61c}' | '\u{200e}' | '\u{200f}'
        | '\u{202a}'..='\u{202e}'
        | '\u{2066}'..='\u{2069}'
        | '\u{feff}'
        | '\u{fff9}'..='\u{fffb}'
        | '\u{e0000}'..='\u{e007f}')
}

/// Ends a line for one reader or another.
fn is_break(c: char) -> bool {
    matches!(c, '\t'..='\r' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

fn harmless(c: char) -> char {
    if is_break(c) {
        ' '
    } else if c.is_control() || is_deceptive(c) {
        REPLACEMENT
    } else {
        c
    }
}

fn replaced(text: &str, by: impl Fn(char) -> char) -> Cow<'_, str> {
    if text.chars().all(|c| by(c) == c) {
        Cow::Borrowed(text)
    } else {
        Cow::Owned(text.chars().map(by).collect())
    }
}

/// A field on one line of a terminal: no control characters, nothing that
/// reverses text, and no line of its own. As wide as it was.
pub fn terminal(text: &str) -> Cow<'_, str> {
    replaced(text, harmless)
}

/// A message of several lines: they stay, and nothing else that a terminal would obey.
pub fn lines(text: &str) -> Cow<'_, str> {
    replaced(text, |c| if c == '\n' { c } else { harmless(c) })
}

/// A field that a reader has to judge before it is executed: what a terminal would
/// obey stands as its number, and nothing is left out. A backslash is doubled: behind a
/// new line begins another command, behind a backslash and an n does not.
pub fn spelled(text: &str) -> String {
    let one = |c: char| match c {
        '"' | '\'' => c.to_string(),
        c if is_deceptive(c) => c.escape_unicode().to_string(),
        c => c.escape_debug().to_string(),
    };
    text.chars().map(one).collect()
}

/// A whole text of several lines, with colours: lines, tabs, carriage returns
/// and SGR sequences (`ESC [ digits and ; m`) stay, every other control goes.
/// The net under [`terminal`]: it cannot know a forged line from a real one.
pub fn screen(text: &str) -> Cow<'_, str> {
    let plain = |c: char| matches!(c, '\n' | '\t' | '\r') || !(c.is_control() || is_deceptive(c));
    if text.chars().all(plain) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        if let Some(length) = sgr_length(rest) {
            out.push_str(&rest[..length]);
            rest = &rest[length..];
            continue;
        }
        out.push(if plain(c) { c } else { REPLACEMENT });
        rest = &rest[c.len_utf8()..];
    }
    Cow::Owned(out)
}

/// Bytes of the colour sequence that `text` begins with.
fn sgr_length(text: &str) -> Option<usize> {
    let rest = text.strip_prefix("\x1b[")?;
    let digits = rest
        .bytes()
        .take_while(|b| b.is_ascii_digit() || *b == b';')
        .count();
    (rest.as_bytes().get(digits) == Some(&b'm')).then_some(2 + digits + 1)
}

/// JSON that may stand on a terminal. serde_json escapes the controls below
/// U+0020; the others become `\u` escapes too, which mean the same to a reader.
pub fn json(document: &str) -> Cow<'_, str> {
    let plain = |c: char| {
        c == '\n' || !(c.is_control() || is_deceptive(c) || matches!(c, '\u{2028}' | '\u{2029}'))
    };
    if document.chars().all(plain) {
        return Cow::Borrowed(document);
    }
    let mut out = String::with_capacity(document.len() + 16);
    for c in document.chars() {
        if plain(c) {
            out.push(c);
        } else {
            let mut units = [0; 2];
            for unit in c.encode_utf16(&mut units) {
                out.push_str(&format!("\\u{unit:04x}"));
            }
        }
    }
    Cow::Owned(out)
}

/// Text of a page, before its markup is escaped: what looks like one text must
/// not be another, and HTML has no place for controls. Lines stay.
pub fn page(text: &str) -> Cow<'_, str> {
    replaced(text, |c| match c {
        '\n' | '\t' => c,
        c => xml_or_replacement(harmless(c)),
    })
}

/// Text inside XML, which cannot hold every character even when escaped
/// (XML 1.0, production 2).
pub fn xml(text: &str) -> Cow<'_, str> {
    replaced(text, |c| xml_or_replacement(harmless(c)))
}

fn xml_or_replacement(c: char) -> char {
    if matches!(c, '\u{fffe}' | '\u{ffff}') {
        REPLACEMENT
    } else {
        c
    }
}

/// A cell of text in CSV, before it is quoted. What a spreadsheet would take
/// for a formula (`=`, `+`, `-`, `@` in front; OWASP, CSV injection) gets an
/// apostrophe in front, which spreadsheets hide; a number stays a number.
pub fn csv(text: &str) -> Cow<'_, str> {
    let clean = terminal(text);
    let formula =
        clean.trim_start().starts_with(['=', '+', '-', '@']) && clean.parse::<f64>().is_err();
    if formula {
        Cow::Owned(format!("'{clean}"))
    } else {
        clean
    }
}

/// The value of a label in Prometheus' text format 0.0.4, without its quotes.
pub fn metric(value: &str) -> String {
    terminal(value).replace('\\', "\\\\").replace('"', "\\\"")
}

#[cfg(test)]
mod tests;
