//! Operations of two kinds in each batch, which averages them, and a plain subject in
//! alternation that has one.

use super::bench::{Stopped, Tools};
use super::planted::{Effect, Planted};
use super::reading;
use super::tally::{FALSELY_SEEN, Plan, Trial, reading_of};
use record::{Sample, SelfTestUnit};

const BASE: u64 = 100;
const BATCHES: u32 = 20;
/// Each tenth operation ...
const EVERY: u64 = 10;
/// ... costs so many times as much.
const TIMES: u64 = 3;
/// The kinds are found where the share of the slow one is read to so much of all.
const SHARE_OFF: f64 = 0.05;
/// Spread of an operation that the search bears: as of modes.
const BORNE: f64 = 0.05;

/// What is planted.
pub fn plan() -> Plan {
    Plan {
        id: "kinds_in_batch",
        planted: "in batches, 10 % at 3 times the cost".to_owned(),
        value: Some(1.0 / EVERY as f64),
        unit: SelfTestUnit::Share,
        bears: BORNE,
        noise_of: "operations",
        misses: FALSELY_SEEN,
    }
}

/// What the plain subject is for.
pub fn nothing() -> Plan {
    Plan {
        id: "nothing_in_batch",
        planted: "one kind of operation".to_owned(),
        value: None,
        bears: 0.0,
        ..plan()
    }
}

/// One trial, and that of the plain subject.
///
/// # Errors
/// The self-test is to end.
pub fn trial(tools: &mut Tools<'_>) -> Result<(Trial, Trial), Stopped> {
    let slow = Effect::Each {
        every: EVERY,
        times: TIMES,
    };
    let mut both = [
        Planted::new(tools.machine, BASE, Effect::Nothing),
        Planted::new(tools.machine, BASE, slow),
    ];
    let sampled = tools.batches_and_singles(&mut both, BATCHES)?;
    let share = |samples: &[Sample]| reading::slow_kinds(samples, tools.resolution_ns);
    let (plain, found) = (share(&sampled[0]), share(&sampled[1]));
    let noise = reading::spread(sampled[0].iter().filter(|s| s.metric == reading::SINGLES));
    let trial = |share: Option<f64>, found| Trial {
        found,
        held: None,
        read: Some(reading_of(share.unwrap_or(0.0))),
        set_aside: false,
        noise,
    };
    let right = found.is_some_and(|share| (share - 1.0 / EVERY as f64).abs() <= SHARE_OFF);
    Ok((trial(found, right), trial(plain, plain.is_some())))
}
