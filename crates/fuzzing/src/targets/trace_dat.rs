//! Files of trace-cmd, versions 6 and 7.

use crate::traces;
use std::fs;

/// Runs the target on one input; a panic is a finding.
pub fn body(input: &[u8]) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("trace.dat");
    fs::write(&path, input).expect("a file is written");
    if let Ok(capture) = trace::file::open(&path) {
        traces::everything(&capture);
    }
    let _ = trace::file::open_instance(&path, Some("one"));
}
