//! The points that changed most, in a line each.

use crate::document::{Cell, Column, Document, Phrase, Table, Tone};
use crate::format::{quantity, significant};
use crate::label;
use crate::terminal::comparison::distance;
use analysis::{Comparison, Outcome, PointChange, RunView, Side};

/// Before a name, and before what of it goes on.
const INDENT: usize = 2;
const GAP: usize = 2;
/// A name gets so many columns, however narrow the window.
const LEAST_NAME: usize = 24;
const NUMBERS: [&str; 4] = ["A", "B", "B/A", "95 %"];

/// Changes for the worse, or for the better.
struct Group {
    title: Phrase,
    /// A name, and what stands behind it.
    rows: Vec<(String, [String; 4])>,
}

/// The worst and the best, `number` of each at most.
pub(super) fn document(
    c: &Comparison,
    runs: [&RunView; 2],
    number: usize,
    width: usize,
) -> Document {
    let group = |title, tone, outcome| {
        let points = changed(c, outcome).into_iter().take(number);
        let rows: Vec<_> = points.map(|p| (name(p, runs), numbers(p))).collect();
        let title = Phrase::toned(title, tone);
        (!rows.is_empty()).then_some(Group { title, rows })
    };
    let groups = [
        group("Worse", Tone::Bad, Outcome::Worse),
        group("Better", Tone::Good, Outcome::Better),
    ];
    let groups: Vec<Group> = groups.into_iter().flatten().collect();
    let mut document = Document::new();
    if !groups.is_empty() {
        document.table(table(&groups, width));
    }
    document
}

/// The title of the first group stands next to the heads.
fn table(groups: &[Group], width: usize) -> Table {
    let room = width.saturating_sub(taken(groups)).max(LEAST_NAME);
    let title = |group: Option<&Group>| group.map_or(Phrase::default(), |g| g.title.clone());
    let names = Column::words(title(groups.first()));
    let numbers = NUMBERS.map(|head| Column::number(Phrase::toned(head, Tone::Soft)));
    let mut table = Table::new(std::iter::once(names).chain(numbers));
    for (at, group) in groups.iter().enumerate() {
        if at > 0 {
            let empty = NUMBERS.map(|_| Cell::from(""));
            table.row(std::iter::once(Cell::of([group.title.clone()])).chain(empty));
        }
        for (name, numbers) in &group.rows {
            let lines = broken(name, room).into_iter().map(Phrase::from);
            let cells = numbers.iter().map(|n| Cell::from(n.as_str()));
            table.row(std::iter::once(Cell::of(lines)).chain(cells));
        }
    }
    table
}

/// Columns of the numbers, with the gaps before them.
fn taken(groups: &[Group]) -> usize {
    let column = |at: usize| {
        let rows = groups.iter().flat_map(|group| &group.rows);
        let cells = rows.map(|(_, numbers)| numbers[at].chars().count());
        GAP + cells.fold(NUMBERS[at].chars().count(), usize::max)
    };
    (0..NUMBERS.len()).map(column).sum()
}

/// Points with this outcome, those first that changed most.
fn changed(c: &Comparison, outcome: Outcome) -> Vec<&PointChange> {
    let points = c
        .points
        .iter()
        .filter(|p| p.decides && p.outcome == outcome);
    let mut found: Vec<&PointChange> = points.collect();
    found.sort_by(|a, b| distance(b).total_cmp(&distance(a)));
    found
}

fn numbers(change: &PointChange) -> [String; 4] {
    let dash = || "-".to_owned();
    let side = |s: Option<Side>| s.map_or_else(dash, |s| quantity(s.median.center, change.unit, 3));
    let ratio = |r: f64| significant(r, 3);
    [
        side(change.a),
        side(change.b),
        change
            .ratio
            .map_or_else(dash, |r| format!("{}x", ratio(r.center))),
        change
            .ratio
            .map_or_else(dash, |r| format!("{} to {}", ratio(r.low), ratio(r.high))),
    ]
}

/// `mem/prefetch 128 B, run 7`: the experiment, what varies in it, and the metric where it is not
/// the usual one.
fn name(change: &PointChange, runs: [&RunView; 2]) -> String {
    let found = runs.into_iter().rev().find_map(|run| {
        let table = run.table(&change.experiment)?;
        let same = |s: &record::Setting| change.settings.contains(s);
        let point = table.points.iter().find(|p| {
            let settings = &p.head.settings;
            settings.len() == change.settings.len() && settings.iter().all(same)
        })?;
        let all: Vec<_> = table.points.iter().collect();
        Some(label::label(point, &label::varying(table, &all)))
    });
    let label = found.unwrap_or_else(|| change.label());
    let metric = match change.metric.as_str() {
        "latency" => String::new(),
        metric => format!(" [{}]", label::words(metric)),
    };
    let name = format!("{} {label}", change.experiment);
    format!("{}{metric}", name.trim_end())
}

/// A name in lines of so many columns, broken behind commas; one part that is longer between its
/// words.
fn broken(name: &str, room: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = " ".repeat(INDENT);
    let mut is_fresh = true;
    for part in parts(name, room) {
        let longer = line.chars().count() + 1 + part.chars().count();
        if !is_fresh && longer > room {
            lines.push(std::mem::replace(&mut line, " ".repeat(2 * INDENT)));
            is_fresh = true;
        }
        if !is_fresh {
            line.push(' ');
        }
        line.push_str(part);
        is_fresh = false;
    }
    lines.push(line);
    lines
}

/// What stays together.
fn parts(name: &str, room: usize) -> impl Iterator<Item = &str> {
    let parts = name.split_inclusive(", ").map(str::trim_end);
    parts.flat_map(move |part| {
        let fits = 2 * INDENT + part.chars().count() <= room;
        let (whole, words) = match fits {
            true => (Some(part), None),
            false => (None, Some(part.split(' '))),
        };
        whole.into_iter().chain(words.into_iter().flatten())
    })
}

#[cfg(test)]
mod tests {
    use super::broken;

    #[test]
    fn a_long_name_goes_on_below_itself() {
        assert_eq!(broken("a/b 4 KiB", 20), ["  a/b 4 KiB"]);
        let lines = broken("mem/latency stride 32 B, 11.3 MiB", 28);
        assert_eq!(lines, ["  mem/latency stride 32 B,", "    11.3 MiB"]);
        let lines = broken("ipc/unix_dgram 64 B, same cache", 18);
        assert_eq!(lines, ["  ipc/unix_dgram", "    64 B,", "    same cache"]);
    }
}
