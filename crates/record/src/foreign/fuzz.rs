//! Documents of other programs with other values at random places: read or
//! refused, and what is read can be recorded. Any bytes: `crates/fuzzing`.

use super::ipc_benchmark::{IpcBenchmark, MODES};
use bolero::check;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::time::Duration;

const MOMENT: Duration = Duration::from_secs(1);

const VALID: &str = include_str!("../../../../fixtures/foreign/ipc-benchmark-a72.json");

/// At the n-th value of a valid document (modulo their number) stands another
/// one. Stays a document, which edited bytes seldom do. Where the bandwidth is
/// not kept, nothing contradicts another time.
type Swaps = (Vec<(u16, u8, u8, f64)>, bool);

/// Numbers behind which something ends: a sign, a width, what can be divided.
const EDGES: [f64; 7] = [0.0, -1.0, 5e-324, 1e-12, 1e300, 9.3e18, 2e19];

fn swapped((swaps, bandwidth): &Swaps) -> String {
    let mut document: Value = serde_json::from_str(VALID).expect("the fixture is JSON");
    if !bandwidth {
        document["benchmark_samples"][0]["bandwidth"] = Value::Null;
    }
    for (at, kind, edge, number) in swaps {
        let number = EDGES.get(usize::from(*edge % 8)).unwrap_or(number);
        let count = values(&mut document).len();
        if let Some(value) = values(&mut document)
            .into_iter()
            .nth(usize::from(*at) % count)
        {
            *value = other(*kind, *number);
        }
    }
    document.to_string()
}

fn values(document: &mut Value) -> Vec<&mut Value> {
    match document {
        Value::Object(entries) => entries.values_mut().flat_map(values).collect(),
        Value::Array(items) => items.iter_mut().flat_map(values).collect(),
        leaf => vec![leaf],
    }
}

fn other(kind: u8, number: f64) -> Value {
    match kind % 8 {
        0 => Value::Null,
        1 => json!(number),
        2 => json!(number.to_string()),
        3 => json!(number as i64),
        4 => json!(number as u64),
        5 => json!([number]),
        6 => json!({"time": number, "buffer_size": number}),
        _ => json!("\u{1b}[31m\n\"'<"),
    }
}

/// Whatever was read makes sense, is no larger than what it was read from, and
/// can be divided and scaled into samples of a record.
fn read(text: &str) {
    let Ok(read) = IpcBenchmark::parse(text) else {
        return;
    };
    assert!(MODES.contains(&read.mode.as_str()));
    for bytes in [read.buffer_bytes, read.total_bytes] {
        assert!(bytes > 0 && i64::try_from(bytes).is_ok());
    }
    assert!(!read.samples.is_empty() && read.samples.len() < text.len());
    for sample in &read.samples {
        assert!(sample.elapsed_ns.is_normal() && sample.elapsed_ns > 0.0);
        let names: BTreeSet<&String> = sample.counts.iter().map(|(name, _)| name).collect();
        assert_eq!(names.len(), sample.counts.len(), "each name has one count");
        let scaled = |value: f64| (value * 1e9).is_finite() && value >= 0.0;
        assert!(sample.counts.iter().all(|(_, value)| scaled(*value)));
    }
}

#[test]
fn ipc_benchmark() {
    assert!(IpcBenchmark::parse(&swapped(&(Vec::new(), true))).is_ok());
    check!()
        .with_test_time(MOMENT)
        .with_type::<Swaps>()
        .for_each(|swaps| read(&swapped(swaps)));
}
