//! What a recording says of itself, on standard error.

use probe::tracefs::{Prepared, Selection, Stopped, Tracefs};
use report::analyses::recorded::{OfCpu, Recorded};
use report::document::terminal;
use report::format::decimal_bytes;
use std::path::Path;

/// What may surprise the reader of a recording.
pub fn before(tracefs: &Tracefs, prepared: &Prepared, selection: &Selection) {
    let functions = prepared.functions.as_ref().map(ToString::to_string);
    let tracer = prepared.other_tracer(tracefs).map(|tracer| {
        format!(
            "tracer {tracer} is active in the top-level ring buffer; it stays on and slows down \
             what is recorded"
        )
    });
    let left_out = selection.left_out.join(", ");
    let left_out = (!left_out.is_empty()).then(|| format!("this kernel does not have {left_out}"));
    let notes = prepared.notes.iter().cloned().chain(functions);
    for note in notes.chain(tracer).chain(left_out) {
        harness::message!("note: {note}");
    }
}

pub fn after(stopped: &Stopped, buffer_kib: u64, out: &Path) {
    let document = recorded(stopped, buffer_kib, out).document();
    harness::messages::part(&terminal::plain(&document));
}

pub fn written(out: &Path, bytes: u64) {
    harness::message!("{}: {}", out.display(), decimal_bytes(bytes));
}

fn recorded(stopped: &Stopped, buffer_kib: u64, out: &Path) -> Recorded {
    let stats = &stopped.head.cpu_stats;
    let of = |(cpu, bytes): &(u32, u64)| {
        let stat = stats.iter().find(|s| s.cpu == *cpu);
        OfCpu {
            cpu: *cpu,
            events: stat.and_then(|s| s.value("read events")).unwrap_or(0),
            bytes: *bytes,
            lost: stat.map_or(0, ::trace::CpuStat::lost),
        }
    };
    Recorded {
        cpus: stopped.bytes.iter().map(of).collect(),
        user_ns: stopped.own_time.user_ns,
        system_ns: stopped.own_time.system_ns,
        buffer_kib,
        trouble: stopped.trouble.as_ref().map(ToString::to_string),
        out: out.display().to_string(),
    }
}
