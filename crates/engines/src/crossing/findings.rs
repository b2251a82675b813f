//! Findings of the crossings: the fixed cost of each way, the size from which the
//! bytes cost more than that, the cost of cold data; and the claims.

use analysis::claims::{Outcome, Quoted, all};
use analysis::compared::{curve, ratio};
use analysis::conclusion::Conclusion;
use analysis::sentence::timed;
use analysis::{ExperimentTable, PointView};
use catalogue::Claim;
use record::axis::human_bytes;
use record::{Finding, Unit};
use stats::{Crossover, CurvePoint};

const CALL: u16 = catalogue::part(super::PARTS, "latency");
const EMPTY_CALL: u16 = catalogue::part(super::PARTS, "empty_call");

/// Share by which a cold call may be faster without contradicting a claim.
const TOLERANCE: f64 = 0.05;

/// Findings of one direction.
pub fn findings(table: &ExperimentTable) -> Vec<Finding> {
    let mut all = Vec::new();
    for path in paths(table) {
        all.extend(way(table, path));
        all.extend(bytes_outweigh(table, path));
        all.extend(cold_against_hot(table, path));
    }
    all
}

/// Paths with a measured point, in the table's order.
fn paths(table: &ExperimentTable) -> Vec<&str> {
    let mut found: Vec<&str> = Vec::new();
    for point in table.points.iter().filter(|p| p.median_ns().is_some()) {
        let path = point.word("path");
        if !found.contains(&path) {
            found.push(path);
        }
    }
    found
}

fn measured<'a>(
    table: &'a ExperimentTable,
    path: &'a str,
    cache: &'a str,
) -> impl Iterator<Item = &'a PointView> {
    let wanted = move |p: &&PointView| {
        (p.word("path"), p.word("cache")) == (path, cache) && p.median_ns().is_some()
    };
    table.points.iter().filter(wanted)
}

/// The one-byte call, taken from the point of the smallest size, where the larger call
/// disturbs it least.
fn way(table: &ExperimentTable, path: &str) -> Option<Finding> {
    let smallest = measured(table, path, "hot").min_by_key(|p| p.int("size"))?;
    let s = smallest.summary(EMPTY_CALL)?;
    let way = Conclusion::on(format!("way_{path}")).estimate(Unit::Nanoseconds, s.median);
    let text = format!("{path} of 1 byte: {}", timed(&s.median));
    Some(way.of_family("way").say(text))
}

/// The size from which the bytes cost more than the fixed cost of the call: there the
/// call takes twice as long as the call for one byte. The difference itself cannot be
/// used, as it scatters around zero where the fixed cost dominates.
fn bytes_outweigh(table: &ExperimentTable, path: &str) -> Option<Finding> {
    let call = curve(measured(table, path, "hot"), "size", CALL);
    let way = curve(measured(table, path, "hot"), "size", EMPTY_CALL);
    let twice = way.into_iter().map(|p| p.map(|v| 2.0 * v));
    let twice: Vec<CurvePoint> = twice.collect();
    let key = Conclusion::on(format!("bytes_outweigh_{path}"));
    let key = key.of_family("bytes_outweigh").break_even();
    let (more, less) = match stats::crossover(&call, &twice).ok()? {
        Crossover::BFrom { at, .. } => {
            let text = format!(
                "{path}: from {} on the bytes cost more than the call itself ({} to {})",
                human_bytes(stats::whole(at.center)),
                human_bytes(stats::whole(at.low)),
                human_bytes(stats::whole(at.high))
            );
            return Some(key.estimate(Unit::Bytes, at).say(text));
        }
        Crossover::AlwaysA => ("call itself costs", "bytes"),
        Crossover::AlwaysB => ("bytes cost", "call itself"),
        Crossover::Unclear => return None,
    };
    let text = format!("{path}: the {more} more than the {less} at every size measured");
    Some(key.sure(0.95).say(text))
}

/// Pairs of hot and cold points of equal size, smallest first.
fn hot_and_cold<'a>(
    table: &'a ExperimentTable,
    path: &'a str,
) -> Vec<(i64, &'a PointView, &'a PointView)> {
    let mut pairs: Vec<_> = measured(table, path, "hot")
        .filter_map(|hot| {
            let size = hot.int("size")?;
            let cold = measured(table, path, "cold").find(|c| c.int("size") == Some(size))?;
            Some((size, hot, cold))
        })
        .collect();
    pairs.sort_by_key(|(size, _, _)| *size);
    pairs
}

/// The size at which cold data cost most in relation to hot data.
fn cold_against_hot(table: &ExperimentTable, path: &str) -> Option<Finding> {
    let (size, times) = hot_and_cold(table, path)
        .into_iter()
        .filter_map(|(size, hot, cold)| Some((size, ratio(hot, cold)?)))
        .max_by(|a, b| a.1.center.total_cmp(&b.1.center))?;
    let text = format!(
        "{path}: a call takes up to {:.1} times as long for cold data ({:.1} to {:.1}), at {}",
        times.center,
        times.low,
        times.high,
        human_bytes(size.unsigned_abs())
    );
    let key = format!("cold_over_hot_{path}");
    Some(Conclusion::on(&key).estimate(Unit::Ratio, times).say(text))
}

