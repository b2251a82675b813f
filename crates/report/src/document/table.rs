//! Tables: columns with heads, rows of cells.

use super::{Phrase, Tone};

/// Rows under heads; how wide they are is for the writer to find out.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Table {
    /// What it holds, for those who hear a page.
    pub name: String,
    /// Class of the page's style sheet.
    pub kind: &'static str,
    /// It scrolls inside a page, for it has many rows.
    pub tall: bool,
    pub look: Look,
    /// In a terminal its cells are broken into lines, so that it is not wider.
    pub fits: bool,
    pub head_tone: Tone,
    pub columns: Vec<Column>,
    pub rows: Vec<Vec<Cell>>,
}

/// The lines of a table in a terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Look {
    #[default]
    Bare,
    /// A line under the heads.
    Underlined,
    /// Lines between all rows.
    Ruled,
}

/// On which side a column's cells are flush.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Align {
    #[default]
    Left,
    Right,
}

/// A head, and how the cells under it are set.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Column {
    pub head: Phrase,
    pub align: Align,
    /// Blanks before it in a terminal.
    pub gap: usize,
    /// Columns of a terminal that it has at least.
    pub least: usize,
    /// What its head means.
    pub doc: String,
}

/// The text of a cell, and what a page makes of it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Cell {
    /// More than one where values belong together.
    pub lines: Vec<Phrase>,
    /// Class of the page's style sheet.
    pub kind: &'static str,
    /// What a page shows when it is pointed at.
    pub title: String,
    /// It names its row.
    pub head: bool,
    /// Columns of a page that it takes; 0 is one.
    pub span: usize,
}

/// A column of a listing: its head, and the cell of an item.
pub type Listed<'a, T> = (&'a str, &'a dyn Fn(&T) -> String);

/// Between two columns of a terminal.
const GAP: usize = 2;

impl Table {
    /// No rows yet.
    pub fn new(columns: impl IntoIterator<Item = Column>) -> Table {
        let mut columns: Vec<Column> = columns.into_iter().collect();
        if let Some(first) = columns.first_mut() {
            first.gap = 0;
        }
        Table {
            columns,
            ..Table::default()
        }
    }

    /// The first columns are words, the others numbers.
    pub fn of<H: Into<Phrase>>(words: usize, heads: impl IntoIterator<Item = H>) -> Table {
        let column = |(at, head)| match at < words {
            true => Column::words(head),
            false => Column::number(head),
        };
        Table::new(heads.into_iter().enumerate().map(column))
    }

    /// A row for each item, its cells made by the columns; the first columns are
    /// words, the others numbers.
    pub fn listing<T, const N: usize>(
        words: usize,
        items: impl IntoIterator<Item = T>,
        columns: [Listed<'_, T>; N],
    ) -> Table {
        let mut table = Table::of(words, columns.map(|(head, _)| head));
        for item in items {
            table.row(columns.map(|(_, cell)| cell(&item)));
        }
        table
    }

    /// Blanks before its rows in a terminal.
    pub fn indent(mut self, blanks: usize) -> Table {
        if let Some(first) = self.columns.first_mut() {
            first.gap = blanks;
        }
        self
    }

    /// Cut to the width of the terminal.
    pub fn fitting(self) -> Table {
        Table { fits: true, ..self }
    }

    /// Set in this look.
    pub fn look(self, look: Look) -> Table {
        Table { look, ..self }
    }

    /// On a page: its class, and its name.
    pub fn on_page(self, kind: &'static str, name: impl Into<String>) -> Table {
        let name = name.into();
        Table { kind, name, ..self }
    }

    /// Adds a row.
    pub fn row<C: Into<Cell>>(&mut self, cells: impl IntoIterator<Item = C>) {
        self.rows.push(cells.into_iter().map(Into::into).collect());
    }

    /// Whether any column has a head.
    pub fn has_heads(&self) -> bool {
        self.columns.iter().any(|column| !column.head.is_empty())
    }

    /// Widths of the columns in a terminal, where nothing is broken.
    pub fn widths(&self) -> Vec<usize> {
        let wide = |(at, column): (usize, &Column)| {
            let cells = self.rows.iter().filter_map(|row| row.get(at));
            let lines = cells.flat_map(|cell| &cell.lines).map(Phrase::width);
            lines.fold(column.least.max(column.head.width()), usize::max)
        };
        self.columns.iter().enumerate().map(wide).collect()
    }

    /// Of the whole, from the window's edge on.
    pub fn width(&self) -> usize {
        let gaps: usize = self.columns.iter().map(|column| column.gap).sum();
        gaps + self.widths().iter().sum::<usize>()
    }
}

impl Column {
    /// A column of words, flush left.
    pub fn words(head: impl Into<Phrase>) -> Column {
        Column {
            head: head.into(),
            gap: GAP,
            ..Column::default()
        }
    }

    /// A column of numbers, flush right.
    pub fn number(head: impl Into<Phrase>) -> Column {
        Column {
            align: Align::Right,
            ..Column::words(head)
        }
    }

    /// Spaces in front of it.
    pub fn gap(self, gap: usize) -> Column {
        Column { gap, ..self }
    }

    /// Its least width, in characters.
    pub fn least(self, least: usize) -> Column {
        Column { least, ..self }
    }

    /// What a page shows over its head.
    pub fn doc(self, doc: impl Into<String>) -> Column {
        let doc = doc.into();
        Column { doc, ..self }
    }
}

impl Cell {
    /// A cell of several lines.
    pub fn of(lines: impl IntoIterator<Item = Phrase>) -> Cell {
        Cell {
            lines: lines.into_iter().collect(),
            ..Cell::default()
        }
    }

    /// A cell in this tone.
    pub fn toned(text: impl Into<String>, tone: Tone) -> Cell {
        Cell::of([Phrase::toned(text, tone)])
    }

    /// The same with a class of the page.
    pub fn kind(self, kind: &'static str) -> Cell {
        Cell { kind, ..self }
    }

    /// The same with a text that a page shows over it.
    pub fn title(self, title: impl Into<String>) -> Cell {
        let title = title.into();
        Cell { title, ..self }
    }

    /// The same as the head of its row.
    pub fn names_row(self) -> Cell {
        Cell { head: true, ..self }
    }

    /// The same over so many columns.
    pub fn span(self, span: usize) -> Cell {
        Cell { span, ..self }
    }
}

impl<P: Into<Phrase>> From<P> for Cell {
    fn from(words: P) -> Cell {
        Cell::of([words.into()])
    }
}
