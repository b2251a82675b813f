//! Figures and reports of tables that no one hopes to see: empty, skipped,
//! failed, one point, not a number. Nothing panics, nothing is dropped silently.

mod synthetic;

use analysis::{ExperimentTable, PointView, RunView};
use proptest::prelude::*;
use record::PointState;
use report::{figure, html, svg, terminal, toll::TollMap};

/// Renders everything; the result only has to exist.
fn render_all(view: &RunView) {
    for figure in figure::all(view) {
        let text = svg::file(&figure, &report::Foot::of(&view.head))
            .expect("drawing to memory cannot fail");
        assert!(text.starts_with("<svg") && text.ends_with("</svg>\n"));
        assert!(
            !text.contains("NaN") && !text.contains("inf"),
            "{}",
            figure.id
        );
    }
    let _ = TollMap::of(view);
    let _ = html::render(view);
    let _ = terminal::render(view, 80, false);
}

fn with_tables(change: impl Fn(&mut ExperimentTable)) -> RunView {
    let mut view = synthetic::run();
    for table in &mut view.tables {
        change(table);
    }
    view
}

fn with_points(change: impl Fn(usize, &mut PointView)) -> RunView {
    with_tables(|t| {
        for (i, p) in t.points.iter_mut().enumerate() {
            change(i, p);
        }
    })
}

#[test]
fn nothing_at_all() {
    let mut view = synthetic::run();
    view.tables.clear();
    view.head.findings.clear();
    view.head.claims.clear();
    view.head.points.clear();
    view.head.machine = record::MachineCard::default();
    render_all(&view);
    render_all(&with_tables(|t| t.points.clear()));
}

#[test]
fn only_one_point_in_each_table() {
    render_all(&with_tables(|t| t.points.truncate(1)));
}

#[test]
fn everything_skipped_failed_or_pending() {
    for state in [
        PointState::Pending,
        PointState::Skipped {
            reason: "no".to_owned(),
            remedy: String::new(),
        },
        PointState::Failed {
            reason: "cannot: broken".to_owned(),
        },
    ] {
        let view = with_points(|_, p| {
            p.head.state = state.clone();
            p.summaries.clear();
            p.contamination = None;
        });
        render_all(&view);
        assert!(figure::all(&view).iter().all(figure::Figure::is_empty));
    }
}

#[test]
fn done_without_samples_or_watch() {
    render_all(&with_points(|i, p| {
        if i % 2 == 0 {
            p.summaries.clear();
        }
        p.contamination = None;
        p.head.bytes_per_op = None;
    }));
}

#[test]
fn figures_that_name_what_is_not_there() {
    render_all(&with_tables(|t| {
        for f in &mut t.head.figures {
            f.x = "nowhere".to_owned();
        }
    }));
    render_all(&with_tables(|t| {
        for f in &mut t.head.figures {
            f.y = "nothing".to_owned();
            f.series = vec!["none".to_owned()];
        }
        t.head.axes.clear();
        t.head.metrics.clear();
    }));
}

#[test]
fn points_without_a_place_on_a_log_axis_are_noted() {
    let figures = figure::all(&synthetic::run());
    let net = figures
        .iter()
        .find(|f| f.id == "copy-to_user-2")
        .expect("the figure of net times");
    assert!(
        net.notes
            .iter()
            .any(|n| n.starts_with("3 points without a place")),
        "{:?}",
        net.notes
    );
    assert!(
        net.notes
            .iter()
            .any(|n| n.contains("skipped: no free huge pages"))
    );
    assert!(net.notes.iter().any(|n| n.contains("failed: cannot read")));
}

#[test]
fn intervals_hold_their_median_in_every_unit() {
    let figures = figure::all(&synthetic::run());
    let rates = figures
        .iter()
        .filter(|f| f.y.unit == record::Unit::GigabytesPerSecond);
    assert!(rates.count() >= 3, "bandwidth is drawn");
    for p in figures
        .iter()
        .flat_map(|f| &f.series)
        .flat_map(|s| &s.points)
    {
        assert!(p.y.low <= p.y.center && p.y.center <= p.y.high, "{p:?}");
    }
}

#[test]
fn marks_carry_caches_and_knees_with_their_numbers() {
    let figures = figure::all(&synthetic::run());
    let latency = figures
        .iter()
        .find(|f| f.id == "mem-latency-1")
        .expect("the figure of latency");
    let labels: Vec<&str> = latency.marks.iter().map(|m| m.label.as_str()).collect();
    assert_eq!(
        labels,
        [
            "page 4 KiB",
            "l1d capacity 46 KiB",
            "L1d 48 KiB",
            "l2 capacity 1.90 MiB",
            "L2 2 MiB",
            "l3 capacity 38 MiB"
        ]
    );
    assert!(
        latency
            .notes
            .contains(&"beyond the axis: L3 260 MiB".to_owned())
    );
}

#[test]
fn a_line_never_mixes_settings() {
    let view = with_tables(|t| {
        for f in &mut t.head.figures {
            f.series.clear();
            f.only.clear();
        }
    });
    for figure in figure::all(&view) {
        for series in &figure.series {
            let mut xs: Vec<u64> = series.points.iter().map(|p| p.x.to_bits()).collect();
            let count = xs.len();
            xs.dedup();
            assert_eq!(xs.len(), count, "{} {}", figure.id, series.name);
        }
    }
}

fn number() -> impl Strategy<Value = f64> {
    prop_oneof![
        Just(f64::NAN),
        Just(f64::INFINITY),
        Just(f64::NEG_INFINITY),
        Just(0.0),
        Just(-1.0),
        Just(f64::MAX),
        Just(f64::MIN_POSITIVE),
        1e-3f64..1e9,
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]
    #[test]
    fn any_number_is_survived(values in proptest::collection::vec(number(), 7..40)) {
        let at = |i: usize| values[i % values.len()];
        let mut view = with_points(|i, p| {
            for s in &mut p.summaries {
                (s.median.center, s.median.low, s.median.high) = (at(i), at(i + 1), at(i + 2));
                (s.min, s.max, s.mean, s.variance) = (at(i + 3), at(i + 4), at(i + 5), at(i + 6));
                s.p25 = at(i + 1);
                s.p99 = Some(at(i + 2));
            }
        });
        view.head.instrument.read_cost_ns = at(0);
        view.head.instrument.clock_hz = at(1);
        view.head.conditions.steal_share = Some(at(2));
        for (i, f) in view.head.findings.iter_mut().enumerate() {
            (f.value, f.low, f.high, f.reference) =
                (Some(at(i)), Some(at(i + 1)), Some(at(i + 2)), Some(at(i + 3)));
            f.confidence.share = at(i + 4);
        }
        render_all(&view);
    }
}
