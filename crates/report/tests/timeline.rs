//! The page of a timeline: well-formed, escaped, self-contained, and readable
//! without its script.

mod timeline_capture;

use report::timeline::{About, page, policy, section};
use trace::timeline::{Account, CpuLane, End, Gap, Slice, Task, Timeline, Wait};

fn about(file: &str) -> About {
    About {
        file: file.to_owned(),
        uname: Some("Linux <6.12>".to_owned()),
        clock: Some("mono".to_owned()),
        generator: None,
    }
}

fn made(events: usize, gaps: bool) -> String {
    let capture = timeline_capture::capture(events, 2, gaps);
    page(&Timeline::of(&capture).unwrap(), &about("made up.dat"))
}

/// Text of the first element that begins with `open`.
fn between<'a>(page: &'a str, open: &str, close: &str) -> &'a str {
    let begin = page.find(open).unwrap_or_else(|| panic!("no {open}")) + open.len();
    let rest = &page[begin..];
    &rest[..rest.find(close).expect("it ends")]
}

#[test]
fn nothing_is_fetched_and_everything_is_there() {
    let page = made(2000, false);
    for wanted in ["src=", "href=\"http", "url(", "@import", "<link"] {
        let markup = page.replace(between(&page, "<script>", "</script>"), "");
        assert!(!markup.contains(wanted), "{wanted} in the page");
    }
    let head = between(
        &page,
        r#"<script class="tl-head" type="application/json">"#,
        "</script>",
    );
    let head: serde_json::Value = serde_json::from_str(head).unwrap();
    assert_eq!(head["cpus"].as_array().unwrap().len(), 2);
    assert_eq!(head["title"], "made up.dat");
    assert!(head["length_ns"].as_u64().unwrap() > 0);
    let names = head["names"].to_string();
    assert!(names.contains("hrtimer tick_nohz_handler"), "{names}");
    let data = between(
        &page,
        r#"<script class="tl-data" type="text/plain">"#,
        "</script>",
    );
    assert!(data.len() > 1000 && data.len().is_multiple_of(4));
    assert!(page.contains("default-src 'none'"));
}

#[test]
fn without_the_script_there_are_load_and_table() {
    let page = made(4000, true);
    let fallback = between(&page, r#"<div class="tl-static">"#, "<script");
    assert_eq!(fallback.matches("<path").count(), 2);
    assert_eq!(fallback.matches("<tr>").count(), 1 + 12);
    assert!(fallback.contains("pipe-100") && fallback.contains(" ms"));
    assert!(fallback.contains(r#"class="gap""#));
    assert!(
        between(&page, r#"role="alert">"#, "</p>")
            .contains("events are missing in 2 gaps (34 events at least)")
    );
}

#[test]
fn names_cannot_break_out() {
    let timeline = Timeline {
        end_ns: 100,
        cpus: vec![CpuLane {
            slices: vec![Slice {
                start_ns: 0,
                end_ns: 60,
                task: 0,
                end: End::Blocked('S'),
                begun_before: false,
                wait: Wait::Unknown,
            }],
            gaps: vec![Gap {
                start_ns: 70,
                end_ns: 90,
                count: None,
            }],
            ..CpuLane::default()
        }],
        tasks: vec![Task {
            pid: 7,
            name: "</script><b>".to_owned(),
            before: vec!["<u>".to_owned()],
        }],
        names: vec!["<!--".to_owned()],
        account: Account {
            events: 2,
            ..Account::default()
        },
        ..Timeline::default()
    };
    let page = page(&timeline, &about("<i>.dat"));
    assert!(!page.contains("</script><b>") && !page.contains("<i>.dat"));
    assert!(!page.contains("<!--") && !page.contains("<6.12>"));
    assert!(page.contains("&lt;/script&gt;&lt;b&gt;"));
    assert!(page.contains("events are missing in 1 gap:"));
}

#[test]
fn a_switch_that_is_hidden_is_no_loss() {
    let gap = |count| Gap {
        start_ns: 10,
        end_ns: 20,
        count,
    };
    let timeline = Timeline {
        end_ns: 100,
        cpus: vec![CpuLane {
            gaps: vec![gap(Some(0)), gap(Some(0)), gap(None)],
            ..CpuLane::default()
        }],
        ..Timeline::default()
    };
    let page = page(&timeline, &about("a.dat"));
    assert!(page.contains("2 switches are not in the trace although nothing was lost"));
    assert!(page.contains("events are missing in 1 gap:"));
    // It is no alarm, as the loss is, and that there are no slices.
    assert_eq!(page.matches(r#"<p class="alarm""#).count(), 2);
    let note = between(&page, r#"<p class="tl-note">"#, "</p>");
    assert!(note.contains("switches"), "{note}");
}

#[test]
fn a_capture_without_slices_says_what_it_lacks() {
    let page = page(&Timeline::default(), &about("empty.dat"));
    assert!(page.contains("the trace has no sched_switch"));
}

#[test]
fn a_report_can_carry_a_section() {
    let own = "default-src 'none'; script-src 'sha256-a'; style-src 'sha256-b'; base-uri 'none'";
    let both = policy(own);
    assert_eq!(both.matches("'sha256-").count(), 4, "{both}");
    assert!(both.starts_with("default-src 'none'; script-src 'sha256-a' 'sha256-"));
    assert!(both.ends_with("; base-uri 'none'"));
    let timeline = Timeline::of(&timeline_capture::capture(500, 1, false)).unwrap();
    let section = section(&timeline, &about("a.dat")).into_string();
    assert!(section.starts_with("<section class=\"tl\"") && section.ends_with("</section>"));
}
