//! How the counters of the CPU that is measured on stood their test: nothing is planted in them.

use super::tally::not_run;
use probe::capability;
use probe::counters::selftest::SelfTest;
use record::{SelfTestReading, SelfTestRow, SelfTestUnit, SelfTestVerdict};

/// The row; `pontage doctor --all` shows each place and each event of the same test.
pub fn row(test: &SelfTest) -> SelfTestRow {
    let judged = capability::of_counters(test);
    let remark = match judged.remedy.as_str() {
        "" => judged.detail.clone(),
        remedy => format!("{}; enable: {remedy}", judged.detail),
    };
    let unrun = |why: &str| {
        not_run(
            record::self_test::COUNTERS_HERE,
            PLANTED,
            SelfTestUnit::Share,
            why,
        )
    };
    if test.untested.is_some() || test.largest().is_none() {
        return unrun(&format!("SKIP {remark}"));
    }
    let places = test.sizes.last().map_or(&[][..], |size| &size.places);
    let counting = places.iter().filter(|place| place.counts()).count();
    let share = counting as f64 / places.len() as f64;
    let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    SelfTestRow {
        read: Some(SelfTestReading {
            center: share,
            low: share,
            high: share,
        }),
        trials: count(places.len()),
        found: count(counting),
        // Dead ones are a fact about the machine, which the instrument has found.
        verdict: SelfTestVerdict::Passed,
        ..unrun(&remark)
    }
}

const PLANTED: &str = "nothing in the counters here";

#[cfg(test)]
mod tests {
    use super::super::counters::{table, tested};
    use super::*;
    use probe::counters::Absence;
    use probe::counters::selftest::simulated::Planted;

    #[test]
    fn places_that_count_are_counted_and_dead_ones_named() {
        let good = row(&tested(&table(), 6, &[]));
        assert_eq!((good.found, good.trials), (6, 6));
        assert_eq!(good.note, "6 events count together");
        let dead = row(&tested(&table(), 6, &[Planted::Dead(5)]));
        assert_eq!((dead.found, dead.trials), (5, 6));
        assert_eq!(dead.verdict, SelfTestVerdict::Passed);
        let why =
            "5 events count together, of 6 places 6 dead: counted 0 of 1,020,000; enable: none: ";
        assert!(dead.note.starts_with(why), "{dead:?}");
    }

    #[test]
    fn where_there_is_nothing_to_test_the_reason_and_the_remedy_are_said() {
        let untested = Some(Absence::new("no PMU", "none: another machine"));
        let without = row(&SelfTest {
            untested,
            ..SelfTest::default()
        });
        assert_eq!(without.verdict, SelfTestVerdict::NotRun);
        assert_eq!((without.found, without.trials), (0, 0));
        let note = "SKIP nothing to test: no PMU; enable: none: another machine";
        assert_eq!(without.note, note);
        let starved = row(&tested(&table(), 6, &[Planted::Starved(1)]));
        assert_eq!(starved.verdict, SelfTestVerdict::NotRun);
        assert!(
            starved.note.contains("enable: none: end what else"),
            "{starved:?}"
        );
    }
}
