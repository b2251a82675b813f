//! A test of the counters before they are believed: work of known count while a group is open.
//!
//! The kernel says of a counter that does not count that it ran all the time, so times prove
//! nothing: on one guest the sixth event of every group read 0, on others instructions came
//! out as 395 of 3.5 billion. So, for groups of one event to the largest: instructions, turned
//! through every place between other events; instructions in all places at once; then each
//! event of the chosen group on a place that counts. Each with N and 3 N turns, counting the
//! user's work alone, which no interrupt adds to but by one.

pub mod expect;
pub mod simulated;
mod slots;
mod verdict;
pub mod work;

#[cfg(test)]
mod tests;

pub use slots::{Largest, SizeTest};
pub use verdict::{Verdict, number};

use super::group::{Group, Seats};
use super::layer::{Layer, Target};
use super::members::Members;
use super::reading::Count;
use super::table::{Event, Table};
use super::{Absence, GroupName};
use crate::perf_attr::Scope;
use expect::expected;
use serde::{Deserialize, Serialize};
use verdict::{Measured, judge};
use work::{Loop, Work};

/// What the test of a group found.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct SelfTest {
    /// Why nothing could be tested: no event opens, or there is none to test with.
    pub untested: Option<Absence>,
    /// By size of the group, from one event on.
    pub sizes: Vec<SizeTest>,
    pub events: Vec<EventTest>,
    /// Whether the user's work and the kernel's can be counted apart.
    pub apart: Option<Verdict>,
    /// Whether the page that the kernel shares says what read(2) says; None where there is no
    /// page.
    pub page_agrees: Option<bool>,
    /// The NMI watchdog has a counter of each CPU for itself.
    #[serde(default)]
    pub watchdog: bool,
}

/// An event on a place that counts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EventTest {
    pub alias: String,
    /// The real events behind it.
    pub event: String,
    #[serde(flatten)]
    pub verdict: Verdict,
}

/// The kernel and the processor that are tested.
pub struct Bench<'a, L: Layer> {
    pub layer: &'a mut dyn FnMut() -> L,
    pub work: &'a mut dyn Work,
}

/// How often a counter may fail before it is called dead: another user may have had it.
const TRIES: usize = 3;
/// N turns, and 3 N.
const TIMES: u64 = 3;
/// Pages and system calls that differ by more do not say the same.
const AGREEMENT: f64 = 0.01;
/// Share of the user's instructions that a counter of the kernel's may show: interrupts.
const INTERRUPTS: f64 = 0.10;

/// Tests the events of `groups`, of a table of this core. `why` explains a refusal.
pub fn test<L: Layer>(
    table: &Table,
    groups: &[GroupName],
    bench: &mut Bench<'_, L>,
    why: impl Fn(&super::refusal::Refusal, super::EventKind) -> Absence,
) -> SelfTest {
    let mut events: Vec<Event> = Vec::new();
    for event in groups.iter().flat_map(|group| table.events(*group)) {
        if events.iter().all(|known| known.alias != event.alias) {
            events.push(event);
        }
    }
    let Some(instructions) = events.iter().find(|e| e.alias == "INST_RETIRED") else {
        return SelfTest::default();
    };
    let alone = Group::seated(
        (bench.layer)(),
        std::slice::from_ref(instructions),
        Target::ThisThread,
        &of_user(),
    );
    let refused = alone.slots().first().and_then(|slot| slot.refusal.clone());
    drop(alone);
    if let Some(refusal) = refused {
        return SelfTest {
            untested: Some(why(&refusal, instructions.kind)),
            ..SelfTest::default()
        };
    }
    let mut test = SelfTest {
        page_agrees: page_agrees(instructions, bench),
        ..SelfTest::default()
    };
    let by_call = test.page_agrees == Some(false);
    test.sizes = slots::test(instructions, &events, by_call, bench);
    test.events = test.each(&events, bench);
    // On a place that counts: a dead one keeps nothing apart.
    test.apart = Some(match test.seats(1, instructions) {
        Some(seats) => apart(instructions, &seats, bench),
        None => not_tested("there is no place that counts"),
    });
    test
}

