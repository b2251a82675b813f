//! Comparisons in words.

#[path = "golden/mod.rs"]
mod golden;
mod synthetic;

use analysis::compare::{History, Verdict};
use analysis::{CompareOptions, Comparison, Outcome, RunView, compare, compare_with};
use golden::golden;
use report::document::terminal;

/// Every `step`-th point of an experiment takes so many times as long.
fn changed(view: &mut RunView, id: &str, step: usize, factor: f64) {
    let table = view.tables.iter_mut().find(|t| t.head.id == id);
    let points = table.expect("the made-up run has it").points.iter_mut();
    for s in points.step_by(step).flat_map(|p| &mut p.summaries) {
        for v in [
            &mut s.median.center,
            &mut s.median.low,
            &mut s.median.high,
            &mut s.min,
            &mut s.max,
            &mut s.mean,
        ] {
            *v *= factor;
        }
    }
}

fn brief(c: &Comparison, runs: [&RunView; 2], width: usize) -> String {
    let document = report::terminal::comparison_brief(c, runs, width);
    terminal::write(&document, width, false)
}

fn render_comparison(c: &Comparison, width: usize, colour: bool) -> String {
    terminal::write(&report::terminal::comparison(c), width, colour)
}

#[test]
fn a_run_against_itself_is_the_same() {
    let view = synthetic::run();
    let text = render_comparison(&compare(&view, &view, 0.05), 80, false);
    assert!(text.contains("0 worse, 0 better"), "{text}");
    assert!(!text.contains("Worse\n"));
}

#[test]
fn a_slower_copy_is_named_with_its_ratio() {
    let a = synthetic::run();
    let mut b = a.clone();
    changed(&mut b, "copy/memcpy", 1, 1.5);
    let comparison = compare(&a, &b, 0.05);
    assert!(comparison.count(Outcome::Worse) > 0);
    for (width, colour) in [(80, false), (160, false), (80, true)] {
        let text = render_comparison(&comparison, width, colour);
        assert!(text.contains("Worse"), "{text}");
        assert!(text.contains("+50 %"), "{text}");
        assert_eq!(text.contains('\x1b'), colour);
    }
    let plain = render_comparison(&comparison, 80, false);
    for line in plain.lines() {
        assert!(line.chars().count() <= 80, "{line}");
    }
}

#[test]
fn another_machine_is_said_first() {
    let a = synthetic::run();
    let mut b = a.clone();
    b.head.machine.cpu_model = "Other CPU".to_owned();
    let text = render_comparison(&compare(&a, &b, 0.05), 80, false);
    assert!(text.lines().take(5).any(|l| l.starts_with("!  ")), "{text}");
}

/// A few copies got slower and a few loads faster.
fn mixed() -> [RunView; 2] {
    let a = synthetic::run();
    let mut b = a.clone();
    b.head.id = "20260102T000000Z-synthetic".to_owned();
    b.head.labels.name = Some("after".to_owned());
    changed(&mut b, "copy/memcpy", 5, 2.1);
    changed(&mut b, "mem/latency", 6, 0.6);
    [a, b]
}

#[test]
fn one_screen_of_80_and_100_columns() {
    let [a, b] = mixed();
    let comparison = compare(&a, &b, 0.05);
    assert!(comparison.count(Outcome::Worse) > 1 && comparison.count(Outcome::Better) > 1);
    for width in [80, 100] {
        let text = brief(&comparison, [&a, &b], width);
        golden(&format!("comparison-{width}.txt"), &text);
    }
}

#[track_caller]
fn expect_one_screen(c: &Comparison, runs: [&RunView; 2]) {
    for (width, most) in [(80, 36), (100, 30), (160, 30)] {
        let text = brief(c, runs, width);
        assert!(text.lines().count() <= most, "at {width}:\n{text}");
        for line in text.lines() {
            assert!(line.chars().count() <= width, "at {width}: {line}");
        }
    }
}

