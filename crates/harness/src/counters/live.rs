//! The groups of a measuring process.

use super::plan::{CounterPlan, Source};
use super::{Count, Counted};
use probe::counters::{Count as Reading, Event, Group, Layer, System, Target};
use std::collections::BTreeMap;

/// Counts by the plan: the measuring thread, and the threads that its subjects
/// name.
pub struct Counters<L: Layer = System> {
    plan: CounterPlan,
    own: Side<L>,
    /// By member of the block.
    others: BTreeMap<usize, Vec<Side<L>>>,
    /// What the last batch was read as.
    stopped: (Read, Vec<Read>),
    layer: fn() -> L,
}

/// Both groups of one thread: the processor's events and the kernel's.
type Read = [Vec<Reading>; 2];

/// The groups of one thread.
struct Side<L: Layer> {
    software: Group<L>,
    hardware: Group<L>,
}

/// Counts by alias.
type ByAlias<'a> = Vec<(&'a str, Reading)>;

impl Counters<System> {
    /// Opens the groups for the calling thread; what is not as planned.
    pub fn open(plan: &CounterPlan) -> (Self, Vec<String>) {
        Counters::open_with(plan, || System)
    }
}

impl<L: Layer> Counters<L> {
    /// As [`Counters::open`], on the layers that `layer` makes.
    pub fn open_with(plan: &CounterPlan, layer: fn() -> L) -> (Self, Vec<String>) {
        let own = Side::open(plan, layer, Target::ThisThread);
        let notes = own.missing("the measuring thread");
        let counters = Counters {
            plan: plan.clone(),
            own,
            others: BTreeMap::new(),
            stopped: Default::default(),
            layer,
        };
        (counters, notes)
    }

    /// What is counted.
    pub fn plan(&self) -> &CounterPlan {
        &self.plan
    }

    /// Counts `threads` with the batches of `member` until [`Self::detach`];
    /// what could not be, and what is.
    pub fn attach(&mut self, member: usize, threads: &[u32]) -> Vec<String> {
        // A block that panicked was not detached.
        self.others.remove(&member);
        if threads.is_empty() {
            return Vec::new();
        }
        let mut notes = vec![format!(
            "counters: the measuring thread and {} more, added up",
            threads.len()
        )];
        let sides = self.others.entry(member).or_default();
        for thread in threads {
            let side = Side::open(&self.plan, self.layer, Target::Thread(*thread));
            notes.extend(side.missing(&format!("thread {thread}")));
            sides.push(side);
        }
        notes
    }

    fn value(&self, source: &Source, counts: &ByAlias<'_>, ops: u64) -> Option<f64> {
        let total = |alias: &str| {
            let found = counts.iter().find(|(name, _)| *name == alias);
            found.and_then(|(_, count)| count.known())
        };
        match source {
            Source::Alias(alias) => total(alias).map(|events| events / ops.max(1) as f64),
            Source::Rate(rate) => rate.value(total),
            Source::Share => self.share(counts),
        }
    }

    /// The least share of the time that an event of the processor was counted.
    fn share(&self, counts: &ByAlias<'_>) -> Option<f64> {
        let of_processor = |alias: &str| self.plan.hardware.iter().any(|e| e.alias == alias);
        let shares = counts.iter().filter(|(alias, _)| of_processor(alias));
        shares.filter_map(|(_, c)| c.share()).reduce(f64::min)
    }
}

impl<L: Layer> Side<L> {
    fn open(plan: &CounterPlan, layer: fn() -> L, target: Target) -> Self {
        Side {
            software: Group::open(layer(), &plan.software, target),
            hardware: Group::open(layer(), &plan.hardware, target),
        }
    }

    /// Events that opened when the run was planned and do not open now.
    fn missing(&self, whose: &str) -> Vec<String> {
        let slots = self.hardware.slots().iter().chain(self.software.slots());
        let missing: Vec<&str> = slots
            .filter(|s| s.refusal.is_some())
            .map(|s| s.alias.as_str())
            .collect();
        match missing.is_empty() {
            true => Vec::new(),
            false => vec![format!(
                "counters of {whose} that could not be opened: {}",
                missing.join(", ")
            )],
        }
    }

    /// A group that cannot be read counts nothing: its end says so too.
    fn begin(&mut self) {
        let _ = self.software.begin();
        let _ = self.hardware.begin();
    }

    fn end(&mut self) -> Read {
        let hardware = self.hardware.end().unwrap_or_default();
        [hardware, self.software.end().unwrap_or_default()]
    }
}

impl<L: Layer> Count for Counters<L> {
    fn attach_block(&mut self, members: &[(u32, Vec<u32>)]) -> Vec<Vec<String>> {
        let members = members.iter().enumerate();
        members
            .map(|(at, (_, threads))| self.attach(at, threads))
            .collect()
    }

    /// Counts the measuring thread alone again.
    fn detach(&mut self) {
        self.others.clear();
    }

    fn before(&mut self, member: usize, _part: u16) {
        // The own group last: nothing but the clock between it and the batch.
        for side in self.others.get_mut(&member).into_iter().flatten() {
            side.begin();
        }
        self.own.begin();
    }

    fn stop(&mut self, member: usize, _part: u16) {
        let own = self.own.end();
        let others = self.others.get_mut(&member).into_iter().flatten();
        self.stopped = (own, others.map(Side::end).collect());
    }

    fn counted(&mut self, ops: u64) -> Counted {
        let (own, others) = &self.stopped;
        let counts = added_up(&self.plan, own, others);
        let metrics = self.plan.metrics.iter();
        Counted {
            values: metrics
                .map(|m| self.value(&m.source, &counts, ops))
                .collect(),
            share: self.share(&counts),
        }
    }
}

/// All sides of each event together. A side that could not be read lacks the
/// event, and so does the sum.
fn added_up<'a>(plan: &'a CounterPlan, own: &Read, others: &[Read]) -> ByAlias<'a> {
    let mut found = Vec::new();
    for (kind, events) in [&plan.hardware, &plan.software].into_iter().enumerate() {
        for (place, Event { alias, .. }) in events.iter().enumerate() {
            let of = |side: &[Vec<Reading>; 2]| {
                let count = side[kind].get(place);
                count.copied().unwrap_or(Reading::ABSENT)
            };
            let sum = others.iter().map(of).fold(of(own), Reading::plus);
            found.push((alias.as_str(), sum));
        }
    }
    found
}
