//! ipc/stream: a sweep with a bend and a cliff, its regions, and counters in
//! panels under it.

use super::system::{axis, experiment, metric};
use super::{Wobble, done, int, summary, table, word};
use analysis::knees::{Evidence, Facts, Sweep, explain, thresholds};
use analysis::{ExperimentTable, PointView};
use record::{FigureHead, Finding, MachineCard, MarkKind, Unit};
use stats::{CurvePoint, KneeOptions};

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
        ..FigureHead::default()
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

/// What the analysis makes of the curve on two CPUs.
pub fn findings(table: &ExperimentTable, card: &MachineCard) -> Vec<Finding> {
    let only = [word("placement", "two cpus")];
    let chosen = |p: &&PointView| p.head.settings.contains(&only[0]);
    let points: Vec<&PointView> = table.points.iter().filter(chosen).collect();
    let curve: Vec<CurvePoint> = points
        .iter()
        .filter_map(|p| {
            let (s, bytes) = (p.primary()?, p.head.bytes_per_op? as f64);
            Some(CurvePoint::new(
                p.int("size")? as f64,
                bytes / s.median.center,
                bytes / s.median.high,
                bytes / s.median.low,
            ))
        })
        .collect();
    let switches = Evidence {
        name: "voluntary switches per message".to_owned(),
        rise_means: Some("every write blocks".to_owned()),
        points: points
            .iter()
            .filter_map(|p| Some((p.int("size")? as f64, p.summary(1)?.median.center)))
            .collect(),
    };
    let facts = Facts {
        pipe_bytes: Some(65536),
        ..Facts::default()
    };
    let knees = stats::log_log_knees(&curve, KneeOptions::default()).expect("a valid curve");
    let sweep = Sweep {
        conditions: "",
        axis: "size",
        axis_unit: Unit::Bytes,
        metric: "bandwidth",
        unit: Unit::GigabytesPerSecond,
        higher_is_better: true,
        key: "pipe",
        only: &only,
        curve: &curve,
        knees: &knees,
    };
    let found = explain(&sweep, &thresholds(card, &facts), &[switches]);
    let of_the_pipe = |finding| Finding {
        experiment: ID.to_owned(),
        ..finding
    };
    found.into_iter().map(of_the_pipe).collect()
}
