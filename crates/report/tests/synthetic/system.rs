//! syscall/*, switch/context, cpu/clock.

use super::{Wobble, done, flag, int, summary, table, word};
use analysis::view::ContaminationLevel;
use analysis::{ExperimentTable, Mode};
use record::{AxisHead, ExperimentHead, FigureHead, MarkKind, MetricHead, Unit};

pub fn metric(name: &str, unit: Unit, doc: &str) -> MetricHead {
    MetricHead {
        name: name.to_owned(),
        unit,
        doc: doc.to_owned(),
        lower_is_better: true,
        explains: false,
    }
}

pub fn axis(name: &str, unit: Unit, doc: &str) -> AxisHead {
    AxisHead {
        name: name.to_owned(),
        unit,
        doc: doc.to_owned(),
    }
}

pub fn experiment(
    id: &str,
    title: &str,
    question: &str,
    counts: &str,
    not: &str,
) -> ExperimentHead {
    ExperimentHead {
        in_cycles: false,
        id: id.to_owned(),
        title: title.to_owned(),
        question: question.to_owned(),
        counts: counts.to_owned(),
        does_not_count: not.to_owned(),
        origin: "Synthetic data after McVoy and Staelin, USENIX 1996.".to_owned(),
        theory: "How to read this: the figure is made up.\n\nA second paragraph with `code` in it."
            .to_owned(),
        axes: Vec::new(),
        metrics: vec![metric(
            "latency",
            Unit::Nanoseconds,
            "time of one operation",
        )],
        figures: Vec::new(),
        toll: Vec::new(),
        kinds: Vec::new(),
    }
}

pub fn tables() -> Vec<ExperimentTable> {
    let mut all: Vec<ExperimentTable> = [
        ("getppid", "The cheapest system call", 117.1),
        ("read", "Reading one byte from /dev/zero", 168.4),
        ("write", "Writing one byte to /dev/null", 142.9),
        ("stat", "stat of a cached file", 602.0),
        ("fstat", "fstat of an open file", 241.5),
        ("open", "Opening and closing a cached file", 1184.0),
    ]
    .into_iter()
    .map(|(name, title, ns)| syscall(name, title, ns))
    .collect();
    all.push(switch());
    all.push(clock());
    all
}

fn syscall(name: &str, title: &str, ns: f64) -> ExperimentTable {
    let id = format!("syscall/{name}");
    let mut head = experiment(
        &id,
        title,
        "What does it cost to enter the kernel and come back, when the kernel does next to \
         nothing there?",
        "One system call: the crossing, the table, the work, and the way back with its \
         mitigations.",
        "The C library's wrapper, seccomp filters that this process does not have.",
    );
    head.theory =
        "A lower bound for everything that has to interact with the operating system.".to_owned();
    let mut point = done(&id, Vec::new(), None, vec![summary(0, ns, 0.0055, 120)]);
    flag(
        &mut point,
        ContaminationLevel::Disturbed,
        3,
        "3 involuntary switches",
    );
    if name == "open"
        && let Some(s) = point.summaries.first_mut()
    {
        s.modes = vec![
            Mode {
                center: 1150.0,
                share: 0.7,
            },
            Mode {
                center: 1420.0,
                share: 0.3,
            },
        ];
    }
    table(head, vec![point])
}

