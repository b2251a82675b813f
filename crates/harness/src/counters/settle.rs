//! Which counters a run has: settled once, before measuring, by testing and opening them.

use super::choice::{Asked, Choice, explained, scope_of};
use super::heads;
use super::metrics::metrics;
use super::overhead;
use super::plan::CounterPlan;
use probe::counters::selftest::work::{Processor, Work};
use probe::counters::selftest::{self, SelfTest};
use probe::counters::{Group, GroupName, Layer, System, Table, Target, watchdog_holds_a_counter};
use record::CountersHead;
use std::path::Path;

/// The plan, and what the record says of it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Planned {
    pub plan: CounterPlan,
    pub head: CountersHead,
    /// Sentences for the run's conditions.
    pub notes: Vec<String>,
}

/// Tests the counters on this machine and opens the group, to see what of it can be had. The
/// events that the kernel counts itself come with every group.
pub fn plan(asked: &Asked<'_>) -> Planned {
    pinned(asked.cpu, || {
        let clock = crate::ClockSpec::choose(asked.root).build();
        let nothing = &mut || crate::self_test::nothing(&*clock);
        plan_with(asked, || System, &mut Processor::ready(), nothing)
    })
}

/// As [`tested_on`], on the CPU that a run would measure on.
pub fn tested(machine: &machine::Machine, root: &Path) -> SelfTest {
    let allowed = crate::affinity::allowed_cpus().unwrap_or_default();
    let cpu = (!allowed.is_empty()).then(|| crate::affinity::choose(&allowed, root).test_cpu);
    tested_on(cpu, machine, root)
}

/// The counters of a CPU, tested with every event of all groups. `root` is where /proc is found.
pub fn tested_on(cpu: Option<u32>, machine: &machine::Machine, root: &Path) -> SelfTest {
    let groups: Vec<GroupName> = GroupName::ALL
        .into_iter()
        .filter(|g| *g != GroupName::Software)
        .collect();
    let test = pinned(cpu, || {
        let mut bench = selftest::Bench {
            layer: &mut || System,
            work: &mut Processor::ready(),
        };
        let table = Table::of(&machine.cpu);
        selftest::test(&table, &groups, &mut bench, |refusal, kind| {
            refusal.explain(kind, machine, root)
        })
    });
    SelfTest {
        watchdog: watchdog_holds_a_counter(root),
        ..test
    }
}

/// In a thread of its own, which alone is pinned.
fn pinned<T: Send>(cpu: Option<u32>, what: impl Fn() -> T + Sync) -> T {
    let there = || {
        if let Some(cpu) = cpu {
            // Where that is refused the test is of another CPU, as the notes of the
            // instrument's self-test say.
            let _ = crate::affinity::pin(&[cpu]);
        }
        what()
    };
    std::thread::scope(
        |scope| match std::thread::Builder::new().spawn_scoped(scope, there) {
            Ok(thread) => thread
                .join()
                .unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
            Err(_) => what(),
        },
    )
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

/// As [`plan`], asking the layers that `layer` makes, with known work done by `work` and an
/// empty batch by `nothing`.
pub fn plan_with<L: Layer>(
    asked: &Asked<'_>,
    layer: impl Fn() -> L + Clone + 'static,
    work: &mut dyn Work,
    nothing: &mut dyn FnMut(),
) -> Planned {
    let table = match asked.group {
        GroupName::Software => Table::software(),
        _ => Table::of(&asked.machine.cpu),
    };
    let mut choice = Choice::default();
    if asked.group != GroupName::Software {
        choice.of_processor(asked, &table, &layer, work);
    }
    let software = Table::software().events(GroupName::Software);
    let group = Group::open(layer(), &software, Target::ThisThread);
    let scope = scope_of(group.scope());
    let mut open = Vec::new();
    for (event, slot) in software.iter().zip(group.slots()) {
        let absence = slot
            .refusal
            .as_ref()
            .map(|why| explained(why, slot.kind, asked));
        choice.heads.push(heads::head(event, scope, absence));
        if slot.refusal.is_none() {
            open.push(event.clone());
        }
    }
    drop(group);
    let by_branches = table.branches_include_mispredicted;
    let mut plan = CounterPlan {
        metrics: metrics(&choice.passes, (&open, scope), by_branches),
        passes: choice.passes,
        software: open,
        ..CounterPlan::default()
    };
    plan.taken_off = overhead::measured(&plan, layer, nothing);
    heads::place(&mut choice.heads, &plan);
    let head = CountersHead {
        group: asked.group.name().to_owned(),
        core: table.core,
        source: table.source,
        events: choice.heads,
        metrics: plan.metrics.iter().map(|m| m.head.name.clone()).collect(),
        alternating: !plan.metrics.is_empty(),
        self_test: heads::of_test(&choice.test),
    };
    let notes = heads::notes(&head, &plan, asked.root);
    Planned { plan, head, notes }
}
