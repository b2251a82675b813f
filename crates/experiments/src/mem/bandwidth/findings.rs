//! What the bandwidths say: the best method by size, where non-temporal stores
//! begin to pay, what all CPUs together reach.

use super::{OPERATIONS, zeros};
use crate::compared::{PRACTICAL_SHARE, curve, ratio, said, stated, word};
use analysis::{ExperimentTable, PointView};
use record::axis::human_bytes;
use record::{Confidence, Finding, MachineCard, Unit, Verdict};
use stats::{Crossover, CurvePoint, Interval};
use std::collections::BTreeSet;

pub const ID: &str = "mem/bandwidth";

pub fn findings(table: &ExperimentTable, _: &MachineCard) -> Vec<Finding> {
    let mut all = Vec::new();
    for operation in OPERATIONS {
        all.extend(best_method(table, operation));
        all.extend(largest_set(table, operation));
        all.extend(non_temporal(table, operation));
    }
    all.extend(scaling(table));
    all.extend(zeros::gain(table));
    all
}

/// Whether the source held data. Records from before the axis held nothing else.
fn of_data(point: &PointView) -> bool {
    word(point, "content") != "zeros"
}

/// Measured points of an operation on data by one CPU.
pub fn by_one<'a>(
    table: &'a ExperimentTable,
    operation: &'a str,
) -> impl Iterator<Item = &'a PointView> {
    table.points.iter().filter(move |p| {
        let wanted = word(p, "operation") == operation && p.int("cores") == Some(1);
        wanted && of_data(p) && p.median_ns().is_some()
    })
}

pub fn size(point: &PointView) -> i64 {
    point.int("size").unwrap_or(0)
}

pub fn sizes(table: &ExperimentTable, operation: &str) -> Vec<i64> {
    let found: BTreeSet<i64> = by_one(table, operation).map(size).collect();
    found.into_iter().collect()
}

/// The fastest method at one size, and those not told apart from it.
pub struct Winner<'a> {
    size: i64,
    pub fastest: &'a PointView,
    methods: Vec<&'a str>,
}

pub fn winner<'a>(table: &'a ExperimentTable, operation: &'a str, at: i64) -> Option<Winner<'a>> {
    let mut there: Vec<&PointView> = by_one(table, operation).filter(|p| size(p) == at).collect();
    there.sort_by(|a, b| {
        a.median_ns()
            .unwrap_or(0.0)
            .total_cmp(&b.median_ns().unwrap_or(0.0))
    });
    let fastest = *there.first()?;
    let methods = there
        .iter()
        .filter(|p| !is_slower(fastest, p))
        .map(|p| word(p, "method"))
        .collect();
    Some(Winner {
        size: at,
        fastest,
        methods,
    })
}

/// Whether `other` takes longer beyond its interval and beyond what matters.
fn is_slower(fastest: &PointView, other: &PointView) -> bool {
    ratio(fastest, other).is_some_and(|r| r.low > 1.0 && r.center > 1.0 + PRACTICAL_SHARE)
}

/// One sentence for each operation; neighbouring sizes with the same winners
/// are told as a range.
fn best_method(table: &ExperimentTable, operation: &str) -> Option<Finding> {
    let winners: Vec<Winner> = sizes(table, operation)
        .into_iter()
        .filter_map(|at| winner(table, operation, at))
        .collect();
    let level = winners
        .iter()
        .filter_map(|w| w.fastest.summary(0))
        .map(|s| s.level)
        .reduce(f64::min)?;
    let parts: Vec<String> = winners
        .chunk_by(|a, b| a.methods == b.methods)
        .filter_map(tell)
        .collect();
    let text = format!("Fastest to {operation} with one CPU: {}", parts.join("; "));
    let key = format!("best_{operation}_method");
    Some(said(ID, &key, Verdict::Stated, level, text))
}

/// `16 KiB to 1 MiB movsb or libc (149 GB/s down to 20.1)`.
fn tell(same: &[Winner]) -> Option<String> {
    let (first, last) = (same.first()?, same.last()?);
    let rate = |w: &Winner| w.fastest.bandwidth_gb_per_s().unwrap_or(0.0);
    let who = first.methods.join(" or ");
    let at = human_bytes(first.size.unsigned_abs());
    Some(if first.size == last.size {
        format!("{at} {who} ({} GB/s)", three_digits(rate(first)))
    } else {
        format!(
            "{at} to {} {who} ({} to {} GB/s)",
            human_bytes(last.size.unsigned_abs()),
            three_digits(rate(first)),
            three_digits(rate(last))
        )
    })
}

pub fn three_digits(value: f64) -> String {
    let places = if value >= 100.0 {
        0
    } else if value >= 10.0 {
        1
    } else {
        2
    };
    format!("{value:.places$}")
}

