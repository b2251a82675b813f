//! Recorded copies: a table of them as they are, and the points that
//! `pontage copies` makes of its own.

use analysis::copies::Tally;
use record::foreign::cftu::{Routine, TraceRecord};
use record::{CopyOperation, PointHead, PointState, RecordedCopy, Sample};

/// What the files of traces hold.
#[derive(Default)]
pub(super) struct Trace {
    /// In the order of the files and their lines.
    pub copies: Vec<RecordedCopy>,
    tally: Tally,
    files: Vec<(CopyOperation, String)>,
}

impl Trace {
    pub fn add(&mut self, path: &str, operation: CopyOperation, lines: &[TraceRecord]) {
        self.files.push((operation, path.to_owned()));
        for line in lines {
            let copy = line.copy(operation);
            // What was printed as a time stays the time, whatever its ends say.
            self.tally.add_timed(&copy, line.dt_ns);
            self.copies.push(copy);
        }
    }

    /// Points from the index `first` on, each with the files it comes from.
    pub fn points(&self, first: u32) -> Vec<(PointHead, Vec<Sample>)> {
        let mut points = self
            .tally
            .points(first, &|operation| self.unseen(operation));
        for (point, _) in &mut points {
            if point.state == PointState::Done {
                point.notes = self.sources(point);
            }
        }
        points
    }

    fn unseen(&self, operation: CopyOperation) -> Option<String> {
        if Routine::ALL.iter().all(|r| r.operation() != operation) {
            return Some(format!("the study did not trace {operation}"));
        }
        let imported = self.files.iter().any(|(o, _)| *o == operation);
        (!imported).then(|| format!("no file of {operation} was imported"))
    }

    fn sources(&self, point: &PointHead) -> Vec<String> {
        let is = |axis: &str, word: &str| point.value(axis) == Some(&word.into());
        let of_point = |file: CopyOperation| {
            let alone = file.name().trim_start_matches("__");
            is("operation", file.name()) || is("operation", alone) && is("routines", "both")
        };
        let files = self.files.iter().filter(|(o, _)| of_point(*o));
        files.map(|(_, path)| format!("from {path}")).collect()
    }
}
