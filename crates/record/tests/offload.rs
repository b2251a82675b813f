//! A record of copies by CPU and DMA as the experiments of the kernel part
//! write it: written, not measured. Exporters are tested on it.

mod common;

use common::{axis, experiment, metric, point, setting, small_head};
use record::{
    CopyOperation, Engine, PointHead, PointState, RecordedCopy, Run, RunHead, RunState, RunWriter,
    Sample, Unit, moment,
};
use std::path::{Path, PathBuf};

const ID: &str = "20231114T221320Z-offload-written-not-measured";

fn head() -> RunHead {
    let timed = |name: &str, clock: &str| {
        let mut metrics = vec![metric(name, Unit::Nanoseconds)];
        metrics.extend(moment::metrics(clock));
        metrics
    };
    let latency = experiment(
        "offload/latency",
        vec![
            axis("direction", Unit::Word),
            axis("cache", Unit::Word),
            axis("context", Unit::Word),
            axis("pages", Unit::Word),
            axis("size", Unit::Bytes),
        ],
        timed("latency", "CLOCK_BOOTTIME"),
    );
    let bandwidth = experiment(
        "offload/bandwidth",
        vec![
            axis("direction", Unit::Word),
            axis("context", Unit::Word),
            axis("channel", Unit::Word),
            axis("size", Unit::Bytes),
        ],
        timed("time", "CLOCK_REALTIME"),
    );
    let trace = experiment(
        "copies/trace",
        vec![axis("operation", Unit::Word), axis("size", Unit::Bytes)],
        vec![metric("time", Unit::Nanoseconds)],
    );
    let mut head = small_head(ID);
    head.experiments = vec![latency, bandwidth, trace];
    head.points = Vec::new();
    for direction in ["from_user", "to_user"] {
        for cache in ["warm", "flushed"] {
            for context in ["cpu", "exclusive"] {
                for pages in ["pinned", "pin_per_copy"] {
                    for size in [64_i64, 32 << 20] {
                        let settings = vec![
                            setting("direction", direction),
                            setting("cache", cache),
                            setting("context", context),
                            setting("pages", pages),
                            setting("size", size),
                        ];
                        add(&mut head, "offload/latency", settings, size);
                    }
                }
            }
        }
    }
    for direction in ["from_user", "both"] {
        for channel in ["0", "1", "total"] {
            for size in [1024_i64, 4096] {
                let settings = vec![
                    setting("direction", direction),
                    setting("context", "priority"),
                    setting("channel", channel),
                    setting("size", size),
                ];
                add(&mut head, "offload/bandwidth", settings, size);
            }
        }
    }
    head
}

fn add(head: &mut RunHead, id: &str, settings: Vec<record::Setting>, size: i64) {
    let index = u32::try_from(head.points.len()).expect("few points");
    let mut new = point(index, id, settings);
    new.bytes_per_op = Some(size.cast_unsigned());
    head.points.push(new.into());
}

fn is_at(point: &PointHead, axis: &str, value: &str) -> bool {
    point.value(axis).is_some_and(|v| v.to_string() == value)
}

fn outcome(head: &RunHead, index: u32) -> (PointHead, Vec<Sample>) {
    let mut point = head.points[index as usize].clone().into_own();
    let no_channel = is_at(&point, "context", "exclusive") && is_at(&point, "cache", "flushed");
    if no_channel && is_at(&point, "direction", "to_user") {
        point.state = PointState::Skipped {
            reason: "no channel takes DMA_MEMCPY".into(),
            remedy: "modprobe ioatdma".into(),
        };
        return (point, Vec::new());
    }
    point.state = PointState::Done;
    let samples = if point.experiment == "offload/latency" {
        latency(&point)
    } else {
        bandwidth(&point)
    };
    (point, samples)
}

/// Four copies in each of two processes.
fn latency(point: &PointHead) -> Vec<Sample> {
    let size = point.bytes_per_op.expect("a size");
    let copies = (0..2_u16).flat_map(|process| (0..4_u32).map(move |index| (process, index)));
    copies
        .flat_map(|(process, index)| {
            let step = u64::from(index * 7 + u32::from(process) * 3) % 11;
            let dt_ns = 96 + size / 8 + u64::from(point.index) + step;
            let t0_ns = 2_740_081_346_085 + u64::from(index) * 1000 + u64::from(process) * 100_000;
            started(process, index, 1, t0_ns, dt_ns)
        })
        .collect()
}

