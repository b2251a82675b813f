//! A trace as a timeline: a page of its own, or a section of a run's report.
//! Nothing is fetched when it is opened. Without its script there are an
//! overview of each CPU's load and the busiest tasks as a table.

mod data;
pub mod kept;
mod overview;

pub use overview::Detail;

use crate::format::counted;
use crate::html::frame::Frame;
use maud::{DOCTYPE, Markup, PreEscaped, html};
use trace::timeline::Timeline;

/// Bundled from `ui/src/timeline`.
const SCRIPT: &str = include_str!("../../ui/timeline.js");
const STYLE: &str = include_str!("../../ui/timeline.css");
/// Content security policy with the hashes of exactly these two files.
const POLICY: &str = include_str!("../../ui/timeline-policy.txt");

/// What is known of a trace besides its events.
#[derive(Debug, Clone, Default)]
pub struct About {
    /// The file's name, as commands that a reader copies should have it.
    pub file: String,
    /// `uname -a` of the traced machine.
    pub uname: Option<String>,
    /// The trace's clock: `mono`.
    pub clock: Option<String>,
    /// Version of the program that draws it.
    pub generator: Option<String>,
}

/// The whole page.
pub fn page(timeline: &Timeline, about: &About) -> String {
    let frame = Frame {
        policy: POLICY.trim(),
        generator: about.generator.as_deref(),
        title: &format!("Timeline: {}", about.file),
    };
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            (frame.head(style()))
            body.tl-page {
                @for alarm in alarms(timeline) { p.alarm role="alert" { (alarm) } }
                @if let Some(hidden) = hidden(timeline) { p.tl-note { (hidden) } }
                header {
                    h1 { (about.file) }
                    p { (said(timeline, about)) }
                    button #theme type="button" hidden { "Dark" }
                }
                (section(timeline, about))
                (script())
            }
        }
    };
    escape::page(&page.into_string()).into_owned()
}

/// The timeline as a part of another page. That page needs [`style`] once in its
/// head, [`script`] once behind the last section (and behind its own script),
/// and [`policy`] of its own content security policy.
pub fn section(timeline: &Timeline, about: &About) -> Markup {
    detailed_section(timeline, about, Detail::PAGE)
}

fn detailed_section(timeline: &Timeline, about: &About, detail: Detail) -> Markup {
    html! {
        section.tl aria-label={ "Timeline of " (about.file) } {
            div.tl-static {
                (overview::figure(timeline, detail))
                (overview::table(timeline, detail))
            }
            script.tl-head type="application/json" { (data::head(timeline, about)) }
            script.tl-data type="text/plain" { (PreEscaped(data::columns(timeline))) }
        }
    }
}

/// The style of a timeline's page.
pub fn style() -> Markup {
    html! { style { (PreEscaped(STYLE)) } }
}

/// The program of a timeline's page.
pub fn script() -> Markup {
    html! { script { (PreEscaped(SCRIPT)) } }
}

/// `own`, a page's content security policy, that allows the timeline too.
pub fn policy(own: &str) -> String {
    let hashes = |directive: &str| {
        let mut parts = POLICY.trim().split("; ");
        parts.find_map(|part| part.strip_prefix(directive).map(str::trim))
    };
    let allow = |part: &str| {
        let name = part.split(' ').next().unwrap_or_default();
        let added = matches!(name, "script-src" | "style-src").then(|| hashes(name));
        match added.flatten() {
            Some(added) => format!("{part} {added}"),
            None => part.to_owned(),
        }
    };
    let parts: Vec<String> = own.trim().split("; ").map(allow).collect();
    parts.join("; ")
}

/// What makes the picture incomplete.
fn alarms(timeline: &Timeline) -> Vec<String> {
    let account = &timeline.account;
    let gaps = timeline.cpus.iter().flat_map(|cpu| &cpu.gaps);
    let lost = gaps.filter(|gap| !gap.is_missing_switch()).count();
    let at_least = match account.lost_events {
        0 => String::new(),
        n => format!(" ({} at least)", counted(n, "event", "events")),
    };
    let lost = (lost > 0).then(|| {
        let gaps = counted(lost, "gap", "gaps");
        format!("events are missing in {gaps}{at_least}: hatched, nothing is drawn across them")
    });
    let damaged = account.damaged_pages;
    let damaged =
        (damaged > 0).then(|| format!("{} could not be read", counted(damaged, "page", "pages")));
    let empty = "no slices: the trace has no sched_switch (pontage trace record -e sched)";
    let empty = (timeline.slice_count() == 0).then(|| empty.to_owned());
    [lost, damaged, empty].into_iter().flatten().collect()
}

/// Every trace of a kernel that hides tasks has such places: nothing went wrong.
fn hidden(timeline: &Timeline) -> Option<String> {
    let gaps = timeline.cpus.iter().flat_map(|cpu| &cpu.gaps);
    let hidden = gaps.filter(|gap| gap.is_missing_switch()).count();
    (hidden > 0).then(|| {
        format!(
            "{} not in the trace although nothing was lost (some kernels hide tasks): hatched",
            counted(hidden, "switch is", "switches are")
        )
    })
}

fn said(timeline: &Timeline, about: &About) -> String {
    let mut parts = vec![
        crate::format::time_ns(timeline.length_ns() as f64, 4),
        counted(timeline.account.events, "event", "events"),
        counted(timeline.cpus.len(), "CPU", "CPUs"),
        counted(timeline.tasks.len(), "task", "tasks"),
    ];
    parts.extend(about.clock.as_ref().map(|clock| format!("clock {clock}")));
    parts.extend(about.uname.clone());
    parts.join(" · ")
}
