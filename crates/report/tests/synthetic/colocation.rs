//! Neighbours: pairs as a log of 2022 has them (its numbers of both placements,
//! with made-up intervals), and a matrix of mutual slowdowns.

use crate::synthetic::{done, int, skipped, summary, table as of, word};
use analysis::{ExperimentTable, Interval, PointView, Summary};
use record::{
    AxisHead, ExperimentHead, FigureHead, FigureKind, KindHead, MetricHead, Setting, Unit,
};

const PAIR: &str = "colocate/pair";
const MATRIX: &str = "colocate/matrix";

/// Kind, before, after, half-width of the interval of the gain.
type Task<'a> = (&'a str, f64, f64, f64);

/// The log's pairs: frames a second of AVX, else seconds.
const LOG: [(i64, Task<'static>, Task<'static>); 6] = [
    (
        2,
        ("AVX", 74.06, 79.83, 0.004),
        ("perlbench", 39.99, 43.75, 0.006),
    ),
    (
        2,
        ("clflush", 53.40, 48.17, 0.004),
        ("perlbench", 39.71, 37.38, 0.09),
    ),
    (
        2,
        ("msync", 43.55, 40.75, 0.004),
        ("mcf", 20.40, 22.13, 0.006),
    ),
    (
        6,
        ("AVX", 73.37, 79.09, 0.004),
        ("perlbench", 40.01, 44.05, 0.006),
    ),
    (
        6,
        ("clflush", 56.28, 48.74, 0.004),
        ("perlbench", 39.72, 37.92, 0.006),
    ),
    (
        6,
        ("msync", 56.81, 48.87, 0.004),
        ("mcf", 20.11, 23.67, 0.006),
    ),
];
/// Its interrupts of omnetpp next to clflush, here and there, a second: timer, calls.
const INTERRUPTS: [[f64; 4]; 4] = [
    [270.0, 270.3, 0.1, 0.0],
    [270.2, 250.3, 0.1, 0.1],
    [250.3, 270.0, 0.1, 0.0],
    [250.4, 250.4, 0.1, 0.1],
];

pub fn pairs() -> ExperimentTable {
    let mut points: Vec<PointView> = Vec::new();
    for (tasks, a, b) in LOG {
        points.extend(pair(tasks, a, b));
    }
    of(pair_head(), points)
}

/// One pair that was measured in part, of a command with a long name.
pub fn odd_pairs() -> ExperimentTable {
    let line = "cmd:make -C /usr/src/linux -j2 modules";
    let mut points = pair(1, (line, 30.0, 31.5, 0.09), ("AVX", 74.06, 79.83, 0.004));
    for point in points.iter_mut().filter(|p| p.summaries.len() > 3) {
        point.summaries.retain(|s| s.metric != 2);
    }
    let settings = points[2].head.settings.clone();
    points[2] = skipped(
        PAIR,
        settings,
        "AVX2 is not on this processor",
        "another machine",
    );
    of(pair_head(), points)
}

fn pair(tasks: i64, a: Task, b: Task) -> Vec<PointView> {
    let at = |member: &str, pairing: &str| {
        vec![
            word("a", a.0),
            word("b", b.0),
            int("a_tasks", tasks),
            int("b_tasks", tasks),
            word("placement", "smt_sibling"),
            word("mm", "separate"),
            int("window", 20_000_000),
            word("member", member),
            word("pairing", pairing),
        ]
    };
    vec![
        point(at("a", "homogeneous"), a, false, INTERRUPTS[0]),
        point(at("a", "mixed"), a, true, INTERRUPTS[1]),
        point(at("b", "homogeneous"), b, false, INTERRUPTS[3]),
        point(at("b", "mixed"), b, true, INTERRUPTS[2]),
    ]
}

fn point(settings: Vec<Setting>, task: Task, mixed: bool, met: [f64; 4]) -> PointView {
    let (kind, before, after, half) = task;
    let ns = |value: f64| match kind {
        "AVX" => 1e9 / value,
        _ => value * 1e9,
    };
    let now = if mixed { after } else { before };
    let speedup = match mixed {
        true => ns(before) / ns(after),
        false => f64::NAN,
    };
    let wide = |metric, median: f64| Summary {
        median: Interval::resampled(median, median - half, median + half),
        ..summary(metric, median, 0.01, 11)
    };
    let exact = |metric, mean| Summary {
        mean,
        ..summary(metric, mean, 0.0, 11)
    };
    let mut summaries = vec![summary(0, ns(now), 0.01, 11), wide(1, speedup)];
    for (metric, value) in (2..).zip([met[0], met[1], 0.0, 0.0, met[2], met[3], 0.0, 0.0, 3.2]) {
        summaries.push(exact(metric, value));
    }
    // Page faults could not be read.
    summaries.push(exact(11, f64::NAN));
    done(PAIR, settings, None, summaries)
}

