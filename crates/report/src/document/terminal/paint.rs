//! Colour when asked for, and lines that end before the window does.

use crate::document::Tone;

/// Paints text with ANSI colours, or not at all.
#[derive(Debug, Clone, Copy)]
pub struct Paint {
    colour: bool,
}

impl Paint {
    /// Paints, or leaves text as it is.
    pub fn new(colour: bool) -> Self {
        Paint { colour }
    }

    /// Whether it leaves text as it is.
    pub fn is_plain(self) -> bool {
        !self.colour
    }

    /// The text in the colour of a tone.
    pub fn toned(self, tone: Tone, text: &str) -> String {
        let code = match tone {
            Tone::Plain => "",
            Tone::Strong => "1",
            Tone::Soft => "2",
            Tone::Good => "32",
            Tone::Caution => "33",
            Tone::Bad => "31;1",
        };
        match self.colour && !code.is_empty() && !text.is_empty() {
            true => format!("\x1b[{code}m{text}\x1b[0m"),
            false => text.to_owned(),
        }
    }
}

/// `text` in lines of at most `width` columns, the first after `first`, the
/// others after `rest`. Control characters are blanked.
pub fn wrapped(text: &str, width: usize, first: &str, rest: &str) -> String {
    let mut out = String::from(first);
    let mut column = first.chars().count();
    let mut fresh = true;
    for word in tokens(&escape::terminal(text)) {
        let length = word.chars().count();
        if !fresh && column + 1 + length > width {
            out.push('\n');
            out.push_str(rest);
            column = rest.chars().count();
            fresh = true;
        }
        if !fresh {
            out.push(' ');
            column += 1;
        }
        out.push_str(&word);
        column += length;
        fresh = false;
    }
    out.truncate(out.trim_end().len());
    out.push('\n');
    out
}

/// Symbols that never start a line: a number keeps its unit.
const UNITS: [&str; 12] = [
    "%", "ns", "µs", "ms", "s", "B", "KiB", "MiB", "GiB", "GB/s", "MHz", "cycles",
];

/// Words, with units tied to the word before.
fn tokens(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        let bare = word.trim_end_matches([',', '.', ';', ')', ':']);
        match found.last_mut() {
            Some(last) if UNITS.contains(&bare) => {
                last.push(' ');
                last.push_str(word);
            }
            _ => found.push(word.to_owned()),
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn lines_break_between_words_and_keep_their_indent() {
        assert_eq!(
            wrapped("one two three", 9, "- ", "  "),
            "- one two\n  three\n"
        );
        assert_eq!(wrapped("it takes 12 ns.", 11, "", ""), "it takes\n12 ns.\n");
        assert_eq!(wrapped("", 9, "- ", "  "), "-\n");
    }

    proptest! {
        #[test]
        fn no_line_is_longer_than_the_width_or_its_word(text in "[a-z]{1,12}( [a-z]{1,12}){0,20}") {
            for line in wrapped(&text, 20, "  ", "    ").lines() {
                prop_assert!(line.chars().count() <= 20);
            }
        }

        #[test]
        fn nothing_reaches_the_terminal_as_control(text in any::<String>()) {
            let out = wrapped(&text, 30, "", "");
            prop_assert!(!out.chars().any(|c| c.is_control() && c != '\n'));
        }
    }
}
