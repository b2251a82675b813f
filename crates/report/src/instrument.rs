//! The instrument and the surroundings of a run in words: what a reader must
//! know before believing a number.

use crate::format::{counted, percent, significant, time_ns};
use analysis::{CpuSpeed, RunView};
use record::self_test::COUNTERS_HERE;
use record::{
    PointHead, PointState, RunHead, RunState, SelfTest, SelfTestRow, SelfTestVerdict, YardstickHead,
};

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
    /// The grade of the run says it too.
    pub graded: bool,
}

/// What is to be thought of times that an emulated processor took.
pub const EMULATED: &str = "times are meaningless outside this guest";
/// Share of stolen time from which it is worth a caution.
const STEAL_CAUTION: f64 = 0.005;
/// Share of busy time before measuring from which it is worth a caution.
const BUSY_CAUTION: f64 = 0.10;
/// Drift of the clock, parts per million, from which it is worth a caution.
const DRIFT_CAUTION_PPM: f64 = 100.0;

/// Everything about the whole run that colours its numbers, loudest first.
pub fn remarks(head: &RunHead) -> Vec<Remark> {
    let mut found = Vec::new();
    found.extend(state(head));
    found.extend(surroundings(head));
    found.extend(clock(head));
    found.sort_by_key(|r| std::cmp::Reverse(r.weight));
    found
}

fn remark(weight: Weight, text: String) -> Remark {
    let graded = false;
    Remark {
        weight,
        text,
        graded,
    }
}

/// A caution that costs the run a part of its grade.
fn graded(text: String) -> Remark {
    let graded = true;
    Remark {
        graded,
        ..remark(Weight::Caution, text)
    }
}

fn facts(notes: &[String]) -> impl Iterator<Item = Remark> {
    notes.iter().map(|note| remark(Weight::Fact, note.clone()))
}

fn state(head: &RunHead) -> Option<Remark> {
    let total = head.points.len();
    let is_pending = |p: &PointHead| matches!(p.state, PointState::Pending);
    let pending = head.points.iter().filter(|p| is_pending(p)).count();
    let missing = format!("{pending} of {total} points not measured");
    let incomplete = |why: &str| remark(Weight::Alarm, format!("incomplete: {why}; {missing}"));
    match &head.state {
        RunState::Complete if pending == 0 => None,
        RunState::Complete => Some(remark(Weight::Caution, missing)),
        RunState::Running => Some(incomplete("the run has not been closed")),
        RunState::Incomplete { reason } => Some(incomplete(reason)),
    }
}

fn surroundings(head: &RunHead) -> Vec<Remark> {
    let c = &head.conditions;
    let caution = |text| remark(Weight::Caution, text);
    let load = (!c.load.is_empty() && c.load != "light").then(|| {
        let detail = match c.load_detail.join("; ") {
            none if none.is_empty() => none,
            detail => format!(" ({detail})"),
        };
        caution(format!("measured under load {}{detail}", c.load))
    });
    let machine = &head.machine;
    let virtual_machine = match machine.is_emulated() {
        true => {
            let by = machine.emulated.as_ref().or(machine.hypervisor.as_ref());
            let by = by.map_or("", String::as_str);
            let text = format!("emulated processor, {by}: {EMULATED}");
            Some(remark(Weight::Alarm, text))
        }
        false => {
            let under = machine.hypervisor.as_ref();
            under.map(|name| remark(Weight::Fact, format!("virtual machine under {name}")))
        }
    };
    let steal = c.steal_share.filter(|s| *s >= STEAL_CAUTION).map(percent);
    let steal = steal.map(|share| graded(format!("the hypervisor took {share} of the CPU time")));
    let busy = c.busy_before.filter(|s| *s >= BUSY_CAUTION).map(percent);
    let busy = busy.map(|share| graded(format!("CPUs were {share} busy just before measuring")));
    let found = [load, virtual_machine, steal, busy].into_iter().flatten();
    found.chain(facts(&c.notes)).collect()
}

fn clock(head: &RunHead) -> Vec<Remark> {
    let i = &head.instrument;
    let changes = !i.invariant && !i.clock.is_empty();
    let changes = changes.then(|| {
        format!(
            "the clock {} is not invariant: its rate may change",
            i.clock
        )
    });
    let drifts = i.drift_ppm.abs() >= DRIFT_CAUTION_PPM;
    let drifts = drifts.then(|| format!("the clock drifts by {:.0} ppm", i.drift_ppm));
    let found = changes.into_iter().chain(drifts);
    let found = found.map(graded);
    found.chain(facts(&i.notes)).collect()
}

/// `AMD EPYC, 2 cores, KVM guest`.
pub fn machine_title(head: &RunHead) -> String {
    let m = &head.machine;
    let cores = match m.cores {
        0 => None,
        1 => Some("1 core".to_owned()),
        n => Some(format!("{n} cores")),
    };
    let guest = m.hypervisor.as_ref().map(|by| format!("{by} guest"));
    let parts = [Some(m.cpu_model.clone()), cores, guest];
    let parts: Vec<String> = parts
        .into_iter()
        .flatten()
        .filter(|p| !p.is_empty())
        .collect();
    match parts.is_empty() {
        true => m.host.clone(),
        false => parts.join(", "),
    }
}

