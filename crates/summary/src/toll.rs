//! The toll map: one row for each way to move bytes, one column for each size, rows grouped by
//! the boundary that they cross.

use analysis::view::ContaminationLevel;
use analysis::{ExperimentTable, Interval, PointView, RunView};
use record::{PointState, RoundTripHead, Setting, TollGroup, TollHead};
use serde::Serialize;

/// Sizes of the columns, bytes.
pub const COLUMNS_BYTES: [u64; 5] = [64, 4 << 10, 64 << 10, 1 << 20, 16 << 20];
/// What one operation without a size moves: a cache line.
const LINE_BYTES: u64 = 64;

/// Ways to move bytes by size, with the cheapest of each group in each column.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TollMap {
    /// Its times are those of an emulated processor.
    pub emulated: bool,
    /// By group, in the order of the experiments within one.
    pub rows: Vec<TollRow>,
    /// Names of the columns behind the sizes: a small message to a partner and back, by what the
    /// partner does meanwhile.
    pub partners: Vec<String>,
    /// Why cells are empty; a cell refers to its note by position, from 0.
    pub notes: Vec<TollNote>,
}

/// A way to move bytes.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TollRow {
    pub experiment: String,
    pub label: String,
    pub group: Option<TollGroup>,
    /// Its name within the group.
    pub way: String,
    /// Only rows of one group and one condition compete.
    pub condition: String,
    /// Programs use it that did not choose.
    pub usual: bool,
    /// One cell for each of [`COLUMNS_BYTES`].
    pub cells: Vec<TollCell>,
    /// One cell for each of the map's partners; empty where the way has no partner.
    pub round_trips: Vec<TollCell>,
    /// Every size that was measured, in order.
    pub curve: Vec<CurvePoint>,
}

/// Time of one operation at a size.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct CurvePoint {
    pub bytes: u64,
    pub ns: f64,
}

/// Why cells have no figure.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TollNote {
    /// `SKIP` or `FAIL`.
    pub word: &'static str,
    pub reason: String,
    /// The command that would help; empty when there is none.
    pub remedy: String,
}

/// A way at one size.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
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
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Toll {
    /// Median time of one operation, ns.
    pub ns: Interval,
    /// None where an operation moves no bytes.
    pub gb_per_s: Option<f64>,
    pub flag: ContaminationLevel,
    pub standing: Standing,
    /// Time relative to the cheapest of the column; 1 for the cheapest itself.
    pub ratio: Option<f64>,
    /// Centers of its modes, ns, where the median alone misleads; else empty.
    pub modes_ns: Vec<f64>,
    pub samples: u32,
    pub processes: u32,
}

/// Place of a cell among those of its column that it competes with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    Cheapest,
    /// Costlier by the median, but the intervals overlap.
    Tied,
    Costlier,
    /// Contaminated, or nothing competes with it.
    NotRanked,
}

impl TollCell {
    /// The cell's figure; None where there is none.
    pub fn toll(&self) -> Option<&Toll> {
        match self {
            TollCell::Measured(toll) => Some(toll),
            _ => None,
        }
    }
}

impl Toll {
    /// Whether it may be compared with others.
    pub fn is_ranked(&self) -> bool {
        self.flag != ContaminationLevel::Contaminated
    }
}

impl TollRow {
    /// Its cells, those of sizes first.
    pub fn all_cells(&self) -> impl Iterator<Item = &TollCell> {
        self.cells.iter().chain(&self.round_trips)
    }

    /// Whether anything was measured in it.
    pub fn is_measured(&self) -> bool {
        self.all_cells().any(|cell| cell.toll().is_some())
    }

    /// Whether it is the cheapest of its group somewhere.
    pub fn is_cheapest_somewhere(&self) -> bool {
        let tolls = self.all_cells().filter_map(TollCell::toll);
        tolls.into_iter().any(|t| t.standing == Standing::Cheapest)
    }

    /// Whether two rows may be ranked against each other.
    pub fn competes_with(&self, other: &TollRow) -> bool {
        self.group.is_some() && self.group == other.group && self.condition == other.condition
    }
}