/// Claims of both directions.
pub const CLAIMS: &[Claim] = &[
    Claim {
        text: "A call takes at least as long for cold data as for hot data",
        check: cold_is_never_faster,
    },
    Claim {
        text: "On every path a byte takes less time in a call of 64 KiB than in one of 64 B",
        check: large_calls_are_cheaper,
    },
];

fn cold_is_never_faster(table: &ExperimentTable) -> Option<Outcome> {
    let of_path = |path| hot_and_cold(table, path).into_iter();
    let pairs = paths(table).into_iter().flat_map(of_path);
    all(pairs.filter_map(|(_, hot, cold)| {
        let (hot, cold) = (Quoted::latency(hot)?, Quoted::latency(cold)?);
        Some(hot.at_most(cold).allowing(TOLERANCE))
    }))
}

fn large_calls_are_cheaper(table: &ExperimentTable) -> Option<Outcome> {
    let per_byte = |path: &str, size: i64| {
        let point = measured(table, path, "hot").find(|p| p.int("size") == Some(size))?;
        let name = format!("{path} of {}", point.bytes("size"));
        let time = Quoted::latency(point)?.named(name);
        Some(time.map("ns per byte", |ns| ns / size as f64))
    };
    let pair = |path| Some(per_byte(path, 64 << 10)?.below(per_byte(path, 64)?));
    all(paths(table).into_iter().filter_map(pair))
}

#[cfg(test)]
mod tests {
    use super::{CLAIMS, findings};
    use analysis::{ExperimentTable, PointView};
    use testbed::{int, measured, table, word};

    fn called(path: &str, cache: &str, size: i64, way: f64, bytes: f64) -> PointView {
        let settings = [word("path", path), word("cache", cache), int("size", size)];
        measured("copy/to_user", &settings, &[way + bytes, way, bytes])
    }

    /// 200 ns to get there, 0.1 ns per byte; cold 500 ns more.
    fn machine() -> ExperimentTable {
        let mut points = Vec::new();
        for size in [64, 1 << 10, 4 << 10, 64 << 10] {
            let bytes = 0.1 * size as f64;
            points.push(called("pread", "hot", size, 200.0, bytes));
            points.push(called("pread", "cold", size, 200.0, bytes + 500.0));
        }
        table("copy/to_user", points)
    }

    #[test]
    fn the_way_and_the_size_that_outweighs_it_are_found() {
        let all = findings(&machine());
        let value = |key: &str| {
            let found = all.iter().find(|f| f.key == key);
            found
                .and_then(|f| f.value)
                .unwrap_or_else(|| panic!("no {key}"))
        };
        assert!((value("way_pread") - 200.0).abs() < 1e-9);
        // 200 ns of bytes are 2000 bytes; measured at 1 and 4 KiB only.
        let x = value("bytes_outweigh_pread");
        assert!(x > 1024.0 && x < 4096.0, "{x}");
        // 706.4 ns over 206.4 ns.
        assert!((value("cold_over_hot_pread") - 3.4225).abs() < 0.01);
    }

    #[test]
    fn a_difference_that_scatters_around_zero_does_not_hide_the_crossing() {
        let points = [(64, -3.0), (4096, 12.0), (65536, 3300.0)]
            .map(|(size, bytes)| called("process_vm", "hot", size, 690.0, bytes));
        let all = findings(&table("copy/to_user", points.to_vec()));
        let found = all.iter().find(|f| f.key == "bytes_outweigh_process_vm");
        let x = found.and_then(|f| f.value).expect("it is in between");
        assert!(x > 4096.0 && x < 65536.0, "{x}");
    }

    #[test]
    fn claims_can_fail_and_can_stay_open() {
        let check = |t: &ExperimentTable| -> Vec<Option<bool>> {
            let results = CLAIMS.iter().map(|c| (c.check)(t));
            results
                .map(|r| r.map(|o| o.held().expect(&o.evidence)))
                .collect()
        };
        assert_eq!(check(&machine()), [Some(true), Some(true)]);
        let odd = vec![
            called("pipe", "hot", 64, 10.0, 1.0),
            called("pipe", "cold", 64, 5.0, 1.0),
            called("pipe", "hot", 64 << 10, 10.0, 1e6),
        ];
        assert_eq!(
            check(&table("copy/to_user", odd)),
            [Some(false), Some(false)]
        );
        let empty = table("copy/to_user", Vec::new());
        assert_eq!(check(&empty), [None, None]);
        assert_eq!(findings(&empty), []);
    }
}
