//! What the slices of tasks say: shares, turns, who lost the CPU how.

use super::subject::UNSEEN;
use super::{NOMINAL, RT_PERIOD, SPARED, TAKEN_AWAY, TURN, WAIT};
use crate::quantities::scheduler::{self as quantity, SEEN, STATED, SWITCHES};
use analysis::claims::{Outcome, Quoted, all};
use analysis::conclusion::Conclusion;
use analysis::inference::Answer;
use analysis::sentence::list;
use analysis::{ExperimentTable, PointView};
use catalogue::Claim;
use engines::scheduler::policy::Policy;
use record::{Finding, MachineCard};

/// CPU time of a task: its slices together, ns.
fn share(point: &PointView) -> Option<f64> {
    let slices = point.primary()?;
    Some(slices.mean * f64::from(slices.samples))
}

/// The tasks of each scene, the first one first.
fn scenes(table: &ExperimentTable) -> Vec<Vec<&PointView>> {
    let firsts = table.points.iter().filter(|p| p.word("task") == "first");
    let scene = |first: &PointView| {
        let of = first.all_but(&["task"]);
        let all = table.points.iter().filter(|p| p.all_but(&["task"]) == of);
        all.collect::<Vec<_>>()
    };
    firsts.map(scene).filter(|all| all.len() > 1).collect()
}

/// CPU time of each task of a scene; None where one is not known.
fn shares(scene: &[&PointView]) -> Option<Vec<f64>> {
    let whole = !scene.iter().any(|point| is_partly_unseen(point));
    let all = scene.iter().map(|point| share(point));
    whole.then(|| all.collect())?
}

/// Switches of it are not in the trace: its slices are, but not all of its time.
fn is_partly_unseen(point: &PointView) -> bool {
    let mut notes = point.head.notes.iter();
    notes.any(|note| note.starts_with(UNSEEN))
}

fn unseen(point: &PointView) -> Finding {
    let text = format!(
        "{}: the shares of CPU time are unknown, because this kernel's trace omits switches (see \
         the points' notes)",
        named(point)
    );
    on("unseen", point).say(text)
}

/// What each source says of turns and of the limit on real-time tasks, and what the kernel
/// states: of each the longest run.
pub fn answers(table: &ExperimentTable, _: &MachineCard) -> Vec<Answer> {
    let firsts: Vec<&PointView> = scenes(table).iter().map(|scene| scene[0]).collect();
    let longest = |is: fn(&PointView) -> bool, source: &str| {
        let of = firsts
            .iter()
            .filter(|p| is(p) && p.word("source") == source);
        of.max_by_key(|p| p.int("length")).copied()
    };
    let mut all = Vec::new();
    for (source, method) in [("gaps", SEEN), ("trace", SWITCHES)] {
        all.extend(longest(takes_turns, source).map(|p| turn(p, method)));
        all.extend(longest(is_alone, source).map(|p| withheld(p, method)));
    }
    let stated = |is: fn(&PointView) -> bool| longest(is, "gaps").or(longest(is, "trace"));
    all.extend(stated(takes_turns).and_then(stated_turn));
    all.extend(stated(is_alone).and_then(stated_limit));
    all
}

/// One that computes under round robin next to others of its rank.
fn takes_turns(point: &PointView) -> bool {
    let even = point.word("rank").starts_with("90/90");
    even && point.word("policy") == "rr" && point.word("workload") == "compute"
}

fn turn(point: &PointView, method: &'static str) -> Answer {
    match point.summary(TURN).map(|s| s.median) {
        Some(turn) if turn.center > 0.0 => {
            let (low, high) = (turn.low.min(turn.center), turn.high.max(turn.center));
            Answer::between(quantity::TURN.key, method, turn.center, low, high)
        }
        _ => Answer::nothing(quantity::TURN.key, method, "no turn was seen to its end"),
    }
}

fn stated_turn(point: &PointView) -> Option<Answer> {
    let ns = point.summary(NOMINAL)?.median.center;
    Some(Answer::exactly(quantity::TURN.key, STATED, ns))
}

