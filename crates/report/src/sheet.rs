//! Rows of data under names, for spreadsheets and scripts: no words among the numbers, a unit for
//! each.

use ::csv::Writer;

/// A table whose cells are data, not text to read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sheet {
    /// Names with the unit, `median_ns`, where a column has one unit.
    pub heads: Vec<String>,
    pub rows: Vec<Vec<String>>,
}

impl Sheet {
    /// No rows yet.
    pub fn new<H: Into<String>>(heads: impl IntoIterator<Item = H>) -> Sheet {
        let heads = heads.into_iter().map(Into::into).collect();
        let rows = Vec::new();
        Sheet { heads, rows }
    }

    /// Adds a row; as many cells as there are names.
    pub fn row<C: Into<String>>(&mut self, cells: impl IntoIterator<Item = C>) {
        self.rows.push(cells.into_iter().map(Into::into).collect());
    }

    /// As CSV (RFC 4180, lines end as on this system): the names, then the rows.
    pub fn csv(&self) -> String {
        let mut bytes = Vec::new();
        let mut out = Writer::from_writer(&mut bytes);
        for row in std::iter::once(&self.heads).chain(&self.rows) {
            // A row of another length is of no use; writing into memory does not fail.
            let _ = out.write_record(row.iter().map(|cell| escape::csv(cell).into_owned()));
        }
        let _ = out.flush();
        drop(out);
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

/// Digits of a number: more than any interval here earns.
const DIGITS_BEHIND: usize = 5;

/// A number with six significant digits; empty where there is none.
pub fn number(value: impl Into<Option<f64>>) -> String {
    let finite = value.into().filter(|v| v.is_finite());
    finite.map_or_else(String::new, |value| {
        let rounded = format!("{value:.DIGITS_BEHIND$e}").parse();
        rounded.unwrap_or(value).to_string()
    })
}

#[cfg(test)]
mod tests {
    use super::{Sheet, number};

    #[test]
    fn cells_are_quoted_and_no_cell_is_a_formula() {
        let mut sheet = Sheet::new(["name", "median_ns"]);
        sheet.row(["a, \"b\"".to_owned(), number(2.5)]);
        sheet.row(["=1+1".to_owned(), number(f64::NAN)]);
        let text = sheet.csv();
        let mut lines = text.lines();
        assert_eq!(lines.next(), Some("name,median_ns"));
        assert_eq!(lines.next(), Some("\"a, \"\"b\"\"\",2.5"));
        let formula = lines.next().unwrap();
        assert!(!formula.starts_with('='), "{formula}");
        assert!(formula.ends_with(','), "{formula}");
    }

    #[test]
    fn numbers_have_six_digits_and_no_exponent() {
        assert_eq!(number(0.242_954_286_318), "0.242954");
        assert_eq!(number(123_456_789.0), "123457000");
        assert_eq!(number(-0.0), "-0");
        assert_eq!(number(None), "");
    }
}
