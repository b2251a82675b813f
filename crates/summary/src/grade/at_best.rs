//! The best grade that a run may have on a machine as it is now.

use super::{Check, Grade, Letter, clock, emulated, load, self_checks, stolen};
use record::{Conditions, Instrument, Labels, MachineCard, RecipeHead, RunHead, RunState};

impl Grade {
    /// The grade of a run under these conditions whose points are as good as can be.
    pub fn at_best(machine: MachineCard, conditions: Conditions, instrument: Instrument) -> Grade {
        let head = RunHead {
            schema_version: 0,
            id: String::new(),
            started_utc: String::new(),
            ended_utc: None,
            tool_version: String::new(),
            command_line: Vec::new(),
            recipe: RecipeHead::default(),
            state: RunState::Complete,
            labels: Labels::default(),
            machine,
            machine_full: Default::default(),
            conditions,
            instrument,
            experiments: Vec::new(),
            points: Vec::new(),
            findings: Vec::new(),
            claims: Vec::new(),
        };
        let of = [emulated, stolen, self_checks, load, clock];
        let checks: Vec<Check> = of.into_iter().filter_map(|check| check(&head)).collect();
        let points = checks.iter().map(|c| c.cost).fold(0, u8::saturating_add);
        Grade {
            letter: Letter::of(points),
            parts_from: None,
            checks,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn on(steal: Option<f64>, busy: f64) -> Grade {
        let conditions = Conditions {
            steal_share: steal,
            busy_before: Some(busy),
            ..Conditions::default()
        };
        let instrument = Instrument {
            clock_hz: 1e9,
            invariant: true,
            ..Instrument::default()
        };
        Grade::at_best(MachineCard::default(), conditions, instrument)
    }

    #[test]
    fn a_quiet_machine_may_have_an_a_and_a_busy_one_may_not() {
        assert_eq!(on(Some(0.0), 0.0).letter, Letter::A);
        assert_eq!(on(None, 0.05).letter, Letter::B);
        let bad = on(Some(0.02), 0.5);
        assert_eq!(bad.letter, Letter::C);
        let names: Vec<_> = bad.lowered_by().iter().map(|c| c.name).collect();
        assert_eq!(names, ["stolen time", "other load"]);
    }
}
