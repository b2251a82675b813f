//! The one printer of tables in a terminal.

use super::Page;
use crate::document::{Align, Cell, Column, Look, Phrase, Span, Table, Tone};
use comfy_table::presets::{NOTHING, UTF8_HORIZONTAL_ONLY};
use comfy_table::{
    CellAlignment, ColumnConstraint, ContentArrangement, Row, TableComponent, Width,
};

/// Where a tone begins and ends while cells are laid out: characters without width,
/// which no text brings along, for [`escape::terminal`] takes them out.
const MARKS: [(char, Tone); 5] = [
    ('\u{e0031}', Tone::Strong),
    ('\u{e0032}', Tone::Soft),
    ('\u{e0033}', Tone::Good),
    ('\u{e0034}', Tone::Caution),
    ('\u{e0035}', Tone::Bad),
];
const END: char = '\u{e007f}';

pub(super) fn lines(table: &Table, page: &Page) -> Vec<String> {
    if table.columns.is_empty() {
        return Vec::new();
    }
    let laid = laid_out(table, page);
    let trimmed = |line: String| match table.look {
        // As wide as its rules.
        Look::Ruled => line,
        Look::Bare | Look::Underlined => line.trim_end().to_owned(),
    };
    let mut lines: Vec<String> = laid.lines().map(trimmed).map(|l| dyed(&l, page)).collect();
    // A ruled table begins with a rule.
    let head = lines.get_mut(usize::from(table.look == Look::Ruled));
    if let (true, Some(head)) = (table.has_heads(), head) {
        *head = page.paint.toned(table.head_tone, head);
    }
    lines
}

fn laid_out(table: &Table, page: &Page) -> comfy_table::Table {
    let mut laid = comfy_table::Table::new();
    laid.load_preset(match table.look {
        Look::Bare | Look::Underlined => NOTHING,
        Look::Ruled => UTF8_HORIZONTAL_ONLY,
    });
    if table.look == Look::Underlined {
        laid.set_style(TableComponent::HeaderLines, '-')
            .set_style(TableComponent::MiddleHeaderIntersections, ' ');
    }
    let width = u16::try_from(page.width).unwrap_or(u16::MAX);
    laid.set_width(width);
    laid.set_content_arrangement(match table.fits {
        true => ContentArrangement::Dynamic,
        false => ContentArrangement::Disabled,
    });
    if table.has_heads() {
        laid.set_header(table.columns.iter().map(|c| marked(&c.head, page)));
    }
    for row in &table.rows {
        laid.add_row(Row::from(row.iter().map(|cell| content(cell, page))));
    }
    columns(&table.columns, &mut laid);
    laid
}

/// Blanks between two columns stand half before the second and half behind the
/// first, as far as there are two.
fn columns(columns: &[Column], laid: &mut comfy_table::Table) {
    let gaps: Vec<usize> = columns.iter().map(|column| column.gap).collect();
    let behind = |at: usize| {
        let next = gaps.get(at + 1).or(gaps.last());
        usize::from(next.is_some_and(|gap| *gap > 1))
    };
    for (at, column) in columns.iter().enumerate() {
        let taken = at.checked_sub(1).map_or(0, behind);
        let (left, right) = (short(column.gap - taken.min(column.gap)), short(behind(at)));
        // A table may have no row as long as its heads.
        let Some(set) = laid.column_mut(at) else {
            continue;
        };
        set.set_padding((left, right));
        if column.align == Align::Right {
            set.set_cell_alignment(CellAlignment::Right);
        }
        if column.least > 0 {
            let least = short(column.least).saturating_add(left + right);
            set.set_constraint(ColumnConstraint::LowerBoundary(Width::Fixed(least)));
        }
    }
}

fn short(columns: usize) -> u16 {
    u16::try_from(columns).unwrap_or(u16::MAX / 4)
}

fn content(cell: &Cell, page: &Page) -> String {
    let lines: Vec<String> = cell.lines.iter().map(|line| marked(line, page)).collect();
    lines.join("\n")
}

/// Its words, with marks around those that have a tone.
fn marked(phrase: &Phrase, page: &Page) -> String {
    let one = |span: &Span| {
        let shown = span.shown();
        let text = escape::terminal(&shown);
        let mark = MARKS.iter().find(|(_, tone)| *tone == span.tone);
        match mark.filter(|_| !page.paint.is_plain()) {
            Some((mark, _)) => format!("{mark}{text}{END}"),
            None => text.into_owned(),
        }
    };
    phrase.spans.iter().map(one).collect()
}

/// Colours in place of the marks. A tone ends with its line: what was broken goes on
/// without.
fn dyed(line: &str, page: &Page) -> String {
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(at) = rest.find(|c| MARKS.iter().any(|(mark, _)| *mark == c)) {
        out.push_str(&rest[..at].replace(END, ""));
        let (mark, behind) = rest[at..].split_at(MARKS[0].0.len_utf8());
        let tone = MARKS.iter().find(|(c, _)| mark.starts_with(*c));
        let next = behind.find(|c| c == END || MARKS.iter().any(|(mark, _)| *mark == c));
        let whole = next.filter(|at| behind[*at..].starts_with(END));
        let end = whole.or_else(|| behind.find("  "));
        let (words, behind) = behind.split_at(end.unwrap_or(behind.len()));
        let tone = tone.map_or(Tone::Plain, |(_, t)| *t);
        out.push_str(&page.paint.toned(tone, words));
        rest = behind;
    }
    out.push_str(&rest.replace(END, ""));
    out
}

