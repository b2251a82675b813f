//! Fuzz target: every document that is accepted becomes a record that can be
//! read back and holds each of its figures once.
//!
//! For long: `cargo bolero test -p pontage import::ipc_benchmark::fuzz::accepted`.

use super::{metric_of, recorded, understood};
use bolero::check;
use record::foreign::ipc_benchmark::{IpcBenchmark, MODES};
use record::{Run, RunState, Sample};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

const MOMENT: Duration = Duration::from_secs(1);
const TYPES: [&str; 5] = ["pipe", "local", "tcp", "udp", "unix_hot_potato"];
/// Names of theirs, names of ours, and such as are easily taken for others.
const NAMES: [&str; 10] = [
    "msgsnd",
    "stime",
    "CPU_CYCLES",
    "CYCLES_PER_INSTRUCTION",
    "L1D_CACHE_HIT_RATE",
    "latency",
    "sender_calls",
    "system_time",
    "net",
    "x",
];

/// Sizes, mode, type, and iterations: ns, and counts by the number of a name.
/// Most are accepted: what is refused never comes here.
type Wild = (u64, u64, u8, u8, Vec<(u32, Vec<(u8, u64)>)>);

fn document((buffer, total, mode, ipc_type, iterations): &Wild) -> Value {
    let sample = |(ns, counts): &(u32, Vec<(u8, u64)>)| {
        let mut fields = Map::new();
        fields.insert("time".to_owned(), json!(f64::from(*ns) / 1e9));
        for (name, value) in counts {
            let name = NAMES[usize::from(*name) % NAMES.len()];
            fields.insert(name.to_owned(), json!(value));
        }
        Value::Object(fields)
    };
    json!({
        "benchmark_configuration": {
            "buffer_size": buffer >> 1,
            "total_size": total >> 1,
            "mode": MODES[usize::from(*mode) % MODES.len()],
            "ipctype": TYPES[usize::from(*ipc_type) % TYPES.len()],
        },
        "benchmark_samples": iterations.iter().map(sample).collect::<Vec<_>>(),
    })
}

fn round_trip(content: IpcBenchmark) {
    let file = understood(Path::new("f.json"), content).expect("the type is known");
    let folder = tempfile::tempdir().expect("a folder");
    let files = [file];
    let (writer, _) = recorded(&files, folder.path()).expect("what was read can be recorded");
    let [file] = files;
    let run = Run::open(writer.folder()).expect("what was recorded can be read");
    assert_eq!(run.head().state, RunState::Complete);
    let samples = run.samples(&file.ours.id).expect("the table is whole");
    let head = &run.head().experiments[0];
    let point = &run.head().points[0];
    assert_eq!(point.settings.len(), head.axes.len());
    each_figure_once(&file.content, &samples[&0]);
    for (index, sample) in (0u32..).zip(&file.content.samples) {
        for (theirs, value) in &sample.counts {
            let (name, _) = metric_of(theirs, &file.ours);
            let metric = head.metrics.iter().position(|m| m.name == name);
            let kept = |s: &&Sample| Some(usize::from(s.metric)) == metric && s.index == index;
            let kept = samples[&0].iter().find(kept).expect("no count is lost");
            assert_eq!(kept.value == 0.0, *value == 0.0, "{theirs} {value}");
        }
    }
}

fn each_figure_once(content: &IpcBenchmark, samples: &[Sample]) {
    let figures: usize = content.samples.iter().map(|s| 1 + s.counts.len()).sum();
    assert_eq!(samples.len(), figures);
    let places: BTreeSet<_> = samples.iter().map(|s| (s.metric, s.index)).collect();
    assert_eq!(places.len(), figures, "two figures in one place");
    assert!(samples.iter().all(|s| s.value.is_finite() && s.ops > 0));
    assert!(samples.iter().all(|s| s.metric != 0 || s.elapsed_ns > 0.0));
}

#[test]
fn accepted() {
    check!()
        .with_test_time(MOMENT)
        .with_type::<Wild>()
        .for_each(|wild| {
            if let Ok(content) = IpcBenchmark::parse(&document(wild).to_string()) {
                round_trip(content);
            }
        });
}

/// Whatever the moment of fuzzing finds, each kind of document is seen.
#[test]
fn each_type_and_mode() {
    for kind in 0..15 {
        let counts = (0..10).map(|name| (name, 3)).collect();
        let wild = (
            64,
            640,
            kind,
            kind / 3,
            vec![(1000, counts), (1, Vec::new())],
        );
        let text = document(&wild).to_string();
        round_trip(IpcBenchmark::parse(&text).expect("nothing is odd"));
    }
}
