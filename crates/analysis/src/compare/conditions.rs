//! In what two machines, and the states they were in, differ.

use record::{Conditions, MachineCard, RunHead};
use serde::{Deserialize, Serialize};

/// A fact that is not the same on both sides.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Difference {
    /// `kernel`, `mitigations`.
    pub field: String,
    /// Empty where the run tells nothing of it: one made of files that do not.
    pub a: String,
    pub b: String,
    /// Whether it can change what an operation costs, so that figures of the
    /// two sides cannot be compared without saying so.
    pub matters: bool,
}

/// Collects the facts that differ.
#[derive(Default)]
struct Differences(Vec<Difference>);

impl Differences {
    fn note(&mut self, field: &str, matters: bool, a: impl ToString, b: impl ToString) {
        let (a, b) = (a.to_string(), b.to_string());
        if a != b {
            self.0.push(Difference {
                field: field.to_owned(),
                a,
                b,
                matters,
            });
        }
    }

    /// A fact that one side could not read is no difference.
    fn note_known(&mut self, field: &str, matters: bool, a: Option<&str>, b: Option<&str>) {
        if let (Some(a), Some(b)) = (a, b) {
            self.note(field, matters, a, b);
        }
    }
}

/// Facts of the two machines that differ, those that matter first.
pub fn machines_differ(a: &MachineCard, b: &MachineCard) -> Vec<Difference> {
    let mut found = Differences::default();
    found.note("cpu model", true, &a.cpu_model, &b.cpu_model);
    found.note("architecture", true, &a.arch, &b.arch);
    found.note("cpus", true, stated(a.cpus), stated(b.cpus));
    found.note("caches", true, caches(a), caches(b));
    found.note(
        "page size",
        true,
        stated(a.page_bytes),
        stated(b.page_bytes),
    );
    found.note("kernel", true, &a.kernel, &b.kernel);
    found.note("preemption", true, &a.preemption, &b.preemption);
    let (ours, theirs) = (sorted(&a.mitigations), sorted(&b.mitigations));
    found.note("mitigations", true, ours, theirs);
    let governors = (a.governor.as_deref(), b.governor.as_deref());
    found.note_known("governor", true, governors.0, governors.1);
    let pages = (
        a.transparent_hugepages.as_deref(),
        b.transparent_hugepages.as_deref(),
    );
    found.note_known("transparent huge pages", true, pages.0, pages.1);
    let none = "none";
    found.note(
        "hypervisor",
        true,
        a.hypervisor.as_deref().unwrap_or(none),
        b.hypervisor.as_deref().unwrap_or(none),
    );
    found.note(
        "numa nodes",
        true,
        stated(a.numa_nodes),
        stated(b.numa_nodes),
    );
    found.note("host", false, &a.host, &b.host);
    found.note(
        "memory",
        false,
        stated(a.memory_bytes),
        stated(b.memory_bytes),
    );
    let clocks = (a.clocksource.as_deref(), b.clocksource.as_deref());
    found.note_known("clocksource", false, clocks.0, clocks.1);
    found.note("features", false, sorted(&a.features), sorted(&b.features));
    found.0
}

/// Conditions of the two runs that differ.
pub fn conditions_differ(a: &RunHead, b: &RunHead) -> Vec<Difference> {
    let mut found = Differences::default();
    let (left, right) = (&a.conditions, &b.conditions);
    found.note("load", true, load(&left.load), load(&right.load));
    found.note("scheduling", true, &left.scheduling, &right.scheduling);
    found.note(
        "memory locked",
        false,
        left.memory_locked,
        right.memory_locked,
    );
    found.note("counters", false, counters(left), counters(right));
    found.note("timing", true, timing(left), timing(right));
    found.note("clock", false, &a.instrument.clock, &b.instrument.clock);
    found.note("version", false, &a.tool_version, &b.tool_version);
    found.0
}

/// No machine has none of what is counted here: 0 stands for unknown.
fn stated(number: impl Into<u64>) -> String {
    match number.into() {
        0 => String::new(),
        number => number.to_string(),
    }
}

fn load(name: &str) -> &str {
    if name.is_empty() { "light" } else { name }
}

/// Whether counters ran while times were taken, which makes short operations longer.
fn timing(conditions: &Conditions) -> &'static str {
    match &conditions.counters {
        // Where no event could be counted, none ran.
        Some(c) if !c.alternating && !c.metrics.is_empty() => "with counters running",
        _ => "without counters",
    }
}

/// `arch (ARM Cortex-A72), user and kernel`.
fn counters(conditions: &Conditions) -> String {
    let Some(head) = &conditions.counters else {
        return "none".to_owned();
    };
    let mut scopes: Vec<&str> = head.events.iter().map(|e| e.scope.as_str()).collect();
    scopes.dedup();
    format!("{} ({}), {}", head.group, head.core, scopes.join(", "))
}

fn caches(card: &MachineCard) -> String {
    let one =
        |c: &&record::Cache| format!("L{} {}", c.level, record::axis::human_bytes(c.size_bytes));
    let all: Vec<String> = card.data_caches().iter().map(one).collect();
    all.join(", ")
}

fn sorted(words: &[String]) -> String {
    let mut words = words.to_vec();
    words.sort_unstable();
    words.join(", ")
}

/// Why figures of the two sides cannot be held against each other at all.
pub(super) fn obstacle(differences: &[Difference]) -> Option<String> {
    let fields: Vec<&str> = differences
        .iter()
        .filter(|d| d.matters)
        .map(|d| d.field.as_str())
        .collect();
    (!fields.is_empty()).then(|| format!("different {}", fields.join(", ")))
}
