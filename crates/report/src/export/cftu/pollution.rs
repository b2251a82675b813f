//! `micro-benchmark_Cache_2CPU/risultati`: every run of each program during copies
//! of one kind, and the synthesis of them. A pair of files for each system (nobody
//! copies, the CPU does, a DMA engine does) and operation.

use super::FileSet;
use super::points::{COUNTED, Measured, Timed};
use crate::export::ExportError;
use record::foreign::cftu::{
    CopyLoad, DatName, Direction, Lines, POLLUTION_FOLDER, VictimRecord, VictimSynth, is_test_name,
    percent, test_of,
};
use record::{PointHead, Run};
use std::collections::BTreeSet;

const ID: &str = "pollute/victim";
const AXES: [&str; 4] = ["victim", "direction", "size", "copier"];
/// What to measure with so that the counted fields are filled.
const COUNT: &str = "measure it with: pontage run pollution --counters dcache";

pub(super) fn collect(run: &Run, set: &mut FileSet) -> Result<(), ExportError> {
    let what = format!("{POLLUTION_FOLDER}/*.dat");
    let Some(mut measured) = Measured::of(run, ID, &what, set)? else {
        return Ok(());
    };
    // The study's daemon has one buffer, and a core that shares a cache.
    for (axis, word) in [("buffer", "in_place"), ("placement", "same_cache")] {
        if measured.values(axis).iter().any(|v| v == word) {
            measured.only(axis, word, set);
        }
    }
    if !measured.distinguished_by(&AXES, &what, set) {
        return Ok(());
    }
    let all = measured.points.iter().chain(&measured.absent);
    let files: BTreeSet<CopyLoad> = all.map(|p| copy_load(p)).collect();
    let mut uncounted = false;
    for load in files {
        uncounted |= of_file(&measured, &load, set);
    }
    if uncounted {
        set.skip(
            format!("cache refs, misses and miss % of {what}, nan there"),
            not_counted(run),
            COUNT,
        );
    }
    Ok(())
}

/// Why fields are empty, as far as the run knows.
fn not_counted(run: &Run) -> String {
    let counters = run.head().conditions.counters.as_ref();
    let Some(counters) = counters else {
        return "the run counted no events".to_owned();
    };
    let mut events = counters
        .events
        .iter()
        .filter(|e| COUNTED.contains(&e.alias.as_str()));
    match events.find_map(|e| e.absent.as_ref()) {
        Some(absent) => format!("{}: {}", COUNTED.join(", "), absent.reason),
        None => format!("some runs of it have no {}", COUNTED.join(", ")),
    }
}

fn copy_load(point: &PointHead) -> CopyLoad {
    let word = |axis| point.value(axis).map(ToString::to_string);
    let direction = word("direction").unwrap_or_default();
    let size = point.value("size").and_then(|v| v.as_int());
    CopyLoad {
        copier: word("copier").unwrap_or_default(),
        direction: Direction::ALL.into_iter().find(|d| d.word() == direction),
        size_bytes: size.and_then(|s| u64::try_from(s).ok()),
    }
}

/// Whether a field of the file has no value.
fn of_file(measured: &Measured<'_>, file: &CopyLoad, set: &mut FileSet) -> bool {
    let named = |synth| {
        let load = file.clone();
        DatName::Pollution { load, synth }
    };
    let path = |synth| named(synth).path();
    let of = |points: &[&'_ PointHead]| -> Vec<usize> {
        let is = |p: &PointHead| copy_load(p) == *file;
        (0..points.len()).filter(|at| is(points[*at])).collect()
    };
    let (done, absent) = (of(&measured.points), of(&measured.absent));
    if done.is_empty() {
        let both = format!("{} and {}", path(false), named(true).file());
        let settings = [("copier", file.copier.as_str())];
        measured.absence(both, &settings, set);
        return false;
    }
    let mut missing: Vec<String> = absent.iter().map(|at| name(measured.absent[*at])).collect();
    let (mut runs, mut syntheses) = (Vec::new(), Vec::new());
    let (mut started, mut counted_apart) = (true, false);
    for at in done {
        let test = test_of(&name(measured.points[at]));
        let of_test = match is_test_name(&test) {
            true => records(measured, measured.points[at], &test, &mut started),
            false => None,
        };
        let Some(of_test) = of_test else {
            missing.push(test);
            continue;
        };
        let apart = measured.counted_apart(measured.points[at]);
        counted_apart |= !apart.is_empty();
        let synth = VictimSynth::of(&of_test).map(|s| s.counted_in(&apart));
        syntheses.extend(synth.map(|s| (0, s)));
        runs.extend(of_test);
    }
    if !missing.is_empty() {
        set.remarks.push(format!(
            "{}: missing: {} (not measured, not one run per sample, or not a word of a line)",
            path(false),
            missing.join(", ")
        ));
    }
    if counted_apart {
        set.remarks.push(format!(
            "{}: runs without and with counters alternated: the lines and times are of those \
             without, which have nan for counts; the counts of {} are means of those with",
            path(false),
            named(true).file()
        ));
    }
    let uncounted = !counted_apart && runs.iter().any(|r| r.miss_percent.is_none());
    if !started {
        set.skip(
            path(false),
            "the run does not say when each program began",
            "nothing for this run; a run of this version records it",
        );
    } else if !runs.is_empty() {
        set.file(path(false), Lines::Victims(runs).to_string());
    }
    if !syntheses.is_empty() {
        set.file(path(true), Lines::VictimSynth(syntheses).to_string());
    }
    uncounted
}

fn name(point: &PointHead) -> String {
    let victim = point.value("victim");
    victim.map(ToString::to_string).unwrap_or_default()
}

/// None where a sample is of several runs. `started` becomes false where a start is
/// not known.
fn records(
    measured: &Measured<'_>,
    point: &PointHead,
    test: &str,
    started: &mut bool,
) -> Option<Vec<VictimRecord>> {
    let timed = measured.timed(point);
    if timed.iter().any(|t| t.ops != 1) {
        return None;
    }
    let of = |t: &Timed| {
        let ends = t.t0_ns.and_then(|t0| Some((t0, t0.checked_add(t.dt_ns)?)));
        *started &= ends.is_some();
        let (t0_ns, t1_ns) = ends.unwrap_or_default();
        let [references, misses] = t.counted;
        VictimRecord {
            test: test.to_owned(),
            t0_ns,
            t1_ns,
            dt_ns: t.dt_ns,
            references,
            misses,
            miss_percent: percent(references, misses),
        }
    };
    Some(timed.iter().map(of).collect())
}
