//! Perf events, as the kernel answered.

use super::{Area, Capability, Question};
use crate::absence::Absence;
use crate::counters::selftest::SelfTest;
use crate::perf::{Outcome, PerfClass, PerfReport};
use crate::perf_attr::Class;

/// One capability for each class of perf events.
pub fn list(report: &PerfReport) -> Vec<Capability> {
    report.classes.iter().map(judge).collect()
}

/// Whether counters of the processor say what was done.
pub fn tested(test: &SelfTest) -> Capability {
    let q = Question::new(
        Area::Counters,
        "counters tested",
        "counts that can be believed",
    );
    if let Some(Absence { reason, remedy }) = &test.untested {
        return q.absent(format!("nothing to test: {reason}"), remedy.as_str());
    }
    let places = test.sizes.last().map_or(0, |size| size.places.len());
    let failed: Vec<String> = test
        .sizes
        .last()
        .into_iter()
        .flat_map(|size| size.places.iter().enumerate())
        .filter_map(|(place, v)| Some(format!("{} {}: {}", place + 1, v.word(), v.why()?)))
        .collect();
    let dead: Vec<&str> = test.dead().map(|(alias, _)| alias).collect();
    let Some(largest) = test.largest() else {
        let why = failed.join("; ");
        let absent = q.absent(format!("no place of a group counts: {why}"), free(test));
        return absent.short("no event counts");
    };
    let mut detail = format!("{} events count together", largest.events);
    if !failed.is_empty() {
        detail.push_str(&format!(", of {places} places {}", failed.join("; ")));
    }
    if largest.shared {
        detail.push_str("; for a share of the time: another user holds counters");
    }
    if !dead.is_empty() {
        detail.push_str(&format!("; wrong: {}", dead.join(", ")));
    }
    let short = format!("{} events count together", largest.events);
    match (failed.is_empty() && dead.is_empty(), largest.shared) {
        (true, false) => q.available(detail),
        (_, true) => q.limited(detail, free(test)).short(short),
        (false, false) => q.limited(
            detail,
            "none: the counters of this processor or its hypervisor are at fault; events that do \
             not fit take turns",
        )
        .short(short),
    }
}

/// How counters that something else holds are had.
fn free(test: &SelfTest) -> &'static str {
    match test.watchdog {
        true => "sudo sysctl kernel.nmi_watchdog=0",
        false => "none: end what else counts on this CPU (perf, a monitor of the host)",
    }
}

fn judge(found: &PerfClass) -> Capability {
    let q = question(found.class);
    let event = &found.event;
    match (&found.user, &found.kernel) {
        (_, Outcome::Available) => q.available(format!("{event}, user and kernel")),
        (Outcome::Available, kernel) => {
            let (reason, remedy) = why(kernel);
            let limited = q.limited(format!("{event}, user only: {reason}"), remedy);
            limited.short("user only")
        }
        (user, _) => {
            let (reason, remedy) = why(user);
            q.absent(format!("{event}: {reason}"), remedy)
                .short(match user {
                    Outcome::Untried { .. } => "not tried",
                    _ => "refused",
                })
        }
    }
}

fn why(outcome: &Outcome) -> (&str, &str) {
    match outcome {
        Outcome::Available => ("", ""),
        Outcome::Refused { reason, remedy, .. } | Outcome::Untried { reason, remedy } => {
            (reason, remedy)
        }
    }
}

fn question(class: Class) -> Question {
    let (name, purpose) = match class {
        Class::Hardware => ("perf hardware", "cycles and instructions of each batch"),
        Class::Cache => ("perf cache", "misses that explain a knee"),
        Class::Raw => ("perf raw", "counters of this very processor"),
        Class::Software => (
            "perf software",
            "faults, switches and migrations of a sample",
        ),
        Class::Tracepoint => (
            "perf tracepoint",
            "count kernel events without tracing them",
        ),
        Class::Uprobe => ("perf uprobe", "count calls in programs"),
        Class::Breakpoint => ("perf breakpoint", "see who writes a word"),
    };
    Question::new(Area::Counters, name, purpose)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capability::State;
    use crate::counters::selftest::simulated::{Planted, Simulated};
    use crate::counters::selftest::{Bench, test};
    use crate::counters::{GroupName, Table};
    use machine::cpu::Cpu;

    fn on(planted: &[Planted]) -> Capability {
        tested(&tested_with(planted))
    }

    fn tested_with(planted: &[Planted]) -> SelfTest {
        let table = Table::of(&Cpu::default());
        let kernel = Simulated::new(&table, 6, planted);
        let mut bench = Bench {
            layer: &mut || kernel.clone(),
            work: &mut kernel.clone(),
        };
        let absence = |_: &_, _| Absence::new("no PMU", "none: another machine");
        test(&table, &[GroupName::Instr], &mut bench, absence)
    }

    #[test]
    fn each_state_of_the_counters_has_its_words_and_what_would_help() {
        let good = on(&[]);
        assert_eq!(
            (good.state, good.detail.as_str()),
            (State::Available, "6 events count together")
        );
        let dead = on(&[Planted::Dead(5)]);
        assert_eq!(dead.state, State::Limited);
        let why = "5 events count together, of 6 places 6 dead: counted 0 of 1,020,000";
        assert_eq!(dead.detail, why);
        assert!(dead.remedy.starts_with("none: "), "{dead:?}");
        let starved = on(&[Planted::Starved(1)]);
        assert_eq!(starved.state, State::Absent);
        assert!(
            starved
                .detail
                .contains("1 starved: was on a counter for 0 of"),
            "{starved:?}"
        );
        let shared = on(&[Planted::Multiplexed(1, 0.5)]);
        assert_eq!(shared.state, State::Limited);
        for without in [&starved, &shared] {
            assert!(
                without.remedy.starts_with("none: end what else"),
                "{without:?}"
            );
        }
        let held = tested(&SelfTest {
            watchdog: true,
            ..SelfTest {
                sizes: tested_with(&[Planted::Starved(1)]).sizes,
                ..SelfTest::default()
            }
        });
        assert_eq!(held.remedy, "sudo sysctl kernel.nmi_watchdog=0");
        let nothing = tested(&SelfTest {
            untested: Some(Absence::new("no PMU", "none: another machine")),
            ..SelfTest::default()
        });
        assert_eq!(nothing.detail, "nothing to test: no PMU");
    }
}