/// Counts the user's work alone.
fn of_user() -> Seats {
    Seats {
        scope: Some(Scope::User),
        ..Seats::default()
    }
}

impl SelfTest {
    /// The largest layout on which every event counts.
    pub fn largest(&self) -> Option<Largest> {
        slots::largest(&self.sizes)
    }

    /// Events that have no counter but for one that is dead or starved.
    pub fn dead(&self) -> impl Iterator<Item = (&str, &str)> {
        let dead = self.events.iter().filter(|e| !e.verdict.counts());
        dead.filter_map(|e| match &e.verdict {
            Verdict::NotTested { .. } => None,
            verdict => Some((e.alias.as_str(), verdict.why()?)),
        })
    }

    /// The seats for so many codes, on places that count; None where there are too few.
    pub fn seats(&self, codes: usize, instructions: &Event) -> Option<Seats> {
        let idle = slots::idle(&self.sizes, codes)?;
        Some(Seats {
            idle,
            placeholder: instructions
                .codes
                .first()
                .map(|c| (instructions.kind, c.clone())),
            scope: None,
            by_call: self.page_agrees == Some(false),
        })
    }

    /// Each event next to instructions, on places that count.
    fn each<L: Layer>(&self, events: &[Event], bench: &mut Bench<'_, L>) -> Vec<EventTest> {
        let instructions = events.iter().find(|e| e.alias == "INST_RETIRED");
        let of = |event: &Event| {
            let verdict = match instructions {
                Some(instructions) => self.one(event, instructions, bench),
                None => not_tested("there is no event of instructions to hold it against"),
            };
            EventTest {
                alias: event.alias.clone(),
                event: event.real(),
                verdict,
            }
        };
        events.iter().map(of).collect()
    }

    fn one<L: Layer>(
        &self,
        event: &Event,
        instructions: &Event,
        bench: &mut Bench<'_, L>,
    ) -> Verdict {
        if let Some(why) = &event.absent {
            return not_tested(why);
        }
        let both = [instructions.clone(), event.clone()];
        let together = match event.alias == instructions.alias {
            true => &both[..1],
            false => &both[..],
        };
        let codes = together.iter().map(|e| e.codes.len()).sum();
        let (together, seats) = match self.seats(codes, instructions) {
            Some(seats) => (together, seats),
            None => match self.seats(event.codes.len(), instructions) {
                Some(seats) => (&both[1..], seats),
                None => return not_tested("there are too few places that count"),
            },
        };
        let verdicts = in_place(together, &seats, bench);
        let own = verdicts.into_iter().next_back();
        own.map_or_else(|| not_tested("it was not opened"), |(_, verdict)| verdict)
    }
}

fn not_tested(why: &str) -> Verdict {
    Verdict::NotTested {
        why: why.to_owned(),
    }
}

/// The verdict on each event of a group as it is laid out, over the work that is known of it.
pub fn in_place<'e, L: Layer>(
    events: &'e [Event],
    seats: &Seats,
    bench: &mut Bench<'_, L>,
) -> Vec<(&'e str, Verdict)> {
    let of = |place: usize| {
        let event = &events[place];
        let verdict = match expected(event) {
            Err(why) => not_tested(why),
            Ok(expected) => tried(|| {
                // Calls of the kernel count there.
                let scope = match expected.work {
                    Loop::SystemCalls => None,
                    _ => Some(Scope::User),
                };
                let seats = Seats {
                    scope,
                    ..seats.clone()
                };
                let mut group = Group::seated((bench.layer)(), events, Target::ThisThread, &seats);
                if let Some(refusal) = &group.slots()[place].refusal {
                    return not_tested(&format!("it does not open here: {refusal:?}"));
                }
                let only_user = group.scope() == Scope::User;
                if expected.work == Loop::SystemCalls && only_user {
                    return not_tested("it counts in the kernel, which may not be observed");
                }
                let mut over = |turns| measured(&mut group, place, expected.work, turns, bench);
                let turns = expected.work.turns();
                // The first time warms what the work needs.
                over(turns);
                let (few, many) = (over(turns), over(TIMES * turns));
                judge(&expected, few, many)
            }),
        };
        (event.alias.as_str(), verdict)
    };
    (0..events.len()).map(of).collect()
}

