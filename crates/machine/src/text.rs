//! Small text forms that several kernel files share. Pure.

use crate::problem::Flaw;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use thiserror::Error;

/// At most the first words of something unexpected, made safe to print.
pub(crate) fn quoted(text: &str) -> String {
    if text.is_empty() {
        return "nothing".to_owned();
    }
    let start: String = text.chars().take(40).collect();
    format!("{start:?}")
}

/// A text without the form that its file should have.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("expected {expected}, found {found}")]
pub struct Unexpected {
    expected: Cow<'static, str>,
    /// The beginning of the text, in quotes.
    found: String,
}

impl Unexpected {
    /// `expected` completes "expected ...": `a number`.
    pub fn new(expected: impl Into<Cow<'static, str>>, found: &str) -> Self {
        Unexpected {
            expected: expected.into(),
            found: quoted(found),
        }
    }
}

/// `key <separator> value` with its line number, counted from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pair<'a> {
    pub line: usize,
    pub key: &'a str,
    pub value: &'a str,
}

/// The lines of a text that have the separator, and a flaw for each other line
/// that is not blank.
pub fn pairs(text: &str, separator: char) -> (Vec<Pair<'_>>, Vec<Flaw>) {
    lines(text, |line, content| match content.split_once(separator) {
        Some((key, value)) => Ok(Some(Pair {
            line,
            key: key.trim(),
            value: value.trim(),
        })),
        None if content.trim().is_empty() => Ok(None),
        None => Err(Unexpected::new(format!("key{separator}value"), content)),
    })
}

/// What `parse` makes of the lines of a text, whose numbers count from 1: values, nothing,
/// and flaws.
pub fn lines<'a, T>(
    text: &'a str,
    mut parse: impl FnMut(usize, &'a str) -> Result<Option<T>, Unexpected>,
) -> (Vec<T>, Vec<Flaw>) {
    let (mut found, mut flaws) = (Vec::new(), Vec::new());
    for (number, line) in (1..).zip(text.lines()) {
        match parse(number, line) {
            Ok(value) => found.extend(value),
            Err(cause) => flaws.push(Flaw::at(number, cause.to_string())),
        }
    }
    (found, flaws)
}

/// A setting among choices, as `always [madvise] never`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Choice {
    pub chosen: String,
    pub choices: Vec<String>,
}

/// Read a [`Choice`] marked by the brackets `open` and `close`.
///
/// # Errors
/// When not exactly one word is marked.
pub fn choice(text: &str, open: char, close: char) -> Result<Choice, Unexpected> {
    let wrong = || Unexpected::new(format!("one word in {open}{close}"), text);
    let mut chosen = None;
    let mut choices = Vec::new();
    for word in text.split_whitespace() {
        let bare = word.strip_prefix(open).and_then(|w| w.strip_suffix(close));
        if let Some(bare) = bare
            && chosen.replace(bare.to_owned()).is_some()
        {
            return Err(wrong());
        }
        choices.push(bare.unwrap_or(word).to_owned());
    }
    let chosen = chosen.filter(|word| !word.is_empty()).ok_or_else(wrong)?;
    Ok(Choice { chosen, choices })
}

/// `48K`, `2048K`, `1M` or plain bytes: the form of cache sizes.
///
/// # Errors
/// When it is no such size or does not fit 64 bits.
pub fn size_bytes(text: &str) -> Result<u64, Unexpected> {
    let wrong = || Unexpected::new("a size such as 48K", text);
    let (digits, shift) = match text.as_bytes().last() {
        Some(b'K' | b'k') => (&text[..text.len() - 1], 10),
        Some(b'M') => (&text[..text.len() - 1], 20),
        Some(b'G') => (&text[..text.len() - 1], 30),
        _ => (text, 0),
    };
    let number: u64 = digits.parse().map_err(|_| wrong())?;
    number.checked_mul(1 << shift).ok_or_else(wrong)
}

/// `16384 kB` as in /proc/meminfo (where kB means 1024 bytes), in bytes.
///
/// # Errors
/// When it is no such amount or does not fit 64 bits.
pub fn kib_as_bytes(text: &str) -> Result<u64, Unexpected> {
    let wrong = || Unexpected::new("an amount in kB", text);
    let digits = text.strip_suffix("kB").ok_or_else(wrong)?.trim_end();
    let number: u64 = digits.parse().map_err(|_| wrong())?;
    number.checked_mul(1024).ok_or_else(wrong)
}

