//! A document in a terminal: so many columns wide, in colour or not.

mod paint;
mod table;

use super::{Block, Document, Heading, List, Phrase, Span, Table, Text, Tone};
use crate::terminal::matrix;
use paint::{Paint, wrapped};

/// Narrowest layout; below this, lines may be longer than the window.
pub const LEAST_WIDTH: usize = 40;
/// Blanks before the heading of a part, and of a part of it.
const INDENT: usize = 4;

/// Width and colour of the output.
#[derive(Debug, Clone, Copy)]
struct Page {
    width: usize,
    paint: Paint,
}

/// The document as text, `width` columns wide, with ANSI colours when `colour`
/// is set. Each line ends with a line feed.
pub fn write(document: &Document, width: usize, colour: bool) -> String {
    let page = Page {
        width: width.max(LEAST_WIDTH),
        paint: Paint::new(colour),
    };
    document.blocks.iter().map(|b| page.block(b)).collect()
}

/// Words that are laid out already, where there is no colour: standard error, a
/// table inside another text.
pub fn plain(document: &Document) -> String {
    write(document, usize::from(u16::MAX), false)
}

/// The lines of a table, without colour and as wide as it is.
pub fn lines(table: &Table) -> Vec<String> {
    let page = Page {
        width: usize::from(u16::MAX),
        paint: Paint::new(false),
    };
    table::lines(table, &page)
}

impl Page {
    fn block(&self, block: &Block) -> String {
        match block {
            Block::Heading(heading) => self.heading(heading),
            Block::Text(text) => self.text(text),
            Block::List(List { items, .. }) => items.iter().map(|item| self.text(item)).collect(),
            Block::Table(table) => {
                let lines = table::lines(table, self);
                lines.into_iter().map(|line| line + "\n").collect()
            }
            // Curves are drawn on pages; findings say in words what they show.
            Block::Figure(figure) => {
                let numbers = matrix::document(figure, self.width);
                numbers.blocks.iter().map(|b| self.block(b)).collect()
            }
            Block::Gap => "\n".to_owned(),
        }
    }

    fn heading(&self, heading: &Heading) -> String {
        let strong = |span: &Span| match span.tone {
            Tone::Plain => span.clone().tone(Tone::Strong),
            _ => span.clone(),
        };
        let words = Phrase::of(heading.words.spans.iter().map(strong));
        let indent = usize::from(heading.level).saturating_sub(2) * INDENT;
        format!("{:indent$}{}\n", "", self.spans(&words))
    }

    fn text(&self, text: &Text) -> String {
        let lead = safe(&text.lead);
        let lines = match text.unbroken {
            true => format!("{lead}{}\n", safe(&text.words)),
            false => {
                let hang = " ".repeat(text.hang);
                wrapped(&text.words.words(), self.width, &lead, &hang)
            }
        };
        if text.tone != Tone::Plain {
            let painted = |line: &str| self.paint.toned(text.tone, line) + "\n";
            return lines.lines().map(painted).collect();
        }
        // The lead has a fixed place, so it can be painted after wrapping.
        match (lines.strip_prefix(&lead), text.unbroken) {
            (Some(_), true) => {
                format!("{}{}\n", self.spans(&text.lead), self.spans(&text.words))
            }
            (Some(rest), false) => self.spans(&text.lead) + rest,
            (None, _) => lines,
        }
    }

    fn spans(&self, phrase: &Phrase) -> String {
        let text = |span: &Span| escape::terminal(&span.shown()).into_owned();
        let painted = |span: &Span| self.paint.toned(span.tone, &text(span));
        phrase.spans.iter().map(painted).collect()
    }
}

/// On one line, and nothing in it that a terminal would obey.
fn safe(phrase: &Phrase) -> String {
    escape::terminal(&phrase.words()).into_owned()
}

#[cfg(test)]
mod tests {
    use super::super::{Document, Phrase, Span, Text, Tone};
    use super::write;

    #[test]
    fn lines_break_at_the_width_and_stand_under_their_words() {
        let mut document = Document::new();
        document.text(Text::new("one two three four five six seven eight nine").lead("  - "));
        let text = write(&document, 40, false);
        assert_eq!(
            text,
            "  - one two three four five six seven\n    eight nine\n"
        );
    }

    #[test]
    fn a_tone_covers_the_lead_or_leaves_it_its_own() {
        let mut document = Document::new();
        document.heading(
            2,
            Phrase::of([Span::new("Head"), Span::new(" aside").tone(Tone::Soft)]),
        );
        document.text(Text::new("all").lead("! ").tone(Tone::Caution));
        document.text(Text::new("rest").lead(Phrase::toned("key ", Tone::Soft)));
        let text = write(&document, 80, true);
        let expected = "\x1b[1mHead\x1b[0m\x1b[2m aside\x1b[0m\n\
                        \x1b[33m! all\x1b[0m\n\x1b[2mkey \x1b[0mrest\n";
        assert_eq!(text, expected);
        assert_eq!(write(&document, 80, false), "Head aside\n! all\nkey rest\n");
    }

    #[test]
    fn labels_stand_in_a_column() {
        let mut document = Document::new();
        let words = "some words that go on for a while";
        document.text(Text::new(words).label(2, "id", 10));
        document.text(
            Text::line("x")
                .label(2, "a long label", 10)
                .label(0, "b", 3),
        );
        let expected =
            "  id        some words that go on for a\n            while\n  a long label b  x\n";
        assert_eq!(write(&document, 40, false), expected);
    }

    #[test]
    fn nothing_in_a_text_is_obeyed() {
        let evil = "\x1b[2J\r\nforged\u{202e}";
        let mut document = Document::new();
        document.heading(3, evil);
        document.text(Text::new(evil).lead(evil));
        document.line(Phrase::toned(evil, Tone::Good));
        document.list("facts", [Text::new(evil)]);
        let text = write(&document, 80, false);
        assert_eq!(text.lines().count(), 4);
        assert!(
            !text
                .chars()
                .any(|c| (c.is_control() && c != '\n') || escape::is_deceptive(c))
        );
    }
}