/// The rate of the best method at the largest working set.
fn largest_set(table: &ExperimentTable, operation: &str) -> Option<Finding> {
    let at = *sizes(table, operation).last()?;
    let best = winner(table, operation, at)?.fastest;
    let s = best.summary(0)?;
    let bytes = best.head.bytes_per_op? as f64;
    let rate = Interval {
        center: bytes / s.median,
        low: bytes / s.high,
        high: bytes / s.low,
        level: s.level,
        method: stats::Method::OrderStatistic,
    };
    let text = format!(
        "One CPU can {operation} {} at {} GB/s ({} to {}), by {}",
        human_bytes(at.unsigned_abs()),
        three_digits(rate.center),
        three_digits(rate.low),
        three_digits(rate.high),
        word(best, "method")
    );
    let key = format!("largest_set_{operation}_bandwidth");
    Some(stated(ID, &key, Unit::GigabytesPerSecond, rate, text))
}

/// Where stores around the caches become cheaper than the best way through
/// them.
fn non_temporal(table: &ExperimentTable, operation: &str) -> Option<Finding> {
    let streaming = curve(
        by_one(table, operation).filter(|p| word(p, "method") == "nt"),
        "size",
        0,
    );
    let through = cheapest(by_one(table, operation).filter(|p| word(p, "method") != "nt"));
    let found = stats::crossover(&through, &streaming).ok()?;
    let key = format!("non_temporal_{operation}_pays_from");
    let largest = streaming.iter().map(|p| p.x).fold(0.0, f64::max) as u64;
    let say = |verdict, text: String| Some(said(ID, &key, verdict, 0.95, text));
    match found {
        Crossover::BFrom {
            x,
            low,
            high,
            confidence,
            ..
        } => {
            let text = format!(
                "To {operation}, non-temporal stores pay from {} on ({} to {})",
                human_bytes(x as u64),
                human_bytes(low as u64),
                human_bytes(high as u64)
            );
            let value = Interval {
                center: x,
                low,
                high,
                level: confidence,
                method: stats::Method::Resampled,
            };
            Some(Finding {
                confidence: Confidence { share: confidence },
                ..stated(ID, &key, Unit::Bytes, value, text)
            })
        }
        Crossover::AlwaysA if cheaper_at_the_end(&streaming, &through) => say(
            Verdict::Undecided,
            format!(
                "To {operation}, non-temporal stores seem to pay at {}, by less than the noise",
                human_bytes(largest)
            ),
        ),
        Crossover::AlwaysA => say(
            Verdict::Stated,
            format!(
                "To {operation}, non-temporal stores do not pay at any size up to {}",
                human_bytes(largest)
            ),
        ),
        Crossover::AlwaysB => say(
            Verdict::Stated,
            format!("To {operation}, non-temporal stores pay at every size measured"),
        ),
        Crossover::Unclear => say(
            Verdict::Undecided,
            format!(
                "Where non-temporal stores begin to pay to {operation} cannot be told: the curves \
                 cross more than once or lie too close"
            ),
        ),
    }
}

/// Whether `a` has the lower median at the largest x.
fn cheaper_at_the_end(a: &[CurvePoint], b: &[CurvePoint]) -> bool {
    let last = |curve: &[CurvePoint]| {
        let end = curve.iter().max_by(|p, q| p.x.total_cmp(&q.x));
        end.map(|p| p.median)
    };
    last(a) < last(b)
}

/// At each size the point of the fastest method, as one curve.
fn cheapest<'a>(points: impl Iterator<Item = &'a PointView>) -> Vec<CurvePoint> {
    let mut best: Vec<CurvePoint> = Vec::new();
    for point in curve(points, "size", 0) {
        match best.iter_mut().find(|b| b.x == point.x) {
            Some(known) if known.median <= point.median => {}
            Some(known) => *known = point,
            None => best.push(point),
        }
    }
    best
}

/// What all CPUs copy against one, by the C library, at each size.
fn scaling(table: &ExperimentTable) -> Option<Finding> {
    let most = table.points.iter().filter_map(|p| p.int("cores")).max()?;
    if most < 2 {
        return None;
    }
    let mut told = Vec::new();
    let mut last = None;
    for at in sizes(table, "copy") {
        let of = |cores: i64| {
            let is = |p: &&PointView| {
                word(p, "operation") == "copy"
                    && word(p, "method") == "libc"
                    && p.int("cores") == Some(cores)
                    && of_data(p)
            };
            table.points.iter().filter(is).find(|p| size(p) == at)
        };
        let Some(times) = of(1).zip(of(most)).and_then(|(one, all)| ratio(all, one)) else {
            continue;
        };
        // The same bytes per CPU: twice the CPUs in the same time is a factor
        // of two.
        let factor = most as f64;
        told.push(format!(
            "{:.2} times at {}",
            factor * times.center,
            human_bytes(at.unsigned_abs())
        ));
        last = Some(Interval {
            center: factor * times.center,
            low: factor * times.low,
            high: factor * times.high,
            ..times
        });
    }
    let text = format!(
        "{most} CPUs together copy as much as one (libc): {}",
        told.join(", ")
    );
    Some(stated(ID, "all_core_scaling", Unit::Ratio, last?, text))
}

