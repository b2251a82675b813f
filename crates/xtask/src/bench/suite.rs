//! The whole quick suite, twice: its time, its report's, and whether the second
//! run agrees with the first.

use super::json::outcomes;
use super::ours::{Ours, Run};
use super::row::{Row, Rows};
use crate::command::{finish, succeed};

const SUITE_LIMIT_S: f64 = 75.0;
const REPORT_LIMIT_S: f64 = 1.0;
const LEAST_UNCHANGED: f64 = 0.97;

/// Rows of time, report and agreement.
pub fn quick(ours: &Ours) -> Rows {
    let a = ours.run(&["--quick"])?;
    let b = ours.run(&["--quick"])?;
    let mut report = ours.pontage(&["report"]);
    let seconds = succeed(report.arg(&b.folder))?.seconds;
    let mut page = ours.pontage(&["report", "--html"]);
    page.arg(ours.folder.join("r.html")).arg(&b.folder);
    let page_seconds = succeed(&mut page)?.seconds;
    Ok(vec![
        Row::limit("quick suite", a.seconds.max(b.seconds), SUITE_LIMIT_S, "s"),
        Row::limit("its report, terminal", seconds, REPORT_LIMIT_S, "s"),
        Row::limit("its report, page", page_seconds, REPORT_LIMIT_S, "s"),
        unchanged(ours, &a, &b)?,
    ])
}

/// Share of what could be compared that the second run does not find worse.
fn unchanged(ours: &Ours, a: &Run, b: &Run) -> Result<Row, String> {
    let mut compare = ours.pontage(&["compare", "--format", "json"]);
    // Exit status 1 says that something got worse: an answer, not a failure.
    let text = finish(compare.args([&a.folder, &b.folder]))?.stdout;
    let comparison: serde_json::Value =
        serde_json::from_str(&text).map_err(|e| format!("cannot read the comparison: {e}"))?;
    let judged = outcomes(&comparison);
    let count = |wanted: &str| judged.iter().filter(|outcome| **outcome == wanted).count();
    let (worse, apart) = (count("worse"), count("not_comparable"));
    let compared = judged.len() - apart - count("skipped");
    if compared == 0 {
        return Err(format!(
            "cannot compare the two runs: {apart} points not comparable"
        ));
    }
    Ok(Row::share(
        "second run without regression",
        1.0 - worse as f64 / compared as f64,
        &format!("{worse} of {compared} metrics worse, {apart} more not comparable"),
        LEAST_UNCHANGED,
    ))
}
