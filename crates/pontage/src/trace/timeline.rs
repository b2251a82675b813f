//! `pontage trace timeline`: a trace as a page to look at.

use super::arguments;
use crate::failure::{Failure, Outcome};
use crate::output;
use ::report::timeline::{About, page};
use ::trace::timeline::Timeline;
use std::path::{Path, PathBuf};

/// Browsers still open pages of more, but nobody enjoys it.
const LARGE_PAGE_BYTES: usize = 40 << 20;

/// # Errors
/// A file that cannot be read or written.
pub fn run(arguments: &arguments::Timeline) -> Outcome {
    let file = &arguments.trace.file;
    let capture = arguments.trace.open()?;
    let cannot = |why: &str| Failure::new(format!("cannot draw {}: {why}", file.display()));
    if !capture.head.in_nanoseconds() {
        let clock = capture.head.clock.as_deref().unwrap_or("?");
        return Err(cannot(&format!("its clock {clock} counts no time"))
            .hint("record with another clock: pontage trace record"));
    }
    let timeline = Timeline::of(&capture)?;
    if timeline.account.events == 0 {
        return Err(
            cannot("it has no events").hint("to record some: pontage trace record -e sched -- CMD")
        );
    }
    let about = About {
        file: file.display().to_string(),
        uname: capture.head.uname.clone(),
        clock: capture.head.clock.clone(),
        generator: Some(pontage::VERSION.to_owned()),
    };
    let page = page(&timeline, &about);
    let html = arguments.out.clone().unwrap_or_else(|| page_of(file));
    super::cut::refuse_same(file, &html, "--out")?;
    let hint = "name another file with: pontage trace timeline FILE --out OUT";
    output::page(&html, &page, hint)?;
    report_written(&timeline, &html, page.len());
    if arguments.open {
        output::open_in_browser(&html)?;
    }
    super::unread(timeline.account.damaged_pages)
}

/// `trace.dat.html` next to `trace.dat`.
fn page_of(file: &Path) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(".html");
    name.into()
}

fn report_written(timeline: &Timeline, html: &Path, page_bytes: usize) {
    let account = &timeline.account;
    harness::message!(
        "pontage: {}: {} events, {} slices, {} KiB",
        html.display(),
        account.events,
        timeline.slice_count(),
        page_bytes.div_ceil(1024)
    );
    let gaps = || timeline.cpus.iter().flat_map(|cpu| &cpu.gaps);
    let hidden = gaps().filter(|gap| gap.is_missing_switch()).count();
    let lost = gaps().count() - hidden;
    if lost > 0 {
        harness::message!(
            "pontage: events are missing in {lost} places, nothing is drawn across them"
        );
    }
    if hidden > 0 {
        harness::message!(
            "pontage: switches are missing in {hidden} places although nothing was lost (the \
             kernel hides some tasks)"
        );
    }
    if account.damaged_pages > 0 {
        harness::message!(
            "pontage: {} pages could not be read and are left out",
            account.damaged_pages
        );
    }
    if timeline.slice_count() == 0 {
        harness::message!(
            "pontage: no slices: the trace has no sched_switch\n\
             hint: pontage trace record -e sched -- CMD"
        );
    }
    if page_bytes > LARGE_PAGE_BYTES {
        harness::message!(
            "pontage: the page is large\n\
             hint: draw a part: pontage trace cut FILE --from 1s --to 2s --out PART"
        );
    }
}
