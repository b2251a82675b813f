//! What the journal costs, by what it is asked and how it works.

use super::{SYNCS, WRITES, mounts};
use analysis::compared::{PRACTICAL_SHARE, ratio};
use analysis::conclusion::Conclusion;
use analysis::{ExperimentTable, PointView};
use catalogue::Claim;
use record::axis::human_bytes;
use record::{Finding, Unit};

/// Share by which an append may seem faster before that says anything.
const TOLERANCE: f64 = 0.05;

fn find<'a>(
    table: &'a ExperimentTable,
    [mount, write, sync]: [&str; 3],
    size: i64,
) -> Option<&'a PointView> {
    table.points.iter().find(|p| {
        p.word("mount") == mount
            && p.word("write") == write
            && p.word("sync") == sync
            && p.int("size") == Some(size)
            && p.median_ns().is_some()
    })
}

fn smallest(table: &ExperimentTable) -> Option<i64> {
    table.points.iter().filter_map(|p| p.int("size")).min()
}

pub fn findings(table: &ExperimentTable) -> Vec<Finding> {
    let Some(size) = smallest(table) else {
        return Vec::new();
    };
    let mut all = Vec::new();
    for mount in mounts::MOUNTS {
        all.extend(price(
            table,
            (
                [mount, "overwrite", "fdatasync"],
                [mount, "append", "fdatasync"],
            ),
            size,
            &format!("append_{mount}"),
            &format!("Appending ({mount}) instead of overwriting"),
        ));
        all.extend(price(
            table,
            (
                [mount, "overwrite", "fdatasync"],
                [mount, "overwrite", "fsync"],
            ),
            size,
            &format!("fsync_{mount}"),
            &format!("Overwriting with fsync ({mount}) instead of fdatasync"),
        ));
    }
    let others = mounts::MOUNTS
        .iter()
        .filter(|m| !matches!(**m, "scratch" | "ordered"));
    for mount in others {
        all.extend(price(
            table,
            (
                ["ordered", "append", "fdatasync"],
                [mount, "append", "fdatasync"],
            ),
            size,
            &format!("mode_{mount}"),
            &format!("Appending with {} instead of data=ordered", name(mount)),
        ));
    }
    all
}

fn name(mount: &str) -> String {
    match mount {
        "external" => "the journal on another device".to_owned(),
        mode => format!("data={mode}"),
    }
}

/// `b` against `a`.
fn price(
    table: &ExperimentTable,
    (a, b): ([&str; 3], [&str; 3]),
    size: i64,
    key: &str,
    what: &str,
) -> Option<Finding> {
    let times = ratio(find(table, a, size)?, find(table, b, size)?)?;
    let bytes = human_bytes(size.unsigned_abs());
    let range = format!("({:.2} to {:.2})", times.low, times.high);
    let same = times.low < 1.0 + PRACTICAL_SHARE && times.high > 1.0 - PRACTICAL_SHARE;
    let text = match same {
        true => format!("{what}, {bytes}, makes no difference that shows {range}"),
        false => format!(
            "{what}, {bytes}, takes {:.2} times as long {range}",
            times.center
        ),
    };
    Some(Conclusion::on(key).estimate(Unit::Ratio, times).say(text))
}

pub const CLAIMS: &[Claim] = &[Claim {
    text: "an append takes at least as long as an overwrite, by the same call",
    check: |table| {
        let mut least: Option<(f64, bool, String)> = None;
        for mount in mounts::MOUNTS {
            for sync in SYNCS {
                for size in table.points.iter().filter_map(|p| p.int("size")) {
                    let at = |write| find(table, [mount, write, sync], size);
                    let (Some(over), Some(append)) = (at(WRITES[0]), at(WRITES[1])) else {
                        continue;
                    };
                    let Some(times) = ratio(over, append) else {
                        continue;
                    };
                    if least
                        .as_ref()
                        .is_none_or(|(center, ..)| times.center < *center)
                    {
                        let evidence = format!(
                            "least: {} takes {:.2} times as long ({:.2} to {:.2})",
                            append.head.label(),
                            times.center,
                            times.low,
                            times.high
                        );
                        least = Some((times.center, times.high >= 1.0 - TOLERANCE, evidence));
                    }
                }
            }
        }
        least.map(|(_, held, evidence)| (held, evidence))
    },
}];

#[cfg(test)]
mod tests {
    use super::{CLAIMS, findings};
    use crate::testing::table;
    use analysis::{ExperimentTable, PointView};

    const ID: &str = "persist/journal";
    use testbed::{int, measured, word};

    fn at(mount: &str, write: &str, sync: &str, ns: f64) -> PointView {
        let settings = [
            word("mount", mount),
            word("write", write),
            word("sync", sync),
            int("size", 4096),
        ];
        measured(ID, &settings, &[ns])
    }

    fn machine(append_ns: f64) -> ExperimentTable {
        let points = vec![
            at("ordered", "overwrite", "fdatasync", 50_000.0),
            at("ordered", "overwrite", "fsync", 120_000.0),
            at("ordered", "append", "fdatasync", append_ns),
            at("writeback", "append", "fdatasync", append_ns),
            at("external", "append", "fdatasync", append_ns / 2.0),
        ];
        table(ID, points)
    }

    #[test]
    fn each_price_is_found_and_equal_ones_are_equal() {
        let all = findings(&machine(150_000.0));
        let text = |key: &str| {
            let found = all.iter().find(|f| f.key == key);
            found
                .unwrap_or_else(|| panic!("no {key}: {all:#?}"))
                .sentence
                .clone()
        };
        assert!(text("append_ordered").contains("3.00 times"));
        assert!(text("fsync_ordered").contains("2.40 times"));
        assert!(text("mode_writeback").contains("no difference"));
        assert!(text("mode_external").contains("0.50 times"));
        assert_eq!(all.len(), 4);
    }

    #[test]
    fn the_claim_holds_fails_and_stays_open() {
        let held = |t: &ExperimentTable| (CLAIMS[0].check)(t).map(|(held, _)| held);
        assert_eq!(held(&machine(150_000.0)), Some(true));
        assert_eq!(held(&machine(20_000.0)), Some(false));
        assert_eq!(held(&table(ID, Vec::new())), None);
        assert_eq!(findings(&table(ID, Vec::new())), []);
    }
}
