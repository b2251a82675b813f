//! Pairs of CPUs: two sockets, a last-level cache for each four CPUs, two threads
//! a core.

use super::{Wobble, done, flag, int, skipped, summary, table as of, word};
use analysis::view::ContaminationLevel;
use analysis::{ExperimentTable, Mode, PointView};
use record::{AxisHead, ExperimentHead, FigureHead, FigureKind, MetricHead, Unit};

const ID: &str = "mem/line_transfer";

/// All ordered pairs of so many CPUs, one of them skipped, one with two modes.
pub fn table(cpus: i64) -> ExperimentTable {
    let mut wobble = Wobble::new(77);
    let mut points = Vec::new();
    for from in 0..cpus {
        for to in (0..cpus).filter(|to| *to != from) {
            points.push(point(cpus, from, to, &mut wobble));
        }
    }
    if let Some(first) = points.first_mut() {
        flag(
            first,
            ContaminationLevel::Disturbed,
            3,
            "3 of 120 samples interrupted",
        );
    }
    of(head(), points)
}

fn point(cpus: i64, from: i64, to: i64, wobble: &mut Wobble) -> PointView {
    let settings = vec![
        int("from", from),
        int("to", to),
        word("method", "load_store"),
    ];
    if (from, to) == (cpus - 1, 0) {
        return skipped(
            ID,
            settings,
            "this process may not run on CPU 0",
            "taskset -c 0-7",
        );
    }
    let ns = match (
        from / 2 == to / 2,
        from / 4 == to / 4,
        from * 2 / cpus == to * 2 / cpus,
    ) {
        (true, ..) => 7.5,
        (_, true, _) => 42.0,
        (_, _, true) => 118.0,
        _ => 236.0,
    } * wobble.around(0.06);
    let alone = 1.3 * wobble.around(0.01);
    let summaries = vec![summary(0, ns, 0.01, 120), summary(1, alone, 0.004, 120)];
    let mut point = done(ID, settings, None, summaries);
    if (from, to) == (1, 3) {
        let mode = |center| Mode { center, share: 0.5 };
        point.summaries[0].modes = vec![mode(28.0), mode(122.0)];
    }
    point
}

fn head() -> ExperimentHead {
    let metric = |name: &str, doc: &str| MetricHead {
        name: name.to_owned(),
        unit: Unit::Nanoseconds,
        doc: doc.to_owned(),
        lower_is_better: true,
        explains: false,
    };
    let axis = |name: &str, unit, doc: &str| AxisHead {
        name: name.to_owned(),
        unit,
        doc: doc.to_owned(),
    };
    ExperimentHead {
        in_cycles: false,
        id: ID.to_owned(),
        title: "A cache line on its way from one CPU to another".to_owned(),
        question: "What does it cost to hand one cache line from CPU to CPU?".to_owned(),
        counts: "One way of one cache line, half a round trip.".to_owned(),
        does_not_count: "Waking the partner.".to_owned(),
        origin: "multichase pingpong.".to_owned(),
        theory: "Squares along the diagonal are CPUs that are near each other.".to_owned(),
        axes: vec![
            axis("from", Unit::Count, "CPU that starts"),
            axis("to", Unit::Count, "CPU that answers"),
            axis("method", Unit::Word, "how the line is handed over"),
        ],
        metrics: vec![
            metric("transfer", "one way of a line"),
            metric("alone", "the same on one CPU"),
        ],
        figures: vec![FigureHead {
            title: "One way of a cache line by load and store".to_owned(),
            x: "to".to_owned(),
            y: "transfer".to_owned(),
            y_log: true,
            series: vec!["from".to_owned()],
            only: vec![word("method", "load_store")],
            reading: "Squares along the diagonal are CPUs that are near each other.".to_owned(),
            kind: FigureKind::Matrix,
            ..FigureHead::default()
        }],
        toll: Vec::new(),
        kinds: Vec::new(),
    }
}
