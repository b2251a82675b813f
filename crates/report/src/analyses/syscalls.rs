//! System calls of a trace, by task and name.

use super::{losses, more, time};
use crate::document::{Document, Table};
use serde_json::{Value, json};
use trace::analyse::summary::Summary;

/// Its numbers, for programs.
pub fn json(s: &Summary) -> Value {
    json!({"capture": s.pass, "syscalls": s.syscalls})
}

/// So many rows, costly ones first.
pub fn document(s: &Summary, top: usize) -> Document {
    let off_cpu = |ns: u64| match s.has_switches() {
        true => time(ns),
        false => "-".to_owned(),
    };
    let all = &s.syscalls.calls;
    let mut document = losses(&s.pass, s.lost_by_kernel);
    document.table(Table::listing(
        2,
        all.iter().take(top),
        [
            ("task", &|call| format!("{} [{}]", call.comm, call.pid)),
            ("call", &|call| call.called()),
            ("count", &|call| call.count.to_string()),
            ("time", &|call| time(call.total_ns)),
            ("average", &|call| time(call.average_ns())),
            ("longest", &|call| time(call.max_ns)),
            ("off the CPU", &|call| off_cpu(call.off_cpu_ns)),
        ],
    ));
    document.extend(more(all.len(), top));
    if all.iter().any(|call| call.name.is_none()) {
        document.line(
            "calls without a name: raw_syscalls has numbers only; for names: pontage trace record \
             -e syscalls",
        );
    }
    document.line(format!(
        "left out: {} calls next to a gap, {} not finished",
        s.syscalls.dropped, s.syscalls.unfinished
    ));
    document
}
