//! mem/latency, mem/line, mem/associativity, mem/bandwidth.

use super::system::{axis, experiment};
use super::{Wobble, done, flag, int, skipped, summary, table, word};
use analysis::ExperimentTable;
use analysis::view::ContaminationLevel;
use record::{FigureHead, MarkKind, Unit};

pub fn tables() -> Vec<ExperimentTable> {
    vec![latency(), line(), associativity(), bandwidth()]
}

/// Latency of a dependent load over a made-up hierarchy with soft edges.
fn load_ns(bytes: f64) -> f64 {
    let share = |capacity: f64, slope: f64| 1.0 / (1.0 + (bytes / capacity).powf(-slope));
    1.61 + 3.6 * share(46e3, 9.0) + 22.0 * share(1.95e6, 6.0) + 92.0 * share(44e6, 4.0)
}

fn sizes(from: f64, to: f64, per_octave: f64) -> Vec<i64> {
    let steps = ((to / from).log2() * per_octave).round() as i32;
    (0..=steps)
        .map(|i| ((from * 2f64.powf(f64::from(i) / per_octave)) as i64 / 64) * 64)
        .collect()
}

fn latency() -> ExperimentTable {
    let id = "mem/latency";
    let mut head = experiment(
        id,
        "Dependent loads",
        "How long does a load take whose address depends on the load before it, by working set \
         and stride?",
        "One load of one pointer, including address translation.",
        "Overlap of loads: each waits for the last.",
    );
    head.axes = vec![
        axis("pages", Unit::Word, "page size asked for"),
        axis("stride", Unit::Bytes, "distance between elements"),
        axis("size", Unit::Bytes, "working set"),
    ];
    head.figures = vec![FigureHead {
        title: "Latency of a dependent load by working set".to_owned(),
        x: "size".to_owned(),
        x_log2: true,
        y: "latency".to_owned(),
        y_log: true,
        series: vec!["stride".to_owned()],
        only: vec![word("pages", "4k")],
        marks: vec![MarkKind::CacheSizes, MarkKind::PageSize, MarkKind::Knees],
        reading: "Each plateau is a level of the hierarchy; grey lines are what sysfs says, red \
                  ones what the loads say, with the interval of the knee shaded."
            .to_owned(),
        ..FigureHead::default()
    }];
    let mut w = Wobble::new(7);
    let mut points = Vec::new();
    for stride in [16, 32, 64, 128, 256, 512, 1024, 2048, 4096] {
        for size in sizes(1024.0, 67_108_864.0, 2.0) {
            if size < stride {
                continue;
            }
            let hidden = if stride < 64 {
                stride as f64 / 64.0
            } else {
                1.0
            };
            let walk = if stride >= 1024 {
                1.0 + (stride as f64).log2() * 0.02
            } else {
                1.0
            };
            let base = load_ns(size as f64);
            let ns = (1.61 + (base - 1.61) * hidden * walk) * w.around(0.015);
            let width = 0.004 + 0.02 * w.next() * (base / 120.0).min(1.0);
            let settings = vec![
                word("pages", "4k"),
                int("stride", stride),
                int("size", size),
            ];
            points.push(done(id, settings, None, vec![summary(0, ns, width, 90)]));
        }
    }
    for (i, p) in points.iter_mut().enumerate() {
        if i % 23 == 5 {
            flag(p, ContaminationLevel::Disturbed, 4, "4 interrupts");
        }
    }
    flag(
        &mut points[70],
        ContaminationLevel::Contaminated,
        51,
        "51 involuntary switches, 8 ms steal",
    );
    points.push(skipped(
        id,
        vec![
            word("pages", "thp"),
            int("stride", 64),
            int("size", 1 << 20),
        ],
        "transparent huge pages are off for this process",
        "echo madvise | sudo tee /sys/kernel/mm/transparent_hugepage/enabled",
    ));
    table(head, points)
}

fn line() -> ExperimentTable {
    let id = "mem/line";
    let mut head = experiment(
        id,
        "Size of a cache line",
        "At which stride does every access begin to cost a line of its own?",
        "One read-modify-write.",
        "The page walk: the array is walked in order.",
    );
    head.axes = vec![axis("stride", Unit::Bytes, "distance between accesses")];
    head.figures = vec![FigureHead {
        title: "Time of an access by stride".to_owned(),
        x: "stride".to_owned(),
        x_log2: true,
        y: "latency".to_owned(),
        y_log: false,
        series: vec![],
        only: vec![],
        marks: vec![MarkKind::LineSize, MarkKind::Knees],
        reading: "The slope ends where a line holds one element only.".to_owned(),
        ..FigureHead::default()
    }];
    let mut w = Wobble::new(11);
    let points = (2..=10)
        .map(|power| {
            let stride = 1i64 << power;
            let ns = 6.2 * (stride as f64 / 64.0).clamp(0.06, 1.0) * w.around(0.02);
            done(
                id,
                vec![int("stride", stride)],
                None,
                vec![summary(0, ns, 0.012, 90)],
            )
        })
        .collect();
    table(head, points)
}

