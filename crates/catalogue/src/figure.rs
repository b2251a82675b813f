//! Figures and rows of the toll map, as forms write them down.

use crate::grid::{only, setting};
use record::{FigureHead, FigureKind, MarkKind, TollHead};

/// A figure in the making. Begins with its title, what is drawn along x and along y,
/// both linear; ends with the sentence under it.
#[derive(Debug, Clone)]
#[must_use]
pub struct Figure(FigureHead);

impl Figure {
    /// A figure of metric `y` over axis `x`.
    pub fn of(title: impl Into<String>, x: &str, y: &str) -> Figure {
        Figure(FigureHead {
            title: title.into(),
            x: x.to_owned(),
            y: y.to_owned(),
            ..FigureHead::default()
        })
    }

    /// Along x by powers of two.
    pub fn log_x(mut self) -> Figure {
        self.0.x_log2 = true;
        self
    }

    /// Its y axis is logarithmic.
    pub fn log_y(mut self) -> Figure {
        self.0.y_log = true;
        self
    }

    /// Axes whose values make separate lines.
    pub fn series(mut self, axes: &[&str]) -> Figure {
        self.0.series = texts(axes);
        self
    }

    /// Only points with these words too.
    pub fn only(mut self, words: &[(&str, &str)]) -> Figure {
        self.0.only.extend(only(words));
        self
    }

    /// Only points with this number too.
    pub fn at(mut self, axis: &str, number: i64) -> Figure {
        self.0.only.push(setting(axis, number));
        self
    }

    /// Vertical lines that it shows.
    pub fn marks(mut self, marks: &[MarkKind]) -> Figure {
        self.0.marks = marks.to_vec();
        self
    }

    /// Metrics in smaller panels under it.
    pub fn below(mut self, metrics: &[&str]) -> Figure {
        self.0.below = texts(metrics);
        self
    }

    /// How it is drawn.
    pub fn kind(mut self, kind: FigureKind) -> Figure {
        self.0.kind = kind;
        self
    }

    /// Ends with how it is read.
    pub fn reading(mut self, reading: &str) -> FigureHead {
        reading.clone_into(&mut self.0.reading);
        self.0
    }
}

fn texts(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

/// A row of the toll map over the axis `size`, of the points with these words.
pub fn toll_row(label: impl Into<String>, words: &[(&str, &str)]) -> TollHead {
    TollHead {
        label: label.into(),
        size_axis: "size".to_owned(),
        only: only(words),
        ..TollHead::default()
    }
}