impl TollMap {
    /// The toll map of a run; without rows when no experiment has any. What the plan does not
    /// hold at any size has no row.
    pub fn of(view: &RunView) -> TollMap {
        let mut map = TollMap {
            emulated: view.head.machine.is_emulated(),
            rows: Vec::new(),
            partners: Vec::new(),
            notes: Vec::new(),
        };
        let heads = |table: &'_ ExperimentTable| table.head.toll.clone();
        for head in view.tables.iter().flat_map(heads) {
            for trip in head.round_trips {
                if !map.partners.contains(&trip.partner) {
                    map.partners.push(trip.partner);
                }
            }
        }
        for table in &view.tables {
            for head in &table.head.toll {
                if is_planned(table, head) {
                    let row = map.row(table, head);
                    map.rows.push(row);
                }
            }
        }
        // Stable: rows of a group stay in the order of the experiments.
        map.rows.sort_by_key(|row| (row.group.is_none(), row.group));
        map.rank();
        map
    }

    /// Rows of one group, in order.
    pub fn of_group(&self, group: Option<TollGroup>) -> impl Iterator<Item = &TollRow> {
        self.rows.iter().filter(move |row| row.group == group)
    }

    /// The groups that have rows, in order.
    pub fn groups(&self) -> Vec<Option<TollGroup>> {
        let mut groups: Vec<_> = self.rows.iter().map(|row| row.group).collect();
        groups.dedup();
        groups
    }

    fn row(&mut self, table: &ExperimentTable, head: &TollHead) -> TollRow {
        let sized = |bytes: &u64| find(table, head, *bytes);
        let cells = COLUMNS_BYTES.iter().map(sized).collect::<Vec<_>>();
        let cells = cells.into_iter().map(|found| self.cell(found)).collect();
        let partners = self.partners.clone();
        let trip = |partner: &String| {
            let head = head.round_trips.iter().find(|t| t.partner == *partner);
            head.and_then(|trip| measured_first(table, &trip.only, |_| true))
        };
        let round_trips = match head.round_trips.is_empty() {
            true => Vec::new(),
            false => partners.iter().map(trip).collect(),
        };
        let round_trips = round_trips.into_iter().map(|found| self.cell(found));
        TollRow {
            experiment: table.head.id.clone(),
            label: head.label.clone(),
            group: head.group,
            way: match head.way.as_str() {
                "" => head.label.clone(),
                way => way.to_owned(),
            },
            condition: head.condition.clone(),
            usual: head.usual,
            round_trips: round_trips.collect(),
            curve: curve(table, head),
            cells,
        }
    }

    fn cell(&mut self, point: Option<&PointView>) -> TollCell {
        let Some(point) = point else {
            return TollCell::Missing;
        };
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

    fn rank(&mut self) {
        for at in 0..self.rows.len() {
            // Each set of rows that compete once: at its first.
            let first = (0..at).all(|other| !self.rows[at].competes_with(&self.rows[other]));
            if !first || self.rows[at].group.is_none() {
                continue;
            }
            let row = self.rows[at].clone();
            let those: Vec<usize> = (at..self.rows.len())
                .filter(|other| row.competes_with(&self.rows[*other]))
                .collect();
            for column in 0..COLUMNS_BYTES.len() + self.partners.len() {
                rank(&mut self.rows, &those, column);
            }
        }
    }
}

/// Whether the plan has a point of the row at any size, reached or not.
fn is_planned(table: &ExperimentTable, head: &TollHead) -> bool {
    let mut sizes = COLUMNS_BYTES.iter();
    let trip = |trip: &RoundTripHead| measured_first(table, &trip.only, |_| true).is_some();
    sizes.any(|bytes| find(table, head, *bytes).is_some()) || head.round_trips.iter().any(trip)
}

/// Points of a row at every size, contaminated ones left out.
fn curve(table: &ExperimentTable, head: &TollHead) -> Vec<CurvePoint> {
    let points = table.points.iter().filter(|p| has(p, &head.only));
    let mut sizes: Vec<u64> = points
        .filter_map(|p| u64::try_from(p.int(&head.size_axis)?).ok())
        .filter(|bytes| *bytes > 0)
        .collect();
    sizes.sort_unstable();
    sizes.dedup();
    let point = |bytes: u64| {
        let toll = match find(table, head, bytes).map(measured)? {
            TollCell::Measured(toll) if toll.is_ranked() => toll,
            _ => return None,
        };
        let ns = toll.ns.center;
        (ns > 0.0).then_some(CurvePoint { bytes, ns })
    };
    sizes.into_iter().filter_map(point).collect()
}

/// The point of a cell: all settings of the row and the column's size. A row
/// that is skipped as a whole may have one point without a size.
fn find<'a>(table: &'a ExperimentTable, head: &TollHead, bytes: u64) -> Option<&'a PointView> {
    if head.size_axis.is_empty() {
        let moves = |p: &PointView| p.head.bytes_per_op.unwrap_or(LINE_BYTES) == bytes;
        return measured_first(table, &head.only, moves);
    }
    let sized = |p: &PointView| p.int(&head.size_axis) == i64::try_from(bytes).ok();
    let whole = |p: &&PointView| {
        let fits = has(p, &head.only) && p.head.value(&head.size_axis).is_none();
        fits && matches!(p.head.state, PointState::Skipped { .. })
    };
    measured_first(table, &head.only, sized).or_else(|| table.points.iter().find(whole))
}

