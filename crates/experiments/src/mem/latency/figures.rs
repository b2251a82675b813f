//! Pictures and claims of mem/latency.

use super::{RANDOM_LINE, RANDOM_PAGE};
use analysis::claims::{Outcome, Quoted, all, never_falls};
use analysis::{ExperimentTable, PointView};
use catalogue::{Claim, Figure};
use record::{FigureHead, MarkKind};

/// Figures of `mem/latency`: latency over the size of the set by pages and by pattern,
/// and over the stride.
pub fn figures() -> Vec<FigureHead> {
    let figure = |title: &str, series, only, reading| {
        let figure = Figure::of(title, "size", "latency").log_x().log_y();
        let figure = figure.series(&[series]).only(&[only]);
        let marks = [MarkKind::CacheSizes, MarkKind::Knees];
        figure.marks(&marks).reading(reading)
    };
    vec![
        figure(
            "Latency of a dependent load by the size of the set",
            "pages",
            ("pattern", RANDOM_LINE),
            "Each flat part is the latency of one level of memory, each rise its effective \
             capacity; the vertical lines are the capacities on the machine card. Where the \
             base-page curve is above the one with huge pages, the difference is address \
             translation.",
        ),
        figure(
            "One line per page: the cost of address translation",
            "pages",
            ("pattern", RANDOM_PAGE),
            "The lines touched fit in near caches at every size. The first rise is the reach of \
             the first TLB, the second that of the second; beyond it every load walks the page \
             tables.",
        ),
        figure(
            "Access order: constant strides against random lines",
            "pattern",
            ("pages", "base"),
            "Strides within a line share a miss and are proportionally cheaper. How far constant \
             strides stay below random order is the work of the prefetchers.",
        ),
    ]
}

/// Claims of `mem/latency`, about the shape of the curves.
pub const CLAIMS: &[Claim] = &[
    Claim {
        text: "latency never falls as the set grows",
        check: climbs,
    },
    Claim {
        text: "line by line in order is never slower than in random order",
        check: order_helps,
    },
    Claim {
        text: "huge pages do not slow down random loads from 16 MiB on",
        check: huge_pages_help,
    },
];

/// Share by which a latency may differ without contradicting a claim.
const ALLOWED: f64 = 0.05;

/// Measured sets of a curve, the smallest first.
fn sets<'a>(table: &'a ExperimentTable, pattern: &str, pages: &str) -> Vec<&'a PointView> {
    let of = table.measured([("pattern", pattern), ("pages", pages)]);
    let mut sets: Vec<&PointView> = of.collect();
    sets.sort_by_key(|p| p.int("size"));
    sets.dedup_by_key(|p| p.int("size"));
    sets
}

fn quoted(what: &str, set: &PointView) -> Option<Quoted> {
    Some(Quoted::latency(set)?.named(format!("{what}{}", set.bytes("size"))))
}

fn climbs(table: &ExperimentTable) -> Option<Outcome> {
    let sets = sets(table, RANDOM_LINE, "thp");
    let series: Option<Vec<Quoted>> = sets.into_iter().map(|set| quoted("", set)).collect();
    never_falls(&series?, ALLOWED)
}

/// At each size that both were measured at, the first curve is at most as high as the second.
fn never_slower(
    (what, curve): (&str, Vec<&PointView>),
    (than, other): (&str, Vec<&PointView>),
    from_bytes: i64,
) -> Option<Outcome> {
    let large = curve.iter().filter(|p| p.int("size") >= Some(from_bytes));
    all(large.filter_map(|set| {
        let same = other.iter().find(|p| p.int("size") == set.int("size"))?;
        let (set, same) = (quoted(what, set)?, quoted(than, same)?);
        Some(set.at_most(same).allowing(ALLOWED))
    }))
}

fn order_helps(table: &ExperimentTable) -> Option<Outcome> {
    let ordered = ("in order ", sets(table, "stride_64", "base"));
    never_slower(ordered, ("random ", sets(table, RANDOM_LINE, "base")), 0)
}

