//! The list of runs as a table for a terminal, as one with all columns, and as CSV.

use super::row::{Row, labels};
use ::report::document::{Document, Table};
use record::axis::human_bytes;

/// Heads of the table in a terminal.
const HEADS: [&str; 8] = [
    "",
    "run",
    "began (UTC)",
    "name",
    "recipe",
    "machine",
    "state",
    "size",
];
/// Of these columns, name and tags, recipe, machine, the widest is cut where the window is narrow.
const CUT: [usize; 3] = [NAME, 4, 5];
const NAME: usize = 3;
/// Less of a column says nothing.
const LEAST: usize = 5;
/// Between two columns.
const GAP: usize = 2;

type Cells = [String; HEADS.len()];

/// Everything that a person looks for.
pub fn whole(rows: &[Row]) -> Document {
    let mark = |row: &&Row| match row.baseline {
        true => "yes".to_owned(),
        false => String::new(),
    };
    match rows {
        [] => Document::new(),
        rows => Table::listing(
            8,
            rows.iter(),
            [
                ("run", &|row: &&Row| row.id.clone()),
                ("name", &|row| row.name.clone().unwrap_or_default()),
                ("tags", &|row| row.tags.join(", ")),
                ("began (UTC)", &|row| minute(&row.started_utc)),
                ("recipe", &|row| row.recipe.clone()),
                ("machine", &|row| row.host.clone()),
                ("state", &|row| row.state.to_owned()),
                ("baseline", &mark),
                ("size", &|row| human_bytes(row.bytes)),
            ],
        )
        .into(),
    }
}

/// No wider than the terminal, as far as ids can be typed: what is longest is cut first.
pub fn narrow(rows: &[Row], width: usize) -> Document {
    if rows.is_empty() {
        return Document::new();
    }
    let mut cells: Vec<Cells> = rows.iter().map(cells).collect();
    let widths = widths(&cells, width);
    for row in &mut cells {
        CUT.into_iter()
            .for_each(|at| row[at] = cut(&row[at], widths[at]));
    }
    let shown: Vec<usize> = (0..HEADS.len()).filter(|at| widths[*at] > 0).collect();
    let heads = shown.iter().map(|at| cut(HEADS[*at], widths[*at]));
    let mut table = Table::of(shown.len() - 1, heads);
    for row in &cells {
        table.row(shown.iter().map(|at| row[*at].clone()));
    }
    table.into()
}

/// Of the columns; 0 for one without a cell.
fn widths(cells: &[Cells], width: usize) -> [usize; HEADS.len()] {
    let mut widths = std::array::from_fn(|at| {
        let widest = cells.iter().map(|row| row[at].chars().count()).max();
        match widest.unwrap_or(0) {
            0 => 0,
            widest => widest.max(HEADS[at].len()),
        }
    });
    let taken = |widths: &[usize]| -> usize {
        let shown = widths.iter().filter(|width| **width > 0);
        shown.map(|width| width + GAP).sum::<usize>()
    };
    while taken(&widths) > width + GAP {
        let widest = CUT.into_iter().max_by_key(|at| weight(*at, &widths));
        let widest = widest.unwrap_or(NAME);
        if widths[widest] <= LEAST {
            break;
        }
        widths[widest] -= 1;
    }
    widths
}

/// What the user gave keeps twice the room of the rest.
fn weight(at: usize, widths: &[usize]) -> usize {
    match at {
        NAME => widths[at],
        _ => 2 * widths[at],
    }
}

fn cells(row: &Row) -> Cells {
    let mark = if row.baseline { "*" } else { "" };
    [
        mark.to_owned(),
        row.short.clone(),
        minute(&row.started_utc),
        labels(row.name.as_deref(), &row.tags),
        row.recipe.clone(),
        row.host.clone(),
        row.state.to_owned(),
        human_bytes(row.bytes),
    ]
}

/// `2026-11-29 09:48`.
fn minute(started_utc: &str) -> String {
    started_utc.replace('T', " ").chars().take(16).collect()
}

fn cut(text: &str, width: usize) -> String {
    match text.chars().count() > width {
        true => text
            .chars()
            .take(width.saturating_sub(1))
            .chain(['…'])
            .collect(),
        false => text.to_owned(),
    }
}

/// A line for each run, under a line of names; tags stand in one cell, with blanks between.
pub fn csv(rows: &[Row]) -> String {
    let mut out = String::from(
        "id,name,tags,started_utc,recipe,host,cpu_model,load,state,reason,baseline,bytes\n",
    );
    for row in rows {
        let (tags, bytes) = (row.tags.join(" "), row.bytes.to_string());
        let cells = [
            row.id.as_str(),
            row.name.as_deref().unwrap_or_default(),
            &tags,
            &row.started_utc,
            &row.recipe,
            &row.host,
            &row.cpu_model,
            &row.load,
            row.state,
            row.reason.as_deref().unwrap_or_default(),
            if row.baseline { "true" } else { "false" },
            &bytes,
        ];
        out.push_str(&cells.map(cell).join(","));
        out.push('\n');
    }
    out
}

fn cell(word: &str) -> String {
    let word = escape::csv(word);
    match word.contains([',', '"']) {
        true => format!("\"{}\"", word.replace('"', "\"\"")),
        false => word.into_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::{cell, cut, widths};

    #[test]
    fn the_widest_column_is_cut_first_and_ids_never() {
        let row = [
            "*",
            "f05mbb",
            "2026-11-29 09:48",
            &"n".repeat(40),
            &"r".repeat(20),
            "vm",
            "incomplete",
            "8.5 MiB",
        ];
        let all = [row.map(str::to_owned)];
        let fitted = widths(&all, 80);
        assert_eq!(fitted.iter().map(|width| width + 2).sum::<usize>(), 82);
        assert_eq!((fitted[1], fitted[2]), (6, 16));
        assert!(fitted[3] >= 2 * fitted[4] - 1, "{fitted:?}");
        assert_eq!(widths(&all, 200)[3], 40);
        assert_eq!(widths(&all, 10)[3..6], [10, 5, 5]);
    }

    #[test]
    fn cells_are_cut_and_quoted() {
        assert_eq!(
            (cut("abcdef", 4), cut("abcd", 4)),
            ("abc…".to_owned(), "abcd".to_owned())
        );
        assert_eq!(cell("a,\"b\""), "\"a,\"\"b\"\"\"");
        assert_eq!(cell("=1+1"), "'=1+1");
    }
}
