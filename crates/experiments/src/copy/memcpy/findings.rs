//! What the copies say: the price of cold data, the knees of the time per byte,
//! and the claims.

use analysis::claims::{Outcome, Quoted, all, one};
use analysis::compared::{curve, ratio};
use analysis::conclusion::Conclusion;
use analysis::sentence::{between, estimated, timed};
use analysis::{ExperimentTable, PointView};
use catalogue::Claim;
use record::axis::human_bytes;
use record::{Finding, MachineCard, Unit, Verdict};
use stats::{CurvePoint, Plateau, PlateauOptions};
use std::collections::BTreeMap;

/// From here on the call itself no longer shows in the time per byte.
const BYTES_DOMINATE: f64 = 4096.0;

/// Sizes at which the price of cold data is given, where measured.
const GIVEN_SIZES: [i64; 3] = [64, 4 << 10, 1 << 20];

/// Share by which a cold copy may seem faster before that says anything.
const TOLERANCE: f64 = 0.05;

/// Findings of `copy/memcpy`: fixed cost of a call, cold against hot, sizes at which
/// the rate drops.
pub fn findings(table: &ExperimentTable, card: &MachineCard) -> Vec<Finding> {
    let mut all = Vec::new();
    all.extend(fixed_cost(table));
    all.extend(cold_against_hot(table));
    all.extend(knees(table, card));
    all
}

/// Of measured points of one size the first.
fn by_size<'a>(table: &'a ExperimentTable, cache: &'a str) -> BTreeMap<i64, &'a PointView> {
    let points = table.measured([("cache", cache)]).rev();
    points.filter_map(|p| Some((p.int("size")?, p))).collect()
}

/// Hot and cold at each size that was measured in both states.
fn pairs(table: &ExperimentTable) -> Vec<(&PointView, &PointView)> {
    let cold = by_size(table, "cold");
    let hot = by_size(table, "hot").into_iter();
    hot.filter_map(|(size, hot)| Some((hot, *cold.get(&size)?)))
        .collect()
}

/// What the smallest copy costs: the call.
fn fixed_cost(table: &ExperimentTable) -> Option<Finding> {
    let hot = table.measured([("cache", "hot")]);
    let smallest = hot.min_by_key(|p| p.int("size"))?;
    let value = smallest.primary()?.median;
    let text = format!(
        "memcpy of {}: {}, the cost of the call",
        smallest.bytes("size"),
        timed(&value)
    );
    Some(estimated("fixed_cost", Unit::Nanoseconds, value, text))
}

/// How much longer a copy of cold data takes, at small, page and large size.
fn cold_against_hot(table: &ExperimentTable) -> Vec<Finding> {
    let pairs = pairs(table);
    let largest = pairs.last().and_then(|(hot, _)| hot.int("size"));
    let price = |(hot, cold): (&PointView, &PointView)| {
        let size = hot.int("size")?;
        let times = ratio(hot, cold)?;
        let text = format!(
            "Cold memcpy of {}: {:.1} times as long as hot ({})",
            hot.bytes("size"),
            times.center,
            between(&times, 1)
        );
        let given = GIVEN_SIZES.contains(&size) || Some(size) == largest;
        let key = format!("cold_over_hot_{size}");
        given.then(|| estimated(key, Unit::Ratio, times, text))
    };
    pairs.into_iter().filter_map(price).collect()
}

/// Where the time per byte of a hot copy steps up.
fn knees(table: &ExperimentTable, card: &MachineCard) -> Vec<Finding> {
    let whole = curve(table.measured([("cache", "hot")]), "size", 0);
    let large = whole.into_iter().filter(|p| p.x >= BYTES_DOMINATE);
    let per_byte = large.map(|p| p.map(|ns| ns / p.x));
    let per_byte: Vec<CurvePoint> = per_byte.collect();
    let Ok(found) = stats::plateaus(&per_byte, PlateauOptions::default()) else {
        return Vec::new();
    };
    let edges = found.levels.windows(2).enumerate();
    let mut knees: Vec<Finding> = edges
        .filter_map(|(index, pair)| knee(index + 1, &pair[0], &pair[1], card))
        .collect();
    if knees.is_empty() {
        let text = "The time per byte of a hot copy shows no step that exceeds the noise";
        let none = Conclusion::on("knees").sure(found.confidence);
        knees.push(none.verdict(Verdict::Undecided).say(text));
    }
    knees
}

/// One step. Source and destination share a cache, so the block that just fits
/// is half of it; the nearest such half is given with the finding.
fn knee(number: usize, before: &Plateau, after: &Plateau, card: &MachineCard) -> Option<Finding> {
    let edge = before.capacity?;
    let text = format!(
        "Up to blocks of {} a hot copy costs {:.4} ns per byte, from {} on {:.4}",
        human_bytes(stats::whole(edge.at.center)),
        before.value.center,
        human_bytes(stats::whole(edge.transition_end_x)),
        after.value.center
    );
    let knee = Conclusion::on(format!("knee_{number}"))
        .unit(Unit::Bytes)
        .sure(edge.confidence)
        .value(edge.at);
    let knee = match half_cache_near(edge.at.center, card) {
        None => knee,
        Some((half, source)) => knee.reference(half, source, edge.at.contains(half)),
    };
    Some(knee.say(text))
}

/// Half of the data cache whose half is nearest to `bytes`, within a factor of
/// four.
fn half_cache_near(bytes: f64, card: &MachineCard) -> Option<(f64, String)> {
    let distance = |half: f64| (half / bytes).ln().abs();
    let halves = card.data_caches().into_iter().map(|c| {
        let name = format!("half of the level {} cache", c.level);
        (c.size_bytes as f64 / 2.0, name)
    });
    halves
        .filter(|(half, _)| distance(*half) <= 4f64.ln())
        .min_by(|a, b| distance(a.0).total_cmp(&distance(b.0)))
}