fn huge_pages_help(table: &ExperimentTable) -> Option<Outcome> {
    let huge = ("huge pages ", sets(table, RANDOM_LINE, "thp"));
    let base = ("base pages ", sets(table, RANDOM_LINE, "base"));
    never_slower(huge, base, 16 << 20)
}

#[cfg(test)]
mod tests {
    use super::{ALLOWED, CLAIMS, RANDOM_LINE};
    use crate::testing::table;
    use analysis::claims::Holds;
    use analysis::{Contamination, ContaminationLevel, ExperimentTable, PointView};
    use testbed::{int, measured, word};

    const ID: &str = "mem/latency";

    fn set(pattern: &str, pages: &str, mib: i64, ns: f64, percent: f64) -> PointView {
        let settings = [
            int("size", mib << 20),
            word("pattern", pattern),
            word("pages", pages),
        ];
        let mut point = measured(ID, &settings, &[ns]);
        let median = &mut point.summaries[0].median;
        (median.low, median.high) = (ns * (1.0 - percent / 100.0), ns * (1.0 + percent / 100.0));
        point
    }

    fn judged(claim: usize, points: Vec<PointView>) -> (Holds, String) {
        let table: ExperimentTable = table(ID, points);
        let outcome = (CLAIMS[claim].check)(&table).expect("the points are there");
        (outcome.holds, outcome.evidence)
    }

    fn curve(last_ns: f64, percent: f64) -> Vec<PointView> {
        let all = [(1, 5.0), (4, 20.0), (16, 80.0), (64, 132.0), (128, last_ns)];
        let set = |(mib, ns)| set(RANDOM_LINE, "thp", mib, ns, percent);
        all.map(set).to_vec()
    }

    #[test]
    fn a_clear_fall_breaks_the_claim_and_a_noisy_one_does_not_decide() {
        assert_eq!(judged(0, curve(140.0, 0.5)).0, Holds::Held);
        let (holds, evidence) = judged(0, curve(110.0, 1.0));
        assert_eq!(holds, Holds::Broken);
        for part in ["64 MiB 132.0 ns (130.7 to 133.3)", "128 MiB 110.0 ns"] {
            assert!(evidence.contains(part), "{evidence}");
        }
        assert_eq!(judged(0, curve(110.0, 15.0)).0, Holds::Unclear);
        let within = judged(0, curve(132.0 * (1.0 - ALLOWED / 2.0), 0.5));
        assert_eq!(within.0, Holds::Held, "{}", within.1);
    }

    #[test]
    fn a_contaminated_set_leaves_it_open() {
        let mut points = curve(110.0, 1.0);
        points[4].contamination = Some(Contamination {
            level: ContaminationLevel::Contaminated,
            disturbed: 9,
            unknown: 0,
            samples: 31,
            reason: "9 involuntary switches".to_owned(),
        });
        let (holds, evidence) = judged(0, points);
        assert_eq!(holds, Holds::Unclear);
        assert!(evidence.contains("128 MiB is contaminated"), "{evidence}");
    }

    #[test]
    fn order_and_huge_pages_are_judged_at_every_common_size() {
        let pairs = |(claim, pattern, pages): (usize, &str, &str), last_ns| {
            let at = [(32, 90.0), (64, last_ns)];
            let mut points = at
                .map(|(mib, ns)| set(pattern, pages, mib, ns, 1.0))
                .to_vec();
            points.extend([32, 64].map(|mib| set(RANDOM_LINE, "base", mib, 100.0, 1.0)));
            judged(claim, points).0
        };
        for claim in [(1, "stride_64", "base"), (2, RANDOM_LINE, "thp")] {
            assert_eq!(pairs(claim, 100.0), Holds::Held, "{claim:?}");
            assert_eq!(pairs(claim, 105.5), Holds::Unclear, "{claim:?}");
            assert_eq!(pairs(claim, 120.0), Holds::Broken, "{claim:?}");
        }
    }
}
