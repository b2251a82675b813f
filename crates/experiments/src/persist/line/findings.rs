//! Whether lines stay.

use super::FLUSHED;
use analysis::claims::{Outcome, is_contaminated};
use analysis::compared::ratio;
use analysis::conclusion::Conclusion;
use analysis::sentence::between;
use analysis::{ExperimentTable, PointView};
use catalogue::Claim;
use record::{Finding, Unit, Verdict};

/// Flushed lines have to take so many times as long before anything between
/// them and the others means something.
const TELLING: f64 = 3.0;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    Stays,
    Leaves,
    Open,
}

fn at<'a>(table: &'a ExperimentTable, method: &'a str) -> Option<&'a PointView> {
    table.measured([("method", method)]).next()
}

/// Time after the instruction over the time after a store, and what that means.
fn fate(table: &ExperimentTable, method: &str) -> Option<(stats::Interval, stats::Interval, Fate)> {
    let store = at(table, "store")?;
    let dropped = ratio(store, at(table, FLUSHED)?)?;
    let times = ratio(store, at(table, method)?)?;
    let middle = dropped.center.max(1.0).sqrt();
    let fate = match () {
        () if dropped.low < TELLING => Fate::Open,
        () if times.high < middle => Fate::Stays,
        () if times.low > middle => Fate::Leaves,
        () => Fate::Open,
    };
    Some((times, dropped, fate))
}

/// One finding for each flush instruction: whether the line stays in a cache.
pub fn findings(table: &ExperimentTable) -> Vec<Finding> {
    let methods = table.points.iter().map(|p| p.word("method"));
    let instructions = methods.filter(|m| !matches!(*m, "store" | FLUSHED));
    instructions.filter_map(|m| fate_of(table, m)).collect()
}

fn fate_of(table: &ExperimentTable, method: &str) -> Option<Finding> {
    let (times, dropped, fate) = fate(table, method)?;
    let key = format!("line_{method}");
    let name = method.replace('_', " ");
    let what = match fate {
        Fate::Stays => format!("{name} leaves the line in a cache"),
        Fate::Leaves => format!("{name} removes the line from the caches"),
        Fate::Open => {
            let text = format!(
                "Whether {name} leaves the line in a cache is unknown: {:.1} times the load time \
                 of a line only written; {:.1} times if the line was removed",
                times.center, dropped.center
            );
            let open = Conclusion::on(&key).sure(times.level);
            return Some(open.verdict(Verdict::Undecided).say(text));
        }
    };
    let text = format!(
        "{what}: a load takes {:.2} times as long as from a line only written ({}; removed lines: \
         {:.1})",
        times.center,
        between(&times, 2),
        dropped.center
    );
    let brief = format!(
        "{what}: a load takes {:.0}x as long as after a store",
        times.center
    );
    let found = Conclusion::on(key).estimate(Unit::Ratio, times);
    Some(found.of_family("line").in_brief(brief).say(text))
}

/// Claims of `persist/line`: dropping instructions drop the line.
pub const CLAIMS: &[Claim] = &[Claim {
    text: "instructions defined to remove the line from the caches do so",
    check: dropped,
}];

/// Each instruction that is measured: where the intervals leave open which level it is on, or
/// flushed lines take no longer than others, that is unclear.
fn dropped(table: &ExperimentTable) -> Option<Outcome> {
    let judged = ["clflush", "clflushopt", "dc_civac"].into_iter();
    let judged = judged.filter_map(|method| Some((method, fate(table, method)?)));
    let judged: Vec<_> = judged.collect();
    let with = |wanted: Fate| {
        let mut with = judged.iter().filter(|(_, (.., fate))| *fate == wanted);
        with.next().map(|(method, (times, dropped, _))| {
            format!(
                "{method}: a load takes {:.2} times as long ({}), of a removed line {:.1}",
                times.center,
                between(times, 2),
                dropped.center
            )
        })
    };
    let moved = |method: &str| at(table, method).is_some_and(is_contaminated);
    let base = ["store", FLUSHED].into_iter().find(|method| moved(method));
    let moved = base.or_else(|| judged.iter().map(|(method, _)| *method).find(|m| moved(m)));
    let (stays, open, leaves) = (with(Fate::Stays), with(Fate::Open), with(Fate::Leaves));
    let text = stays.clone().or(open.clone()).or(leaves)?;
    Some(match (moved, stays, open) {
        (Some(method), ..) => Outcome::unclear(format!("{text}; {method} is contaminated")),
        (None, Some(_), _) => Outcome::exactly(false, text),
        (None, None, Some(_)) => Outcome::unclear(format!("{text}; the intervals leave it open")),
        (None, None, None) => Outcome::exactly(true, text),
    })
}

#[cfg(test)]
mod tests {
    use super::{CLAIMS, findings};
    use crate::testing::table;
    use analysis::ExperimentTable;
    use record::Verdict;
    use testbed::{measured, word};

    fn machine(times: &[(&str, f64)]) -> ExperimentTable {
        let points = times
            .iter()
            .map(|(method, ns)| measured("persist/line", &[word("method", method)], &[*ns]));
        table("persist/line", points.collect())
    }

    #[test]
    fn staying_and_leaving_are_separated() {
        let t = machine(&[
            ("store", 1.2),
            ("flushed", 120.0),
            ("clwb", 3.0),
            ("clflush", 118.0),
            ("ntstore", 12.0),
        ]);
        let all = findings(&t);
        let text = |key: &str| {
            let found = all.iter().find(|f| f.key == key).unwrap();
            (found.sentence.clone(), found.verdict)
        };
        assert!(text("line_clwb").0.contains("clwb leaves the line"));
        assert!(text("line_clflush").0.contains("clflush removes the line"));
        assert_eq!(text("line_ntstore").1, Verdict::Undecided);
        assert_eq!(
            (CLAIMS[0].check)(&t).map(|o| o.held().expect(&o.evidence)),
            Some(true)
        );
    }

    #[test]
    fn a_clflush_that_keeps_the_line_breaks_the_claim() {
        let t = machine(&[("store", 1.0), ("flushed", 100.0), ("clflush", 1.1)]);
        assert_eq!(
            (CLAIMS[0].check)(&t).map(|o| o.held().expect(&o.evidence)),
            Some(false)
        );
    }

    #[test]
    fn where_flushing_shows_nothing_all_is_open() {
        // A guest whose caches are not modelled.
        let t = machine(&[("store", 50.0), ("flushed", 52.0), ("clwb", 51.0)]);
        assert_eq!(findings(&t)[0].verdict, Verdict::Undecided);
        assert_eq!((CLAIMS[0].check)(&t), None);
        let clflush = machine(&[("store", 50.0), ("flushed", 52.0), ("clflush", 51.0)]);
        let outcome = (CLAIMS[0].check)(&clflush).unwrap();
        assert!(outcome.is_unclear(), "{outcome:?}");
        assert_eq!(findings(&machine(&[("clwb", 3.0)])), []);
    }
}
