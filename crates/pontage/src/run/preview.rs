//! What a plan will measure and how long that takes, before it begins.

use super::clock_time::clock_time;
use super::pace::{Estimate, Pace};
use ::report::document::{Column, Document, Table};
use catalogue::plan::Plan;

/// A row for each experiment, and one for all; what is measured once for each pace.
pub fn table(plan: &Plan, paces: &[Pace]) -> Document {
    let row = |name: &str, points: usize, estimate: Estimate, rest: String| {
        let seconds = format!("{:.1}", estimate.ns / 1e9);
        let cells = [name.to_owned(), points.to_string(), "points".to_owned()];
        cells.into_iter().chain([seconds, rest])
    };
    let mut table = Table::new([
        Column::words("").least(20),
        Column::number("").least(4).gap(1),
        Column::words("").gap(1),
        Column::number("").least(7),
        Column::words("").gap(1),
    ]);
    for planned in &plan.experiments {
        let points = planned.blocks.iter().map(|b| b.points.len()).sum();
        let estimate = sum(paces, |pace| pace.of_experiment(plan, planned));
        table.row(row(planned.listed.id, points, estimate, "s".to_owned()));
    }
    let all = sum(paces, |pace| pace.of(plan));
    let twice = paces.len() > 1;
    table.row(row("together", plan.points(), all, rest(plan, all, twice)));
    table.into()
}

fn sum(paces: &[Pace], of: impl Fn(&Pace) -> Estimate) -> Estimate {
    let nothing = Estimate {
        ns: 0.0,
        known: true,
    };
    paces.iter().map(of).fold(nothing, |a, b| Estimate {
        ns: a.ns + b.ns,
        known: a.known && b.known,
    })
}

/// What the sum is of.
fn rest(plan: &Plan, all: Estimate, twice: bool) -> String {
    let processes = match plan.processes {
        1 => "one process".to_owned(),
        n => format!("{n} processes each"),
    };
    let loads = if twice {
        ", without load and under load"
    } else {
        ""
    };
    let limit = match plan.within_s {
        Some(within) if all.ns >= LIMITED * within as f64 * 1e9 => {
            ", fewer of the costliest: that is the limit of time"
        }
        _ => "",
    };
    let in_words = match all.ns / 1e9 {
        seconds if seconds < 120.0 => String::new(),
        _ => format!(" ({})", clock_time(all.ns)),
    };
    let doubt = match all.known {
        true => "",
        false => "; some did not run here yet: what they take is assumed",
    };
    format!("s with set-up{in_words}, {processes}{loads}{limit}{doubt}")
}

/// An estimate that reaches this share of the limit is made by it.
const LIMITED: f64 = 0.95;

/// What takes so long is announced, ns.
const LONG_NS: f64 = 20e9;

/// How long a long run will take, before it begins.
pub fn announce(plan: &Plan, pace: &Pace) {
    let estimate = pace.of(plan);
    if estimate.ns >= LONG_NS {
        let doubt = match estimate.known {
            true => "",
            false => " (some of it did not run here yet)",
        };
        harness::message!(
            "{} point(s), about {}{doubt}; Ctrl-C keeps what was measured, --dry-run shows the plan",
            plan.points(),
            clock_time(estimate.ns)
        );
    }
}
