//! What the record says of counters: each event, or why it is absent, and sentences.

use super::plan::{CounterPlan, USER};
use probe::counters::selftest::{SelfTest, Verdict};
use probe::counters::{Absence, Event, watchdog_holds_a_counter};
use record::{CounterAbsence, CounterHead, CountersHead};
use std::path::Path;

/// An event, counted in this scope or absent.
pub(super) fn head(event: &Event, scope: &str, absence: Option<Absence>) -> CounterHead {
    CounterHead {
        alias: event.alias.clone(),
        event: event.real(),
        note: event.note.clone(),
        scope: scope.to_owned(),
        absent: absence.map(absent),
        ..CounterHead::default()
    }
}

pub(super) fn absent(Absence { reason, remedy }: Absence) -> CounterAbsence {
    CounterAbsence { reason, remedy }
}

/// A counter that does not count.
pub(super) fn dead(why: &str) -> Absence {
    Absence::new(
        format!("the counter does not count: in a test with known work it {why}"),
        "none: the counters of this processor or of its hypervisor are at fault; pontage doctor \
         --all shows which",
    )
}

/// A counter that another user has.
pub(super) fn starved(why: &str, root: &Path) -> Absence {
    let remedy = match watchdog_holds_a_counter(root) {
        true => "sudo sysctl kernel.nmi_watchdog=0",
        false => "none: end what else counts on this CPU (perf, a monitor of the host)",
    };
    Absence::new(format!("no counter was free for it: it {why}"), remedy)
}

/// No group of any size counts.
pub(super) fn no_place(test: &SelfTest) -> Absence {
    let places = test.sizes.iter().flat_map(|s| &s.places);
    let why = places.filter_map(Verdict::why).next();
    dead(why.unwrap_or("was not opened"))
}

/// An event that needs more counters than count.
pub(super) fn too_large(needs: usize, counters: usize) -> Absence {
    Absence::new(
        format!("it is a sum of {needs} events, and {counters} can be counted together"),
        "none: too few counters count here; pontage doctor --all shows which",
    )
}

/// Notes for each event its group among those that take turns, and what is taken off.
pub(super) fn place(heads: &mut [CounterHead], plan: &CounterPlan) {
    for head in heads {
        let metric = plan.metrics.iter().find(|m| m.head.name == head.alias);
        let several = plan.passes.len() > 1;
        head.turn = metric
            .and_then(|m| m.pass)
            .filter(|_| several)
            .and_then(|pass| u16::try_from(pass).ok());
        head.taken_off = plan.taken_off.get(&head.alias).map(|t| t.typical);
    }
}

/// What the self-test found, where it is more than that all is well.
pub(super) fn of_test(test: &SelfTest) -> Vec<String> {
    let mut said = Vec::new();
    for size in &test.sizes {
        for (place, verdict) in size.places.iter().enumerate() {
            if let Some(why) = verdict.why() {
                let (place, size) = (place + 1, size.size);
                let word = verdict.word();
                said.push(format!(
                    "place {place} of {size} is {word}: instructions there: {why}"
                ));
            }
        }
    }
    if let Some(largest) = test.largest() {
        let shared = match largest.shared {
            true => ", for a share of the time",
            false => "",
        };
        said.push(format!(
            "{} counters count together{shared}",
            largest.events
        ));
    }
    for event in test.events.iter().filter(|e| !e.verdict.counts()) {
        let why = event.verdict.why().unwrap_or_default();
        said.push(format!("{} {}: {why}", event.alias, event.verdict.word()));
    }
    if test.page_agrees == Some(false) {
        said.push(
            "the page that the kernel shares says something else than read(2), which is used"
                .to_owned(),
        );
    }
    said
}

/// What is counted by which event, and what is absent and why: events with
/// one reason stand together.
pub(super) fn notes(head: &CountersHead, plan: &CounterPlan, root: &Path) -> Vec<String> {
    let present = head.events.iter().filter(|e| e.absent.is_none());
    let counted: Vec<String> = present.map(event_text).collect();
    let mut notes = vec![match counted.is_empty() {
        true => format!("counters {}: none", head.group),
        false => format!(
            "counters {} of the measuring thread ({}): {}",
            head.group,
            head.core,
            counted.join("; ")
        ),
    }];
    let mut reasons: Vec<(&CounterAbsence, Vec<&str>)> = Vec::new();
    for event in &head.events {
        let Some(absent) = &event.absent else {
            continue;
        };
        match reasons.iter_mut().find(|(r, _)| *r == absent) {
            Some((_, aliases)) => aliases.push(&event.alias),
            None => reasons.push((absent, vec![&event.alias])),
        }
    }
    notes.extend(reasons.into_iter().map(|(absent, aliases)| {
        let aliases = aliases.join(", ");
        format!(
            "counters absent: {aliases}: {} ({})",
            absent.reason, absent.remedy
        )
    }));
    if !head.self_test.is_empty() {
        notes.push(format!(
            "counters tested with known work: {}",
            head.self_test.join("; ")
        ));
    }
    notes.extend(turns(head, plan));
    notes.extend(taken_off(head));
    if head.alternating {
        notes.push(
            "counters: passes without and with them alternate (A B B A); times are of those \
             without, counts of those with, probe_effect is the ratio of the two times"
                .to_owned(),
        );
    }
    if !plan.passes.is_empty() && watchdog_holds_a_counter(root) {
        notes.push(
            "the NMI watchdog holds one counter of each CPU; where a group is not counted: \
             sudo sysctl kernel.nmi_watchdog=0"
                .to_owned(),
        );
    }
    notes
}

/// Which events share a group, where several take turns.
fn turns(head: &CountersHead, plan: &CounterPlan) -> Option<String> {
    if plan.passes.len() < 2 {
        return None;
    }
    let of = |(number, pass): (usize, &super::plan::Pass)| {
        let aliases: Vec<&str> = pass.events.iter().map(|e| e.alias.as_str()).collect();
        format!("{}: {}", number + 1, aliases.join(", "))
    };
    let groups: Vec<String> = plan.passes.iter().enumerate().map(of).collect();
    Some(format!(
        "counters {} take turns, in other samples each: {}",
        head.group,
        groups.join("; ")
    ))
}

/// What is taken off.
fn taken_off(head: &CountersHead) -> Option<String> {
    let of = |e: &CounterHead| Some(format!("{} {:.0}", e.alias, e.taken_off?));
    let all: Vec<String> = head.events.iter().filter_map(of).collect();
    (!all.is_empty()).then(|| {
        format!(
            "reading the counters counts itself in every batch, and this is taken off: {}",
            all.join(", ")
        )
    })
}

/// `LD_SPEC = ls_dispatch.ld_dispatch (r129), loads dispatched`.
fn event_text(event: &CounterHead) -> String {
    let mut text = event.alias.clone();
    if event.event.replace('-', "_") != event.alias {
        text = format!("{text} = {}", event.event);
        if !event.note.is_empty() {
            text = format!("{text}, {}", event.note);
        }
    }
    if event.scope == USER {
        text.push_str(", without the kernel");
    }
    text
}
