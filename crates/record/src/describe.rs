//! What an experiment says of itself, stored in every run that holds it, so
//! that a report needs neither the program that measured nor its version.

use crate::axis::{Setting, Unit};
use crate::counters::COUNTED_TIME;
use serde::{Deserialize, Serialize};

/// The written half of an experiment, as it stood when the run was made.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ExperimentHead {
    /// `area/name`.
    pub id: String,
    pub title: String,
    pub question: String,
    /// What one operation contains.
    pub counts: String,
    pub does_not_count: String,
    /// Paper, man page or kernel document the method comes from.
    pub origin: String,
    /// How to read the figures: theory text for `explain`, Markdown.
    pub theory: String,
    pub axes: Vec<AxisHead>,
    /// The first metric is the primary one, always nanoseconds per operation.
    pub metrics: Vec<MetricHead>,
    pub figures: Vec<FigureHead>,
    pub toll: Vec<TollHead>,
    /// What the words of axes that name a kind of work stand for. Not in records
    /// of experiments without such axes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub kinds: Vec<KindHead>,
    /// Its time is quoted in cycles of the core as well: it goes with the core's clock, or is
    /// usually held against it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub in_cycles: bool,
}

/// A kind of work, and how its speed is quoted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KindHead {
    /// The word on the axes; `cmd:` stands for every command.
    pub word: String,
    /// What is counted, in the singular: `frame`.
    pub operation: String,
    /// `frames/s` of work that is quoted by its rate; None: in seconds an operation.
    pub rate: Option<String>,
    pub doc: String,
}

impl ExperimentHead {
    /// File name of the experiment's table: `mem-latency.parquet`.
    pub fn table_file(&self) -> String {
        self.file("parquet")
    }

    /// File name of the copies that it recorded: `copies-trace.copies`.
    pub fn copies_file(&self) -> String {
        crate::layout::copies_file(&self.id)
    }

    /// File name of the copies until the run is closed:
    /// `copies-trace.copies.stream`.
    pub fn copies_stream_file(&self) -> String {
        self.file("copies.stream")
    }

    fn file(&self, ending: &str) -> String {
        format!("{}.{ending}", self.id.replace('/', "-"))
    }
}

/// An axis of an experiment, as a reader of the record needs it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AxisHead {
    pub name: String,
    pub unit: Unit,
    pub doc: String,
}

impl AxisHead {
    /// Column name in the table: the axis name with its unit.
    pub fn column(&self) -> String {
        format!("{}{}", self.name, self.unit.suffix())
    }
}

/// A measured quantity of an experiment.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MetricHead {
    pub name: String,
    pub unit: Unit,
    pub doc: String,
    /// Which direction is an improvement.
    pub lower_is_better: bool,
    /// It says what else happened, or how the system is set, and neither direction is an
    /// improvement. Records from before say so of nothing.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub explains: bool,
}

/// Metric of the time of one operation timed by itself, ns: no result, it shows what a batch
/// averages.
pub const SINGLE: &str = "single";

impl MetricHead {
    /// Whether its median is a result, not only what another one is judged by.
    pub fn is_result(&self) -> bool {
        self.name != SINGLE && self.name != COUNTED_TIME
    }
}

/// A figure as data: which columns, which scales, which marks.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct FigureHead {
    pub title: String,
    /// Axis drawn along x.
    pub x: String,
    pub x_log2: bool,
    /// Metric drawn along y. `bandwidth` is derived from bytes per operation.
    pub y: String,
    pub y_log: bool,
    /// Axes whose values make separate lines.
    pub series: Vec<String>,
    /// Only points with these settings.
    pub only: Vec<Setting>,
    pub marks: Vec<MarkKind>,
    /// Sentence under the figure: how to read it.
    pub reading: String,
    /// Metrics drawn in smaller panels under this one, over the same x, top to
    /// bottom. Each has its own linear axis.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub below: Vec<String>,
    /// How the points are shown. Not in records from before there was a choice.
    #[serde(default, skip_serializing_if = "FigureKind::is_lines")]
    pub kind: FigureKind,
}

/// How a figure shows its points.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FigureKind {
    /// Lines over `x`, or rows of dots where `x` is an axis of words.
    #[default]
    Lines,
    /// A cell for each pair: columns along `x`, rows along the first of
    /// `series`, the metric `y` as colour.
    Matrix,
    /// Every sample of a point by its number: what came after what (the slices of
    /// a task). `x` names the number; `y` is a metric.
    Sequence,
    /// The share of a point's samples that are longer than `x`, which is `y`'s
    /// own values: tails, which a median hides.
    Distribution,
}

impl FigureKind {
    /// Whether single samples are drawn, not what they come to.
    pub fn draws_samples(self) -> bool {
        matches!(self, FigureKind::Sequence | FigureKind::Distribution)
    }

    fn is_lines(&self) -> bool {
        *self == FigureKind::Lines
    }
}

/// Vertical lines a figure carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MarkKind {
    /// Capacities of the data caches from the machine card.
    CacheSizes,
    PageSize,
    LineSize,
    /// Knees that the findings report for this experiment.
    Knees,
}

/// One row of the toll map: which points of this experiment fill it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct TollHead {
    /// `memcpy hot`, `copy_to_user via pread`: complete by itself.
    pub label: String,
    /// The axis that carries the size in bytes. Empty: an operation moves what its point says
    /// that it moves, or a cache line.
    pub size_axis: String,
    pub only: Vec<Setting>,
    /// The question that it answers together with other rows. None in records from before there
    /// were any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<TollGroup>,
    /// Its name among the rows of its group: `pread`. Empty: the label.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub way: String,
    /// What holds for it and not for the others: `data not cached`. Only rows of one group and one
    /// condition compete for the cheapest.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub condition: String,
    /// Programs use it that did not choose, so a short map has it too.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub usual: bool,
    /// The same way there and back.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub round_trips: Vec<RoundTripHead>,
}

/// A column of round trips: a message to a partner and back, by what the partner does meanwhile.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct RoundTripHead {
    /// `awake`, `asleep`, `one CPU`.
    pub partner: String,
    pub only: Vec<Setting>,
}

/// The boundary that the rows of a group cross.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TollGroup {
    /// No boundary but that of the caches.
    Process,
    /// Kernel to user.
    Read,
    /// User to kernel.
    Write,
    /// From one thread or process to another.
    Tasks,
    /// A line to another core's cache.
    Line,
    /// From the caches to memory or a persistent medium.
    Persistence,
    /// Kernel to user, or back, by a DMA engine.
    Engine,
}
