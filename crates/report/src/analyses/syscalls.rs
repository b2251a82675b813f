//! System calls of a trace, by task and name.

use super::{losses, more, time};
use crate::document::{Document, Table};
use serde_json::{Value, json};
use trace::analyse::summary::Summary;

pub fn json(s: &Summary) -> Value {
    json!({"capture": s.pass, "syscalls": s.syscalls})
}

/// So many rows, costly ones first.
pub fn document(s: &Summary, top: usize) -> Document {
    let heads = [
        "task",
        "call",
        "count",
        "time",
        "average",
        "longest",
        "off the CPU",
    ];
    let mut table = Table::of(2, heads);
    let all = &s.syscalls.calls;
    for call in all.iter().take(top) {
        table.row([
            format!("{} [{}]", call.comm, call.pid),
            call.called(),
            call.count.to_string(),
            time(call.total_ns),
            time(call.average_ns()),
            time(call.max_ns),
            match s.has_switches() {
                true => time(call.off_cpu_ns),
                false => "-".to_owned(),
            },
        ]);
    }
    let mut document = losses(&s.pass, s.lost_by_kernel);
    document.table(table);
    more(all.len(), top)
        .into_iter()
        .for_each(|m| document.text(m));
    if all.iter().any(|call| call.name.is_none()) {
        document.line(
            "calls without a name: raw_syscalls has numbers only; names: pontage trace record -e \
             syscalls",
        );
    }
    document.line(format!(
        "left out: {} calls beside a gap, {} not finished",
        s.syscalls.dropped, s.syscalls.unfinished
    ));
    document
}
