//! What a guest prints: KTAP among other lines.

use lab::ktap::parse;

/// Runs the target on one input; a panic is a finding.
pub fn body(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    // Most bytes never get past the first line.
    for text in [text.as_ref(), &format!("KTAP version 1\n{text}")] {
        let report = parse(text);
        let counts = report.counts();
        let failures = report.failures().len() as u64;
        assert!(
            failures >= counts.failed.min(1),
            "a failure is lost: {text}"
        );
        let _ = report.skips();
    }
}
