//! The groups of a measuring process.

use super::plan::{CounterPlan, Pass, Source};
use super::{Count, Counted, Judged, Turn, Whom, judge};
use probe::counters::derived::Rated;
use probe::counters::{Count as Reading, Group, Layer, System, Target};
use record::ON_COUNTERS;
use std::collections::BTreeSet;

/// Counts by the plan: the measuring thread, and the threads that its subjects
/// name. No event is open but in passes that are counted.
pub struct Counters<L: Layer = System> {
    plan: CounterPlan,
    layer: Box<dyn Fn() -> L>,
    members: Vec<Whom>,
    turn: Turn,
    /// Of the groups that take turns, the one that is open.
    group: usize,
    own: Option<Side<L>>,
    /// By member of the block.
    others: Vec<Vec<Side<L>>>,
    /// What the last batch was read as; no own one where the others work alone.
    stopped: (Option<Read>, Vec<Read>),
    /// Events that opened when the run was planned and did not later.
    missing: BTreeSet<String>,
}

/// Both groups of one thread: the processor's events and the kernel's.
type Read = [Vec<Reading>; 2];

/// The groups of one thread.
struct Side<L: Layer> {
    software: Group<L>,
    hardware: Option<Group<L>>,
}

/// Counts by alias.
type ByAlias<'a> = Vec<(&'a str, Reading)>;

/// Passes without, with, with, without counters.
const LETTERS: [Turn; 4] = [Turn::Without, Turn::Counted, Turn::Counted, Turn::Without];

impl Counters<System> {
    /// Opens the groups for the calling thread, to see that they do; what is not as planned.
    pub fn open(plan: &CounterPlan) -> (Self, Vec<String>) {
        Counters::open_with(plan, || System)
    }
}

impl<L: Layer> Counters<L> {
    /// As [`Counters::open`], on the layers that `layer` makes.
    pub fn open_with(plan: &CounterPlan, layer: impl Fn() -> L + 'static) -> (Self, Vec<String>) {
        let mut counters = Counters {
            plan: plan.clone(),
            layer: Box::new(layer),
            members: Vec::new(),
            turn: Turn::Without,
            group: 0,
            own: None,
            others: Vec::new(),
            stopped: Default::default(),
            missing: BTreeSet::new(),
        };
        for group in 0..plan.passes.len().max(1) {
            counters.group = group;
            counters.switch_on();
            counters.switch_off();
        }
        let notes = counters.missing.iter().cloned().collect();
        (counters, notes)
    }

    /// What is counted.
    pub fn plan(&self) -> &CounterPlan {
        &self.plan
    }

    fn switch_off(&mut self) {
        self.own = None;
        self.others.clear();
        self.turn = Turn::Without;
    }

    fn switch_on(&mut self) {
        let mut missing = Vec::new();
        let mut side = |target, whose: &str| {
            let side = Side::open(&self.plan, self.group, &*self.layer, target);
            missing.extend(side.missing(whose));
            side
        };
        self.own = Some(side(Target::ThisThread, "the measuring thread"));
        let of = |whom: &Whom| -> Vec<Side<L>> {
            let threads = whom.threads.iter();
            threads
                .map(|t| side(Target::Thread(*t), "another thread"))
                .collect()
        };
        self.others = self.members.iter().map(of).collect();
        self.missing.extend(missing);
        self.turn = Turn::Counted;
    }

    fn pass(&self) -> Option<&Pass> {
        self.plan.passes.get(self.group)
    }

    fn alone(&self, member: usize) -> bool {
        self.members
            .get(member)
            .is_some_and(|whom| whom.others_alone)
    }

    /// All sides of each event together. A side that could not be read lacks the
    /// event, and so does the sum.
    fn added_up(&self) -> ByAlias<'_> {
        let (own, others) = &self.stopped;
        let mut found = Vec::new();
        let hardware = self.pass().map_or(&[][..], |pass| &pass.events);
        for (kind, events) in [hardware, &self.plan.software].into_iter().enumerate() {
            for (place, event) in events.iter().enumerate() {
                let of = |side: &Read| {
                    let count = side[kind].get(place);
                    count.copied().unwrap_or(Reading::ABSENT)
                };
                let sum = own.iter().chain(others).map(of).reduce(Reading::plus);
                found.push((event.alias.as_str(), sum.unwrap_or(Reading::ABSENT)));
            }
        }
        found
    }

    /// The least share of the time that an event of the processor was counted.
    fn share(&self, counts: &ByAlias<'_>) -> Option<f64> {
        let events = &self.pass()?.events;
        let of_processor = |alias: &str| events.iter().any(|e| e.alias == alias);
        let shares = counts.iter().filter(|(alias, _)| of_processor(alias));
        shares.filter_map(|(_, c)| c.share()).reduce(f64::min)
    }
}

