//! Fuzz target: lines that are accepted become a record that holds each of them
//! once, and are exported as they were.
//!
//! For long: `cargo bolero test -p pontage import::cftu::round_trip::accepted`.

use super::collection::Collection;
use super::recorded;
use bolero::check;
use record::foreign::cftu::{
    BandBlock, BandRecord, CopyLoad, DatFile, DatName, Direction, LatencyRecord, Lines, Routine,
    TraceRecord, VictimRecord, VictimSynth, percent,
};
use record::{Engine, Run, RunState};
use std::fs;
use std::time::Duration;

const MOMENT: Duration = Duration::from_secs(1);

/// CPU, size, start and time of copies; channels of one size.
type Wild = (Vec<(u8, u16, u64, u32)>, u16, Vec<(u64, u32)>);

fn latency(copies: &[(u8, u16, u64, u32)]) -> Vec<LatencyRecord> {
    let of = |(cpu, size, t0, dt): &(u8, u16, u64, u32)| LatencyRecord {
        cpu: u16::from(*cpu),
        size_bytes: u64::from(*size),
        t0_ns: t0 >> 1,
        t1_ns: (t0 >> 1) + u64::from(*dt),
        dt_ns: u64::from(*dt),
    };
    let mut lines: Vec<LatencyRecord> = copies.iter().map(of).collect();
    // Sizes ascend in a file; copies of one size keep their order.
    lines.sort_by_key(|l| l.size_bytes);
    lines
}

fn trace(lines: &[LatencyRecord]) -> Vec<TraceRecord> {
    let of = |l: &LatencyRecord| TraceRecord {
        ring: u32::from(l.cpu),
        sequence: l.t0_ns,
        size_bytes: l.size_bytes,
        cpu_start: u32::from(l.cpu),
        t0_ns: l.t0_ns,
        t1_ns: l.t1_ns,
        dt_ns: l.dt_ns,
        caller: u128::from(l.t0_ns),
        engine: if l.cpu > 127 {
            Engine::Dma
        } else {
            Engine::Cpu
        },
    };
    lines.iter().map(of).collect()
}

fn band(size: u16, channels: &[(u64, u32)]) -> Vec<BandBlock> {
    let row = |(channel, (t0, dt)): (u16, &(u64, u32))| {
        let dt_ns = u64::from(*dt).max(1);
        BandRecord::measured(channel, u64::from(size).max(1), 300, t0 >> 1, dt_ns)
    };
    match channels {
        [] => Vec::new(),
        channels => vec![BandBlock::of((0..).zip(channels).map(row).collect())],
    }
}

/// Two programs, one after the other; some of their runs are not counted.
fn programs(copies: &[(u8, u16, u64, u32)]) -> [Lines; 2] {
    let of = |(program, references, t0, dt): &(u8, u16, u64, u32)| {
        let (references, misses) = match program & 2 {
            0 => (Some(u64::from(*references)), Some(u64::from(*program))),
            _ => (None, None),
        };
        let names = ["susan[s]_small", "qsort_small"];
        VictimRecord {
            test: names[usize::from(program & 1)].to_owned(),
            t0_ns: t0 >> 1,
            t1_ns: (t0 >> 1) + u64::from(*dt),
            dt_ns: u64::from(*dt),
            references,
            misses,
            miss_percent: percent(references, misses),
        }
    };
    let mut lines: Vec<VictimRecord> = copies.iter().map(of).collect();
    lines.sort_by(|a, b| a.test.cmp(&b.test));
    let tests = lines.chunk_by(|a, b| a.test == b.test);
    let syntheses = tests.filter_map(VictimSynth::of).zip(1..);
    let syntheses = syntheses.map(|(s, line)| (line, s)).collect();
    [Lines::Victims(lines), Lines::VictimSynth(syntheses)]
}

fn pollution(synth: bool) -> DatName {
    let load = CopyLoad {
        copier: "none".to_owned(),
        direction: Some(Direction::Both),
        size_bytes: Some(16),
    };
    DatName::Pollution { load, synth }
}

fn round_trip((copies, size, channels): &Wild) {
    let lines = latency(copies);
    let [runs, syntheses] = programs(copies);
    let files = [
        (pollution(false), runs),
        (pollution(true), syntheses),
        (
            DatName::Trace(Routine::UncheckedTo),
            Lines::Trace(trace(&lines)),
        ),
        (
            DatName::Band(Direction::Both),
            Lines::Band(band(*size, channels)),
        ),
        (
            DatName::Latency {
                to_user: false,
                flushed: true,
                menu: Some(1),
                synth: false,
            },
            Lines::Latency(lines),
        ),
    ];
    let mut collection = Collection::default();
    for (name, lines) in &files {
        let file = DatFile::parse(name.clone(), &lines.to_string()).expect("as printed");
        assert!(file.notes.iter().all(|n| n.line == 0), "{:?}", file.notes);
        collection.add("f.dat", "cpu", file);
    }
    collection.end();
    assert_eq!(
        collection.notes, [""; 0],
        "syntheses follow from measurements"
    );
    let folder = tempfile::tempdir().expect("a folder");
    let (writer, _) = recorded(collection, folder.path()).expect("what was read is recorded");
    let run = Run::open(writer.folder()).expect("what was recorded can be read");
    assert_eq!(run.head().state, RunState::Complete);
    let to = folder.path().join("dat");
    report::export::cftu::write(&run, &to).expect("what was recorded is exported");
    for (name, lines) in files {
        let text = fs::read_to_string(to.join(name.path())).unwrap_or_default();
        assert_eq!(text, lines.to_string(), "{}", name.path());
    }
}

#[test]
fn accepted() {
    check!()
        .with_test_time(MOMENT)
        .with_type::<Wild>()
        .for_each(round_trip);
}