/// The first verdict that it counts, or the last.
fn tried(mut once: impl FnMut() -> Verdict) -> Verdict {
    let mut verdict = once();
    for _ in 1..TRIES {
        if verdict.counts() || matches!(verdict, Verdict::NotTested { .. }) {
            break;
        }
        verdict = once();
    }
    verdict
}

fn measured<L: Layer>(
    group: &mut Group<L>,
    place: usize,
    what: Loop,
    turns: u64,
    bench: &mut Bench<'_, L>,
) -> Measured {
    let mut over = |turns: Option<u64>| {
        let began = group.begin();
        if let Some(turns) = turns {
            bench.work.run(what, turns);
        }
        let counts = began.and_then(|()| group.end()).unwrap_or_default();
        counts.get(place).copied().unwrap_or(Count::ABSENT)
    };
    let empty = over(None);
    Measured::of(turns, empty, over(Some(turns)))
}

/// Whether the shared page and read(2) count the same work alike.
fn page_agrees<L: Layer>(instructions: &Event, bench: &mut Bench<'_, L>) -> Option<bool> {
    let code = instructions.codes.first()?.of(instructions.kind);
    let mut members = Members::new((bench.layer)(), Target::ThisThread);
    members.push(code, Scope::User).ok()?;
    members.start().ok()?;
    let (mut page, mut call) = (Vec::new(), Vec::new());
    let mut both = || {
        let there = members.read_page(&mut page);
        let read = members.read_by_call(&mut call).is_ok();
        let values = page.first().zip(call.first()).filter(|_| there && read);
        values.map(|(page, call)| (page.value as f64, call.value as f64))
    };
    let before = both()?;
    bench.work.run(Loop::Multiply, Loop::Multiply.turns());
    let after = both()?;
    let (page, call) = (after.0 - before.0, after.1 - before.1);
    Some((page - call).abs() <= AGREEMENT * call.abs())
}

/// Whether counters of the user's and of the kernel's work each leave out the other.
fn apart<L: Layer>(instructions: &Event, seats: &Seats, bench: &mut Bench<'_, L>) -> Verdict {
    let known = |scope, what: Loop, bench: &mut Bench<'_, L>| {
        let seats = Seats {
            scope: Some(scope),
            ..seats.clone()
        };
        let events = std::slice::from_ref(instructions);
        let mut group = Group::seated((bench.layer)(), events, Target::ThisThread, &seats);
        let counted = measured(&mut group, 0, what, what.turns(), bench);
        counted.count.known()
    };
    tried(|| {
        let done = (Loop::Multiply.turns() * Loop::Multiply.turn().instructions) as f64;
        let calls = Loop::SystemCalls.turns() as f64;
        let Some(kernel_of_user) = known(Scope::KernelAlone, Loop::Multiply, bench) else {
            return not_tested("counters of the kernel's work alone do not open or do not count");
        };
        let kernel_of_calls = known(Scope::KernelAlone, Loop::SystemCalls, bench);
        if kernel_of_user > INTERRUPTS * done {
            return Verdict::Dead {
                why: format!(
                    "counters of the kernel's work show {} of the user's {} instructions",
                    number(kernel_of_user),
                    number(done)
                ),
            };
        }
        match kernel_of_calls {
            Some(counted) if counted >= calls => Verdict::Counts,
            counted => Verdict::Dead {
                why: format!(
                    "counters of the kernel's work show {} instructions of {} system calls",
                    number(counted.unwrap_or(0.0)),
                    number(calls)
                ),
            },
        }
    })
}
