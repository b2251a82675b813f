//! All that Pontage does with a trace once it can be read.

use report::timeline::{About, page};
use std::io::sink;
use trace::analyse::explain::explain;
use trace::analyse::functions::CallTree;
use trace::analyse::timers::Life;
use trace::analyse::{Known, Pass, Symbols, Visitor, compare};
use trace::export::{chrome, perfetto};
use trace::text::{Lines, Style};
use trace::timeline::Timeline;
use trace::{Capture, Item, Selection};

/// More events than this are not worth their time: what goes wrong does so
/// among fewer.
const MOST_EVENTS: usize = 20_000;

/// Read, printed, counted, drawn and exported.
pub fn everything(capture: &Capture) {
    let Some(middle_ns) = by_time(capture) else {
        return;
    };
    lines(capture);
    exported(capture, middle_ns);
    analysed(capture);
    if let Some(timeline) = drawn(capture, middle_ns) {
        let _ = page(&timeline, &About::default());
    }
}

/// Counted and drawn: much faster than everything.
pub fn judged(capture: &Capture) {
    if let Some(middle_ns) = by_time(capture) {
        analysed(capture);
        let _ = drawn(capture, middle_ns);
    }
}

/// The stamp in the middle; None where there are too many events.
fn by_time(capture: &Capture) -> Option<u64> {
    let mut stamps = Vec::new();
    let mut items = capture.merged();
    while let Some(item) = items.next() {
        if let Ok(Item::Event(event)) = item {
            stamps.push(event.at_ns);
        }
        if stamps.len() > MOST_EVENTS {
            return None;
        }
    }
    Some(stamps.get(stamps.len() / 2).copied().unwrap_or(0))
}

fn lines(capture: &Capture) {
    for (style, raw) in [
        (Style::Text, false),
        (Style::Text, true),
        (Style::Json, false),
        (Style::Csv, false),
    ] {
        let mut lines = Lines::new(capture, style, raw);
        let mut text = String::new();
        let mut items = capture.merged();
        while let Some(item) = items.next() {
            let Ok(item) = item else { continue };
            text.clear();
            lines.write(&item, &mut text);
            let ends = text.matches('\n').count();
            assert!(
                ends == 1 || style != Style::Json,
                "an object a line: {text:?}"
            );
        }
        let _ = lines.printer.all_not_understood();
    }
}

fn analysed(capture: &Capture) {
    let summary = trace::analyse::summary::Summary::of(capture);
    let _ = explain(&summary);
    let _ = compare::compare(&summary, &summary);
    let (_, _) = (summary.fairness(), summary.load_imbalance());
    for cpu in &summary.pass.cpus {
        assert!(cpu.until_ns >= cpu.first_ns, "{cpu:?}");
    }
    let symbols = Symbols::parse(&capture.head.kallsyms);
    let known = Known::of(capture);
    let (mut tree, mut life) = (
        CallTree::new(&known, &symbols, None),
        Life::new(None, None, &symbols),
    );
    let mut visitors: [&mut dyn Visitor; 2] = [&mut tree, &mut life];
    let _ = Pass::over(capture, &known, &mut visitors);
    let _ = tree.lines(&symbols, 0.0);
}

fn drawn(capture: &Capture, middle_ns: u64) -> Option<Timeline> {
    let timeline = Timeline::of(capture).ok()?;
    let _ = timeline.encode();
    let part = timeline.part(timeline.begin_ns, middle_ns);
    assert!(part.begin_ns <= part.end_ns, "{part:?}");
    let _ = part.encode();
    Some(timeline)
}

fn exported(capture: &Capture, middle_ns: u64) {
    let half = Selection {
        from_ns: middle_ns,
        ..Selection::all()
    };
    for selection in [Selection::all(), half] {
        let ignored = |_| {};
        chrome::write(capture, &selection, &mut sink(), ignored).expect("a sink takes all");
        perfetto::write(capture, &selection, &mut sink(), ignored).expect("a sink takes all");
    }
}
