//! ipc/stream: a sweep with a bend and a cliff, its regions, and counters in
//! panels under it.

use super::system::{axis, experiment, metric};
use super::{Wobble, done, int, summary, table, word};
use analysis::ExperimentTable;
use record::{Confidence, FigureHead, Finding, MarkKind, Region, Unit, Verdict};

const ID: &str = "ipc/stream";
const KIB: f64 = 1024.0;

pub fn table_of() -> ExperimentTable {
    let mut head = experiment(
        ID,
        "Streaming through a pipe",
        "How fast do bytes flow from one thread to another, by message size?",
        "One message: its write, its reads, its wake-ups.",
        "Touching the data.",
    );
    head.axes = vec![
        axis("placement", Unit::Word, "where the two ends run"),
        axis("size", Unit::Bytes, "message size"),
    ];
    head.metrics = vec![
        metric("latency", Unit::Nanoseconds, "one message"),
        metric("switches_per_message", Unit::Count, "voluntary switches"),
        metric("calls_per_message", Unit::Count, "system calls"),
    ];
    head.figures = vec![FigureHead {
        title: "Bandwidth by message size".to_owned(),
        x: "size".to_owned(),
        x_log2: true,
        y: "bandwidth".to_owned(),
        y_log: true,
        series: vec!["placement".to_owned()],
        only: vec![],
        marks: vec![MarkKind::CacheSizes, MarkKind::Knees],
        reading: "Shaded: the regions between knees, on two CPUs.".to_owned(),
        below: ["switches_per_message", "calls_per_message"]
            .map(str::to_owned)
            .to_vec(),
    }];
    let mut w = Wobble::new(41);
    let mut points = Vec::new();
    for placement in ["two cpus", "one cpu"] {
        for power in 0..=22 {
            let size = 1i64 << power;
            points.push(point(placement, size, &mut w));
        }
    }
    table(head, points)
}

fn point(placement: &str, size: i64, w: &mut Wobble) -> analysis::PointView {
    let x = size as f64;
    let two = placement == "two cpus";
    let blocks = x >= 64.0 * KIB;
    let rate = match (two, blocks) {
        (true, true) => 1.7,
        (true, false) => 13.0,
        (false, _) => 4.2,
    };
    let ns = (280.0 + x / rate) * w.around(0.02);
    let switches = match (two, blocks) {
        (true, true) | (false, _) => 2.0 * (x / (64.0 * KIB)).min(4.0),
        (true, false) => 0.02,
    };
    let calls = 1.0 + (x / (64.0 * KIB)).clamp(1.0, 8.0);
    done(
        ID,
        vec![word("placement", placement), int("size", size)],
        Some(size as u64),
        vec![
            summary(0, ns, 0.01, 60),
            summary(1, switches, 0.01, 60),
            summary(2, calls, 0.002, 60),
        ],
    )
}

pub fn findings() -> Vec<Finding> {
    let two = vec![word("placement", "two cpus")];
    let region = |from_x: f64, to_x: f64, name: &str| Region {
        axis: "size".to_owned(),
        from_x,
        to_x,
        name: name.to_owned(),
        only: two.clone(),
    };
    let knee = |key: &str, x: f64, low: f64, high: f64, sentence: &str| Finding {
        experiment: ID.to_owned(),
        key: key.to_owned(),
        sentence: sentence.to_owned(),
        value: Some(x),
        low: Some(low),
        high: Some(high),
        unit: Unit::Bytes,
        confidence: Confidence { share: 0.97 },
        reference: None,
        reference_source: None,
        verdict: Verdict::Stated,
        regions: Vec::new(),
    };
    let mut bend = knee(
        "knee_1",
        3.6 * KIB,
        2.0 * KIB,
        8.0 * KIB,
        "From 3.6 KiB on bandwidth grows more slowly.",
    );
    bend.regions = vec![
        region(1.0, 3.6 * KIB, "cost per message"),
        region(3.6 * KIB, 45.0 * KIB, "13 GB/s"),
        region(45.0 * KIB, 4.0 * KIB * KIB, "every write blocks"),
    ];
    let cliff = knee(
        "knee_2",
        45.0 * KIB,
        32.0 * KIB,
        64.0 * KIB,
        "From 45 KiB on every write blocks.",
    );
    vec![bend, cliff]
}