/// The instrument's self-test as (label, value) lines.
pub fn instrument_lines(head: &RunHead) -> Vec<(&'static str, String)> {
    let i = &head.instrument;
    if i.clock_hz == 0.0 {
        // Recorded or imported: the harness did not measure, so tested nothing.
        return vec![("clock", i.clock.clone())];
    }
    let mhz = significant(i.clock_hz / 1e6, 6);
    let turn = time_ns(i.empty_loop_ns, 3);
    let mut lines = vec![
        ("clock", format!("{}, {mhz} MHz", i.clock)),
        ("resolution", time_ns(i.resolution_ns, 3)),
        ("cost of a reading", time_ns(i.read_cost_ns, 3)),
        ("empty loop", format!("{turn} a turn")),
        ("drift", format!("{} ppm", significant(i.drift_ppm, 2))),
        ("invariant", yes_or_no(i.invariant)),
    ];
    lines.extend(i.yardstick.as_ref().map(|y| ("yardstick", yardstick(y))));
    lines.extend(i.self_test.as_ref().map(|t| ("self-test", self_test(t))));
    lines
}

/// The row that says most: about what a comparison reports at its threshold.
const TELLING: &str = "plus_5_percent";

/// `+5 % found in 20 of 20, no false alarm in 160, 5 of 6 counters count, 2026-11-26`.
pub fn self_test(test: &SelfTest) -> String {
    let found = test.row(TELLING).map(|row| {
        let (planted, found, trials) = (&row.planted, row.found, row.trials);
        format!("{planted} found in {found} of {trials}")
    });
    let (false_alarms, trials) = test.false_alarms();
    let alarms = match false_alarms {
        0 => format!("no false alarm in {trials}"),
        n => format!("{} in {trials}", counted(n, "false alarm", "false alarms")),
    };
    let named = |verdict: SelfTestVerdict, words: &str| {
        let rows: Vec<&str> = test.ended(verdict).map(|row| row.id.as_str()).collect();
        (!rows.is_empty()).then(|| format!("{words}: {}", rows.join(" ")))
    };
    let date = test.made_utc.split('T').next().unwrap_or_default();
    let parts = [
        found,
        Some(alarms),
        test.row(COUNTERS_HERE).map(counters),
        named(SelfTestVerdict::Failed, "failed"),
        named(SelfTestVerdict::TooNoisy, "too noisy for"),
        Some(date.to_owned()),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// How many counters of the machine itself count, where it lets them be tested.
fn counters(row: &SelfTestRow) -> String {
    match row.verdict {
        SelfTestVerdict::NotRun => "counters not tested".to_owned(),
        _ => format!("{} of {} counters count", row.found, row.trials),
    }
}

/// `a cycle of 0.268 ns (3.73 GHz), to 0.5 %, in 1.62 us`.
fn yardstick(y: &YardstickHead) -> String {
    let reads = format!(
        "to {}, in {}",
        percent(y.noise_share),
        time_ns(y.cost_ns, 3)
    );
    match y.counts_cycles() {
        true => format!("a cycle of {}, {reads}", cycle(y.link_ns)),
        false => format!(
            "an addition in a chain of {}, {reads}; no cycle: a multiplication takes {} of them",
            time_ns(y.link_ns, 3),
            significant(y.product_ns / y.link_ns, 3)
        ),
    }
}

/// `0.268 ns (3.73 GHz)`.
fn cycle(link_ns: f64) -> String {
    format!(
        "{} ({} GHz)",
        time_ns(link_ns, 3),
        significant(1.0 / link_ns, 3)
    )
}

/// How fast the CPUs were that samples were taken on, as (label, value) lines.
pub fn speed_lines(view: &RunView) -> Vec<(&'static str, String)> {
    let counts = view.head.instrument.yardstick;
    let counts = counts.is_some_and(|y| y.counts_cycles());
    let line = |speed: &CpuSpeed| {
        let usual = match counts {
            true => format!("a cycle of {}", cycle(speed.link_ns)),
            false => format!("an addition in a chain of {}", time_ns(speed.link_ns, 3)),
        };
        let not_usual = match speed.unusual_share {
            0.0 => "in all samples".to_owned(),
            share => format!("in {} of the samples", percent(1.0 - share)),
        };
        ("speed", format!("CPU {}: {usual} {not_usual}", speed.cpu))
    };
    view.speeds.iter().map(line).collect()
}

fn yes_or_no(is: bool) -> String {
    if is { "yes" } else { "no" }.to_owned()
}

/// The surroundings as (label, value) lines.
pub fn condition_lines(head: &RunHead) -> Vec<(&'static str, String)> {
    let c = &head.conditions;
    if c.scheduling.is_empty() && head.instrument.clock_hz == 0.0 {
        // Recorded or imported: no process of ours measured.
        let load = (!c.load.is_empty()).then(|| ("load", c.load.clone()));
        return load.into_iter().collect();
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
        ("memory locked", yes_or_no(c.memory_locked)),
        ("load average", load),
        ("busy before", share(c.busy_before)),
        ("steal", share(c.steal_share)),
    ]
}
