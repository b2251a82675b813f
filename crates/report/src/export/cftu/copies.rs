//! `trace/risultati`: recorded copies, a file for each of the four operations.

use super::{FileSet, Skipped};
use crate::export::ExportError;
use record::foreign::cftu::{DatName, TRACE_FOLDER, TraceRecord};
use record::{CopyOperation, RecordedCopy, Run};
use std::fmt::Write;

pub(super) fn collect(run: &Run, set: &mut FileSet) -> Result<(), ExportError> {
    let mut tables = Vec::new();
    for table in run.copies_tables() {
        tables.extend(run.copies(&table.experiment)?);
    }
    if tables.is_empty() {
        set.skipped.push(Skipped::new(
            format!("{TRACE_FOLDER}/*.dat"),
            "the run has no recorded copies",
            "record some with: pontage copies",
        ));
        return Ok(());
    }
    let copies: Vec<&RecordedCopy> = tables.iter().flatten().collect();
    for operation in CopyOperation::ALL {
        let of = copies.iter().filter(|c| c.operation == operation);
        let text = of.fold(String::new(), |mut text, copy| {
            let _ = writeln!(text, "{}", TraceRecord::of(copy));
            text
        });
        set.files.push((DatName::Trace(operation).path(), text));
    }
    remark(&copies, set);
    Ok(())
}

fn remark(copies: &[&RecordedCopy], set: &mut FileSet) {
    let mut tell = |what: &str, has: fn(&RecordedCopy) -> bool| {
        let count = copies.iter().filter(|c| has(c)).count();
        if count > 0 {
            let of = copies.len();
            set.remarks
                .push(format!("of {of} recorded copies, {count} {what}"));
        }
    };
    tell("ended on another CPU, which is left out", |c| {
        c.cpu_end.is_some_and(|end| end != c.cpu_start)
    });
    tell("copied less than asked for, which is left out", |c| {
        c.not_copied_bytes.is_some_and(|n| n > 0)
    });
    tell("have the name of their caller, which is left out", |c| {
        c.symbol.is_some()
    });
    tell("end before they begin; their dt is printed as 0", |c| {
        c.t1_ns < c.t0_ns
    });
}