#[cfg(test)]
mod tests {
    use super::super::paint::Paint;
    use super::{Page, lines};
    use crate::document::{Cell, Column, Look, Phrase, Span, Table, Tone};

    fn page(width: usize, colour: bool) -> Page {
        Page {
            width,
            paint: Paint::new(colour),
        }
    }

    fn two() -> Table {
        let mut table = Table::of(1, ["task", "ran", "most"]);
        table.row(["sh [1]", "12 ms", "3"]);
        table.row(["a long name", "1 s", "14"]);
        table
    }

    #[test]
    fn words_stand_left_and_numbers_right() {
        let shown = lines(&two(), &page(80, false));
        let expected = [
            "task           ran  most",
            "sh [1]       12 ms     3",
            "a long name    1 s    14",
        ];
        assert_eq!(shown, expected);
        assert_eq!(two().width(), expected[0].len());
    }

    #[test]
    fn gaps_indents_and_least_widths_are_kept() {
        let columns = [
            Column::words("a").least(4),
            Column::number("b").gap(1).least(3),
        ];
        let mut table = Table::new(columns).indent(2);
        table.row(["x", "1"]);
        assert_eq!(
            lines(&table, &page(80, false)),
            ["  a      b", "  x      1"]
        );
        let mut headless = Table::new([Column::words("").least(4), Column::words("")]);
        headless.row(["x", "y"]);
        assert_eq!(lines(&headless, &page(80, false)), ["x     y"]);
    }

    #[test]
    fn cells_break_only_where_the_table_has_to_fit() {
        let mut table = Table::of(2, ["name", "text"]).indent(1).fitting();
        table.row(["n", "some words that are too many for the window"]);
        let narrow = lines(&table, &page(40, false));
        assert!(narrow.len() > 2 && narrow.iter().all(|l| l.chars().count() <= 40));
        table.fits = false;
        assert_eq!(lines(&table, &page(40, false)).len(), 2);
    }

    #[test]
    fn colour_changes_nothing_but_colour() {
        let toned = |text: &str, tone| Cell::toned(text, tone);
        for look in [Look::Bare, Look::Underlined, Look::Ruled] {
            let mut table = Table::of(1, ["a", "b"]).look(look);
            table.head_tone = Tone::Soft;
            table.row([toned("good", Tone::Good), toned("bad", Tone::Bad)]);
            let mixed = Phrase::of([Span::new("x "), Span::new("soft").tone(Tone::Soft)]);
            table.row([Cell::from(mixed), Cell::from("1")]);
            let coloured = lines(&table, &page(80, true)).join("\n");
            let head = coloured.lines().find(|l| l.contains("\x1b[2m"));
            assert!(head.is_some_and(|l| l.contains('a')), "{coloured:?}");
            assert!(coloured.contains("\x1b[32mgood\x1b[0m"), "{coloured:?}");
            assert!(coloured.contains("x \x1b[2msoft\x1b[0m"), "{coloured:?}");
            let codes = ["\x1b[32m", "\x1b[31;1m", "\x1b[2m", "\x1b[0m"];
            let stripped = codes.iter().fold(coloured, |t, code| t.replace(code, ""));
            assert_eq!(stripped, lines(&table, &page(80, false)).join("\n"));
        }
    }

    #[test]
    fn a_broken_cell_loses_its_tone_and_nothing_else() {
        let mut table = Table::of(2, ["name", "text"]).fitting();
        let long = "words that have a tone and are too many for the window";
        table.row([Cell::from("n"), Cell::toned(long, Tone::Caution)]);
        let coloured = lines(&table, &page(40, true)).join("\n");
        let opened = coloured.matches("\x1b[33m").count();
        assert_eq!(opened, coloured.matches("\x1b[0m").count());
        let stripped = coloured.replace("\x1b[33m", "").replace("\x1b[0m", "");
        assert_eq!(stripped, lines(&table, &page(40, false)).join("\n"));
    }

    #[test]
    fn a_cell_cannot_bring_a_line_a_mark_or_a_control() {
        let mut table = Table::of(1, ["\x1b[2J", "b"]);
        table.row(["a\nforged", "\u{e0033}green\u{e007f}"]);
        let shown = lines(&table, &page(80, true));
        assert_eq!(shown.len(), 2);
        assert!(!shown.iter().any(|l| l.contains('\x1b')), "{shown:?}");
        assert!(shown[1].contains("a forged") && shown[1].contains("?green?"));
    }

    #[test]
    fn a_table_without_columns_or_rows_is_no_trouble() {
        assert!(lines(&Table::default(), &page(80, false)).is_empty());
        assert_eq!(lines(&Table::of(1, ["a", "b"]), &page(80, false)), ["a  b"]);
    }
}
