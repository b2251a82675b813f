//! `micro-benchmark_Msg/risultati`: every timed copy, and for each size its
//! synthesis, from and to user memory with caches warm and flushed.

use super::FileSet;
use super::points::{Key, Measured, Timed, Wanted, each_context, is_at, place, size_of};
use crate::export::ExportError;
use record::Run;
use record::foreign::cftu::{DatName, LATENCY_FOLDER, LatencyRecord, SynthRecord, menu_number};
use std::fmt::Write;

const ID: &str = "offload/latency";
const AXES: [&str; 5] = ["direction", "cache", "context", "pages", "size"];
/// The order in which the study's script measures.
const FILES: [(&str, &str); 4] = [
    ("from_user", "warm"),
    ("to_user", "warm"),
    ("from_user", "flushed"),
    ("to_user", "flushed"),
];

pub(super) fn collect(run: &Run, set: &mut FileSet) -> Result<(), ExportError> {
    let wanted = Wanted {
        id: ID,
        folder: LATENCY_FOLDER,
        axes: &AXES,
    };
    each_context(run, &wanted, set, of_context)
}

fn of_context(measured: &Measured<'_>, context: &str, suffix: &str, set: &mut FileSet) {
    let folder = format!("{LATENCY_FOLDER}{suffix}");
    let at_context: &[_] = match context {
        "" => &[],
        context => &[("context", context)],
    };
    let sizes = measured.points.iter().filter(|p| is_at(p, at_context));
    let largest = sizes.filter_map(|p| size_of(p)).max().unwrap_or(0);
    let Some(menu) = menu_number(largest) else {
        let reason = format!("{largest} bytes are above the study's largest size, 1024 MB");
        let remedy = format!("measure less with: pontage run {ID} --axis size=1..1GiB");
        set.skip(format!("{folder}/*.dat"), reason, remedy);
        return;
    };
    set.remarks.push(format!(
        "{folder}: the number {menu} in the names is the study's menu entry of {} MB, \
         the smallest that holds the largest size, {largest} bytes",
        1 << menu
    ));
    for (direction, cache) in FILES {
        let file = |synth| {
            let name = DatName::Latency {
                to_user: direction == "to_user",
                flushed: cache == "flushed",
                menu: Some(menu),
                synth,
            };
            format!("{folder}/{}", name.file())
        };
        let mut settings = vec![("direction", direction), ("cache", cache)];
        settings.extend(at_context);
        let mut points: Vec<Key> = (0..)
            .zip(&measured.points)
            .filter(|(_, p)| is_at(p, &settings))
            .filter_map(|(at, p)| Some([size_of(p)?, at, 0]))
            .collect();
        points.sort_unstable();
        if points.is_empty() {
            let both = format!("{} and _synth", file(false));
            measured.absence(both, &settings, set);
            continue;
        }
        let sizes: Vec<(u64, Vec<Timed>)> = points
            .iter()
            .map(|[size, at, _]| (*size, measured.timed(measured.points[place(*at)])))
            .collect();
        write_both(&sizes, file(false), file(true), set);
    }
}

fn write_both(sizes: &[(u64, Vec<Timed>)], file: String, synth: String, set: &mut FileSet) {
    if sizes.iter().any(|(_, t)| t.iter().any(|t| t.ops != 1)) {
        set.skip(
            format!("{file} and _synth"),
            "its samples are of several copies each, the files have a line for every copy",
            "none: it was measured in batches",
        );
        return;
    }
    match measurements(sizes) {
        Some(text) => set.file(file, text),
        None => set.skip(
            file,
            "the run does not say when each copy began",
            "nothing for this run; a run of this version records it",
        ),
    }
    let mut text = String::new();
    for (size, timed) in sizes {
        let times: Vec<u64> = timed.iter().map(|t| t.dt_ns).collect();
        match SynthRecord::of(*size, &times) {
            Some(line) => drop(writeln!(text, "{line}")),
            None => set.remarks.push(format!(
                "{synth}: {size} bytes have fewer than two copies and no variance: left out"
            )),
        }
    }
    if !text.is_empty() {
        set.file(synth, text);
    }
}

/// None where a start is not known.
fn measurements(sizes: &[(u64, Vec<Timed>)]) -> Option<String> {
    let mut text = String::new();
    for (size_bytes, timed) in sizes {
        for copy in timed {
            let t0_ns = copy.t0_ns?;
            let line = LatencyRecord {
                cpu: copy.cpu,
                size_bytes: *size_bytes,
                t0_ns,
                t1_ns: t0_ns.checked_add(copy.dt_ns)?,
                dt_ns: copy.dt_ns,
            };
            let _ = writeln!(text, "{line}");
        }
    }
    Some(text)
}
