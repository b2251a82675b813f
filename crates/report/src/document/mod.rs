//! What a study says, before anybody has decided where it is shown: headings,
//! text, lists, tables and figures. One writer for each place: [`terminal`], [`html`],
//! [`markdown`]. Texts are held as they are; a writer makes them safe.

pub mod html;
pub mod markdown;
mod phrase;
mod table;
pub mod terminal;
mod text;

pub use phrase::{Phrase, Span, Tone};
pub use table::{Align, Cell, Column, Look, Table};
pub use text::Text;

use crate::figure::Figure;

/// Blocks in the order in which they are read.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Document {
    pub blocks: Vec<Block>,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Block {
    Heading(Heading),
    Text(Text),
    List(List),
    Table(Table),
    Figure(Box<Figure>),
    /// What follows is another section.
    Gap,
}

/// Sections have level 2, parts of them level 3.
#[derive(Debug, Clone, PartialEq)]
pub struct Heading {
    pub level: u8,
    pub words: Phrase,
}

#[derive(Debug, Clone, Default, PartialEq)]
pub struct List {
    /// Class of the page's style sheet.
    pub kind: &'static str,
    pub items: Vec<Text>,
}

impl Document {
    pub fn new() -> Document {
        Document::default()
    }

    pub fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }

    pub fn heading(&mut self, level: u8, words: impl Into<Phrase>) {
        let words = words.into();
        self.blocks.push(Block::Heading(Heading { level, words }));
    }

    pub fn text(&mut self, text: impl Into<Text>) {
        self.blocks.push(Block::Text(text.into()));
    }

    /// A text that is one line, however wide.
    pub fn line(&mut self, words: impl Into<Phrase>) {
        self.text(Text::line(words));
    }

    pub fn list(&mut self, kind: &'static str, items: impl IntoIterator<Item = Text>) {
        let items: Vec<Text> = items.into_iter().collect();
        if !items.is_empty() {
            self.blocks.push(Block::List(List { kind, items }));
        }
    }

    pub fn table(&mut self, table: Table) {
        self.blocks.push(Block::Table(table));
    }

    pub fn figure(&mut self, figure: Figure) {
        self.blocks.push(Block::Figure(Box::new(figure)));
    }

    pub fn gap(&mut self) {
        self.blocks.push(Block::Gap);
    }

    pub fn append(&mut self, more: Document) {
        self.blocks.extend(more.blocks);
    }

    /// One behind the other, parted by gaps; empty ones leave none.
    pub fn sections(parts: impl IntoIterator<Item = Document>) -> Document {
        let mut whole = Document::new();
        for part in parts.into_iter().filter(|part| !part.is_empty()) {
            if !whole.is_empty() {
                whole.gap();
            }
            whole.append(part);
        }
        whole
    }
}

#[cfg(test)]
mod tests {
    use super::{Block, Document};

    fn of(line: &str) -> Document {
        let mut document = Document::new();
        document.line(line);
        document
    }

    #[test]
    fn empty_sections_leave_no_gap() {
        let whole = Document::sections([Document::new(), of("a"), Document::new(), of("b")]);
        let gaps = whole.blocks.iter().filter(|b| **b == Block::Gap).count();
        assert_eq!((whole.blocks.len(), gaps), (3, 1));
    }

    #[test]
    fn a_list_without_items_is_none() {
        let mut document = Document::new();
        document.list("facts", []);
        assert!(document.is_empty());
    }
}