/// The share of time that it waited. A run of a few periods may meet one allowance more or less.
fn withheld(point: &PointView, method: &'static str) -> Answer {
    let nothing = |why| Answer::nothing(quantity::LIMIT.key, method, why);
    if is_partly_unseen(point) {
        return nothing("this kernel's trace omits switches");
    }
    let (Some(had), Some(wait)) = (share(point), point.summary(WAIT)) else {
        return nothing("it was never kept waiting");
    };
    let waited = wait.mean * f64::from(wait.samples);
    let share = waited / (had + waited);
    match share > LEAST_WITHHELD {
        true => Answer::between(quantity::LIMIT.key, method, share, share / 1.5, share * 1.5),
        false => nothing("it was hardly kept waiting: no ordinary task wanted the CPU"),
    }
}

fn stated_limit(point: &PointView) -> Option<Answer> {
    let (spared, period) = (point.summary(SPARED)?, point.summary(RT_PERIOD)?);
    let share = spared.median.center / period.median.center;
    (share > 0.0).then(|| Answer::exactly(quantity::LIMIT.key, STATED, share))
}

/// A conclusion on a scene.
fn on(what: &str, point: &PointView) -> Conclusion {
    Conclusion::on(format!("{what} {}", named(point)).replace([' ', '/', ','], "_"))
}

fn named(point: &PointView) -> String {
    let traced = match point.word("source") {
        "trace" => ", traced",
        _ => "",
    };
    format!(
        "{} {} {}{traced}",
        point.word("policy"),
        point.word("rank"),
        point.word("workload")
    )
}

/// Jain, Chiu and Hawe's index of what each got: 1 is equal, 1/n is one for all.
pub fn fairness(shares: &[f64]) -> f64 {
    let sum: f64 = shares.iter().sum();
    let squares: f64 = shares.iter().map(|s| s * s).sum();
    sum * sum / (shares.len() as f64 * squares)
}

/// Findings of `sched/slice`: fairness, time slices and preemption of each set of
/// tasks.
pub fn findings(table: &ExperimentTable) -> Vec<Finding> {
    let mut all = Vec::new();
    for scene in scenes(table) {
        let first = scene[0];
        if let Some(shares) = shares(&scene) {
            let index = fairness(&shares);
            let times = shares.iter().map(|ns| format!("{:.0}", ns / 1e6));
            let text = format!(
                "{}: the tasks had {} ms of CPU (Jain's fairness index {index:.3}; 1 is equal \
                 shares)",
                named(first),
                list(times, " and ")
            );
            all.push(on("fairness", first).say(text));
        }
        match scene.iter().any(|point| is_partly_unseen(point)) {
            true => all.push(unseen(first)),
            false => {
                all.extend(against_bandwidth(first));
                all.extend(against_weights(&scene));
            }
        }
        all.extend(throttled(first));
    }
    all
}

/// A deadline task is promised its runtime in every period, and gets no more.
fn against_bandwidth(point: &PointView) -> Option<Finding> {
    if point.word("policy") != "deadline" || point.word("workload") != "compute" {
        return None;
    }
    let tasks = Policy::of_rank("deadline", point.word("rank"))?;
    let Policy::Deadline {
        runtime_ns,
        period_ns,
    } = tasks[0]
    else {
        return None;
    };
    let had = share(point)? / point.int("length")? as f64;
    let nominal = runtime_ns as f64 / period_ns as f64;
    let text = format!(
        "{}: the first task had {:.1} % of a CPU; it asked for {:.0} ms of every {:.0} ms",
        named(point),
        had * 100.0,
        runtime_ns as f64 / 1e6,
        period_ns as f64 / 1e6
    );
    let near = (had / nominal - 1.0).abs() < 0.05;
    let bandwidth = on("bandwidth", point).reference(nominal, "sched_setattr(2)", near);
    Some(bandwidth.say(text))
}

/// Each nice level is a factor of about 1.25 in CPU time, sched(7).
fn against_weights(scene: &[&PointView]) -> Option<Finding> {
    let [first, second] = scene else { return None };
    let (a, b) = first.word("rank").split_once('/')?;
    let levels = b.parse::<i32>().ok()? - a.parse::<i32>().ok()?;
    let fair = matches!(first.word("policy"), "other" | "batch");
    if !fair || levels == 0 || first.word("workload") != "compute" {
        return None;
    }
    let had = share(first)? / share(second)?;
    let nominal = 1.25f64.powi(levels);
    let near = (had / nominal).ln().abs() < 0.2;
    let text = format!(
        "{}: {levels} nice levels change CPU time by a factor of {had:.2}; nominal {nominal:.2} \
         (1.25 per level)",
        named(first)
    );
    let weights = on("weights", first).reference(nominal, "sched(7)", near);
    Some(weights.say(text))
}

