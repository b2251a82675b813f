//! The toll map: one row for each way to move bytes, one column for each size.

use crate::format::{percent, relative_half_width, significant, time_ns};
use analysis::view::ContaminationLevel;
use analysis::{ExperimentTable, Interval, PointView, RunView};
use record::{PointState, TollHead};

/// Sizes of the columns, bytes.
pub const COLUMNS_BYTES: [u64; 5] = [64, 4 << 10, 64 << 10, 1 << 20, 16 << 20];

/// Ways to move bytes by size, with the cheapest in each column.
#[derive(Debug, Clone, PartialEq)]
pub struct TollMap {
    /// Its times are those of an emulated processor.
    pub emulated: bool,
    pub rows: Vec<TollRow>,
    /// Why cells are empty; a cell refers to its note by position, from 1.
    pub notes: Vec<TollNote>,
}

/// A way to move bytes.
#[derive(Debug, Clone, PartialEq)]
pub struct TollRow {
    pub experiment: String,
    pub label: String,
    /// One cell for each of [`COLUMNS_BYTES`].
    pub cells: Vec<TollCell>,
}

/// Why cells have no figure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TollNote {
    /// `SKIP` or `FAIL`.
    pub word: &'static str,
    pub reason: String,
    /// The command that would help; empty when there is none.
    pub remedy: String,
}

/// A way at one size.
#[derive(Debug, Clone, PartialEq)]
pub enum TollCell {
    /// No such point in the plan, or not reached.
    Missing,
    /// Skipped or failed; index into the notes, from 0.
    Absent {
        note: usize,
    },
    Measured(Toll),
}

/// One measured cell.
#[derive(Debug, Clone, PartialEq)]
pub struct Toll {
    /// Median time of one operation, ns.
    pub ns: Interval,
    /// None where an operation moves no bytes.
    pub gb_per_s: Option<f64>,
    pub flag: ContaminationLevel,
    pub standing: Standing,
    /// Time relative to the cheapest of the column; 1 for the cheapest itself.
    pub ratio: Option<f64>,
    /// More than one mode: the median alone misleads.
    pub several_modes: bool,
}

/// Place of a cell in its column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    Cheapest,
    /// Costlier by the median, but the intervals overlap.
    Tied,
    Costlier,
    /// Contaminated: takes no part in the comparison.
    NotRanked,
}

impl TollMap {
    /// The toll map of a run; without rows when no experiment has any.
    pub fn of(view: &RunView) -> TollMap {
        let mut map = TollMap {
            emulated: view.head.machine.is_emulated(),
            rows: Vec::new(),
            notes: Vec::new(),
        };
        for table in &view.tables {
            for head in &table.head.toll {
                let row = map.row(table, head);
                map.rows.push(row);
            }
        }
        for column in 0..COLUMNS_BYTES.len() {
            rank(&mut map.rows, column);
        }
        map
    }

    fn row(&mut self, table: &ExperimentTable, head: &TollHead) -> TollRow {
        let cells = COLUMNS_BYTES
            .iter()
            .map(|bytes| find(table, head, *bytes).map_or(TollCell::Missing, |p| self.cell(p)))
            .collect();
        TollRow {
            experiment: table.head.id.clone(),
            label: head.label.clone(),
            cells,
        }
    }

    fn cell(&mut self, point: &PointView) -> TollCell {
        match &point.head.state {
            PointState::Pending => TollCell::Missing,
            PointState::Done => measured(point),
            PointState::Skipped { reason, remedy } => self.absent("SKIP", reason, remedy),
            PointState::Failed { reason } => self.absent("FAIL", reason, ""),
        }
    }

    fn absent(&mut self, word: &'static str, reason: &str, remedy: &str) -> TollCell {
        let note = TollNote {
            word,
            reason: reason.to_owned(),
            remedy: remedy.to_owned(),
        };
        let known = self.notes.iter().position(|n| *n == note);
        let note = known.unwrap_or_else(|| {
            self.notes.push(note);
            self.notes.len() - 1
        });
        TollCell::Absent { note }
    }
}

