//! Which events of a group are counted, in which groups, on which counters: what the
//! self-test leaves.

use super::heads;
use super::plan::{BOTH, KERNEL, KERNEL_SUFFIX, Pass, USER, USER_SUFFIX};
use probe::counters::passes::{counters_of, split};
use probe::counters::refusal::Refusal;
use probe::counters::selftest::work::Work;
use probe::counters::selftest::{self, SelfTest, Verdict};
use probe::counters::{Absence, Event, EventKind, Group, GroupName, Layer, Seats, Table, Target};
use probe::perf_attr::Scope;
use record::CounterHead;
use std::collections::{BTreeMap, VecDeque};
use std::path::Path;

/// What is to be counted, and where.
#[derive(Debug, Clone, Copy)]
pub struct Asked<'a> {
    pub group: GroupName,
    pub machine: &'a machine::Machine,
    /// Where /proc is found.
    pub root: &'a Path,
    /// CPU that will measure; None: whichever this thread runs on.
    pub cpu: Option<u32>,
    /// Also the user's work and the kernel's apart, where group and PMU allow.
    pub apart: bool,
}

/// The groups of a plan, and what is absent of it.
#[derive(Default)]
pub(super) struct Choice {
    pub passes: Vec<Pass>,
    pub heads: Vec<CounterHead>,
    pub test: SelfTest,
}

impl Choice {
    /// Tests and lays out the processor's events of the group.
    pub fn of_processor<L: Layer>(
        &mut self,
        asked: &Asked<'_>,
        table: &Table,
        layer: &impl Fn() -> L,
        work: &mut dyn Work,
    ) {
        let events = table.events(asked.group);
        let mut bench = selftest::Bench {
            layer: &mut || layer(),
            work,
        };
        let why = |refusal: &Refusal, kind| explained(refusal, kind, asked);
        self.test = selftest::test(table, &[asked.group], &mut bench, why);
        let scope = settled(&events, layer());
        let mut left = Vec::new();
        for event in &events {
            let absence = self.absence(event, asked, layer());
            if absence.is_none() {
                left.push(event.clone());
            }
            self.heads
                .push(heads::head(event, scope_of(scope), absence));
        }
        self.seat(&left, scope, asked, &mut bench);
        if asked.apart && asked.group == GroupName::Instr {
            self.apart(&left, scope);
        }
    }

    /// Why an event is not counted, by itself.
    fn absence<L: Layer>(&self, event: &Event, asked: &Asked<'_>, layer: L) -> Option<Absence> {
        let alone = Group::open(layer, std::slice::from_ref(event), Target::ThisThread);
        let refusal = alone.slots().first().and_then(|slot| slot.refusal.clone());
        if let Some(refusal) = refusal {
            return Some(explained(&refusal, event.kind, asked));
        }
        let tested = self.test.events.iter().find(|e| e.alias == event.alias);
        let verdict = tested.map(|t| &t.verdict)?;
        match verdict {
            Verdict::Counts | Verdict::Shared { .. } => None,
            // No known work makes it, or no place is left, which the layout says.
            Verdict::NotTested { .. } => None,
            Verdict::Dead { why } => Some(heads::dead(why)),
            Verdict::Starved { why } => Some(heads::starved(why, asked.root)),
        }
    }

    /// Lays the events out in groups on counters that count, and tests each where it stands.
    fn seat<L: Layer>(
        &mut self,
        events: &[Event],
        scope: Scope,
        asked: &Asked<'_>,
        bench: &mut selftest::Bench<'_, L>,
    ) {
        let Some(instructions) = events
            .iter()
            .find(|e| e.alias == "INST_RETIRED")
            .or(events.first())
        else {
            return;
        };
        let Some(largest) = self.test.largest() else {
            let why = heads::no_place(&self.test);
            events.iter().for_each(|e| self.miss(&e.alias, why.clone()));
            return;
        };
        let split = split(events, largest.events);
        for (alias, needs) in &split.too_large {
            self.miss(alias, heads::too_large(*needs, largest.events));
        }
        // Why an event is in none of the groups: the last reason.
        let mut left_out: BTreeMap<String, Absence> = BTreeMap::new();
        let mut waiting: VecDeque<Vec<Event>> = split.groups.into();
        while let Some(group) = waiting.pop_front() {
            let Some(seats) = self.test.seats(counters_of(&group), instructions) else {
                let none = heads::no_place(&self.test);
                left_out.extend(group.iter().map(|e| (e.alias.clone(), none.clone())));
                continue;
            };
            let seats = Seats {
                scope: Some(scope),
                ..seats
            };
            let apart = refused(&group, &seats, asked, (bench.layer)());
            if !apart.is_empty() {
                let (rest, why) = without(&group, apart);
                left_out.extend(why);
                waiting.extend(rest);
                continue;
            }
            let verdicts = selftest::in_place(&group, &seats, bench);
            let mut kept = Vec::new();
            for (event, (_, verdict)) in group.iter().zip(verdicts) {
                match verdict {
                    Verdict::Dead { why } | Verdict::Starved { why } => {
                        let why = format!("next to the other events of its group it {why}");
                        left_out.insert(event.alias.clone(), heads::dead(&why));
                    }
                    _ => kept.push(event.clone()),
                }
            }
            if !kept.is_empty() {
                let scope = scope_of(scope).to_owned();
                self.passes.push(Pass {
                    events: kept,
                    seats,
                    scope,
                });
            }
        }
        for (alias, why) in left_out {
            let counted = |pass: &Pass| pass.events.iter().any(|e| e.alias == alias);
            if !self.passes.iter().any(counted) {
                self.miss(&alias, why);
            }
        }
    }