fn associativity() -> ExperimentTable {
    let id = "mem/associativity";
    let mut head = experiment(
        id,
        "Ways of the first level",
        "How many lines that fall into one set can be held at once?",
        "One load from the next conflicting line.",
        "Lines of other sets.",
    );
    head.axes = vec![axis("lines", Unit::Count, "conflicting lines")];
    head.figures = vec![FigureHead {
        title: "Latency by number of conflicting lines".to_owned(),
        x: "lines".to_owned(),
        x_log2: false,
        y: "latency".to_owned(),
        y_log: false,
        series: vec![],
        only: vec![],
        marks: vec![MarkKind::Knees],
        reading: "The step stands at the number of ways.".to_owned(),
        ..FigureHead::default()
    }];
    let mut w = Wobble::new(13);
    let points = (1..=32)
        .map(|n| {
            let over = (f64::from(n) - 12.0).clamp(0.0, 4.0) / 4.0;
            let ns = (1.62 + 3.6 * over) * w.around(0.01);
            done(
                id,
                vec![int("lines", n.into())],
                None,
                vec![summary(0, ns, 0.008, 90)],
            )
        })
        .collect();
    table(head, points)
}

fn bandwidth() -> ExperimentTable {
    let id = "mem/bandwidth";
    let mut head = experiment(
        id,
        "Copying by method",
        "Which way of copying is the fastest, by working set?",
        "Bytes copied, counted once (not read plus written).",
        "Page faults: the buffers are touched before.",
    );
    head.axes = vec![
        axis("method", Unit::Word, "instructions that move the bytes"),
        axis("size", Unit::Bytes, "bytes copied"),
    ];
    head.figures = vec![
        FigureHead {
            title: "Copy bandwidth by working set and method".to_owned(),
            x: "size".to_owned(),
            x_log2: true,
            y: "bandwidth".to_owned(),
            y_log: false,
            series: vec!["method".to_owned()],
            only: vec![],
            marks: vec![MarkKind::CacheSizes, MarkKind::Knees],
            reading: "Bytes are counted once.".to_owned(),
            ..FigureHead::default()
        },
        FigureHead {
            title: "Methods at 1 MiB".to_owned(),
            x: "method".to_owned(),
            x_log2: false,
            y: "bandwidth".to_owned(),
            y_log: false,
            series: vec![],
            only: vec![int("size", 1 << 20)],
            marks: vec![],
            reading: "Bytes are counted once.".to_owned(),
            ..FigureHead::default()
        },
    ];
    let mut w = Wobble::new(17);
    let mut points = Vec::new();
    let methods = [
        ("memcpy", 62.0, 31.0, 11.0),
        ("rep movsb", 58.0, 29.0, 12.1),
        ("avx2", 55.0, 28.0, 9.4),
        ("avx512", 71.0, 30.0, 9.6),
        ("non-temporal", 9.0, 9.6, 12.8),
        ("prefetching", 48.0, 27.0, 10.2),
    ];
    for (name, l1, l2, dram) in methods {
        for power in 10..=26 {
            let size = 1i64 << power;
            let s = size as f64;
            let far = |c: f64| 1.0 / (1.0 + (s / c).powf(-4.0));
            let start = s / (s + if name == "rep movsb" { 3000.0 } else { 300.0 });
            let rate = (l1 + (l2 - l1) * far(24e3) + (dram - l2) * far(1.2e6)) * start;
            let ns = s / (rate * w.around(0.02));
            let settings = vec![word("method", name), int("size", size)];
            let width = 0.004 + 0.012 * w.next();
            points.push(done(
                id,
                settings,
                Some(size as u64),
                vec![summary(0, ns, width, 60)],
            ));
        }
    }
    points.push(skipped(
        id,
        vec![word("method", "neon"), int("size", 1 << 20)],
        "no NEON: the processor is x86_64",
        "",
    ));
    table(head, points)
}
