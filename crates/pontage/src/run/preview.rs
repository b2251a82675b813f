//! What a plan will measure and how long that takes, before it begins.

use ::report::document::{Column, Document, Table};
use catalogue::plan::Plan;

/// A row for each experiment, and one for all.
pub fn table(plan: &Plan) -> Document {
    let row = |name: &str, points: usize, ns: u64, rest: String| {
        let seconds = format!("{:.1}", ns as f64 / 1e9);
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
        let budget_ns = plan.budget_of_ns(planned);
        table.row(row(planned.listed.id, points, budget_ns, "s".to_owned()));
    }
    let processes = plan.processes;
    let rest = format!(
        "s of samples and recordings at most, {processes} process(es) each; other set-up not \
         counted"
    );
    table.row(row("together", plan.points(), plan.budget_ns(), rest));
    table.into()
}

/// What takes so long is announced.
const LONG_NS: u64 = 120_000_000_000;

/// How long a long run will take, before it begins.
pub fn announce(plan: &Plan) {
    let budget_ns = plan.budget_ns();
    if budget_ns >= LONG_NS {
        harness::message!(
            "{} point(s), {} at most, set-up not counted; Ctrl-C keeps what was measured, --dry-run \
             shows the plan",
            plan.points(),
            hours_and_minutes(budget_ns)
        );
    }
}

/// `4 h 20 min`, `7 min`.
fn hours_and_minutes(ns: u64) -> String {
    let minutes = ns.div_ceil(60_000_000_000);
    match (minutes / 60, minutes % 60) {
        (0, minutes) => format!("{minutes} min"),
        (hours, 0) => format!("{hours} h"),
        (hours, minutes) => format!("{hours} h {minutes} min"),
    }
}

#[cfg(test)]
mod tests {
    use super::hours_and_minutes;

    #[test]
    fn long_times_read_as_a_clock_has_them() {
        const MINUTE_NS: u64 = 60_000_000_000;
        for (minutes, text) in [(3, "3 min"), (60, "1 h"), (260, "4 h 20 min")] {
            assert_eq!(hours_and_minutes(minutes * MINUTE_NS), text);
        }
        assert_eq!(hours_and_minutes(2 * MINUTE_NS + 1), "3 min");
    }
}