/// What differs by less is the same.
const NEAR: f64 = 0.15;
/// Where a record does not have it: the kernel's own.
const RT_PERIOD_NS: f64 = 1e9;
/// A smaller share of time is other tasks that came and went.
const LEAST_WITHHELD: f64 = 0.005;

/// Whether waits, however many, add up to what is spared in so many periods: one
/// more or less may have been met at the ends.
fn is_spared(waited_ns: f64, spared_ns: f64, periods: f64) -> bool {
    let (least, most) = (periods.floor().max(1.0) - 1.0, periods.ceil() + 1.0);
    let taken = (waited_ns / spared_ns).round().clamp(least.max(1.0), most);
    (waited_ns / (taken * spared_ns) - 1.0).abs() < NEAR
}

/// The first of unequal real-time tasks, or of two under FIFO, loses the CPU to
/// no task of its kind: what takes it is the limit on all of them.
fn is_alone(point: &PointView) -> bool {
    let rank = point.word("rank");
    let alone = match point.word("policy") {
        "fifo" => rank.starts_with("90/"),
        "rr" => rank == "90/45",
        _ => false,
    };
    alone && point.word("workload") == "compute"
}

fn throttled(point: &PointView) -> Option<Finding> {
    if !is_alone(point) {
        return None;
    }
    let (wait, spared) = (point.summary(WAIT)?, point.summary(SPARED)?.median.center);
    let period = point
        .summary(RT_PERIOD)
        .map_or(RT_PERIOD_NS, |p| p.median.center);
    let waited = wait.mean * f64::from(wait.samples);
    let in_all = share(point)? + waited;
    let whole = (wait.max / spared - 1.0).abs() < NEAR;
    let in_parts = is_spared(waited, spared, in_all / period);
    let why = match (whole, in_parts) {
        (true, _) => "the kernel's limit on real-time tasks, because ordinary tasks were waiting",
        (false, true) => {
            "the kernel's limit on real-time tasks, given to ordinary tasks in \
                          several parts"
        }
        (false, false) => "not the kernel's limit on real-time tasks",
    };
    let text = format!(
        "{}: the first task was kept off the CPU {} times, for {:.1} ms at most and {:.1} ms in \
         all: {why} ({:.0} ms of each {:.0} ms: sched_rt_runtime_us)",
        named(point),
        wait.samples,
        wait.max / 1e6,
        waited / 1e6,
        spared / 1e6,
        period / 1e6
    );
    Some(on("throttled", point).sure(wait.median.level).say(text))
}

/// Claims of `sched/slice`: preemption of computing tasks, equal shares.
pub const CLAIMS: &[Claim] = &[
    Claim {
        text: "tasks that only compute lose the CPU by preemption",
        check: computing_is_preempted,
    },
    Claim {
        text: "tasks of equal rank under round robin or the fair scheduler get equal shares \
               (fairness index over 0.95)",
        check: equals_are_equal,
    },
];

/// Nine slices in ten.
fn computing_is_preempted(table: &ExperimentTable) -> Option<Outcome> {
    let of = table.select(&[("workload", "compute")]);
    let shares = of.filter_map(|p| Some(Quoted::share(p, TAKEN_AWAY)?.named(named(p))));
    all(shares.map(|share| share.above(Quoted::limit(0.9, ""))))
}

/// The shares are those of the whole time that the tasks ran for: there is nothing to infer.
fn equals_are_equal(table: &ExperimentTable) -> Option<Outcome> {
    let equal = |p: &PointView| {
        let mut ranks = p.word("rank").split('/');
        let first = ranks.next();
        let by_turns = matches!(p.word("policy"), "rr" | "other" | "batch");
        // In a few turns one more or less is much.
        let enough = match (p.summary(TURN), share(p)) {
            (Some(turn), Some(share)) => share >= 10.0 * turn.median.center,
            _ => true,
        };
        // One that sleeps asks for less.
        let alike = p.word("workload") != "mixed";
        by_turns && enough && alike && ranks.all(|rank| Some(rank) == first)
    };
    let of = scenes(table).into_iter().filter(|scene| equal(scene[0]));
    let indices = of.filter_map(|scene| Some((fairness(&shares(&scene)?), scene[0])));
    let (least, point) = indices.min_by(|a, b| a.0.total_cmp(&b.0))?;
    let evidence = format!("least: {least:.3} with {}", named(point));
    Some(Outcome::exactly(least > 0.95, evidence))
}
