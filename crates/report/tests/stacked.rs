//! Regions behind a figure and panels under it.

mod synthetic;

use analysis::RunView;
use report::figure::{self, Figure};

fn sweep(view: &RunView) -> Figure {
    let mut all = figure::all(view).into_iter();
    all.find(|f| f.id == "ipc-stream-1").expect("the sweep")
}

#[test]
fn regions_lie_inside_the_axis_in_order() {
    let mut view = synthetic::run();
    for f in &mut view.head.findings {
        // As found, but reaching beyond the points on both sides, unordered.
        f.regions.reverse();
        for r in &mut f.regions {
            r.from_x = if r.from_x <= 1.0 { 0.25 } else { r.from_x };
            r.to_x = if r.to_x >= 4e6 { 1e9 } else { r.to_x };
        }
    }
    let figure = sweep(&view);
    let names: Vec<&str> = figure.regions.iter().map(|r| r.name.as_str()).collect();
    assert_eq!(names[0], "fixed cost");
    assert!(names[1].starts_with("plateau, 1"), "{names:?}");
    assert!(names[2].starts_with("plateau, 1.6"), "{names:?}");
    assert_eq!(figure.regions[0].from, figure.x.range.0);
    assert_eq!(figure.regions[2].to, figure.x.range.1);
    let svg = report::svg::file(&figure, &report::Foot::default()).expect("it draws");
    assert!(names.iter().all(|n| svg.contains(n)), "names are drawn");
}

#[test]
fn regions_without_a_place_are_left_out() {
    let mut view = synthetic::run();
    let regions = view.head.findings.iter_mut().flat_map(|f| &mut f.regions);
    for (i, r) in regions.enumerate() {
        match i {
            0 => r.to_x = f64::NAN,
            1 => (r.from_x, r.to_x) = (1e12, 2e12),
            _ => r.axis = "depth".to_owned(),
        }
    }
    assert!(sweep(&view).regions.is_empty());
}

#[test]
fn of_several_curves_the_first_is_shaded_and_named() {
    let mut view = synthetic::run();
    let findings = &mut view.head.findings;
    let at = findings.iter().position(|f| !f.regions.is_empty());
    let mut other = findings[at.expect("the sweep has regions")].clone();
    for r in &mut other.regions {
        r.only[0].value = "one cpu".into();
        r.name = "other".to_owned();
    }
    findings.push(other);
    let figure = sweep(&view);
    assert_eq!(figure.regions.len(), 3);
    let said = figure
        .notes
        .iter()
        .any(|n| n.contains("placement=two cpus"));
    assert!(said, "{:?}", figure.notes);
}

#[test]
fn panels_share_series_order_and_colours() {
    let figure = sweep(&synthetic::run());
    assert_eq!(figure.below.len(), 2);
    for panel in &figure.below {
        assert!(panel.y.range.0 <= 0.0, "counts begin at none");
        let same = |(a, b): (&figure::Series, &figure::Series)| {
            a.name == b.name && a.colour == b.colour && a.points.len() == b.points.len()
        };
        assert!(figure.series.iter().zip(&panel.series).all(same));
    }
    assert_eq!(figure.below[0].y.label, "switches per message");
    assert_eq!(figure.below[0].y.range.0, 0.0, "a count begins at none");
}

#[test]
fn a_metric_that_was_not_counted_is_named() {
    let mut view = synthetic::run();
    let table = view.tables.iter_mut().find(|t| t.head.id == "ipc/stream");
    let table = table.expect("the sweep");
    table.head.figures[0].below = vec!["instructions".to_owned()];
    let figure = sweep(&view);
    assert!(figure.below.is_empty());
    let said = |n: &String| n == "not counted here: instructions";
    assert!(figure.notes.iter().any(said), "{:?}", figure.notes);
}
