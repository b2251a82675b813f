//! What cells of the toll map say, and what their marks mean.

use crate::format::{percent, relative_half_width, significant, time_ns};
use analysis::view::ContaminationLevel;
use record::TollGroup;
pub use summary::toll::{COLUMNS_BYTES, Standing, Toll, TollCell, TollMap, TollNote, TollRow};

/// `31.2 ns`.
pub fn time(toll: &Toll) -> String {
    time_ns(toll.ns.center, 3)
}

/// `2.05 GB/s`, `-` where no bytes move.
pub fn rate(toll: &Toll) -> String {
    let rate = toll.gb_per_s;
    rate.map_or_else(|| "-".to_owned(), |r| format!("{} GB/s", significant(r, 3)))
}

/// `±0.6 %`.
pub fn uncertainty(toll: &Toll) -> String {
    relative_half_width(&toll.ns)
        .map_or_else(|| "±?".to_owned(), |share| format!("±{}", percent(share)))
}

/// One character: cheapest, tied, or neither.
pub fn standing_mark(toll: &Toll) -> &'static str {
    match toll.standing {
        Standing::Cheapest => "*",
        Standing::Tied => "~",
        Standing::Costlier | Standing::NotRanked => "",
    }
}

/// Marks of contamination and modes.
pub fn flag_mark(toll: &Toll) -> String {
    let flag = match toll.flag {
        ContaminationLevel::Clean => "",
        ContaminationLevel::Disturbed => "'",
        ContaminationLevel::Contaminated => "!",
    };
    let modes = if toll.modes_ns.is_empty() { "" } else { "m" };
    format!("{flag}{modes}")
}

/// The question of a group, and what holds for all of it.
pub fn title(group: Option<TollGroup>) -> (&'static str, &'static str) {
    match group {
        Some(TollGroup::Process) => ("Within a process", ""),
        Some(TollGroup::Read) => ("Kernel to program", ""),
        Some(TollGroup::Write) => ("Program to kernel", ""),
        Some(TollGroup::Tasks) => ("Between two tasks, one CPU each", "a stream of messages"),
        Some(TollGroup::Line) => ("To another core's cache", "one line, nearest pair"),
        Some(TollGroup::Persistence) => ("To memory or a medium", ""),
        Some(TollGroup::Engine) => ("By an engine", ""),
        None => ("Ways", ""),
    }
}

/// What was measured of a group: those that compete by their cost at the smallest size, then the
/// others.
pub fn in_order(map: &TollMap, group: Option<TollGroup>) -> Vec<&TollRow> {
    let mut rows: Vec<&TollRow> = map
        .of_group(group)
        .filter(|row| row.is_measured())
        .collect();
    let first = |row: &TollRow| {
        row.cells
            .iter()
            .find_map(TollCell::toll)
            .map_or(f64::INFINITY, |t| t.ns.center)
    };
    rows.sort_by(|a, b| {
        let floor = |row: &TollRow| !row.condition.is_empty();
        floor(a).cmp(&floor(b)).then(first(a).total_cmp(&first(b)))
    });
    rows
}

/// Its name where rows of several groups stand together: `pipe, to program`.
pub fn full_way(row: &TollRow) -> String {
    match row.group {
        Some(TollGroup::Read) => format!("{}, to program", row.way),
        Some(TollGroup::Write) => format!("{}, to kernel", row.way),
        _ => row.way.clone(),
    }
}

/// Mark of a cell that is not ranked: something else had a part in it.
pub const BAD: char = '!';

/// The one mark of a cell: `*` cheapest of its group, `~` tied with it, [`BAD`], or none.
pub fn mark(toll: &Toll) -> char {
    match (toll.flag, toll.standing) {
        (ContaminationLevel::Contaminated, _) => BAD,
        (_, Standing::Cheapest) => '*',
        (_, Standing::Tied) => '~',
        _ => ' ',
    }
}

/// What the marks in the map mean, only those that occur.
pub fn legend(map: &TollMap) -> Vec<(&'static str, &'static str)> {
    let tolls = || {
        map.rows
            .iter()
            .flat_map(|r| &r.cells)
            .filter_map(|c| match c {
                TollCell::Measured(t) => Some(t),
                _ => None,
            })
    };
    let mut found = Vec::new();
    let mut when = |seen: bool, mark, meaning| {
        if seen {
            found.push((mark, meaning));
        }
    };
    when(
        tolls().any(|t| t.standing == Standing::Cheapest),
        "*",
        "cheapest of its group",
    );
    when(
        tolls().any(|t| t.standing == Standing::Tied),
        "~",
        "not distinguishable from the cheapest: the intervals overlap",
    );
    when(
        tolls().any(|t| t.flag == ContaminationLevel::Disturbed),
        "'",
        "some samples disturbed, the median is not shifted",
    );
    when(
        tolls().any(|t| t.flag == ContaminationLevel::Contaminated),
        "!",
        "contaminated: outside influence shifts the result; not ranked",
    );
    when(
        tolls().any(|t| !t.modes_ns.is_empty()),
        "m",
        "more than one mode: see the experiment",
    );
    when(
        map.rows
            .iter()
            .flat_map(|r| &r.cells)
            .any(|c| *c == TollCell::Missing),
        "-",
        "not in the plan, or not reached",
    );
    found
}
