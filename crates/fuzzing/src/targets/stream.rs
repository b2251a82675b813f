//! A run that was not closed; its head is a fixture's. Parts `samples` and
//! `copies` become frames, with their checksums, of samples.stream and of the
//! stream of copies; `samples-tail` and `copies-tail` stand behind them as they
//! are; `samples-file` is a whole file.

use crate::parts::{Part, parts};
use record::{ExperimentHead, Run, RunWriter, write_frame};
use std::fs;
use std::path::Path;

const HEAD: &[u8] = include_bytes!("../../../../fixtures/records/v1-crashed/run.json");

/// Runs the target on one input; a panic is a finding.
pub fn body(input: &[u8]) {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, bytes: &[u8]| {
        fs::write(folder.path().join(name), bytes).expect("a file is written");
    };
    let parts = parts(input);
    write("run.json", HEAD);
    let whole = parts.iter().find(|p| p.name == "samples-file");
    let stream = whole.map_or_else(
        || framed(*b"PNTGSTRM", &parts, "samples"),
        |part| part.bytes.to_vec(),
    );
    write("samples.stream", &stream);
    let Ok(run) = Run::open(folder.path()) else {
        return;
    };
    let recovery = run.recovery().expect("there is a stream");
    let read = recovery.kept_bytes + recovery.dropped_bytes;
    assert_eq!(read, stream.len() as u64, "{recovery:?}");
    let experiments = &run.head().experiments;
    if let Some(first) = experiments.first() {
        let copies = framed(*b"PNTGCOPY", &parts, "copies");
        write(&first.copies_stream_file(), &copies);
    }
    let samples = held(&run, experiments);
    assert!(samples <= recovery.samples, "{samples} of {recovery:?}");
    resumed(folder.path(), experiments, samples);
}

fn held(run: &Run, experiments: &[ExperimentHead]) -> u64 {
    let mut samples = 0;
    for experiment in experiments {
        let points = run.samples(&experiment.id).expect("it was read before");
        samples += points.values().map(|s| s.len() as u64).sum::<u64>();
        let _ = run.copies(&experiment.id);
        let _ = run.table_bytes(&experiment.id);
    }
    samples
}

/// Going on with a run loses nothing that was whole.
fn resumed(folder: &Path, experiments: &[ExperimentHead], samples: u64) {
    if RunWriter::resume(folder).is_err() {
        return;
    }
    let run = Run::open(folder).expect("a resumed run can be read");
    assert_eq!(held(&run, experiments), samples);
}

fn framed(magic: [u8; 8], parts: &[Part<'_>], name: &str) -> Vec<u8> {
    let mut stream = magic.to_vec();
    stream.extend(1u32.to_le_bytes());
    stream.extend(crc32fast::hash(&stream).to_le_bytes());
    for part in parts.iter().filter(|p| p.name == name) {
        write_frame(&mut stream, part.bytes).expect("inputs are small");
    }
    let tail = format!("{name}-tail");
    for part in parts.iter().filter(|p| p.name == tail) {
        stream.extend(part.bytes);
    }
    stream
}
