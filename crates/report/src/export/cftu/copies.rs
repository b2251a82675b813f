//! `trace/risultati`: recorded copies, a file for each of the four operations.

use super::FileSet;
use crate::export::ExportError;
use record::foreign::cftu::{DatName, Routine, TRACE_FOLDER, TraceRecord};
use record::{CopyOperation, RecordedCopy, Run};
use std::fmt::Write;

pub(super) fn collect(run: &Run, set: &mut FileSet) -> Result<(), ExportError> {
    let mut tables = Vec::new();
    for experiment in &run.head().experiments {
        tables.extend(run.copies(&experiment.id)?);
    }
    if tables.is_empty() {
        set.skip(
            format!("{TRACE_FOLDER}/*.dat"),
            "the run has no recorded copies",
            "record some with: pontage copies --records --out runs",
        );
        return Ok(());
    }
    let copies: Vec<&RecordedCopy> = tables.iter().flatten().collect();
    for routine in Routine::ALL {
        let of = copies.iter().filter(|c| c.operation == routine.operation());
        let text = of.fold(String::new(), |mut text, copy| {
            let _ = writeln!(text, "{}", TraceRecord::of(copy));
            text
        });
        set.file(DatName::Trace(routine).path(), text);
    }
    leave_out(&copies, set);
    remark(&copies, set);
    Ok(())
}

/// The study has no file for copies through an iov_iter.
fn leave_out(copies: &[&RecordedCopy], set: &mut FileSet) {
    let count = |o: CopyOperation| copies.iter().filter(|c| c.operation == o).count();
    let from = count(CopyOperation::IterFromUser);
    let to = count(CopyOperation::IterToUser);
    if from + to > 0 {
        set.skip(
            format!("{TRACE_FOLDER}: {from} copies by copy_from_iter, {to} by copy_to_iter"),
            "the study traced four routines and has no file for others; on this kernel data of \
             pipes, sockets and files goes through an iov_iter",
            "they are in the record: pontage export RUN --format parquet --out DIR",
        );
    }
}

fn remark(copies: &[&RecordedCopy], set: &mut FileSet) {
    type Has = fn(&RecordedCopy) -> bool;
    let remarks: [(&str, Has); 5] = [
        ("ended on another CPU, which is left out", |c| {
            c.cpu_end.is_some_and(|end| end != c.cpu_start)
        }),
        ("copied less than requested, which is left out", |c| {
            c.not_copied_bytes.is_some_and(|n| n > 0)
        }),
        ("have the name of their caller, which is left out", |c| {
            c.symbol.is_some()
        }),
        ("have the number of their process, which is left out", |c| {
            c.process.is_some()
        }),
        ("end before they begin; their dt is printed as 0", |c| {
            c.t1_ns < c.t0_ns
        }),
    ];
    let of = copies.len();
    for (what, has) in remarks {
        let count = copies.iter().filter(|c| has(c)).count();
        if count > 0 {
            set.remarks
                .push(format!("of {of} recorded copies, {count} {what}"));
        }
    }
}