impl<L: Layer> Side<L> {
    fn open(plan: &CounterPlan, group: usize, layer: &dyn Fn() -> L, target: Target) -> Self {
        let hardware = plan.passes.get(group);
        Side {
            software: Group::open(layer(), &plan.software, target),
            hardware: hardware.map(|p| Group::seated(layer(), &p.events, target, &p.seats)),
        }
    }

    /// Events that opened when the run was planned and do not open now.
    fn missing(&self, whose: &str) -> Option<String> {
        let hardware = self.hardware.iter().flat_map(Group::slots);
        let slots = hardware.chain(self.software.slots());
        let missing: Vec<&str> = slots
            .filter(|s| s.refusal.is_some())
            .map(|s| s.alias.as_str())
            .collect();
        (!missing.is_empty()).then(|| {
            format!(
                "{ON_COUNTERS}of {whose} these could not be opened: {}",
                missing.join(", ")
            )
        })
    }

    /// A group that cannot be read counts nothing: its end says so too.
    fn begin(&mut self) {
        let _ = self.software.begin();
        if let Some(hardware) = &mut self.hardware {
            let _ = hardware.begin();
        }
    }

    fn end(&mut self) -> Read {
        let hardware = self.hardware.as_mut().map(|h| h.end().unwrap_or_default());
        [
            hardware.unwrap_or_default(),
            self.software.end().unwrap_or_default(),
        ]
    }
}

impl<L: Layer> Count for Counters<L> {
    fn attach_block(&mut self, members: &[Whom]) -> Vec<Vec<String>> {
        self.switch_off();
        self.members = members.to_vec();
        members.iter().map(notes).collect()
    }

    fn detach(&mut self) {
        self.switch_off();
        self.members.clear();
    }

    fn pass_begins(&mut self, pass: usize) {
        let group = (pass / LETTERS.len()) % self.plan.passes.len().max(1);
        let turn = LETTERS[pass % LETTERS.len()];
        if (turn, group) == (self.turn, self.group) {
            return;
        }
        self.switch_off();
        self.group = group;
        if turn == Turn::Counted {
            self.switch_on();
        }
    }

    fn turn(&self) -> Turn {
        self.turn
    }

    fn before(&mut self, member: usize, _part: u16) {
        // The own group last: nothing but the clock between it and the batch.
        for side in self.others.get_mut(member).into_iter().flatten() {
            side.begin();
        }
        let alone = self.alone(member);
        if let Some(own) = self.own.as_mut().filter(|_| !alone) {
            own.begin();
        }
    }

    fn stop(&mut self, member: usize, _part: u16) {
        let alone = self.alone(member);
        let own = self.own.as_mut().filter(|_| !alone).map(Side::end);
        let others = self.others.get_mut(member).into_iter().flatten();
        self.stopped = (own, others.map(Side::end).collect());
    }

    fn counted(&mut self, ops: u64) -> Counted {
        let counts = self.added_up();
        let ops = ops.max(1) as f64;
        let own = self.stopped.0.is_some();
        let net = |alias: &str| {
            let found = counts.iter().find(|(name, _)| *name == alias);
            let count = found.and_then(|(_, count)| count.known())?;
            let taken_off = match own {
                true => self.plan.taken_off(alias).typical,
                false => 0.0,
            };
            Some(count - taken_off)
        };
        let mut outside = Vec::new();
        let metrics = self.plan.metrics.iter().enumerate();
        let values = metrics.map(|(place, metric)| {
            let here = metric.pass.is_none_or(|pass| pass == self.group);
            match &metric.source {
                _ if !here => None,
                Source::Alias(alias) => net(alias).map(|events| events / ops),
                Source::Rate(rate) => {
                    let rated = rate.value(net);
                    if let Rated::Outside(value) = rated {
                        outside.push((place, value));
                    }
                    rated.rate()
                }
                Source::Share => self.share(&counts),
                Source::Times => None,
            }
        });
        let values = values.collect();
        Counted {
            values,
            outside,
            own,
            share: self.share(&counts),
        }
    }

    fn judge(&self, batches: &[(u64, &Counted)]) -> Judged {
        let mut judged = judge::judge(&self.plan, batches);
        judged.notes.extend(self.missing.iter().cloned());
        judged
    }
}

/// Whose work is counted, where it is not the measuring thread's alone.
fn notes(whom: &Whom) -> Vec<String> {
    let more = whom.threads.len();
    match (whom.others_alone, more) {
        (false, 0) => Vec::new(),
        (false, more) => vec![format!(
            "{ON_COUNTERS}the measuring thread and {more} more, added up"
        )],
        (true, 0) => vec![format!(
            "{ON_COUNTERS}none: the work is done by a thread that cannot be named"
        )],
        (true, more) => vec![format!(
            "{ON_COUNTERS}{more} working {} alone, not the measuring thread",
            if more == 1 { "thread" } else { "threads" }
        )],
    }
}
