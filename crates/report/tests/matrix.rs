//! Figures of pairs: what is drawn, what is said, and odd data.

mod synthetic;

use analysis::{ExperimentTable, RunView};
use record::PointState;
use report::figure::{self, Figure};
use report::{html, svg, terminal};

fn view(table: ExperimentTable) -> RunView {
    let mut view = synthetic::run();
    view.head.experiments = vec![table.head.clone()];
    view.head.points = table.points.iter().map(|p| p.head.clone()).collect();
    view.tables = vec![table];
    view
}

fn only(view: &RunView) -> Figure {
    let mut figures = figure::all(view);
    assert_eq!(figures.len(), 1);
    figures.remove(0)
}

/// Draws everything that shows a matrix.
fn drawn(view: &RunView) -> (String, String, String) {
    let text = svg::file(&only(view), &report::Foot::of(&view.head))
        .expect("drawing to memory cannot fail");
    for nonsense in ["NaN", "inf"] {
        assert!(!text.contains(nonsense), "{nonsense} in the drawing");
    }
    (text, html::render(view), terminal::render(view, 100, false))
}

/// Writes pages to look at: `SHOW_MATRIX=folder`.
fn show(name: &str, page: &str) {
    if let Some(folder) = std::env::var_os("SHOW_MATRIX") {
        let path = std::path::Path::new(&folder).join(name);
        std::fs::write(path, page).expect("the folder is there");
    }
}

#[test]
fn every_pair_has_a_cell_at_any_size() {
    for cpus in [2, 8, 64] {
        let view = view(synthetic::pairs::table(cpus));
        let figure = only(&view);
        let matrix = figure.matrix.as_ref().expect("a matrix");
        let n = cpus as usize;
        assert_eq!(matrix.cells.len(), n * n);
        assert_eq!(matrix.measured().count(), n * (n - 1) - 1);
        let (picture, page, _) = drawn(&view);
        show(&format!("matrix-{cpus}.html"), &page);
        show(&format!("matrix-{cpus}.svg"), &picture);
        // The script has nothing to draw it from and leaves it alone.
        assert!(!page.contains("data-figure=\""));
        let titles = page.matches("<title>from ").count();
        assert_eq!(titles, n * n, "every cell answers when pointed at");
        assert!(page.contains("skipped: this process may not run on CPU 0"));
        assert!(page.contains("not in the plan"));
    }
}

#[test]
fn numbers_are_printed_where_they_fit() {
    let texts = |cpus| {
        let (picture, ..) = drawn(&view(synthetic::pairs::table(cpus)));
        picture.matches("<text").count()
    };
    // 8 x 8 has a number in each measured cell; 64 x 64 has names only.
    assert!(texts(8) > 55, "{}", texts(8));
    assert!(texts(64) < 150, "{}", texts(64));
}

#[test]
fn the_terminal_prints_small_matrices_only() {
    let block = |cpus, width| {
        let text = terminal::render(&view(synthetic::pairs::table(cpus)), width, false);
        text.contains("from\\to")
    };
    assert!(block(8, 80));
    assert!(!block(8, 40));
    assert!(!block(64, 400));
}

#[test]
fn nearly_equal_values_have_nearly_equal_colours() {
    let mut table = synthetic::pairs::table(4);
    for (i, s) in table
        .points
        .iter_mut()
        .flat_map(|p| &mut p.summaries)
        .enumerate()
    {
        s.median.center = 50.0 + i as f64 * 0.01;
    }
    let figure = only(&view(table));
    let shares = |v| figure::matrix::share(&figure, v);
    assert!((shares(50.2) - shares(50.0)).abs() < 0.05);
}

#[test]
fn modes_and_flags_are_shown_when_a_cell_is_pointed_at() {
    let (_, page, _) = drawn(&view(synthetic::pairs::table(8)));
    assert!(page.contains("3 of 120 samples interrupted</title>"));
    let cell = page
        .split("<title>from 1, to 3: ")
        .nth(1)
        .expect("the cell");
    let cell = cell.split("</title>").next().expect("its end");
    assert!(cell.contains("28.0 ns"), "{cell}");
}

#[test]
fn odd_data_are_drawn_too() {
    let changed = |change: &dyn Fn(&mut ExperimentTable)| {
        let mut table = synthetic::pairs::table(4);
        change(&mut table);
        let view = view(table);
        drawn(&view);
        only(&view)
    };
    assert!(changed(&|t| t.points.clear()).is_empty());
    let one = changed(&|t| t.points.truncate(1));
    assert_eq!(one.matrix.expect("a matrix").cells.len(), 1);
    let absent = changed(&|t| {
        for p in &mut t.points {
            p.head.state = PointState::Pending;
            p.summaries.clear();
        }
    });
    assert!(absent.is_empty());
    let broken = changed(&|t| t.points[3].summaries[0].median.center = f64::NAN);
    assert_eq!(broken.matrix.expect("a matrix").measured().count(), 10);
    changed(&|t| t.points[3].summaries[0].median.center = -5.0);
    changed(&|t| t.points[3].summaries[0].median.center = 0.0);
    changed(&|t| t.points[3].summaries[0].median.center = f64::INFINITY);
    changed(&|t| {
        for s in t.points.iter_mut().flat_map(|p| &mut p.summaries) {
            s.median.center = 7.0;
        }
    });
    changed(&|t| t.points.iter_mut().for_each(|p| p.head.settings.clear()));
    changed(&|t| t.head.figures[0].series.clear());
    // Another axis varies and nothing says which value to show.
    let doubled = changed(&|t| {
        let more = t.points.clone();
        t.points.extend(more);
    });
    let note = doubled.notes.iter().any(|n| n.contains("share a cell"));
    assert!(note, "{:?}", doubled.notes);
}