    /// Branches once more, with what shares their group, of the user's work alone and of the
    /// kernel's.
    fn apart(&mut self, events: &[Event], scope: Scope) {
        let counts = self.test.apart.as_ref().is_some_and(Verdict::counts);
        if scope != Scope::Kernel || !counts {
            if let (Some(verdict), Scope::Kernel) = (&self.test.apart, scope) {
                let why = verdict.why().unwrap_or("the counters do not say");
                let absence = heads::dead(&format!(
                    "cannot be distinguished from the user's work: {why}"
                ));
                for event in events {
                    let head = heads::head(
                        &suffixed(event, KERNEL_SUFFIX),
                        KERNEL,
                        Some(absence.clone()),
                    );
                    self.heads.push(head);
                }
            }
            return;
        }
        let branches = |pass: &&Pass| pass.events.iter().any(|e| e.alias == "BR_PRED");
        let together: Vec<Pass> = self.passes.iter().filter(branches).cloned().collect();
        for (suffix, name, scope) in [
            (USER_SUFFIX, USER, Scope::User),
            (KERNEL_SUFFIX, KERNEL, Scope::KernelAlone),
        ] {
            for pass in &together {
                let events: Vec<Event> = pass.events.iter().map(|e| suffixed(e, suffix)).collect();
                for event in &events {
                    if self.heads.iter().all(|h| h.alias != event.alias) {
                        self.heads.push(heads::head(event, name, None));
                    }
                }
                let seats = Seats {
                    scope: Some(scope),
                    ..pass.seats.clone()
                };
                self.passes.push(Pass {
                    events,
                    seats,
                    scope: name.to_owned(),
                });
            }
        }
    }

    fn miss(&mut self, alias: &str, why: Absence) {
        if let Some(head) = self.heads.iter_mut().find(|h| h.alias == alias) {
            head.absent = Some(heads::absent(why));
        }
    }
}

/// Events that do not open in this group, which others of it may keep from a counter that they
/// alone can have.
fn refused<L: Layer>(
    group: &[Event],
    seats: &Seats,
    asked: &Asked<'_>,
    layer: L,
) -> Vec<(Event, Absence)> {
    let opened = Group::seated(layer, group, Target::ThisThread, seats);
    let both = group.iter().zip(opened.slots());
    let refused = both.filter_map(|(event, slot)| {
        let why = explained(slot.refusal.as_ref()?, slot.kind, asked);
        Some((event.clone(), why))
    });
    refused.collect()
}

/// The groups to try in place of one in which some events do not open: the others, and those
/// alone. Reasons for what no smaller group is left of.
fn without(
    group: &[Event],
    refused: Vec<(Event, Absence)>,
) -> (Vec<Vec<Event>>, Vec<(String, Absence)>) {
    let is_refused = |event: &Event| refused.iter().any(|(r, _)| r.alias == event.alias);
    let others: Vec<Event> = group.iter().filter(|e| !is_refused(e)).cloned().collect();
    if others.is_empty() && refused.len() == 1 {
        let why = refused.into_iter().map(|(event, why)| (event.alias, why));
        return (Vec::new(), why.collect());
    }
    let alone: Vec<Event> = refused.into_iter().map(|(event, _)| event).collect();
    match others.is_empty() {
        // None of several: each by itself.
        true => (alone.into_iter().map(|e| vec![e]).collect(), Vec::new()),
        false => (vec![others, alone], Vec::new()),
    }
}

fn suffixed(event: &Event, suffix: &str) -> Event {
    event.called(format!("{}{suffix}", event.alias))
}

/// The widest scope that the first event opens with: all have the same.
fn settled<L: Layer>(events: &[Event], layer: L) -> Scope {
    let first = events.get(..1).unwrap_or_default();
    Group::open(layer, first, Target::ThisThread).scope()
}

/// In words.
pub(super) fn scope_of(scope: Scope) -> &'static str {
    match scope {
        Scope::Kernel => BOTH,
        Scope::User => USER,
        Scope::KernelAlone => KERNEL,
    }
}

/// A refusal in words.
pub fn explained(refusal: &Refusal, kind: EventKind, asked: &Asked<'_>) -> Absence {
    refusal.explain(kind, asked.machine, asked.root)
}
