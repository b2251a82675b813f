//! What the capture lacks: events that were lost, pages that could not be read.

use super::{Sentence, alarm, say};
use crate::analyse::summary::Summary;
use crate::analyse::words::{Time, sum_ns};

const TOPIC: &str = "lost events";
const GAPS: &str = "gaps marked in the pages; anything that spans one on its CPU is dropped, not \
                    guessed";

/// What the recording lost, and what follows from that.
pub fn losses(s: &Summary) -> Vec<Sentence> {
    let found = [gaps(s), kernel_count(s), damage(s), missed_switches(s)];
    let mut all: Vec<Sentence> = found.into_iter().flatten().collect();
    if !all.iter().any(|sentence| sentence.alarm) {
        all.push(say(TOPIC, "No events were lost.".to_owned(), GAPS));
    }
    all
}

/// Gaps that the pages of the capture mark.
fn gaps(s: &Summary) -> Option<Sentence> {
    let p = &s.pass;
    if p.gaps == 0 {
        return None;
    }
    let more = match p.gaps_uncounted {
        0 => String::new(),
        n => format!(", and unknown numbers in {n}"),
    };
    let unknown: u64 = sum_ns(s.tasks.cpus.iter().map(|c| c.unknown_ns));
    let text = format!(
        "Events lost: {} (gaps: {}{more}); {} of CPU time is unknown, waits dropped: {}.",
        p.lost_events,
        p.gaps,
        Time::ns(unknown),
        s.tasks.dropped_waits
    );
    Some(alarm(TOPIC, text, GAPS))
}

/// The kernel counts the events that a full ring refused, and marks no gap for them.
fn kernel_count(s: &Summary) -> Option<Sentence> {
    let lost = s.lost_by_kernel.filter(|lost| *lost > 0)?;
    Some(alarm(
        TOPIC,
        format!("The kernel's ring buffers lost {lost} events while recording."),
        "overrun, dropped events and commit overrun of per_cpu/cpuN/stats",
    ))
}

fn damage(s: &Summary) -> Option<Sentence> {
    let first = s.pass.damage.as_ref()?;
    let text = format!(
        "Pages that could not be read: {}; the first: {first}.",
        s.pass.damaged_pages
    );
    let definition = "pages whose lengths contradict each other";
    Some(alarm(TOPIC, text, definition))
}

/// No alarm: every trace of a kernel that hides tasks has them.
fn missed_switches(s: &Summary) -> Option<Sentence> {
    if s.tasks.missed_switches == 0 || !s.has_switches() {
        return None;
    }
    let text = format!(
        "Switches missing without a marked gap: {}; which task ran in between is unknown.",
        s.tasks.missed_switches
    );
    Some(say(
        TOPIC,
        text,
        "an event names another running task than the one switched in; some kernels hide tasks",
    ))
}
