//! Which counters a run has: settled once, before measuring, by opening them.

use probe::counters::derived::{Rate, rates};
use probe::counters::{
    Absence, Event, EventKind, Group, GroupName, Layer, System, Table, Target,
    watchdog_holds_a_counter,
};
use probe::perf_attr::Scope;
use record::{CounterAbsence, CounterHead, CountersHead, MetricHead, Unit};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// What a measuring process is to count.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct CounterPlan {
    /// Events of the processor that can be opened together.
    pub hardware: Vec<Event>,
    /// Events that the kernel counts itself; they need no counter.
    pub software: Vec<Event>,
    pub metrics: Vec<CounterMetric>,
    /// Marks for simulated caches in place of events.
    #[serde(default)]
    pub marks: bool,
}

/// A metric that the counters add to every experiment.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CounterMetric {
    pub head: MetricHead,
    pub(super) source: Source,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Source {
    /// Events an operation.
    Alias(String),
    Rate(Rate),
    /// Share of the time that the processor's events were counted.
    Share,
}

/// The plan, and what the record says of it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Planned {
    pub plan: CounterPlan,
    pub head: CountersHead,
    /// Sentences for the run's conditions.
    pub notes: Vec<String>,
}

/// Name of the metric that distinguishes scaled values from counted ones.
const SHARE: &str = "counted_share";
/// Scope of a group that may not look into the kernel.
const USER: &str = "user";
/// Empty batches behind the note of what reading itself counts.
const EMPTY: usize = 101;

/// Opens the group on this machine, once, to see what of it can be had. The
/// events that the kernel counts itself come with every group. `root` is where
/// /proc is found.
pub fn plan(group: GroupName, machine: &machine::Machine, root: &Path) -> Planned {
    plan_with(group, machine, root, &mut || System)
}

/// Name of [`simulated`] where counters are asked for, and in the record.
pub const SIMULATED: &str = "simulated";

/// Marks around each sample, by which the cache model of a guest assigns its rows to
/// samples; no metric comes of it.
pub fn simulated() -> Planned {
    Planned {
        plan: CounterPlan {
            marks: true,
            ..CounterPlan::default()
        },
        head: CountersHead {
            group: SIMULATED.to_owned(),
            core: "simulated cache, on the host".to_owned(),
            source: "lab/plugins/cache".to_owned(),
            ..CountersHead::default()
        },
        notes: vec![
            "counted: simulated cache, on the host: a row for each sample in the table of the \
             plugin lab/plugins/cache, where this is a guest that has it loaded; elsewhere its \
             marks are stores and nothing more"
                .to_owned(),
        ],
    }
}

/// As [`plan`], asking the layers that `layer` makes.
pub fn plan_with<L: Layer>(
    group: GroupName,
    machine: &machine::Machine,
    root: &Path,
    layer: &mut dyn FnMut() -> L,
) -> Planned {
    let table = Table::of(&machine.cpu);
    let wanted = match group {
        GroupName::Software => Vec::new(),
        _ => table.events(group),
    };
    let mut trial = |events: Vec<Event>| {
        let group = Group::open(layer(), &events, Target::ThisThread);
        Trial { events, group }
    };
    let mut hardware = trial(wanted);
    let mut software = trial(Table::software().events(GroupName::Software));
    let mut events = hardware.heads(machine, root);
    events.extend(software.heads(machine, root));
    let (core, source) = match group {
        GroupName::Software => (Table::software().core, Table::software().source),
        _ => (table.core.clone(), table.source.clone()),
    };
    let plan = CounterPlan {
        metrics: metrics(&hardware, &software, &table),
        hardware: hardware.open_events(),
        software: software.open_events(),
        marks: false,
    };
    let head = CountersHead {
        group: group.name().to_owned(),
        core,
        source,
        events,
        metrics: plan.metrics.iter().map(|m| m.head.name.clone()).collect(),
    };
    let mut notes = notes(&head);
    notes.extend(empty_batch(&mut hardware, &mut software));
    if !plan.hardware.is_empty() && watchdog_holds_a_counter(root) {
        notes.push(
            "the NMI watchdog holds one counter of each CPU; where a group is not counted: \
             sudo sysctl kernel.nmi_watchdog=0"
                .to_owned(),
        );
    }
    Planned { plan, head, notes }
}

/// A group opened to see what of it opens.
struct Trial<L: Layer> {
    events: Vec<Event>,
    group: Group<L>,
}