#[test]
fn one_screen_holds_any_number_of_changes() {
    let a = synthetic::run();
    let mut b = a.clone();
    expect_one_screen(&compare(&a, &b, 0.05), [&a, &b]);
    let ids: Vec<String> = a.tables.iter().map(|t| t.head.id.clone()).collect();
    for (at, id) in ids.iter().enumerate() {
        changed(&mut b, id, 1, if at % 2 == 0 { 3.0 } else { 0.3 });
        expect_one_screen(&compare(&a, &b, 0.05), [&a, &b]);
    }
    b.head.machine.cpu_model = "Another CPU with a name that is long, ".repeat(4);
    b.head.machine.kernel = "another".to_owned();
    b.head.tool_version = "another".to_owned();
    expect_one_screen(&compare(&a, &b, 0.05), [&a, &b]);
    let options = CompareOptions {
        threshold: 0.05,
        across_machines: true,
    };
    let across = compare_with(&a, &b, options, &History::default());
    expect_one_screen(&across, [&a, &b]);
    let empty = synthetic::incomplete();
    expect_one_screen(&compare(&a, &empty, 0.05), [&a, &empty]);
}

#[test]
fn the_verdict_says_what_it_rests_on() {
    let a = synthetic::run();
    let said = |b: &RunView| {
        let comparison = compare(&a, b, 0.05);
        let text = brief(&comparison, [&a, b], 400);
        (comparison.gate.verdict, text)
    };
    let (verdict, text) = said(&a);
    assert_eq!(verdict, Verdict::Passed);
    assert!(
        text.contains("Same machine, kernel, version and recipe."),
        "{text}"
    );
    assert!(
        text.contains("No regression shown: nothing became worse"),
        "{text}"
    );
    let mut slow = a.clone();
    changed(&mut slow, "copy/memcpy", 1, 2.0);
    let (verdict, text) = said(&slow);
    assert_eq!(verdict, Verdict::Failed);
    assert!(
        text.contains("Worse: copy/memcpy x2.00 as a whole"),
        "{text}"
    );
    // Nothing but the machine can have done it.
    assert!(
        text.contains("if you changed nothing else, that is the machine"),
        "{text}"
    );
    assert!(text.contains("in turn: pontage ab copy/memcpy."), "{text}");
    slow.head.tool_version = "9.9.9".to_owned();
    let (_, text) = said(&slow);
    assert!(text.contains("Same machine, kernel and recipe."), "{text}");
    assert!(
        text.contains("A regression if it comes from what differs (version)"),
        "{text}"
    );
    slow.head.machine.cpu_model = "Other CPU".to_owned();
    let (verdict, text) = said(&slow);
    assert_eq!(verdict, Verdict::Unknown);
    assert!(text.contains("No verdict: different cpu model"), "{text}");
    assert!(text.contains("--across-machines"), "{text}");
}

#[test]
fn the_short_form_is_markdown_too() {
    let [a, b] = mixed();
    let document = report::terminal::comparison_brief(&compare(&a, &b, 0.05), [&a, &b], 1000);
    let text = report::document::markdown::write(&document);
    assert!(
        text.contains("| **Worse** | A | B | B/A | 95 % |"),
        "{text}"
    );
    assert!(text.contains("- **Worse:** 11 values"), "{text}");
}

#[test]
fn changes_that_are_not_shown_are_counted_by_area() {
    let a = synthetic::run();
    let mut b = a.clone();
    changed(&mut b, "copy/memcpy", 1, 2.0);
    let comparison = compare(&a, &b, 0.05);
    let worse = comparison.count(Outcome::Worse);
    let text = brief(&comparison, [&a, &b], 100);
    assert!(
        text.contains(&format!("Worse in    copy ({worse} of ")),
        "{text}"
    );
    let unchanged = text.lines().find(|l| l.starts_with("Unchanged"));
    let unchanged = unchanged.unwrap_or_else(|| panic!("{text}"));
    assert!(
        unchanged.contains("mem") && !unchanged.contains("copy"),
        "{text}"
    );
    assert!(
        text.contains(&format!("All {worse} changes, and every experiment: --all")),
        "{text}"
    );
}
