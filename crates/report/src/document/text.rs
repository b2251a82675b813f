//! Paragraphs and items of lists.

use super::{Phrase, Span, Tone};

/// A paragraph, or an item of a list.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Text {
    /// What stands before its first line in a terminal: blanks, a mark, a label.
    pub lead: Phrase,
    /// Blanks before its other lines.
    pub hang: usize,
    pub words: Phrase,
    /// Of the whole, its lead included.
    pub tone: Tone,
    /// Class of the page's style sheet.
    pub kind: &'static str,
    /// It is one line, however wide: a command to be copied, words laid out already.
    pub unbroken: bool,
}

impl Text {
    /// A paragraph that is broken into lines.
    pub fn new(words: impl Into<Phrase>) -> Text {
        Text {
            words: words.into(),
            ..Text::default()
        }
    }

    /// A line that is not broken.
    pub fn line(words: impl Into<Phrase>) -> Text {
        Text {
            unbroken: true,
            ..Text::new(words)
        }
    }

    /// Its other lines stand under its first word.
    pub fn lead(self, lead: impl Into<Phrase>) -> Text {
        let lead = lead.into();
        Text {
            hang: lead.width(),
            lead,
            ..self
        }
    }

    /// Behind a label that takes so many columns; a longer one keeps a blank behind it.
    /// A second label stands behind the first.
    pub fn label(mut self, indent: usize, label: impl Into<Span>, columns: usize) -> Text {
        let mut label = label.into();
        let width = columns.max(label.text.chars().count() + 1);
        label.text = format!("{:indent$}{:<width$}", "", label.text);
        self.lead.spans.push(label);
        self.hang += indent + columns;
        self
    }

    /// Further lines are indented by so much more.
    pub fn hang(self, hang: usize) -> Text {
        Text { hang, ..self }
    }

    /// The same in this tone.
    pub fn tone(self, tone: Tone) -> Text {
        Text { tone, ..self }
    }

    /// The same with a class of the page.
    pub fn kind(self, kind: &'static str) -> Text {
        Text { kind, ..self }
    }
}

impl<P: Into<Phrase>> From<P> for Text {
    fn from(words: P) -> Text {
        Text::new(words)
    }
}
