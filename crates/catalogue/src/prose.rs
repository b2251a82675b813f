//! The head comment of an experiment's file, read as its reference page.

/// Sections of a head comment, by their titles.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Prose {
    /// `# area/name - title`.
    pub title: String,
    /// Text between the title and the first section.
    pub question: String,
    pub counts: String,
    pub does_not_count: String,
    pub origin: String,
    pub theory: String,
}

/// Bytes of the leading `//!` comment: the program carries these and not the code
/// below them.
pub const fn head_bytes(source: &str) -> usize {
    let bytes = source.as_bytes();
    let (mut line, mut at) = (0, 0);
    while at < bytes.len() {
        if bytes[at] == b'\n' {
            line = at + 1;
        } else if at < line + 3 && bytes[at] != b"//!"[at - line] {
            return line;
        }
        at += 1;
    }
    bytes.len()
}

/// The first `N` bytes.
///
/// # Panics
/// At compile time, where there are fewer.
pub const fn first<const N: usize>(source: &str) -> [u8; N] {
    let (mut first, mut at) = ([0; N], 0);
    while at < N {
        first[at] = source.as_bytes()[at];
        at += 1;
    }
    first
}

/// Reads the leading `//!` comment of `source`. Sections that are missing stay
/// empty; tidy refuses such a file.
pub fn parse(source: &str) -> Prose {
    let mut prose = Prose::default();
    let mut section = String::from("question");
    for line in source.lines().map_while(|l| l.strip_prefix("//!")) {
        let line = line.strip_prefix(' ').unwrap_or(line);
        if let Some(title) = line.strip_prefix("# ") {
            let words = title.split_once(" - ").map_or(title, |(_, words)| words);
            prose.title = words.trim().to_owned();
        } else if let Some(name) = line.strip_prefix("## ") {
            section = name.trim().to_lowercase();
        } else if let Some(text) = prose.section(&section) {
            text.push_str(line);
            text.push('\n');
        }
    }
    for name in ["question", "counts", "does not count", "origin", "theory"] {
        if let Some(text) = prose.section(name) {
            *text = text.trim().to_owned();
        }
    }
    prose
}

impl Prose {
    fn section(&mut self, name: &str) -> Option<&mut String> {
        match name {
            "question" => Some(&mut self.question),
            "counts" => Some(&mut self.counts),
            "does not count" => Some(&mut self.does_not_count),
            "origin" => Some(&mut self.origin),
            "theory" => Some(&mut self.theory),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{first, head_bytes, parse};

    #[test]
    fn the_head_ends_where_the_code_begins() {
        const SOURCE: &str = "//! # a/b - c\n//!\n//! Why?\n\nuse x;\n//! not read\n";
        const HEAD: [u8; head_bytes(SOURCE)] = first(SOURCE);
        assert_eq!(&HEAD, b"//! # a/b - c\n//!\n//! Why?\n\n");
        assert_eq!(head_bytes("//! all"), 7);
        assert_eq!(head_bytes("use x;"), 0);
    }

    #[test]
    fn sections_are_split_and_trimmed() {
        let prose = parse(
            "//! # mem/x - The title\n//!\n//! Why?\n//!\n//! ## Counts\n//! a\n//! b\n//! ## Does not count\n//! c\n//! ## Origin\n//! d\n//! ## Theory\n//! e\nuse x;\n//! ## Counts\n//! not read\n",
        );
        assert_eq!(prose.title, "The title");
        assert_eq!(prose.question, "Why?");
        assert_eq!(prose.counts, "a\nb");
        assert_eq!(prose.does_not_count, "c");
        assert_eq!(prose.origin, "d");
        assert_eq!(prose.theory, "e");
    }
}