fn switch() -> ExperimentTable {
    let id = "switch/context";
    let mut head = experiment(
        id,
        "Switching between processes",
        "What does it cost to pass a token round a ring of processes, and how does it grow with \
         what each process touches?",
        "One switch: the write, the wake-up, the scheduler, the switch of address space, and the \
         refill of the caches.",
        "The pipe itself: a ring inside one process is measured and subtracted as net.",
    );
    head.axes = vec![
        axis("placement", Unit::Word, "where the partners run"),
        axis("processes", Unit::Count, "length of the ring"),
        axis(
            "footprint",
            Unit::Bytes,
            "memory each process touches between switches",
        ),
    ];
    head.metrics = vec![
        metric("latency", Unit::Nanoseconds, "one switch with the ring"),
        metric("ring", Unit::Nanoseconds, "the ring without its switches"),
        metric("net", Unit::Nanoseconds, "latency minus ring, paired"),
    ];
    head.figures = vec![
        FigureHead {
            title: "One switch by length of the ring".to_owned(),
            x: "processes".to_owned(),
            x_log2: true,
            y: "net".to_owned(),
            y_log: true,
            series: vec!["footprint".to_owned()],
            only: vec![word("placement", "same-cpu")],
            marks: vec![],
            reading: "Flat while the ring fits a cache level, a step where it outgrows one."
                .to_owned(),
            ..FigureHead::default()
        },
        FigureHead {
            title: "Two processes, by placement".to_owned(),
            x: "placement".to_owned(),
            x_log2: false,
            y: "net".to_owned(),
            y_log: true,
            series: vec![],
            only: vec![int("processes", 2), int("footprint", 0)],
            marks: vec![],
            reading: "A partner woken from idle pays for the interrupt and the way out of idle."
                .to_owned(),
            ..FigureHead::default()
        },
    ];
    let mut w = Wobble::new(3);
    let mut points = Vec::new();
    for kib in [0, 2, 4, 8, 16, 24, 32] {
        for n in [2, 4, 6, 8, 10, 12, 16, 24, 32, 48, 64, 72, 96] {
            let total = (n * kib) as f64;
            let refill = kib as f64 * (if total > 1800.0 { 55.0 } else { 17.0 });
            let net = (980.0 + 2.0 * n as f64 + refill) * w.around(0.02);
            points.push(switch_point(id, "same-cpu", n, kib, net, &mut w));
        }
    }
    points.push(switch_point(id, "cross-cpu awake", 2, 0, 1890.0, &mut w));
    points.push(switch_point(id, "cross-cpu idle", 2, 0, 9420.0, &mut w));
    flag(
        &mut points[20],
        ContaminationLevel::Contaminated,
        61,
        "44 involuntary switches, 3 ms steal",
    );
    table(head, points)
}

fn switch_point(
    id: &str,
    placement: &str,
    n: i64,
    kib: i64,
    net: f64,
    w: &mut Wobble,
) -> analysis::PointView {
    let width = 0.01 + 0.015 * w.next();
    done(
        id,
        vec![
            word("placement", placement),
            int("processes", n),
            int("footprint", kib << 10),
        ],
        None,
        vec![
            summary(0, net + 640.0, width, 60),
            summary(1, 640.0, width, 60),
            summary(2, net, width * 1.6, 60),
        ],
    )
}

fn clock() -> ExperimentTable {
    let id = "cpu/clock";
    let mut head = experiment(
        id,
        "Clock rate under measurement",
        "At which rate does the core really run while it measures?",
        "Chains of dependent instructions of known length.",
        "Idle states, other cores.",
    );
    head.axes = vec![axis("chain", Unit::Word, "instruction of the chain")];
    head.metrics
        .push(metric("rate", Unit::Megahertz, "clock rate"));
    head.figures = vec![FigureHead {
        title: "Clock rate by chain".to_owned(),
        x: "chain".to_owned(),
        x_log2: false,
        y: "rate".to_owned(),
        y_log: false,
        series: vec![],
        only: vec![],
        marks: vec![MarkKind::Knees],
        reading: "The chains agree when the core kept its rate.".to_owned(),
        ..FigureHead::default()
    }];
    let points = [
        ("add", 0.334, 2994.0),
        ("multiply", 1.002, 2994.0),
        ("shift", 0.335, 2986.0),
    ]
    .into_iter()
    .map(|(name, ns, mhz)| {
        done(
            id,
            vec![word("chain", name)],
            None,
            vec![summary(0, ns, 0.001, 120), summary(1, mhz, 0.001, 120)],
        )
    })
    .collect();
    table(head, points)
}
