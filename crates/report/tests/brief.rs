//! The answer on one screen against committed transcripts, read at three widths. After a change that
//! is meant: `UPDATE_GOLDEN=1 cargo test -p pontage-report --test brief`, then read the difference.

mod golden;
mod synthetic;

use analysis::RunView;
use golden::golden;
use report::document::{Document, terminal};
use report::terminal::{brief, section};

fn shown(view: &RunView, width: usize) -> String {
    terminal::write(&brief::document(view, width, None), width, false)
}

/// A run of one of its experiments.
fn one(id: &str) -> RunView {
    let mut view = synthetic::run();
    view.tables.retain(|t| t.head.id == id);
    assert_eq!(view.tables.len(), 1, "{id}");
    view.head.points.retain(|p| p.experiment == id);
    view.head.findings.retain(|f| f.experiment == id);
    view.head.claims.retain(|c| c.experiment == id);
    view
}

#[test]
fn a_whole_run_at_three_widths() {
    for width in [80, 100, 200] {
        golden(
            &format!("brief-{width}.txt"),
            &shown(&synthetic::run(), width),
        );
    }
}

#[test]
fn one_experiment_at_three_widths() {
    for width in [80, 100, 200] {
        let text =
            shown(&one("mem/latency"), width) + "\n" + &shown(&one("syscall/getppid"), width);
        golden(&format!("one-{width}.txt"), &text);
    }
}

#[test]
fn a_run_takes_forty_lines_and_an_experiment_twenty_five() {
    let lines = |text: String| text.lines().count();
    assert!(lines(shown(&synthetic::run(), 100)) <= 40);
    assert!(lines(shown(&synthetic::run(), 200)) <= 40);
    for table in synthetic::run().tables {
        let text = shown(&one(&table.head.id), 100);
        assert!(text.lines().count() <= 25, "{}\n{text}", table.head.id);
    }
}

#[test]
fn nothing_is_wider_than_the_window() {
    let views = [
        synthetic::run(),
        synthetic::incomplete(),
        one("mem/latency"),
    ];
    for view in &views {
        for width in [60, 80, 100, 140, 200] {
            let quiet = terminal::write(&brief::quiet(view), width, false);
            for line in shown(view, width).lines().chain(quiet.lines()) {
                assert!(line.chars().count() <= width, "{width}: {line}");
            }
        }
    }
}

#[test]
fn every_part_has_a_name_and_can_be_shown() {
    let view = synthetic::run();
    let names = section::names(&view);
    assert!(names.len() > view.tables.len());
    for name in names.iter().chain([&"mem".to_owned()]) {
        let document = section::document(&view, name, 100);
        assert!(document.is_some_and(|d: Document| !d.is_empty()), "{name}");
    }
    assert!(section::document(&view, "no/such", 100).is_none());
}

#[test]
fn an_interrupted_run_says_so_first_and_how_to_finish_it_last() {
    let text = shown(&synthetic::incomplete(), 100);
    assert!(
        text.starts_with("!! incomplete: stopped by SIGINT"),
        "{text}"
    );
    assert!(text.contains("finish: pontage run --resume"), "{text}");
}
