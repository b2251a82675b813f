//! Recorded copies become a run: every copy as it is read, points at the end.

use super::render::{Ended, account_lines};
use crate::failure::Failure;
use analysis::copies::{TRACE, Tally, heads};
use machine::Machine;
use record::{CopyOperation, Engine, PointState, RecordedCopy, Run, RunHead, RunState, RunWriter};
use std::collections::HashMap;
use std::path::Path;
use std::time::SystemTime;
use trace::analyse::symbols::Symbols;
use uapi::Operation;
use uapi::trace::{Record, State};

const CLOCK: &str = "CLOCK_MONOTONIC, read by the recorder of module cftu";

pub struct Store<'a> {
    writer: RunWriter,
    tally: Tally,
    symbols: &'a Symbols,
    /// Of the addresses met so far.
    names: HashMap<u64, String>,
    /// Copies of which only the copy routine itself is known as caller.
    near_callers: u64,
}

impl<'a> Store<'a> {
    /// A new run in `parent`.
    ///
    /// # Errors
    /// When the record cannot be written.
    pub fn create(
        parent: &Path,
        machine: &Machine,
        symbols: &'a Symbols,
    ) -> Result<Store<'a>, Failure> {
        let mut writer = RunWriter::create(parent, head(machine))?;
        // A capture that meets no copy has a table without rows.
        writer.append_copies(TRACE, &[])?;
        harness::message!("recording to {}", writer.folder().display());
        Ok(Store {
            writer,
            tally: Tally::default(),
            symbols,
            names: HashMap::new(),
            near_callers: 0,
        })
    }

    /// Stores what a CPU's ring gave; it survives kill -9 from then on.
    ///
    /// # Errors
    /// When the record cannot be written; what was stored before stays.
    pub fn append(&mut self, ring: u32, records: &[Record]) -> Result<(), Failure> {
        if records.is_empty() {
            return Ok(());
        }
        let copies: Vec<RecordedCopy> = records.iter().map(|r| self.copy(ring, r)).collect();
        copies.iter().for_each(|copy| self.tally.add(copy));
        Ok(self.writer.append_copies(TRACE, &copies)?)
    }

    fn copy(&mut self, ring: u32, record: &Record) -> RecordedCopy {
        self.near_callers += u64::from(record.near_caller);
        let symbols = self.symbols;
        let name = || symbols.place(record.caller);
        let symbol = (!symbols.is_empty())
            .then(|| self.names.entry(record.caller).or_insert_with(name).clone());
        RecordedCopy {
            operation: operation(record.operation),
            ring,
            sequence: record.sequence,
            size_bytes: record.length_bytes,
            cpu_start: record.cpu_start.into(),
            cpu_end: Some(record.cpu_end.into()),
            t0_ns: record.start_ns,
            t1_ns: record.end_ns,
            caller: record.caller,
            symbol,
            engine: match record.engine {
                uapi::Engine::Policy => Engine::Dma,
                uapi::Engine::Cpu | uapi::Engine::None => Engine::Cpu,
            },
            not_copied_bytes: Some(record.not_copied_bytes),
            process: Some(record.process),
        }
    }

    /// Makes the points, closes the run and writes its page.
    ///
    /// # Errors
    /// When the record or the page cannot be written; the copies stay.
    pub fn close(mut self, ended: &Ended<'_>, cut_at: Option<u64>) -> Result<(), Failure> {
        let state = ended.state;
        let seconds = state.stopped_ns.saturating_sub(state.started_ns) as f64 / 1e9;
        let mut head = self.writer.head().clone();
        head.experiments = heads(Some(seconds));
        head.ended_utc = Some(record::rfc3339_utc(SystemTime::now()));
        head.conditions.notes.extend(notes(ended, seconds, cut_at));
        if self.near_callers > 0 {
            head.conditions.notes.push(format!(
                "{} copies whose caller is known only as the copy routine itself",
                self.near_callers
            ));
        }
        let uncovered: Vec<CopyOperation> = state.uncovered().into_iter().map(operation).collect();
        let unseen = |o: CopyOperation| uncovered.contains(&o).then(|| why_unseen(state));
        for (point, samples) in self.tally.points(0, &unseen) {
            self.writer.append_point(&point, &samples)?;
        }
        head.points = self.writer.head().points.clone();
        let nothing = head.points.iter().all(|p| p.state != PointState::Done);
        if nothing {
            harness::message!("note: no copy passed the filters");
        }
        head.state = RunState::Complete;
        self.writer.close(head)?;
        let view = analysis::load(&Run::open(self.writer.folder())?)?;
        let page = crate::report::page_of(self.writer.folder());
        crate::report::write_page(&view, self.writer.folder(), &page)?;
        harness::message!("report: {}", page.display());
        Ok(())
    }
}

fn head(machine: &Machine) -> RunHead {
    let card = harness::card::card(machine);
    let note = format!("times of recorded copies: {CLOCK}");
    RunHead {
        machine_full: serde_json::to_value(machine).unwrap_or_default(),
        experiments: heads(None),
        ..crate::head::without_plan(card, "copies", CLOCK, vec![note])
    }
}

/// What was lost and what cannot be seen, kept with the copies.
fn notes(ended: &Ended<'_>, seconds: f64, cut_at: Option<u64>) -> Vec<String> {
    let of = cut_at.map_or(String::new(), |asked| {
        format!(" of {asked} s: ended by a signal")
    });
    let first = format!("recorded for {seconds:.1} s{of}");
    std::iter::once(first).chain(account_lines(ended)).collect()
}

fn why_unseen(state: &State) -> String {
    let why = if state.raw_merged {
        "copy_from_user and copy_to_user are inlined in this kernel, so it is counted among those"
    } else if state.entry_points {
        "this CPU copies inline, and only entry points can be probed"
    } else {
        "no routine of this kernel that can be probed does it"
    };
    format!("cannot be seen on this kernel: {why}")
}

fn operation(of: Operation) -> CopyOperation {
    match of {
        Operation::CopyFromUser => CopyOperation::FromUser,
        Operation::CopyToUser => CopyOperation::ToUser,
        Operation::RawCopyFromUser => CopyOperation::UncheckedFromUser,
        Operation::RawCopyToUser => CopyOperation::UncheckedToUser,
        Operation::IterFromUser => CopyOperation::IterFromUser,
        Operation::IterToUser => CopyOperation::IterToUser,
    }
}

#[cfg(test)]
mod tests {
    use super::operation;
    use uapi::Operation;

    #[test]
    fn the_words_of_the_recorder_are_those_of_the_record() {
        for of in Operation::ALL {
            assert_eq!(of.word(), operation(*of).name());
        }
    }
}
