//! The record of one side: one run, each visit a process of it.

use crate::failure::Failure;
use crate::run::close;
use analysis::paired::Stop;
use record::{PointState, Run, RunHead, RunState, RunWriter, Sample};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

pub struct Arm {
    /// The side in words.
    words: String,
    parent: PathBuf,
    writer: Option<RunWriter>,
    visits: u16,
    /// Of all visits.
    stolen: Vec<f64>,
    busy: Vec<f64>,
}

impl Arm {
    pub fn new(words: String) -> Arm {
        Arm {
            words,
            parent: PathBuf::new(),
            writer: None,
            visits: 0,
            stolen: Vec::new(),
            busy: Vec::new(),
        }
    }

    /// Its run is to be made in `folder`.
    pub fn place(&mut self, folder: &Path) {
        folder.clone_into(&mut self.parent);
    }

    /// Takes the samples of a visit: they survive anything but the medium from here on.
    ///
    /// # Errors
    /// A visit that cannot be read, a record that cannot be written.
    pub fn add(&mut self, visit: &Run) -> Result<(), Failure> {
        let head = visit.head();
        self.stolen.extend(head.conditions.steal_share);
        self.busy.extend(head.conditions.busy_before);
        let writer = match &mut self.writer {
            Some(writer) => writer,
            None => {
                let made = RunWriter::create(&self.parent, begun(head, &self.words))?;
                self.writer.insert(made)
            }
        };
        let done = writer.done();
        for experiment in &head.experiments {
            let mut taken = visit.samples(&experiment.id)?;
            for point in head.points.iter().filter(|p| p.experiment == experiment.id) {
                let samples = taken.remove(&point.index).unwrap_or_default();
                // What one visit could not do another one did.
                if samples.is_empty() && (done.contains(&point.index) || is_pending(&point.state)) {
                    continue;
                }
                let mut point = point.clone();
                // They lie in the visit's folder, which goes.
                point.traces.clear();
                let of_visit = |sample: Sample| Sample {
                    process: self.visits,
                    ..sample
                };
                let samples: Vec<Sample> = samples.into_iter().map(of_visit).collect();
                writer.append_point(&point, &samples)?;
            }
        }
        self.visits = self.visits.saturating_add(1);
        Ok(())
    }

    /// Closes the run; its folder, where there is one.
    ///
    /// # Errors
    /// When it cannot be written; the samples stay.
    pub fn close(&mut self, stop: Stop) -> Result<Option<String>, Failure> {
        let Some(mut writer) = self.writer.take() else {
            return Ok(None);
        };
        let mut head = writer.head().clone();
        head.ended_utc = Some(record::rfc3339_utc(SystemTime::now()));
        head.recipe.processes = u32::from(self.visits);
        head.conditions.steal_share = mean(&self.stolen);
        head.conditions.busy_before = mean(&self.busy);
        head.state = match stop {
            Stop::Interrupted | Stop::Running => RunState::Incomplete {
                reason: "interrupted between visits".to_owned(),
            },
            Stop::Decided | Stop::Time => RunState::Complete,
        };
        let view = close::close(&mut writer, head)?;
        close::write_page(&view, writer.folder())?;
        Ok(Some(writer.folder().display().to_string()))
    }
}

fn is_pending(state: &PointState) -> bool {
    *state == PointState::Pending
}

fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// A run that begins as this visit did.
fn begun(visit: &RunHead, words: &str) -> RunHead {
    let ours = crate::head::begun(visit.machine.clone());
    let mut head = RunHead {
        id: ours.id,
        started_utc: ours.started_utc,
        command_line: ours.command_line,
        ended_utc: None,
        state: RunState::Running,
        findings: Vec::new(),
        claims: Vec::new(),
        ..visit.clone()
    };
    for point in &mut head.points {
        point.state = PointState::Pending;
        point.traces.clear();
    }
    let note = format!("one side of pontage ab, each process a visit: {words}");
    head.conditions.notes.push(note);
    head
}
