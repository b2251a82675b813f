//! Traces in a run's report: closed, together small, honest about what is cut.

mod synthetic;
mod timeline_capture;

use report::html;
use report::timeline::About;
use report::timeline::kept::{Content, Kept, PAGE_BYTES, fit};
use trace::timeline::Timeline;

fn kept(view: &analysis::RunView, events: usize) -> Kept {
    Kept {
        experiment: view.tables[1].head.id.clone(),
        point: format!("events={events}"),
        about: About {
            file: format!("traces/{events}.dat"),
            ..About::default()
        },
        content: Content::Whole(
            Timeline::of(&timeline_capture::capture(events, 2, false)).unwrap(),
        ),
    }
}

#[test]
fn a_report_without_traces_carries_no_timeline() {
    let view = synthetic::run();
    assert_eq!(html::render(&view), html::render_with(&view, &[]));
    assert!(!html::render(&view).contains("class=\"tl"));
    let mut absent = kept(&view, 10);
    absent.content = Content::Nothing("cannot open traces/10.dat: gone".to_owned());
    let page = html::render_with(&view, &[absent]);
    assert!(page.contains("No timeline of events=10: cannot open traces/10.dat: gone"));
    assert!(!page.contains("class=\"tl"));
}

#[test]
fn timelines_stand_closed_in_their_experiment() {
    let view = synthetic::run();
    let page = html::render_with(&view, &[kept(&view, 400), kept(&view, 900)]);
    let section = |at: usize| page.find(&format!("<code>{}</code> <span", view.tables[at].head.id));
    let first = page.find("<details class=\"trace\">").unwrap();
    assert!(section(1).unwrap() < first && first < section(2).unwrap());
    assert_eq!(page.matches("<section class=\"tl\"").count(), 2);
    assert!(!page.contains("<details class=\"trace\" open"));
    // The policy allows both scripts, and nothing else.
    let policy = &page[page.find("Content-Security-Policy").unwrap()..];
    let policy = &policy[..policy.find('>').unwrap()];
    assert_eq!(policy.matches("sha256-").count(), 4, "{policy}");
    assert!(page.contains("pontage trace explain traces/400.dat"));
}

#[test]
fn large_traces_are_cut_small_ones_are_not() {
    let view = synthetic::run();
    let mut traces = [500, 60_000, 40_000].map(|events| kept(&view, events));
    let limit = 150_000;
    fit(&mut traces, limit);
    assert!(matches!(traces[0].content, Content::Whole(_)));
    let mut bytes = 0;
    for large in &traces[1..] {
        let Content::Part(part, length_ns) = &large.content else {
            panic!("not cut");
        };
        assert!(part.length_ns() < *length_ns && part.slice_count() > 1000);
        let text = large.markup().into_string();
        assert!(text.contains("The first ") && text.contains("pontage trace timeline "));
    }
    for one in &traces {
        bytes += one.markup().into_string().len();
    }
    assert!((limit / 2..=limit).contains(&bytes), "{bytes} bytes");
}

#[test]
fn what_has_no_room_at_all_is_named() {
    let view = synthetic::run();
    let mut traces = [20_000, 30_000].map(|events| kept(&view, events));
    fit(&mut traces, 10_000);
    for one in &traces {
        let text = one.markup().into_string();
        assert!(text.contains("the page is full"), "{text}");
        assert!(text.contains("pontage trace timeline traces/"));
    }
}

#[test]
fn a_page_with_many_traces_stays_under_two_megabytes() {
    let view = synthetic::run();
    let mut traces: Vec<Kept> = (0..30).map(|i| kept(&view, 3_000 + i)).collect();
    fit(&mut traces, PAGE_BYTES);
    let page = html::render_with(&view, &traces);
    assert!(page.len() < 2 << 20, "{} bytes", page.len());
    assert!(traces.iter().filter(|t| t.is_drawn()).count() > 10);
}
