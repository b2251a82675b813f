//! The instrument and the surroundings of a run in words: what a reader must
//! know before believing a number.

use crate::format::{percent, significant, time_ns};
use record::{RunHead, RunState};

/// How loudly a remark must be said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Weight {
    /// A fact of the set-up.
    Fact,
    /// Something that shifts or widens results.
    Caution,
    /// The run as a whole is not what it looks like.
    Alarm,
}

/// One remark about a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remark {
    pub weight: Weight,
    pub text: String,
}

/// What is to be thought of times that an emulated processor took.
pub const EMULATED: &str = "times mean nothing outside this guest";
/// Share of stolen time from which it is worth a caution.
const STEAL_CAUTION: f64 = 0.005;
/// Share of busy time before measuring from which it is worth a caution.
const BUSY_CAUTION: f64 = 0.10;
/// Drift of the clock, parts per million, from which it is worth a caution.
const DRIFT_CAUTION_PPM: f64 = 100.0;

/// Everything about the whole run that colours its numbers, loudest first.
pub fn remarks(head: &RunHead) -> Vec<Remark> {
    let mut found = Vec::new();
    state(head, &mut found);
    surroundings(head, &mut found);
    clock(head, &mut found);
    found.sort_by_key(|r| std::cmp::Reverse(r.weight));
    found
}

fn push(found: &mut Vec<Remark>, weight: Weight, text: impl Into<String>) {
    found.push(Remark {
        weight,
        text: text.into(),
    });
}

fn state(head: &RunHead, found: &mut Vec<Remark>) {
    let total = head.points.len();
    let pending = head
        .points
        .iter()
        .filter(|p| matches!(p.state, record::PointState::Pending))
        .count();
    let missing = format!("{pending} of {total} points not measured");
    match &head.state {
        RunState::Complete if pending == 0 => {}
        RunState::Complete => push(found, Weight::Caution, missing),
        RunState::Running => push(
            found,
            Weight::Alarm,
            format!("incomplete: the run has not been closed; {missing}"),
        ),
        RunState::Incomplete { reason } => push(
            found,
            Weight::Alarm,
            format!("incomplete: {reason}; {missing}"),
        ),
    }
}

fn surroundings(head: &RunHead, found: &mut Vec<Remark>) {
    let c = &head.conditions;
    if !c.load.is_empty() && c.load != "light" {
        let detail = if c.load_detail.is_empty() {
            String::new()
        } else {
            format!(" ({})", c.load_detail.join("; "))
        };
        push(
            found,
            Weight::Caution,
            format!("measured under load {}{detail}", c.load),
        );
    }
    let machine = &head.machine;
    if machine.is_emulated() {
        let by = machine.emulated.as_ref().or(machine.hypervisor.as_ref());
        let by = by.map_or("", String::as_str);
        push(
            found,
            Weight::Alarm,
            format!("emulated processor, {by}: {EMULATED}"),
        );
    } else if let Some(name) = &machine.hypervisor {
        push(found, Weight::Fact, format!("virtual machine under {name}"));
    }
    if let Some(share) = c.steal_share.filter(|s| *s >= STEAL_CAUTION) {
        push(
            found,
            Weight::Caution,
            format!("the hypervisor took {} of the CPU time", percent(share)),
        );
    }
    if let Some(share) = c.busy_before.filter(|s| *s >= BUSY_CAUTION) {
        push(
            found,
            Weight::Caution,
            format!("CPUs were {} busy just before measuring", percent(share)),
        );
    }
    for note in &c.notes {
        push(found, Weight::Fact, note.clone());
    }
}

fn clock(head: &RunHead, found: &mut Vec<Remark>) {
    let i = &head.instrument;
    if !i.invariant && !i.clock.is_empty() {
        push(
            found,
            Weight::Caution,
            format!(
                "the clock {} is not invariant: its rate may change",
                i.clock
            ),
        );
    }
    if i.drift_ppm.abs() >= DRIFT_CAUTION_PPM {
        push(
            found,
            Weight::Caution,
            format!("the clock drifts by {:.0} ppm", i.drift_ppm),
        );
    }
    for note in &i.notes {
        push(found, Weight::Fact, note.clone());
    }
}

/// The instrument's self-test as (label, value) lines.
pub fn instrument_lines(head: &RunHead) -> Vec<(&'static str, String)> {
    let i = &head.instrument;
    if i.clock_hz == 0.0 {
        // Recorded or imported: the harness did not measure, so tested nothing.
        return vec![("clock", i.clock.clone())];
    }
    vec![
        (
            "clock",
            format!("{}, {} MHz", i.clock, significant(i.clock_hz / 1e6, 6)),
        ),
        ("resolution", time_ns(i.resolution_ns, 3)),
        ("cost of a reading", time_ns(i.read_cost_ns, 3)),
        (
            "empty loop",
            format!("{} a turn", time_ns(i.empty_loop_ns, 3)),
        ),
        ("drift", format!("{} ppm", significant(i.drift_ppm, 2))),
        (
            "invariant",
            if i.invariant { "yes" } else { "no" }.to_owned(),
        ),
    ]
}

/// The surroundings as (label, value) lines.
pub fn condition_lines(head: &RunHead) -> Vec<(&'static str, String)> {
    let c = &head.conditions;
    if c.scheduling.is_empty() && head.instrument.clock_hz == 0.0 {
        // Recorded or imported: no process of ours measured.
        let load = Some(("load", c.load.clone()));
        return load
            .filter(|(_, load)| !load.is_empty())
            .into_iter()
            .collect();
    }
    let cpu = c.partner_cpu.map_or_else(
        || format!("CPU {}", c.test_cpu),
        |p| format!("CPU {}, partner CPU {p}", c.test_cpu),
    );
    let load = match (c.loadavg_before, c.loadavg_after) {
        (Some(b), Some(a)) => format!("{b:.2} before, {a:.2} after"),
        (Some(b), None) => format!("{b:.2} before"),
        _ => "not readable".to_owned(),
    };
    let share = |s: Option<f64>| s.map_or_else(|| "not readable".to_owned(), percent);
    vec![
        ("load", c.load.clone()),
        ("measured on", cpu),
        ("scheduling", c.scheduling.clone()),
        (
            "memory locked",
            if c.memory_locked { "yes" } else { "no" }.to_owned(),
        ),
        ("load average", load),
        ("busy before", share(c.busy_before)),
        ("steal", share(c.steal_share)),
    ]
}
