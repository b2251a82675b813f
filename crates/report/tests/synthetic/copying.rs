//! copy/memcpy, copy/to_user, copy/from_user and the row the module will fill.

use super::system::{axis, experiment, metric};
use super::{Wobble, done, flag, int, skipped, summary, table, word};
use analysis::view::ContaminationLevel;
use analysis::{ExperimentTable, Mode};
use record::{FigureHead, MarkKind, PointState, TollGroup, TollHead, Unit};

const SIZES: [i64; 9] = [
    1,
    64,
    512,
    4 << 10,
    16 << 10,
    64 << 10,
    256 << 10,
    1 << 20,
    16 << 20,
];

pub fn tables() -> Vec<ExperimentTable> {
    vec![
        memcpy(),
        user(
            "copy/to_user",
            &["pread 4k", "pread huge", "pipe", "process_vm_readv"],
        ),
        user(
            "copy/from_user",
            &["pwrite 4k", "pwrite huge", "pipe", "process_vm_writev"],
        ),
        module(),
    ]
}

fn toll(label: &str, axis: &str, value: &str) -> TollHead {
    TollHead {
        label: label.to_owned(),
        size_axis: "size".to_owned(),
        only: vec![word(axis, value)],
        group: Some(TollGroup::Read),
        ..TollHead::default()
    }
}

fn by_size(title: &str, y: &str, series: &str) -> FigureHead {
    FigureHead {
        title: title.to_owned(),
        x: "size".to_owned(),
        x_log2: true,
        y: y.to_owned(),
        y_log: true,
        series: vec![series.to_owned()],
        only: vec![],
        marks: vec![MarkKind::CacheSizes, MarkKind::PageSize],
        reading: "A constant part at small sizes, a rate at large ones.".to_owned(),
        ..FigureHead::default()
    }
}

fn memcpy() -> ExperimentTable {
    let id = "copy/memcpy";
    let mut head = experiment(
        id,
        "memcpy, hot and cold",
        "What does the C library's copy cost with the data in the cache, and without?",
        "One call of memcpy; bytes counted once.",
        "Flushing: it is outside the timed part.",
    );
    head.axes = vec![
        axis("cache", Unit::Word, "state of source and destination"),
        axis("size", Unit::Bytes, "bytes copied"),
    ];
    head.figures = vec![
        by_size("Time of one copy", "latency", "cache"),
        by_size("Bandwidth of one copy", "bandwidth", "cache"),
    ];
    head.toll = vec![
        toll("memcpy hot", "cache", "hot"),
        toll("memcpy cold", "cache", "cold"),
    ];
    let mut w = Wobble::new(19);
    let mut points = Vec::new();
    for (state, constant, rate) in [("hot", 2.4, 30.0), ("cold", 160.0, 7.4)] {
        for power in 0..=25 {
            let size = 1i64 << power;
            let slow = if size > 1 << 20 { 2.4 } else { 1.0 };
            let rate = if state == "hot" { rate / slow } else { rate };
            let ns = (constant + size as f64 / rate) * w.around(0.015);
            let settings = vec![word("cache", state), int("size", size)];
            let width = 0.004 + 0.02 * w.next();
            points.push(done(
                id,
                settings,
                Some(size as u64),
                vec![summary(0, ns, width, 300)],
            ));
        }
    }
    flag(
        &mut points[16],
        ContaminationLevel::Contaminated,
        140,
        "140 interrupts, 11 ms steal",
    );
    flag(
        &mut points[38],
        ContaminationLevel::Disturbed,
        9,
        "9 interrupts",
    );
    table(head, points)
}

fn user(id: &str, ways: &[&str]) -> ExperimentTable {
    let mut head = experiment(
        id,
        if id.ends_with("to_user") {
            "From the kernel to the user"
        } else {
            "From the user to the kernel"
        },
        "What do copies across the user/kernel border cost, through each system call that makes \
         them?",
        "The whole call: crossing, look-up, copy.",
        "The zero-length call is measured next to it and subtracted as net.",
    );
    head.axes = vec![
        axis("way", Unit::Word, "system call and file"),
        axis("size", Unit::Bytes, "bytes copied"),
    ];
    head.metrics = vec![
        metric("latency", Unit::Nanoseconds, "the call"),
        metric("empty", Unit::Nanoseconds, "the same call with no bytes"),
        metric("net", Unit::Nanoseconds, "latency minus empty, paired"),
    ];
    head.figures = vec![
        by_size("Bandwidth by way", "bandwidth", "way"),
        by_size("What the copy adds to the empty call", "net", "way"),
    ];
    let name = id.trim_start_matches("copy/");
    head.toll = ways
        .iter()
        .map(|w| toll(&format!("copy_{name}, {w}"), "way", w))
        .collect();
    let mut w = Wobble::new(id.len() as u64);
    let mut points = Vec::new();
    for (i, way) in ways.iter().enumerate() {
        for size in SIZES {
            let settings = vec![word("way", way), int("size", size)];
            if way.ends_with("huge") {
                points.push(skipped(
                    id,
                    settings,
                    "no free huge pages (0 of 16 needed)",
                    "echo 16 | sudo tee /proc/sys/vm/nr_hugepages",
                ));
                continue;
            }
            let empty = 150.0 + 90.0 * i as f64;
            let net = (12.0 + size as f64 / (9.0 - i as f64)) * w.around(0.02);
            let width = 0.005 + 0.015 * w.next();
            points.push(done(
                id,
                settings,
                Some(size as u64),
                vec![
                    summary(0, empty + net, width, 120),
                    summary(1, empty, width, 120),
                    summary(2, if size == 1 { -3.1 } else { net }, width * 1.5, 120),
                ],
            ));
        }
    }
    bimodal(&mut points);
    table(head, points)
}

/// One point with two modes, one that failed.
fn bimodal(points: &mut [analysis::PointView]) {
    if let Some(s) = points[5].summaries.first_mut() {
        s.modes = vec![
            Mode {
                center: s.median.center * 0.93,
                share: 0.7,
            },
            Mode {
                center: s.median.center * 1.61,
                share: 0.3,
            },
        ];
    }
    let last = points.len() - 1;
    points[last].head.state = PointState::Failed {
        reason: "cannot read the peer's memory: Operation not permitted (os error 1)".to_owned(),
    };
    points[last].summaries.clear();
    points[last].contamination = None;
}

fn module() -> ExperimentTable {
    let id = "offload/copy";
    let mut head = experiment(
        id,
        "Copies by a DMA engine",
        "What does a copy cost when a DMA channel makes it?",
        "Submission, the transfer, completion.",
        "Pinning, which is measured apart.",
    );
    head.axes = vec![axis("size", Unit::Bytes, "bytes copied")];
    head.figures = vec![by_size("Time of one copy", "latency", "policy")];
    head.toll = vec![TollHead {
        label: "DMA channel".to_owned(),
        size_axis: "size".to_owned(),
        only: vec![],
        group: Some(TollGroup::Engine),
        ..TollHead::default()
    }];
    let points = vec![skipped(
        id,
        Vec::new(),
        "the kernel module is not loaded",
        "sudo modprobe pontage",
    )];
    table(head, points)
}