impl<L: Layer> Trial<L> {
    fn open_events(&self) -> Vec<Event> {
        let both = self.events.iter().zip(self.group.slots());
        let open = both.filter(|(_, slot)| slot.refusal.is_none());
        open.map(|(event, _)| event.clone()).collect()
    }

    fn heads(&self, machine: &machine::Machine, root: &Path) -> Vec<CounterHead> {
        let both = self.events.iter().zip(self.group.slots());
        both.map(|(event, slot)| CounterHead {
            alias: event.alias.clone(),
            event: event.real(),
            note: event.note.clone(),
            scope: self.scope().to_owned(),
            absent: slot.refusal.as_ref().map(|refusal| {
                let Absence { reason, remedy } = refusal.explain(slot.kind, machine, root);
                CounterAbsence { reason, remedy }
            }),
        })
        .collect()
    }

    fn scope(&self) -> &'static str {
        match self.group.scope() {
            Scope::Kernel => "user and kernel",
            Scope::User => USER,
        }
    }
}

fn metrics<L: Layer>(
    hardware: &Trial<L>,
    software: &Trial<L>,
    table: &Table,
) -> Vec<CounterMetric> {
    let open = hardware.open_events();
    let mut found: Vec<CounterMetric> = open.iter().map(|e| counted(e, hardware.scope())).collect();
    let aliases: Vec<&str> = open.iter().map(|e| e.alias.as_str()).collect();
    found.extend(
        rates(&aliases, table.branches_include_mispredicted)
            .into_iter()
            .map(derived),
    );
    if !open.is_empty() {
        found.push(share());
    }
    let software_events = software.open_events();
    found.extend(software_events.iter().map(|e| counted(e, software.scope())));
    found
}

fn counted(event: &Event, scope: &str) -> CounterMetric {
    let unit = match (event.alias.as_str(), event.kind) {
        ("CPU_CYCLES", _) => Unit::Cycles,
        ("task_clock", EventKind::Software) => Unit::Nanoseconds,
        _ => Unit::Count,
    };
    let mut doc = format!("{} in one operation, {scope}", event.real());
    if !event.note.is_empty() {
        doc.push_str("; ");
        doc.push_str(&event.note);
    }
    metric(
        &event.alias,
        unit,
        doc,
        true,
        Source::Alias(event.alias.clone()),
    )
}

fn derived(rate: Rate) -> CounterMetric {
    let (name, doc, lower) = (
        rate.name.clone(),
        rate.formula.clone(),
        rate.lower_is_better(),
    );
    metric(&name, Unit::Ratio, doc, lower, Source::Rate(rate))
}

fn share() -> CounterMetric {
    let doc = "share of the batch during which the group was counted; below 1 its counts are \
               scaled up, at 0 there are none";
    metric(SHARE, Unit::Ratio, doc.to_owned(), false, Source::Share)
}

fn metric(name: &str, unit: Unit, doc: String, lower: bool, source: Source) -> CounterMetric {
    let head = MetricHead {
        name: name.to_owned(),
        unit,
        doc,
        lower_is_better: lower,
    };
    CounterMetric { head, source }
}

/// What is counted by which event, and what is absent and why: events with
/// one reason stand together.
fn notes(head: &CountersHead) -> Vec<String> {
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
    notes
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

/// What one reading itself counts: the least of many empty batches.
fn empty_batch<L: Layer>(hardware: &mut Trial<L>, software: &mut Trial<L>) -> Option<String> {
    let mut counts_of_empty = Vec::new();
    for trial in [hardware, software] {
        let mut least: Vec<f64> = vec![f64::INFINITY; trial.events.len()];
        for _ in 0..EMPTY {
            if trial.group.begin().is_err() {
                break;
            }
            let counts = trial.group.end().unwrap_or_default();
            for (least, count) in least.iter_mut().zip(counts) {
                *least = least.min(count.known().unwrap_or(f64::INFINITY));
            }
        }
        let found = trial.events.iter().zip(least);
        let some = found.filter(|(_, v)| v.is_finite() && *v > 0.0);
        counts_of_empty.extend(some.map(|(e, v)| format!("{} {v:.0}", e.alias)));
    }
    (!counts_of_empty.is_empty()).then(|| {
        format!(
            "reading the counters counts itself in every batch, not subtracted: {}",
            counts_of_empty.join(", ")
        )
    })
}
