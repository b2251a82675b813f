//! Statements about the shape of the bandwidths, and what became of them.

use super::findings::winner;
use super::points::{by_one, size, sizes};
use analysis::claims::{Outcome, Quoted, one};
use analysis::compared::bandwidth;
use analysis::{ExperimentTable, PointView};
use catalogue::Claim;
use record::axis::human_bytes;

/// Claims of `mem/bandwidth`: small sets are faster than large ones, non-temporal
/// copies lose in the cache.
pub const CLAIMS: &[Claim] = &[
    Claim {
        text: "one CPU reads the smallest set faster than the largest",
        check: |t| ends(t, "read"),
    },
    Claim {
        text: "one CPU copies the smallest set faster than the largest",
        check: |t| ends(t, "copy"),
    },
    Claim {
        text: "non-temporal stores are slower while both buffers of a copy fit in 32 KiB",
        check: non_temporal_loses_small,
    },
];

/// By the fastest method of each.
fn ends(table: &ExperimentTable, operation: &str) -> Option<Outcome> {
    let all = sizes(table, operation);
    let [small, .., large] = all.as_slice() else {
        return None;
    };
    let rate = |at: i64| {
        let fastest = winner(table, operation, at)?.fastest;
        let name = format!(
            "{} at {}",
            fastest.word("method"),
            human_bytes(at.unsigned_abs())
        );
        let rate = Quoted::estimate(name, bandwidth(fastest)?, "GB/s");
        Some(rate.measured_at(fastest))
    };
    one(rate(*small)?.above(rate(*large)?))
}

fn non_temporal_loses_small(table: &ExperimentTable) -> Option<Outcome> {
    const BOTH_FIT: i64 = 16 << 10;
    let at = sizes(table, "copy").into_iter().rfind(|s| *s <= BOTH_FIT)?;
    let there = || by_one(table, "copy").filter(|p| size(p) == at);
    let streaming = there().find(|p| p.word("method") == "nt")?;
    let others = there().filter(|p| p.word("method") != "nt" && p.median_ns().is_some());
    let ns = |p: &PointView| p.median_ns().unwrap_or(f64::INFINITY);
    let best = others.min_by(|a, b| ns(a).total_cmp(&ns(b)))?;
    let time = |point| {
        let point: &PointView = point;
        let bytes = human_bytes(at.unsigned_abs());
        let name = format!("{} at {bytes}", point.word("method"));
        Some(Quoted::latency(point)?.named(name))
    };
    one(time(streaming)?.above(time(best)?))
}

#[cfg(test)]
mod tests {
    use super::super::findings::tests::{copied, machine};
    use super::CLAIMS;
    use crate::testing::table;
    use analysis::ExperimentTable;

    #[test]
    fn claims_without_points_stay_open() {
        let empty = table("mem/bandwidth", Vec::new());
        assert!(CLAIMS.iter().all(|c| (c.check)(&empty).is_none()));
    }

    #[test]
    fn claims_hold_on_a_plausible_machine_and_fail_on_an_odd_one() {
        let held = |t: &ExperimentTable, i: usize| {
            (CLAIMS[i].check)(t).map(|o| o.held().expect(&o.evidence))
        };
        let good = machine();
        assert_eq!(held(&good, 0), None);
        assert_eq!(held(&good, 1), Some(true));
        assert_eq!(held(&good, 2), Some(true));
        let odd = table(
            "mem/bandwidth",
            vec![
                copied("libc", 16 << 10, 1, 5.0),
                copied("nt", 16 << 10, 1, 9.0),
                copied("libc", 64 << 20, 1, 20.0),
            ],
        );
        assert_eq!(held(&odd, 1), Some(false));
        assert_eq!(held(&odd, 2), Some(false));
    }
}