#[cfg(test)]
pub mod tests {
    use super::findings;
    use crate::testing::{int, measured, table, word};
    use analysis::{ExperimentTable, PointView};
    use record::{Finding, MachineCard, Verdict};

    pub fn copied(method: &str, size: i64, cores: i64, gb_per_s: f64) -> PointView {
        let bytes = size * cores;
        let settings = [
            word("operation", "copy"),
            word("method", method),
            int("size", size),
            int("cores", cores),
        ];
        let mut point = measured("mem/bandwidth", &settings, &[bytes as f64 / gb_per_s]);
        point.head.bytes_per_op = Some(bytes.unsigned_abs());
        point
    }

    /// libc and avx2 alike in the first level, libc ahead beyond, nt ahead
    /// from somewhere between 1 MiB and 16 MiB.
    pub fn machine() -> ExperimentTable {
        let sizes = [16 << 10, 1 << 20, 16 << 20, 64 << 20];
        let rates = [
            ("libc", [150.0, 20.0, 8.0, 5.0]),
            ("avx2", [149.0, 18.0, 7.0, 4.0]),
            ("nt", [18.0, 16.0, 10.0, 8.0]),
        ];
        let mut points: Vec<PointView> = rates
            .iter()
            .flat_map(|(m, r)| sizes.iter().zip(r).map(|(s, r)| copied(m, *s, 1, *r)))
            .collect();
        points.push(copied("libc", 16 << 10, 2, 300.0));
        points.push(copied("libc", 64 << 20, 2, 6.0));
        table("mem/bandwidth", points)
    }

    pub fn find<'a>(all: &'a [Finding], key: &str) -> &'a Finding {
        let found = all.iter().find(|f| f.key == key);
        found.unwrap_or_else(|| panic!("no {key} among {all:#?}"))
    }

    #[test]
    fn methods_that_cannot_be_told_apart_share_the_win() {
        let all = findings(&machine(), &MachineCard::default());
        assert_eq!(
            find(&all, "best_copy_method").sentence,
            "Fastest to copy with one CPU: 16 KiB libc or avx2 (150 GB/s); 1 MiB libc \
             (20.0 GB/s); 16 MiB to 64 MiB nt (10.0 to 8.00 GB/s)"
        );
    }

    #[test]
    fn the_crossing_of_non_temporal_stores_lies_between_the_sizes_around_it() {
        let all = findings(&machine(), &MachineCard::default());
        let found = find(&all, "non_temporal_copy_pays_from");
        let (x, low, high) = (found.value, found.low, found.high);
        let mib = f64::from(1 << 20);
        assert!(x > Some(mib) && x < Some(16.0 * mib), "{x:?}");
        assert!(low <= x && x <= high);
        assert!(found.confidence.share > 0.9);
    }

    #[test]
    fn non_temporal_stores_that_never_win_are_said_not_to_pay() {
        let mut t = machine();
        t.points
            .retain(|p| p.int("size").is_some_and(|s| s <= 1 << 20));
        let all = findings(&t, &MachineCard::default());
        let found = find(&all, "non_temporal_copy_pays_from");
        assert_eq!(found.value, None);
        assert_eq!(found.verdict, Verdict::Stated);
        assert!(
            found
                .sentence
                .ends_with("do not pay at any size up to 1 MiB")
        );
    }

    #[test]
    fn a_win_within_the_noise_is_undecided() {
        let mut t = machine();
        t.points
            .retain(|p| p.int("size").is_some_and(|s| s <= 1 << 20));
        t.points.push(copied("libc", 16 << 20, 1, 8.0));
        t.points.push(copied("nt", 16 << 20, 1, 8.05));
        let all = findings(&t, &MachineCard::default());
        let found = find(&all, "non_temporal_copy_pays_from");
        assert_eq!(found.verdict, Verdict::Undecided);
    }

    #[test]
    fn scaling_is_told_by_size_and_valued_at_the_largest() {
        let all = findings(&machine(), &MachineCard::default());
        let found = find(&all, "all_core_scaling");
        assert_eq!(
            found.sentence,
            "2 CPUs together copy as much as one (libc): 2.00 times at 16 KiB, 1.20 times at \
             64 MiB"
        );
        let value = found.value.expect("it is stated");
        assert!((value - 1.2).abs() < 1e-9);
    }

    #[test]
    fn the_largest_set_gives_a_rate_with_its_interval() {
        let all = findings(&machine(), &MachineCard::default());
        let found = find(&all, "largest_set_copy_bandwidth");
        let (low, value, high) = (found.low, found.value, found.high);
        assert!(low < value && value < high, "{found:?}");
        assert!(found.sentence.contains("64 MiB at 8.00 GB/s"));
    }

    #[test]
    fn nothing_measured_says_nothing() {
        let empty = table("mem/bandwidth", Vec::new());
        assert_eq!(findings(&empty, &MachineCard::default()), []);
    }
}
