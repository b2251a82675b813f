//! The figure model: everything a figure shows, with nothing left for a back
//! end to decide but where the ink goes. SVG and uPlot both draw this.

mod axes;
mod build;
mod collect;
mod marks;
pub mod matrix;
mod one_place;
pub mod palette;
mod panels;
mod quantity;
mod regions;
mod samples;
mod spread;
pub mod ticks;

pub use build::{all, build, figures};
pub(crate) use collect::unmeasured;
pub use matrix::Matrix;
pub use palette::Colour;

use analysis::view::ContaminationLevel;
use analysis::{ExperimentTable, Interval};
use record::Unit;

/// How values of an axis are placed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Scale {
    Linear,
    /// Powers of two are evenly spaced.
    Log2,
    /// Powers of ten are evenly spaced.
    Log10,
    /// Words, at 0, 1, 2 ...
    Categories(Vec<String>),
}

impl Scale {
    /// Whether only positive values have a place on this scale.
    pub fn is_log(&self) -> bool {
        matches!(self, Scale::Log2 | Scale::Log10)
    }
}

/// Title, unit, scale and range of an axis.
#[derive(Debug, Clone, PartialEq)]
pub struct Axis {
    /// `working set`, `latency per operation`.
    pub label: String,
    pub unit: Unit,
    pub scale: Scale,
    /// Smallest and largest value to show, in `unit`.
    pub range: (f64, f64),
}

/// One figure of one experiment.
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    /// `mem-latency-1`: file name and anchor.
    pub id: String,
    pub experiment: String,
    pub title: String,
    pub x: Axis,
    pub y: Axis,
    pub series: Vec<Series>,
    pub marks: Vec<Mark>,
    /// Named stretches of the x axis, in order.
    pub regions: Vec<Shade>,
    /// Smaller panels under this one, over the same x.
    pub below: Vec<Panel>,
    /// How to read it.
    pub reading: String,
    /// What is not in the picture, and why.
    pub notes: Vec<String>,
    pub verdict: Verdict,
    /// Cells in place of series: then those are empty, x counts the columns and
    /// y is the colour.
    pub matrix: Option<Matrix>,
}

impl Figure {
    /// Figure `index` of an experiment, with nothing in it; its words where the
    /// experiment describes it.
    fn empty(table: &ExperimentTable, index: usize, x: Axis, y: Axis) -> Figure {
        let head = table.head.figures.get(index).cloned().unwrap_or_default();
        Figure {
            id: collect::id(table, index),
            experiment: table.head.id.clone(),
            title: head.title,
            x,
            y,
            series: Vec::new(),
            marks: Vec::new(),
            regions: Vec::new(),
            below: Vec::new(),
            reading: head.reading,
            notes: Vec::new(),
            verdict: Verdict::default(),
            matrix: None,
        }
    }

    /// Rows of dots for words, curves for numbers.
    pub fn is_dots(&self) -> bool {
        self.matrix.is_none() && matches!(self.x.scale, Scale::Categories(_))
    }

    /// Whether there is anything to draw.
    pub fn is_empty(&self) -> bool {
        match &self.matrix {
            Some(matrix) => matrix.measured().next().is_none(),
            None => self.series.iter().all(|s| s.points.is_empty()),
        }
    }
}

/// A further metric over the x axis of its figure. Its series are those of the
/// figure, one for one and in the same colours; some may have no points.
#[derive(Debug, Clone, PartialEq)]
pub struct Panel {
    pub y: Axis,
    pub series: Vec<Series>,
}

/// A named stretch of the x axis, inside its range.
#[derive(Debug, Clone, PartialEq)]
pub struct Shade {
    pub from: f64,
    pub to: f64,
    pub name: String,
}

/// Points joined by a line.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    pub name: String,
    pub colour: Colour,
    pub points: Vec<DataPoint>,
}

/// One point with the interval of its median, in the unit of the y axis.
#[derive(Debug, Clone, PartialEq)]
pub struct DataPoint {
    pub x: f64,
    /// Level 0 where there is no interval.
    pub y: Interval,
    pub samples: u32,
    pub flag: ContaminationLevel,
    /// Why it is flagged; empty when clean.
    pub reason: String,
    /// Sentence on the modes where there is more than one.
    pub modes: Option<String>,
}

/// A value that has no interval.
fn alone(value: f64) -> Interval {
    let exact = Interval::resampled(value, value, value);
    Interval {
        level: 0.0,
        ..exact
    }
}

/// What a vertical line stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MarkRole {
    /// What the machine says of itself: caches, page, line.
    Reference,
    /// What the measurement says.
    Knee,
}

/// A vertical line with a label; a measured one may have an interval.
#[derive(Debug, Clone, PartialEq)]
pub struct Mark {
    pub x: Interval,
    pub label: String,
    pub role: MarkRole,
}

/// How clean the points of a figure are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Verdict {
    pub points: usize,
    pub disturbed: usize,
    pub contaminated: usize,
    /// Points for which the surroundings could not be watched.
    pub unwatched: usize,
}

impl Verdict {
    /// Takes a drawn point into account.
    pub(crate) fn count(&mut self, point: &analysis::PointView) {
        self.points += 1;
        match point.contamination.as_ref().map(|c| c.level) {
            None => self.unwatched += 1,
            Some(ContaminationLevel::Disturbed) => self.disturbed += 1,
            Some(ContaminationLevel::Contaminated) => self.contaminated += 1,
            Some(ContaminationLevel::Clean) => {}
        }
    }

    /// The worst of what was drawn.
    pub fn level(&self) -> ContaminationLevel {
        if self.contaminated > 0 {
            ContaminationLevel::Contaminated
        } else if self.disturbed > 0 {
            ContaminationLevel::Disturbed
        } else {
            ContaminationLevel::Clean
        }
    }

    /// The verdict in words, for the line next to a figure.
    pub fn sentence(&self) -> String {
        let n = self.points;
        if n == 0 {
            return "no points".to_owned();
        }
        let parts = [
            (self.contaminated, "points contaminated: do not trust them"),
            (self.disturbed, "disturbed without a shift of the median"),
            (self.unwatched, "not watched"),
        ];
        let parts = parts.into_iter().filter(|(count, _)| *count > 0);
        let parts: Vec<String> = parts
            .map(|(count, what)| format!("{count} of {n} {what}"))
            .collect();
        match parts.is_empty() {
            true => format!("clean: none of {n} points disturbed"),
            false => parts.join("; "),
        }
    }
}