/// The amount behind `key`, in the first line that has it, in bytes.
///
/// # Errors
/// As [`kib_as_bytes`], with the line.
pub fn amount_of(text: &str, key: &str) -> Option<Result<u64, Flaw>> {
    let mut lines = (1..).zip(text.lines());
    let (number, (_, amount)) = lines.find_map(|(n, line)| Some((n, line.split_once(key)?)))?;
    Some(kib_as_bytes(amount.trim()).map_err(|cause| Flaw::at(number, cause.to_string())))
}

/// `0x1f` or `31`.
///
/// # Errors
/// When it is no number.
pub fn maybe_hex(text: &str) -> Result<u64, Unexpected> {
    let parsed = match text.strip_prefix("0x") {
        Some(hex) => u64::from_str_radix(hex, 16),
        None => text.parse(),
    };
    parsed.map_err(|_| Unexpected::new("a number", text))
}

/// A size for people, in the largest unit that gives at least one, with up to two digits after
/// the point.
pub fn binary_size(bytes: u64) -> String {
    const UNITS: [(u64, &str); 4] = [
        (1 << 40, "TiB"),
        (1 << 30, "GiB"),
        (1 << 20, "MiB"),
        (1 << 10, "KiB"),
    ];
    let Some((unit, name)) = UNITS.into_iter().find(|(unit, _)| bytes >= *unit) else {
        return format!("{bytes} B");
    };
    let hundredths = u128::from(bytes) * 100 / u128::from(unit);
    let text = format!("{}.{:02}", hundredths / 100, hundredths % 100);
    let text = text.trim_end_matches('0').trim_end_matches('.');
    format!("{text} {name}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn sizes_are_read_at_a_glance() {
        assert_eq!(binary_size(48 << 10), "48 KiB");
        assert_eq!(binary_size(32_768 << 10), "32 MiB");
        assert_eq!(binary_size(1_310_720), "1.25 MiB");
        assert_eq!(binary_size(260 << 20), "260 MiB");
        assert_eq!(binary_size(64), "64 B");
    }

    #[test]
    fn pairs_name_the_lines_they_cannot_use() {
        let (found, flaws) = pairs("a : 1\n\nb\nc:2\n", ':');
        let keys: Vec<_> = found.iter().map(|p| (p.line, p.key, p.value)).collect();
        assert_eq!(keys, [(1, "a", "1"), (4, "c", "2")]);
        assert_eq!(flaws, [Flaw::at(3, "expected key:value, found \"b\"")]);
    }

    #[test]
    fn a_choice_is_the_word_in_brackets() {
        let found = choice("always [madvise] never", '[', ']').unwrap();
        assert_eq!(found.chosen, "madvise");
        assert_eq!(found.choices, ["always", "madvise", "never"]);
        assert_eq!(choice("none (full)", '(', ')').unwrap().chosen, "full");
        assert!(choice("always never", '[', ']').is_err());
        assert!(choice("[a] [b]", '[', ']').is_err());
        assert!(choice("[]", '[', ']').is_err());
    }

    #[test]
    fn sizes_have_kernel_suffixes() {
        assert_eq!(size_bytes("48K"), Ok(48 << 10));
        assert_eq!(size_bytes("266240K"), Ok(260 << 20));
        assert_eq!(size_bytes("2M"), Ok(2 << 20));
        assert_eq!(size_bytes("64"), Ok(64));
        assert!(size_bytes("").is_err());
        assert!(size_bytes("K").is_err());
        assert!(size_bytes("99999999999999999999K").is_err());
        assert!(size_bytes("18446744073709551615G").is_err());
        assert_eq!(kib_as_bytes("3 kB"), Ok(3072));
        assert!(kib_as_bytes("3 MB").is_err());
        assert_eq!(maybe_hex("0x1f"), Ok(31));
    }

    proptest! {
        #[test]
        fn nothing_panics(text in ".*") {
            pairs(&text, ':');
            let _ = choice(&text, '[', ']');
            let _ = size_bytes(&text);
            let _ = kib_as_bytes(&text);
            let _ = maybe_hex(&text);
        }

        #[test]
        fn a_choice_round_trips(words in proptest::collection::vec("[a-z+]{1,8}", 1..6), pick in 0usize..6) {
            let pick = pick % words.len();
            let text: Vec<String> = words.iter().enumerate()
                .map(|(i, w)| if i == pick { format!("[{w}]") } else { w.clone() })
                .collect();
            let read = choice(&text.join(" "), '[', ']').unwrap();
            prop_assert_eq!(&read.chosen, &words[pick]);
            prop_assert_eq!(read.choices, words);
        }
    }
}
