//! What the slices of two tasks say: shares, turns, who lost the CPU how.

use super::{ID, TAKEN_AWAY, TOLD, TURN};
use crate::compared::{interval, said, stated, word};
use crate::experiment::Claim;
use analysis::{ExperimentTable, PointView};
use record::{Finding, Setting, Unit, Verdict};

/// CPU time of a task: its slices together, ns.
fn share(point: &PointView) -> Option<f64> {
    let slices = point.summary(0)?;
    Some(slices.mean * f64::from(slices.samples))
}

/// The two tasks of each scene.
fn pairs(table: &ExperimentTable) -> Vec<(&PointView, &PointView)> {
    let without_task = |p: &PointView| -> Vec<Setting> {
        let settings = p.head.settings.iter();
        settings.filter(|s| s.axis != "task").cloned().collect()
    };
    let firsts = table.points.iter().filter(|p| word(p, "task") == "first");
    firsts
        .filter_map(|first| {
            let other = table
                .points
                .iter()
                .find(|p| word(p, "task") == "second" && without_task(p) == without_task(first))?;
            Some((first, other))
        })
        .collect()
}

fn named(point: &PointView) -> String {
    let traced = match word(point, "source") {
        "trace" => ", traced",
        _ => "",
    };
    format!(
        "{} {} {}{traced}",
        word(point, "policy"),
        word(point, "rank"),
        word(point, "workload")
    )
}

/// Jain, Chiu and Hawe's index of what each got: 1 is equal, 1/n is one for all.
pub fn fairness(shares: &[f64]) -> f64 {
    let sum: f64 = shares.iter().sum();
    let squares: f64 = shares.iter().map(|s| s * s).sum();
    sum * sum / (shares.len() as f64 * squares)
}

pub fn findings(table: &ExperimentTable) -> Vec<Finding> {
    let mut all = Vec::new();
    for (first, second) in pairs(table) {
        if let (Some(a), Some(b)) = (share(first), share(second)) {
            let index = fairness(&[a, b]);
            let key = format!("fairness {}", named(first)).replace([' ', '/', ','], "_");
            let text = format!(
                "{}: the first task had {:.0} ms of CPU and the second {:.0} ms (Jain's fairness \
                 index {index:.3}; 1 is equal shares)",
                named(first),
                a / 1e6,
                b / 1e6
            );
            all.push(said(ID, &key, Verdict::Stated, 1.0, text));
        }
        all.extend(against_told(first));
    }
    all
}

/// Round robin has a length that the kernel promises.
fn against_told(point: &PointView) -> Option<Finding> {
    let even = word(point, "rank") == "90/90" && word(point, "workload") == "compute";
    if word(point, "policy") != "rr" || word(point, "source") == "trace" || !even {
        return None;
    }
    let (turn, told) = (point.summary(TURN)?, point.summary(TOLD)?.median);
    let near = (turn.median / told - 1.0).abs() < 0.05;
    let text = format!(
        "Under round robin a computing task of equal rank has {:.1} ms of CPU a turn; \
         sched_rr_timeslice_ms says {:.0} ms",
        turn.median / 1e6,
        told / 1e6
    );
    Some(Finding {
        reference: Some(told),
        reference_source: Some("sched_rr_timeslice_ms".to_owned()),
        verdict: if near {
            Verdict::Agree
        } else {
            Verdict::Disagree
        },
        ..stated(ID, "rr_turn", Unit::Nanoseconds, interval(turn), text)
    })
}

pub const CLAIMS: &[Claim] = &[
    Claim {
        text: "tasks that only compute lose the CPU because it is taken from them",
        check: computing_is_preempted,
    },
    Claim {
        text: "tasks of equal rank under round robin or the fair scheduler get equal shares \
               (fairness index over 0.95)",
        check: equals_are_equal,
    },
];

fn computing_is_preempted(table: &ExperimentTable) -> Option<(bool, String)> {
    let of = table
        .points
        .iter()
        .filter(|p| word(p, "workload") == "compute");
    let shares = of.filter_map(|p| Some((p.summary(TAKEN_AWAY)?.mean, p)));
    let (least, point) = shares.min_by(|a, b| a.0.total_cmp(&b.0))?;
    let evidence = format!(
        "least: {:.0} % of the slices of {}",
        least * 100.0,
        named(point)
    );
    Some((least > 0.9, evidence))
}

fn equals_are_equal(table: &ExperimentTable) -> Option<(bool, String)> {
    let equal = |p: &PointView| {
        let rank = word(p, "rank");
        let by_turns = matches!(word(p, "policy"), "rr" | "other" | "batch");
        // In a few turns one more or less is much.
        let enough = match (p.summary(TURN), share(p)) {
            (Some(turn), Some(share)) => share >= 10.0 * turn.median,
            _ => true,
        };
        by_turns && enough && rank.split_once('/').is_some_and(|(a, b)| a == b)
    };
    let of = pairs(table).into_iter().filter(|(first, _)| equal(first));
    let indices = of.filter_map(|(a, b)| Some((fairness(&[share(a)?, share(b)?]), a)));
    let (least, point) = indices.min_by(|a, b| a.0.total_cmp(&b.0))?;
    Some((
        least > 0.95,
        format!("least: {least:.3} with {}", named(point)),
    ))
}
