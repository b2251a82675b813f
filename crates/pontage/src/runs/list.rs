//! `pontage runs`: the list.

use super::arguments::ListFormat;
use super::columns;
use super::row::{self, Row};
use super::shelf::Shelf;
use crate::failure::{Failure, Outcome};
use crate::output;
use ::report::document::Document;
use record::axis::human_bytes;

/// The newest first.
///
/// # Errors
/// When it cannot be read which runs are baselines, or standard output cannot be written.
pub fn show(shelf: &Shelf, format: ListFormat) -> Outcome {
    let rows = rows(shelf)?;
    let all_bytes = rows.iter().map(|row| row.bytes).sum();
    let Some(common) = format.common() else {
        return output::data(&columns::csv(&rows));
    };
    let table = || match format {
        ListFormat::Markdown => columns::whole(&rows),
        _ => columns::narrow(&rows, output::width()),
    };
    let document = || Document::sections([table(), foot(shelf, &rows, all_bytes)]);
    let facts = || serde_json::json!({ "runs": rows, "bytes": all_bytes });
    output::study(common, document, facts)
}

fn rows(shelf: &Shelf) -> Result<Vec<Row>, Failure> {
    let baselines: Vec<&str> = shelf.baselines()?.iter().map(|run| run.id()).collect();
    let readable = shelf.runs.iter().map(|run| Row {
        baseline: baselines.contains(&run.id()),
        short: row::short(run.id(), shelf).to_owned(),
        ..row::of(run)
    });
    let unreadable = shelf
        .unreadable
        .iter()
        .map(|(folder, cause)| row::unread(folder, cause));
    Ok(readable.chain(unreadable).collect())
}

fn foot(shelf: &Shelf, rows: &[Row], all_bytes: u64) -> Document {
    let parent = shelf.parent.display();
    let mut foot = Document::new();
    if rows.is_empty() {
        foot.line(format!(
            "no runs under {parent}/; measure one with: pontage run"
        ));
        return foot;
    }
    let (count, size) = (row::count(rows.len()), human_bytes(all_bytes));
    foot.line(format!("{count} under {parent}/, {size}"));
    if rows.iter().any(|row| row.baseline) {
        foot.line("* baseline of its machine, recipe and load: pontage compare --baseline");
    }
    let unread = rows.iter().filter(|row| row.state == "unreadable");
    unread.for_each(|row| foot.text(row.reason.clone().unwrap_or_default()));
    foot
}
