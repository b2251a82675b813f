//! Axis values as people type them. The first byte chooses the axis.

use catalogue::AxisSpec;
use catalogue::axis_text::{parse_bytes, parse_time_in, parse_values};
use record::Unit;

const fn axis(unit: Unit, words: &'static [&'static str]) -> AxisSpec {
    AxisSpec {
        name: "axis",
        unit,
        doc: "",
        words,
        compared: false,
    }
}

const AXES: [AxisSpec; 4] = [
    axis(Unit::Bytes, &[]),
    axis(Unit::Count, &[]),
    axis(Unit::Nanoseconds, &[]),
    axis(Unit::Word, &["idle", "same_cpu", "cmd:"]),
];

/// Runs the target on one input; a panic is a finding.
pub fn body(input: &[u8]) {
    let Some((choice, text)) = input.split_first() else {
        return;
    };
    let axis = &AXES[usize::from(*choice) % AXES.len()];
    let text = String::from_utf8_lossy(text);
    let _ = parse_bytes(&text);
    if let Ok(ns) = parse_time_in(&text, 1_000_000_000) {
        assert_eq!(parse_time_in(&format!("{ns}ns"), 1), Ok(ns));
    }
    let Ok(values) = parse_values(axis, &text) else {
        return;
    };
    for (at, value) in values.iter().enumerate() {
        assert!(!values[..at].contains(value), "{value} twice of {text:?}");
        let again = parse_values(axis, &value.to_string()).expect("a value is its own text");
        assert_eq!(again.as_slice(), std::slice::from_ref(value));
    }
}
