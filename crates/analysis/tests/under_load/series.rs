//! Which points are compared with which, and what is left out.

use crate::made::{calm, laid, run};
use record::PointState;

const COPY: &str = "copy/memcpy";

#[test]
fn points_along_an_axis_are_a_series_and_only_telling_axes_name_it() {
    let points = [
        (COPY, "cache=hot size=64 method=a", calm(1, 50, 1.0)),
        (COPY, "cache=hot size=128 method=a", calm(2, 50, 1.0)),
        (COPY, "cache=cold size=64 method=b", calm(3, 50, 1.0)),
    ];
    let found = laid(&run("light", &points), &run("heavy", &points)).expect("a pair");
    let series: Vec<(String, usize)> = found
        .series
        .iter()
        .map(|s| (s.label(), s.paths.len()))
        .collect();
    assert_eq!(
        series,
        [
            ("copy/memcpy cache=hot".to_owned(), 2),
            ("copy/memcpy cache=cold".to_owned(), 1)
        ]
    );
    let hot = &found.series[0];
    assert_eq!(hot.place(&hot.paths[1]), "size=128");
}

#[test]
fn what_one_run_lacks_is_listed_with_the_reason() {
    let light = run(
        "light",
        &[
            (COPY, "size=64", calm(1, 50, 1.0)),
            (COPY, "size=128", calm(2, 50, 1.0)),
            ("mem/latency", "size=64", calm(3, 50, 1.0)),
        ],
    );
    let mut heavy = run(
        "heavy",
        &[
            (COPY, "size=64", calm(4, 50, 1.0)),
            (COPY, "size=128", Vec::new()),
            ("irq/tick", "", calm(5, 50, 1.0)),
        ],
    );
    heavy.view.tables[0].points[1].head.state = PointState::Skipped {
        reason: "no memory".into(),
        remedy: String::new(),
    };
    let found = laid(&light, &heavy).expect("a pair");
    assert_eq!(found.paths().count(), 1);
    let absent: Vec<String> = found
        .absent
        .iter()
        .map(|a| format!("{} {}: {}", a.points, a.experiment, a.reason))
        .collect();
    assert_eq!(
        absent,
        [
            "1 copy/memcpy: skipped (no memory) in the heavy run",
            "1 mem/latency: only in the light run",
            "1 irq/tick: only in the heavy run",
        ]
    );
}