fn has(point: &PointView, only: &[Setting]) -> bool {
    let mut settings = only.iter();
    settings.all(|s| point.head.value(&s.axis) == Some(&s.value))
}

/// Where a row leaves an axis open, a measured point says more than an absent one. Of an
/// operation without a size the cheapest measured one counts: the nearest pair of CPUs.
fn measured_first<'a>(
    table: &'a ExperimentTable,
    only: &[Setting],
    also: impl Fn(&PointView) -> bool,
) -> Option<&'a PointView> {
    let points = table.points.iter();
    let mut found: Vec<&PointView> = points.filter(|p| has(p, only) && also(p)).collect();
    found.sort_by_key(|p| p.head.state != PointState::Done);
    let unsized_ns = |p: &PointView| match p.head.value("size") {
        None => p.median_ns().unwrap_or(f64::INFINITY),
        Some(_) => 0.0,
    };
    found.sort_by(|a, b| unsized_ns(a).total_cmp(&unsized_ns(b)));
    found.first().copied()
}

fn measured(point: &PointView) -> TollCell {
    let Some(s) = point.primary().filter(|s| s.median.center.is_finite()) else {
        return TollCell::Missing;
    };
    let flag = point.contamination.as_ref();
    let modes = s.modes.iter().map(|mode| mode.center);
    TollCell::Measured(Toll {
        ns: s.median,
        gb_per_s: point.bandwidth_gb_per_s(),
        flag: flag.map_or(ContaminationLevel::Clean, |c| c.level),
        standing: Standing::NotRanked,
        ratio: None,
        modes_ns: match s.modes.len() {
            0 | 1 => Vec::new(),
            _ => modes.collect(),
        },
        samples: s.samples,
        processes: s.processes,
    })
}

/// Ranks these rows in one column: of sizes, and of partners behind them.
fn rank(rows: &mut [TollRow], those: &[usize], column: usize) {
    let sizes = COLUMNS_BYTES.len();
    let mut cells: Vec<&mut Toll> = rows
        .iter_mut()
        .enumerate()
        .filter(|(at, _)| those.contains(at))
        .filter_map(|(_, row)| match column.checked_sub(sizes) {
            None => row.cells.get_mut(column),
            Some(partner) => row.round_trips.get_mut(partner),
        })
        .filter_map(|cell| match cell {
            TollCell::Measured(t) if t.is_ranked() => Some(t),
            _ => None,
        })
        .collect();
    let times = cells.iter().map(|t| t.ns);
    let Some(best) = times.min_by(|a, b| a.center.total_cmp(&b.center)) else {
        return;
    };
    if cells.len() == 1 {
        return;
    }
    for t in &mut cells {
        t.ratio = (best.center > 0.0).then(|| t.ns.center / best.center);
        t.standing = if t.ns.center == best.center {
            Standing::Cheapest
        } else if t.ns.low <= best.high {
            Standing::Tied
        } else {
            Standing::Costlier
        };
    }
}
