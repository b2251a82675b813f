//! Rows under headings: the first column to the left, the others to the right.

use report::format::time_ns;

/// Text in columns, two spaces between them.
pub struct Columns {
    rows: Vec<Vec<String>>,
    /// Leading columns that are words.
    words: usize,
}

impl Columns {
    pub fn new(words: usize, heads: &[&str]) -> Columns {
        Columns {
            rows: vec![heads.iter().map(|h| (*h).to_owned()).collect()],
            words,
        }
    }

    pub fn row(&mut self, cells: Vec<String>) {
        self.rows.push(
            cells
                .iter()
                .map(|c| escape::terminal(c).into_owned())
                .collect(),
        );
    }

    pub fn text(&self) -> String {
        let count = self.rows[0].len();
        let width = |column: usize| {
            let cells = self.rows.iter().filter_map(|r| r.get(column));
            cells.map(|c| c.chars().count()).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..count).map(width).collect();
        let mut text = String::new();
        for row in &self.rows {
            let mut line = String::new();
            for (at, cell) in row.iter().enumerate() {
                let room = widths[at];
                line += &match at < self.words {
                    true => format!("{cell:<room$}  "),
                    false => format!("{cell:>room$}  "),
                };
            }
            text += line.trim_end();
            text.push('\n');
        }
        text
    }
}

/// A time in a cell.
pub fn time(ns: u64) -> String {
    time_ns(ns as f64, 3)
}

/// A time of a distribution that may be empty.
pub fn time_of(count: u64, ns: u64) -> String {
    match count {
        0 => "-".to_owned(),
        _ => time(ns),
    }
}