/// 300 copies of each channel at the same time, those of the document where the
/// size is its own.
fn bandwidth(point: &PointHead) -> Vec<Sample> {
    let size = point.bytes_per_op.expect("a size");
    let of = |channel: u64| {
        (
            1_384_270_020_290_328_601 + channel * 14_479,
            108_743 - channel * 14_783,
        )
    };
    let dt = |channel| of(channel).1 * size / 1024;
    match point.value("channel").map(ToString::to_string).as_deref() {
        Some("total") => {
            let per_ns = 300.0 / dt(0) as f64 + 300.0 / dt(1) as f64;
            vec![Sample {
                value: 1.0 / per_ns,
                elapsed_ns: 600.0 / per_ns,
                ..started(0, 0, 600, 0, 0)[0].clone()
            }]
        }
        Some("1") => started(0, 0, 300, of(1).0, dt(1)),
        _ => started(0, 0, 300, of(0).0, dt(0)),
    }
}

fn started(process: u16, index: u32, ops: u64, t0_ns: u64, dt_ns: u64) -> Vec<Sample> {
    let sample = Sample {
        metric: 0,
        process,
        index,
        ops,
        elapsed_ns: dt_ns as f64,
        floor_ns: 0.0,
        value: dt_ns as f64 / ops as f64,
        cpu: 3,
        disturbance: record::Disturbance::default(),
        yardstick: None,
    };
    let mut samples = vec![sample.clone()];
    samples.extend(moment::samples_of(&sample, [1, 2], t0_ns));
    samples
}

fn copies() -> Vec<RecordedCopy> {
    let of = |sequence, operation, size_bytes, engine| RecordedCopy {
        operation,
        ring: 0,
        sequence,
        size_bytes,
        cpu_start: 0,
        cpu_end: Some(u32::from(size_bytes > 4096)),
        t0_ns: 613_326_537_662 + sequence,
        t1_ns: 613_326_537_755 + sequence,
        caller: 0xffff_ffff_8144_c129,
        symbol: Some("tty_ioctl+0x1e9".into()),
        engine,
        not_copied_bytes: Some(u64::from(size_bytes == 100)),
        process: None,
    };
    vec![
        of(1102, CopyOperation::FromUser, 8, Engine::Cpu),
        of(1103, CopyOperation::ToUser, 16_064, Engine::Dma),
        of(1104, CopyOperation::FromUser, 1124, Engine::Cpu),
        of(1107, CopyOperation::UncheckedToUser, 100, Engine::Cpu),
    ]
}

fn write(parent: &Path) -> PathBuf {
    let mut head = head();
    let mut writer = RunWriter::create(parent, head.clone()).unwrap();
    for index in 0..u32::try_from(head.points.len()).expect("few points") {
        let (point, samples) = outcome(&head, index);
        writer.append_point(&point, &samples).unwrap();
    }
    writer.write_copies("copies/trace", &copies()).unwrap();
    head.state = RunState::Complete;
    head.ended_utc = Some("2023-11-14T22:13:40Z".into());
    writer.close(head).unwrap();
    writer.folder().to_owned()
}

fn fixture() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/records/v1-offload")
}

#[test]
fn v1_offload_opens_with_every_sample_and_every_copy() {
    let run = Run::open(&fixture()).unwrap();
    let written = head();
    assert_eq!(run.head().experiments, written.experiments);
    for index in 0..u32::try_from(written.points.len()).expect("few points") {
        let (point, samples) = outcome(&written, index);
        let stored = run.samples(&point.experiment).unwrap();
        assert_eq!(stored.get(&index).cloned().unwrap_or_default(), samples);
        assert_eq!(*run.head().points[index as usize], point);
    }
    assert_eq!(run.copies("copies/trace").unwrap(), Some(copies()));
}

/// `PONTAGE_FIXTURES=DIR cargo test -p pontage-record --test offload -- --ignored`. That
/// of a released version is never made again.
#[test]
#[ignore = "writes a fixture"]
fn make_fixture() {
    let to = PathBuf::from(std::env::var_os("PONTAGE_FIXTURES").expect("PONTAGE_FIXTURES=DIR"));
    let work = tempfile::tempdir().unwrap();
    let folder = write(work.path());
    let to = to.join("v1-offload");
    std::fs::create_dir_all(&to).unwrap();
    for entry in std::fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        std::fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
    }
}
