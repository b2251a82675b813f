//! JSON documents of ipc-benchmark.

use record::foreign::ipc_benchmark::{IpcBenchmark, MODES};
use std::collections::BTreeSet;

/// Runs the target on one input; a panic is a finding.
pub fn body(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    if let Ok(read) = IpcBenchmark::parse(&text) {
        makes_sense(&read, text.len());
    }
}

/// It is no larger than what it was read from, and can be divided and scaled
/// into samples of a record.
fn makes_sense(read: &IpcBenchmark, text_bytes: usize) {
    assert!(MODES.contains(&read.mode.as_str()));
    for bytes in [read.buffer_bytes, read.total_bytes] {
        assert!(bytes > 0 && i64::try_from(bytes).is_ok());
    }
    assert!(!read.samples.is_empty() && read.samples.len() < text_bytes);
    for sample in &read.samples {
        assert!(sample.elapsed_ns.is_normal() && sample.elapsed_ns > 0.0);
        let names: BTreeSet<&String> = sample.counts.iter().map(|(name, _)| name).collect();
        assert_eq!(names.len(), sample.counts.len(), "a name has one count");
        let scaled = |value: f64| (value * 1e9).is_finite() && value >= 0.0;
        assert!(sample.counts.iter().all(|(_, value)| scaled(*value)));
    }
}
