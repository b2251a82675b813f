//! Words with what a reader should make of them.

use std::borrow::Cow;

/// How loudly something is said: a colour in a terminal, a class of the style
/// sheet on a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Tone {
    #[default]
    Plain,
    Strong,
    Soft,
    Good,
    Caution,
    Bad,
}

/// A run of words in one tone.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Span {
    pub text: String,
    pub tone: Tone,
    /// Class of the page's style sheet; none for plain text.
    pub kind: &'static str,
    /// What a page shows when the words are pointed at.
    pub title: String,
    /// Anchor of the page that it leads to, without its `#`.
    pub link: String,
    /// A command or a name, to be typed as it is.
    pub code: bool,
    /// Number of the note below that explains it.
    pub note: Option<usize>,
}

/// Spans, one behind the other.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Phrase {
    pub spans: Vec<Span>,
    /// Class of the whole on a page.
    pub kind: &'static str,
}

impl Span {
    /// Plain text.
    pub fn new(text: impl Into<String>) -> Span {
        Span {
            text: text.into(),
            ..Span::default()
        }
    }

    /// The same in this tone.
    pub fn tone(self, tone: Tone) -> Span {
        Span { tone, ..self }
    }

    /// The same with a class of the page.
    pub fn kind(self, kind: &'static str) -> Span {
        Span { kind, ..self }
    }

    /// The same with a text that a page shows over it.
    pub fn title(self, title: impl Into<String>) -> Span {
        let title = title.into();
        Span { title, ..self }
    }

    /// The same as a link within the page.
    pub fn link(self, anchor: impl Into<String>) -> Span {
        let link = anchor.into();
        Span { link, ..self }
    }

    /// The same as code.
    pub fn code(self) -> Span {
        Span { code: true, ..self }
    }

    /// The same with the number of a note behind it.
    pub fn note(self, number: usize) -> Span {
        Span {
            note: Some(number),
            ..self
        }
    }

    /// With its note behind it, where nothing can be raised.
    pub fn shown(&self) -> Cow<'_, str> {
        match self.note {
            None => Cow::Borrowed(&self.text),
            Some(number) => Cow::Owned(format!("{} [{number}]", self.text)),
        }
    }
}

impl Phrase {
    /// One span in this tone.
    pub fn toned(text: impl Into<String>, tone: Tone) -> Phrase {
        Phrase::from(Span::new(text).tone(tone))
    }

    /// Spans, one behind the other.
    pub fn of(spans: impl IntoIterator<Item = Span>) -> Phrase {
        Phrase {
            spans: spans.into_iter().collect(),
            kind: "",
        }
    }

    /// The same with a class of the page.
    pub fn kind(self, kind: &'static str) -> Phrase {
        Phrase { kind, ..self }
    }

    /// Whether there is no text in it.
    pub fn is_empty(&self) -> bool {
        self.spans.iter().all(|span| span.text.is_empty())
    }

    /// Its words without their tones.
    pub fn words(&self) -> String {
        self.spans.iter().map(Span::shown).collect()
    }

    /// Columns of a terminal.
    pub fn width(&self) -> usize {
        let widths = self.spans.iter().map(|span| span.shown().chars().count());
        widths.sum()
    }
}

impl From<&str> for Span {
    fn from(text: &str) -> Span {
        Span::new(text)
    }
}

impl From<String> for Span {
    fn from(text: String) -> Span {
        Span::new(text)
    }
}

impl From<Span> for Phrase {
    fn from(span: Span) -> Phrase {
        Phrase::of([span])
    }
}

impl From<String> for Phrase {
    fn from(text: String) -> Phrase {
        Span::new(text).into()
    }
}

impl From<&str> for Phrase {
    fn from(text: &str) -> Phrase {
        Span::new(text).into()
    }
}
