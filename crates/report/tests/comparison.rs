//! Comparisons in words.

mod synthetic;

use analysis::{Comparison, Outcome, compare};
use report::document::terminal;

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
    let slow = b
        .tables
        .iter_mut()
        .find(|t| t.head.id == "copy/memcpy")
        .expect("the made-up run copies");
    for s in slow.points.iter_mut().flat_map(|p| &mut p.summaries) {
        for v in [
            &mut s.median.center,
            &mut s.median.low,
            &mut s.median.high,
            &mut s.min,
            &mut s.max,
            &mut s.mean,
        ] {
            *v *= 1.5;
        }
    }
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
