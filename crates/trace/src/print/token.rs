//! Words of the language of `print fmt:`, which is C's.

use super::error::SentenceError;
use super::number::Number;

/// A token of C.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Token {
    Name(String),
    Number(Number),
    Text(String),
    /// `->`, `<<`, `(` ...
    Sign(&'static str),
}

/// The longer ones first, so that `<<` is not two of `<`.
const SIGNS: &[&str] = &[
    "...", "<<=", ">>=", "->", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "++", "--", "(",
    ")", "[", "]", "{", "}", ",", ";", "?", ":", "+", "-", "*", "/", "%", "&", "|", "^", "!", "~",
    "<", ">", "=", ".",
];

/// All words; else what is none.
pub fn tokens(text: &str) -> Result<Vec<Token>, SentenceError> {
    let mut all = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let (token, length) = match first {
            '"' => {
                let (bytes, length) = quoted(rest, '"')?;
                (Token::Text(bytes), length)
            }
            '\'' => {
                let (text, length) = quoted(rest, '\'')?;
                let value = text.chars().next().map_or(0, u64::from);
                (Token::Number(Number::new(value, false, false)), length)
            }
            '0'..='9' => number(rest)?,
            c if c == '_' || c.is_alphabetic() => {
                let end = rest.find(|c: char| c != '_' && !c.is_alphanumeric());
                let name = &rest[..end.unwrap_or(rest.len())];
                (Token::Name(name.to_owned()), name.len())
            }
            c => {
                let sign = SIGNS.iter().find(|sign| rest.starts_with(**sign));
                let sign = sign.ok_or(SentenceError::NotAWord(c))?;
                (Token::Sign(sign), sign.len())
            }
        };
        rest = rest[length..].trim_start();
        // "a" "b" is "ab".
        match (all.last_mut(), token) {
            (Some(Token::Text(before)), Token::Text(more)) => before.push_str(&more),
            (_, token) => all.push(token),
        }
    }
    Ok(all)
}

fn number(rest: &str) -> Result<(Token, usize), SentenceError> {
    let end = rest.find(|c: char| !c.is_ascii_alphanumeric());
    let word = &rest[..end.unwrap_or(rest.len())];
    let lower = word.to_ascii_lowercase();
    let (digits, radix) = match lower.strip_prefix("0x") {
        Some(hex) => (hex, 16),
        None if lower.len() > 1 && lower.starts_with('0') => (&lower[1..], 8),
        None => (lower.as_str(), 10),
    };
    let bare = digits.trim_end_matches(['u', 'l']);
    let suffix = &digits[bare.len()..];
    // `0u`, whose digit was taken for an octal's sign.
    let bare = if bare.is_empty() { "0" } else { bare };
    let value =
        u64::from_str_radix(bare, radix).map_err(|_| SentenceError::NotANumber(word.to_owned()))?;
    let wide = suffix.contains('l') || value > u64::from(u32::MAX);
    let large = match wide {
        true => i64::try_from(value).is_err(),
        false => i32::try_from(value).is_err(),
    };
    let (unsigned, wide) = match (suffix.contains('u'), radix) {
        (true, _) => (true, wide),
        // A decimal number that is too large for an int becomes a long.
        (false, 10) => (large && wide, wide || large),
        (false, _) => (large, wide),
    };
    let number = Number::new(value, unsigned, wide);
    Ok((Token::Number(number), word.len()))
}

/// What stands between quotes, and the length with them.
fn quoted(rest: &str, quote: char) -> Result<(String, usize), SentenceError> {
    let mut text = String::new();
    let mut chars = rest.char_indices().skip(1).peekable();
    while let Some((at, c)) = chars.next() {
        match c {
            c if c == quote => return Ok((text, at + 1)),
            '\\' => {
                let Some((_, escaped)) = chars.next() else {
                    break;
                };
                let octal = |c: &(usize, char)| c.1.is_digit(8);
                match escaped {
                    'n' => text.push('\n'),
                    't' => text.push('\t'),
                    'r' => text.push('\r'),
                    '0'..='7' => {
                        let mut value = escaped.to_digit(8).unwrap_or(0);
                        for _ in 0..2 {
                            if let Some((_, digit)) = chars.next_if(octal) {
                                value = value * 8 + digit.to_digit(8).unwrap_or(0);
                            }
                        }
                        text.extend(char::from_u32(value));
                    }
                    other => text.push(other),
                }
            }
            c => text.push(c),
        }
    }
    Err(SentenceError::OpenQuote)
}

#[cfg(test)]
mod tests {
    use super::{Number, Token, tokens};

    #[test]
    fn words_of_all_sorts() {
        let number = |value, unsigned, wide| Token::Number(Number::new(value, unsigned, wide));
        assert_eq!(
            tokens("\"a\\n\" \"%s\\\"\", REC->x << 0x1fUL ? 'A' : 010 - 0").unwrap(),
            [
                Token::Text("a\n%s\"".into()),
                Token::Sign(","),
                Token::Name("REC".into()),
                Token::Sign("->"),
                Token::Name("x".into()),
                Token::Sign("<<"),
                number(31, true, true),
                Token::Sign("?"),
                number(65, false, false),
                Token::Sign(":"),
                number(8, false, false),
                Token::Sign("-"),
                number(0, false, false),
            ]
        );
        assert_eq!(
            tokens("0xffffffff").unwrap(),
            [number(0xffff_ffff, true, false)]
        );
        assert_eq!(
            tokens("4294967295").unwrap(),
            [number(0xffff_ffff, false, true)]
        );
        for wrong in ["\"a", "09", "#", "'a"] {
            assert!(tokens(wrong).is_err(), "{wrong}");
        }
    }
}
