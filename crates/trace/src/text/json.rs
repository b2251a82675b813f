//! Strings of JSON.

use std::fmt::Write;

/// Appends `text` in quotes.
pub fn quote(text: &str, out: &mut String) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            c if hides(c) => {
                let mut units = [0; 2];
                for unit in c.encode_utf16(&mut units) {
                    let _ = write!(out, "\\u{unit:04x}");
                }
            }
            c => out.push(c),
        }
    }
    out.push('"');
}

/// Means the same as an escape, and does nothing to a terminal then.
fn hides(c: char) -> bool {
    !(' '..='~').contains(&c)
        && (c.is_control() || escape::is_deceptive(c) || matches!(c, '\u{2028}' | '\u{2029}'))
}

#[cfg(test)]
mod tests {
    #[test]
    fn odd_characters_are_escaped() {
        let mut out = String::new();
        super::quote("a\"\\\n\u{1}é", &mut out);
        assert_eq!(out, "\"a\\\"\\\\\\n\\u0001é\"");
        let mut out = String::new();
        super::quote("\u{202e}\u{9b}\u{e0041}", &mut out);
        assert_eq!(out, "\"\\u202e\\u009b\\udb40\\udc41\"");
    }
}