/// The point of a cell: all settings of the row and the column's size. A row
/// that is skipped as a whole may have one point without a size.
fn find<'a>(table: &'a ExperimentTable, head: &TollHead, bytes: u64) -> Option<&'a PointView> {
    let fits = |p: &&PointView| {
        head.only
            .iter()
            .all(|s| p.head.value(&s.axis) == Some(&s.value))
    };
    let sized = |p: &&PointView| p.int(&head.size_axis) == i64::try_from(bytes).ok();
    let whole = |p: &&PointView| {
        p.head.value(&head.size_axis).is_none()
            && matches!(p.head.state, PointState::Skipped { .. })
    };
    let mut candidates: Vec<&PointView> = table.points.iter().filter(fits).filter(sized).collect();
    // Where the row leaves an axis open, a measured point says more than an
    // absent one; among equals the plan's order decides.
    candidates.sort_by_key(|p| p.head.state != PointState::Done);
    candidates
        .first()
        .copied()
        .or_else(|| table.points.iter().filter(fits).find(whole))
}

fn measured(point: &PointView) -> TollCell {
    let Some(s) = point.primary().filter(|s| s.median.center.is_finite()) else {
        return TollCell::Missing;
    };
    let flag = point
        .contamination
        .as_ref()
        .map_or(ContaminationLevel::Clean, |c| c.level);
    TollCell::Measured(Toll {
        ns: s.median,
        gb_per_s: point.bandwidth_gb_per_s(),
        flag,
        standing: Standing::NotRanked,
        ratio: None,
        several_modes: s.modes.len() > 1,
    })
}

fn rank(rows: &mut [TollRow], column: usize) {
    let mut cells: Vec<&mut Toll> = rows
        .iter_mut()
        .filter_map(|r| match &mut r.cells[column] {
            TollCell::Measured(t) if t.flag != ContaminationLevel::Contaminated => Some(t),
            _ => None,
        })
        .collect();
    let times = cells.iter().map(|t| t.ns);
    let Some(best) = times.min_by(|a, b| a.center.total_cmp(&b.center)) else {
        return;
    };
    let alone = cells.len() == 1;
    for t in &mut cells {
        t.ratio = (best.center > 0.0).then(|| t.ns.center / best.center);
        t.standing = if alone {
            Standing::NotRanked
        } else if t.ns.center == best.center {
            Standing::Cheapest
        } else if t.ns.low <= best.high {
            Standing::Tied
        } else {
            Standing::Costlier
        };
    }
}

impl Toll {
    /// `31.2 ns`.
    pub fn time(&self) -> String {
        time_ns(self.ns.center, 3)
    }

    /// `2.05 GB/s`, `-` where no bytes move.
    pub fn rate(&self) -> String {
        self.gb_per_s
            .map_or_else(|| "-".to_owned(), |r| format!("{} GB/s", significant(r, 3)))
    }

    /// `±0.6 %`.
    pub fn uncertainty(&self) -> String {
        relative_half_width(&self.ns)
            .map_or_else(|| "±?".to_owned(), |share| format!("±{}", percent(share)))
    }

    /// One character before the time: cheapest, tied, or neither.
    pub fn standing_mark(&self) -> &'static str {
        match self.standing {
            Standing::Cheapest => "*",
            Standing::Tied => "~",
            Standing::Costlier | Standing::NotRanked => "",
        }
    }

    /// Marks after the time: contamination and modes.
    pub fn flag_mark(&self) -> String {
        let flag = match self.flag {
            ContaminationLevel::Clean => "",
            ContaminationLevel::Disturbed => "'",
            ContaminationLevel::Contaminated => "!",
        };
        format!("{flag}{}", if self.several_modes { "m" } else { "" })
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
        "cheapest of its column",
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
        tolls().any(|t| t.several_modes),
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
