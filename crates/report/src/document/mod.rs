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

/// A part of a document.
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

/// Entries of equal rank.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct List {
    /// Class of the page's style sheet.
    pub kind: &'static str,
    pub items: Vec<Text>,
}

impl From<Text> for Block {
    fn from(text: Text) -> Block {
        Block::Text(text)
    }
}

impl From<Table> for Block {
    fn from(table: Table) -> Block {
        Block::Table(table)
    }
}

/// A document of one block.
impl<B: Into<Block>> From<B> for Document {
    fn from(block: B) -> Document {
        std::iter::once(block).collect()
    }
}

impl<B: Into<Block>> FromIterator<B> for Document {
    fn from_iter<I: IntoIterator<Item = B>>(blocks: I) -> Document {
        let blocks = blocks.into_iter().map(Into::into).collect();
        Document { blocks }
    }
}

impl<B: Into<Block>> Extend<B> for Document {
    fn extend<I: IntoIterator<Item = B>>(&mut self, blocks: I) {
        self.blocks.extend(blocks.into_iter().map(Into::into));
    }
}

impl Document {
    /// A document without blocks.
    pub fn new() -> Document {
        Document::default()
    }

    /// Texts that are one line each, however wide.
    pub fn lines<W: Into<Phrase>>(lines: impl IntoIterator<Item = W>) -> Document {
        lines.into_iter().map(Text::line).collect()
    }

    /// Whether it has no blocks.
    pub fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }

    /// Under a heading of level 2; nothing where there is nothing.
    pub fn headed(mut self, words: impl Into<Phrase>) -> Document {
        if !self.is_empty() {
            let (level, words) = (2, words.into());
            let heading = Block::Heading(Heading { level, words });
            self.blocks.insert(0, heading);
        }
        self
    }

    /// Adds a heading.
    pub fn heading(&mut self, level: u8, words: impl Into<Phrase>) {
        let words = words.into();
        self.blocks.push(Block::Heading(Heading { level, words }));
    }

    /// Adds a paragraph.
    pub fn text(&mut self, text: impl Into<Text>) {
        self.blocks.push(Block::Text(text.into()));
    }

    /// Adds a text that is one line, however wide.
    pub fn line(&mut self, words: impl Into<Phrase>) {
        self.text(Text::line(words));
    }

    /// Adds a list; none without items.
    pub fn list(&mut self, kind: &'static str, items: impl IntoIterator<Item = Text>) {
        let items: Vec<Text> = items.into_iter().collect();
        if !items.is_empty() {
            self.blocks.push(Block::List(List { kind, items }));
        }
    }

    /// Adds a table.
    pub fn table(&mut self, table: Table) {
        self.blocks.push(Block::Table(table));
    }

    /// Adds a figure.
    pub fn figure(&mut self, figure: Figure) {
        self.blocks.push(Block::Figure(Box::new(figure)));
    }

    /// What follows is another section.
    pub fn gap(&mut self) {
        self.blocks.push(Block::Gap);
    }

    /// Adds the blocks of another document.
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