/// Claims of `copy/memcpy`: a cold copy is not faster, and the time per byte falls with
/// size.
pub const CLAIMS: &[Claim] = &[
    Claim {
        text: "a cold copy takes at least as long as a hot one at every size",
        check: cold_is_never_faster,
    },
    Claim {
        text: "the time per byte of a hot copy falls from 64 B to 4 KiB",
        check: per_byte_falls,
    },
];

fn cold_is_never_faster(table: &ExperimentTable) -> Option<Outcome> {
    let time = |p: &PointView| {
        let name = format!("{} {}", p.word("cache"), p.bytes("size"));
        Some(Quoted::latency(p)?.named(name))
    };
    let pairs = pairs(table).into_iter();
    all(pairs.filter_map(|(hot, cold)| Some(time(hot)?.at_most(time(cold)?).allowing(TOLERANCE))))
}

fn per_byte_falls(table: &ExperimentTable) -> Option<Outcome> {
    let hot = by_size(table, "hot");
    let per_byte = |size: i64| {
        let point = hot.get(&size)?;
        let time = Quoted::latency(point)?.named(point.bytes("size"));
        Some(time.map("ns per byte", |ns| ns / size as f64))
    };
    one(per_byte(4096)?.below(per_byte(64)?))
}

#[cfg(test)]
mod tests {
    use super::{CLAIMS, findings};
    use crate::testing::table;
    use analysis::{ExperimentTable, PointView};
    use catalogue::doubling;
    use record::{Finding, MachineCard, Verdict};
    use testbed::turn::card;
    use testbed::{int, measured, word};

    fn copied(cache: &str, size: i64, ns: f64) -> PointView {
        measured(
            "copy/memcpy",
            &[word("cache", cache), int("size", size)],
            &[ns],
        )
    }

    /// 3 ns for the call, 0.01 ns per byte up to 1 MiB blocks, 0.08 beyond;
    /// cold twice that and 100 ns.
    fn machine() -> ExperimentTable {
        let hot = |size: i64| {
            let per_byte = if size <= 1 << 20 { 0.01 } else { 0.08 };
            3.0 + per_byte * size as f64
        };
        let points = doubling(1, 32 << 20)
            .flat_map(|s| {
                [
                    copied("hot", s, hot(s)),
                    copied("cold", s, 100.0 + 2.0 * hot(s)),
                ]
            })
            .collect();
        table("copy/memcpy", points)
    }

    fn find<'a>(all: &'a [Finding], key: &str) -> &'a Finding {
        let found = all.iter().find(|f| f.key == key);
        found.unwrap_or_else(|| panic!("no {key} among {all:#?}"))
    }

    #[test]
    fn the_planted_knee_is_found_and_held_against_half_the_cache() {
        // Half of the 2 MiB level is where the step was planted.
        let all = findings(&machine(), &card("x86_64", 2));
        let knee = find(&all, "knee_1");
        assert_eq!(knee.value, Some(f64::from(1 << 20)));
        assert_eq!(knee.reference, Some(f64::from(1 << 20)));
        assert_eq!(knee.verdict, Verdict::Agree);
        assert!(!all.iter().any(|f| f.key == "knee_2"));
    }

    #[test]
    fn a_knee_without_a_cache_nearby_is_only_stated() {
        let all = findings(&machine(), &MachineCard::default());
        assert_eq!(find(&all, "knee_1").verdict, Verdict::Stated);
    }

    #[test]
    fn a_straight_curve_has_no_knee_and_says_so() {
        let points = doubling(1, 32 << 20).map(|s| copied("hot", s, 0.01 * s as f64));
        let all = findings(&table("copy/memcpy", points.collect()), &card("x86_64", 2));
        assert_eq!(find(&all, "knees").verdict, Verdict::Undecided);
    }

    #[test]
    fn the_price_of_cold_data_is_given_at_four_sizes() {
        let all = findings(&machine(), &MachineCard::default());
        let ratios: Vec<&str> = all
            .iter()
            .map(|f| f.key.as_str())
            .filter(|k| k.starts_with("cold_over_hot"))
            .collect();
        assert_eq!(
            ratios,
            [
                "cold_over_hot_64",
                "cold_over_hot_4096",
                "cold_over_hot_1048576",
                "cold_over_hot_33554432"
            ]
        );
        let small = find(&all, "cold_over_hot_64").value.expect("stated");
        assert!((small - 107.28 / 3.64).abs() < 0.01, "{small}");
    }

    #[test]
    fn the_call_is_the_cost_of_the_smallest_copy() {
        let all = findings(&machine(), &MachineCard::default());
        let call = find(&all, "fixed_cost").value.expect("stated");
        assert!((call - 3.01).abs() < 1e-9);
    }

    #[test]
    fn claims_fail_where_cold_is_faster_and_stay_open_without_points() {
        let check = |t: &ExperimentTable| -> Vec<Option<bool>> {
            let results = CLAIMS.iter().map(|c| (c.check)(t));
            results
                .map(|r| r.map(|o| o.held().expect(&o.evidence)))
                .collect()
        };
        assert_eq!(check(&machine()), [Some(true), Some(true)]);
        let odd = vec![
            copied("hot", 64, 10.0),
            copied("cold", 64, 5.0),
            copied("hot", 4096, 10_000.0),
        ];
        let odd = table("copy/memcpy", odd);
        assert_eq!(check(&odd), [Some(false), Some(false)]);
        let empty = table("copy/memcpy", Vec::new());
        assert_eq!(check(&empty), [None, None]);
        assert_eq!(findings(&empty, &MachineCard::default()), []);
    }
}