fn metric(name: &str, unit: Unit) -> MetricHead {
    MetricHead {
        name: name.to_owned(),
        unit,
        doc: String::new(),
        lower_is_better: true,
        explains: false,
    }
}

fn axis(name: &str, unit: Unit) -> AxisHead {
    AxisHead {
        name: name.to_owned(),
        unit,
        doc: String::new(),
    }
}

fn head(id: &str, title: &str) -> ExperimentHead {
    ExperimentHead {
        in_cycles: false,
        id: id.to_owned(),
        title: title.to_owned(),
        question: "What do neighbours do to each other?".to_owned(),
        counts: String::new(),
        does_not_count: String::new(),
        origin: String::new(),
        theory: String::new(),
        axes: Vec::new(),
        metrics: Vec::new(),
        figures: Vec::new(),
        toll: Vec::new(),
        kinds: Vec::new(),
    }
}

fn pair_head() -> ExperimentHead {
    let words = ["a", "b", "placement", "mm", "member", "pairing"];
    let counts = ["a_tasks", "b_tasks"];
    let mut axes: Vec<AxisHead> = words.map(|name| axis(name, Unit::Word)).into();
    axes.extend(counts.map(|name| axis(name, Unit::Count)));
    axes.push(axis("window", Unit::Nanoseconds));
    let mut metrics = vec![
        metric("time", Unit::Nanoseconds),
        metric("speedup", Unit::Ratio),
    ];
    metrics.extend(
        [
            "timer",
            "timer_there",
            "reschedule",
            "reschedule_there",
            "function_call",
            "function_call_there",
            "tlb",
            "tlb_there",
            "switches",
            "faults",
        ]
        .map(|name| metric(name, Unit::Count)),
    );
    let kind = |word: &str, operation: &str, rate: Option<&str>| KindHead {
        word: word.to_owned(),
        operation: operation.to_owned(),
        rate: rate.map(str::to_owned),
        doc: String::new(),
    };
    ExperimentHead {
        axes,
        metrics,
        kinds: vec![
            kind("AVX", "frame", Some("frames/s")),
            kind("perlbench", "run", None),
            kind("cmd:", "run", None),
        ],
        ..head(PAIR, "Pairs of one kind, or mixed")
    }
}

/// Slowdowns of made-up kinds, the first column that of nobody; every seventh cell
/// sure, one skipped, and two settings of `mm` where `twice`.
pub fn matrix(kinds: &[&str], twice: bool) -> ExperimentTable {
    let mut points = Vec::new();
    let settings: &[&str] = if twice {
        &["separate", "same"]
    } else {
        &["separate"]
    };
    for mm in settings {
        for (row, victim) in kinds.iter().enumerate() {
            for (column, neighbour) in std::iter::once(&"spin").chain(kinds).enumerate() {
                points.push(cell(mm, (row, victim), (column, neighbour)));
            }
        }
    }
    let axes = ["victim", "neighbour", "placement", "mm"];
    let head = ExperimentHead {
        axes: axes.map(|name| axis(name, Unit::Word)).into(),
        metrics: vec![
            metric("time", Unit::Nanoseconds),
            metric("slowdown", Unit::Ratio),
        ],
        figures: vec![FigureHead {
            title: "Slowdown of the row's work".to_owned(),
            x: "neighbour".to_owned(),
            y: "slowdown".to_owned(),
            series: vec!["victim".to_owned()],
            kind: FigureKind::Matrix,
            ..FigureHead::default()
        }],
        ..head(MATRIX, "What each kind of work does to each other kind")
    };
    of(head, points)
}

fn cell(mm: &str, (row, victim): (usize, &str), (column, neighbour): (usize, &str)) -> PointView {
    let settings = vec![
        word("victim", victim),
        word("placement", "same_cache"),
        word("mm", mm),
        word("neighbour", neighbour),
    ];
    if (row, column) == (2, 3) {
        return skipped(
            MATRIX,
            settings,
            "no clwb on this processor",
            "another machine",
        );
    }
    let slowdown = match (row * 15 + column) % 7 {
        6 if column > 0 => 1.0 + 0.35 * column as f64,
        5 => 0.88,
        at => 0.99 + at as f64 * 0.006,
    };
    let half = if !(0.9..=1.03).contains(&slowdown) {
        0.02
    } else {
        0.05
    };
    let ratio = Summary {
        median: Interval::resampled(slowdown, slowdown - half, slowdown + half),
        ..summary(1, slowdown, 0.01, 6)
    };
    done(
        MATRIX,
        settings,
        None,
        vec![summary(0, 120.0, 0.01, 6), ratio],
    )
}
