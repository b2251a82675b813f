//! The trust that a run may have at best, as the machine is now.

use super::super::Report;
use ::report::document::{Phrase, Span, Text, Tone};
use machine::Machine;
use probe::capability::is_quiet;
use record::{Conditions, Instrument};
use summary::{Grade, Letter};

pub(super) fn sentence(report: &Report) -> Text {
    let grade = grade(report);
    let tone = match grade.letter {
        Letter::A | Letter::B => Tone::Good,
        Letter::C => Tone::Caution,
        Letter::D => Tone::Bad,
    };
    let lowered: Vec<&str> = grade.lowered_by().iter().map(|c| c.name).collect();
    let lowered = match lowered.as_slice() {
        [] => "nothing here lowers it".to_owned(),
        [one] => format!("lowered by {one}"),
        [some @ .., last] => format!("lowered by {} and {last}", some.join(", ")),
    };
    let lead = format!("Expect trust {} at best: ", grade.letter.name());
    let lead = Phrase::from(Span::new(lead).tone(tone));
    Text::new(format!("{lowered}.")).lead(lead).hang(2)
}

fn grade(report: &Report) -> Grade {
    let machine = &report.machine;
    let conditions = Conditions {
        busy_before: busy(machine),
        steal_share: machine.virtualisation.steal.map(|s| s.share()),
        ..Conditions::default()
    };
    let instrument = Instrument {
        // No clock was timed here: its rate counts as known, and its drift as none.
        clock_hz: 1.0,
        // A counter that is not is replaced by clock_gettime.
        invariant: true,
        self_test: report.self_test.clone(),
        ..Instrument::default()
    };
    Grade::at_best(harness::card::card(machine), conditions, instrument)
}

/// By the load average: tasks for each CPU; none where they are few.
fn busy(machine: &Machine) -> Option<f64> {
    if is_quiet(machine)? {
        return Some(0.0);
    }
    let cpus = machine.topology.cpus.len().max(1) as f64;
    let load = machine.load.average?.minutes_1;
    Some((load / cpus).min(1.0))
}
