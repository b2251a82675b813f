//! The traces that a run kept, as sections of its report: closed until a reader
//! opens them, and together no larger than a page can carry.

use super::{About, Detail, alarms, detailed_section, hidden};
use crate::format::{counted, time_ns};
use maud::{Markup, html};
use trace::timeline::Timeline;

/// Of all timelines of a report, in bytes of the page.
pub const PAGE_BYTES: usize = 512 << 10;
/// With less a timeline shows nothing worth opening; it is only named then.
const LEAST_BYTES: usize = 24 << 10;

/// A trace of a run.
#[derive(Debug, Clone)]
pub struct Kept {
    pub experiment: String,
    /// `policy=rr rank=90/90`, the point that it was recorded for.
    pub point: String,
    /// `file` as a command takes it.
    pub about: About,
    pub content: Content,
}

/// How much of a kept trace is drawn.
#[derive(Debug, Clone)]
pub enum Content {
    Whole(Timeline),
    /// From the begin, as much as has room; the length of the whole, ns.
    Part(Timeline, u64),
    /// Why there is no picture.
    Nothing(String),
}

impl Kept {
    /// Whether there is a picture of it.
    pub fn is_drawn(&self) -> bool {
        !matches!(self.content, Content::Nothing(_))
    }

    /// Closed; its script begins when it is opened.
    pub fn markup(&self) -> Markup {
        let file = &self.about.file;
        let (timeline, length_ns) = match &self.content {
            Content::Nothing(why) => {
                return html! { p.note { "No timeline " @if !self.point.is_empty() { "of " (self.point) } ": " (why) } };
            }
            Content::Whole(timeline) => (timeline, timeline.length_ns()),
            Content::Part(timeline, length_ns) => (timeline, *length_ns),
        };
        let drawn = time_ns(timeline.length_ns() as f64, 3);
        html! {
            details.trace {
                summary {
                    b { "Timeline" } " " (self.point) " · " (time_ns(length_ns as f64, 3)) " · "
                    (counted(timeline.account.events, "event", "events"))
                }
                @if let Content::Part(..) = self.content {
                    p.note {
                        "The first " (drawn) " of the trace; all of it: "
                        code { "pontage trace timeline " (file) " --open" }
                    }
                }
                @for alarm in alarms(timeline) { p.note { (alarm) } }
                @if let Some(hidden) = hidden(timeline) { p.note { (hidden) } }
                (detailed_section(timeline, &self.about, Detail::PART))
                p.note { "The trace explained in sentences: " code { "pontage trace explain " (file) } }
            }
        }
    }

    fn bytes(&self) -> usize {
        self.markup().into_string().len()
    }
}

/// Cuts the traces so that all of them take `most_bytes` at most: the small ones
/// whole, the large ones equal shares of the rest, from their begins.
pub fn fit(traces: &mut [Kept], most_bytes: usize) {
    let drawn = traces
        .iter()
        .enumerate()
        .filter(|(_, kept)| kept.is_drawn());
    let mut by_size: Vec<(usize, usize)> = drawn.map(|(at, kept)| (kept.bytes(), at)).collect();
    by_size.sort_unstable();
    let mut left = most_bytes;
    for (done, (bytes, at)) in by_size.iter().enumerate() {
        let share = left / (by_size.len() - done);
        if *bytes > share {
            cut(&mut traces[*at], share.max(LEAST_BYTES).min(left), *bytes);
        }
        left = left.saturating_sub(match traces[*at].is_drawn() {
            true => traces[*at].bytes(),
            false => 0,
        });
    }
}

fn cut(kept: &mut Kept, most_bytes: usize, mut bytes: usize) {
    let Content::Whole(whole) = &kept.content else {
        return;
    };
    let whole = whole.clone();
    let mut length_ns = whole.length_ns() as f64;
    while most_bytes >= LEAST_BYTES && length_ns > 1000.0 {
        length_ns *= (most_bytes as f64 / bytes as f64).min(1.0) * 0.9;
        let part = whole.part(whole.begin_ns, whole.begin_ns + analysis::whole(length_ns));
        kept.content = Content::Part(part, whole.length_ns());
        bytes = kept.bytes();
        if bytes <= most_bytes {
            return;
        }
    }
    let file = &kept.about.file;
    kept.content = Content::Nothing(format!(
        "the page is full; draw it with: pontage trace timeline {file} --open"
    ));
}
