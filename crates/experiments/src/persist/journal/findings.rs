//! What the journal costs, by what it is asked and how it works.

use super::mounts;
use analysis::claims::{Quoted, all};
use analysis::compared::{PRACTICAL_SHARE, ratio};
use analysis::sentence::{between, estimated, times_as_long};
use analysis::{ExperimentTable, PointView};
use catalogue::Claim;
use record::axis::human_bytes;
use record::{Finding, Unit};

/// Share by which an append may be faster without contradicting the claim.
const TOLERANCE: f64 = 0.05;

fn find<'a>(
    table: &'a ExperimentTable,
    [mount, write, sync]: [&str; 3],
    size: i64,
) -> Option<&'a PointView> {
    let words = [("mount", mount), ("write", write), ("sync", sync)];
    table.sized(words, size)
}

/// Cost of appending, of other calls and of other mount options over an overwrite with
/// fdatasync, at the smallest size.
pub fn findings(table: &ExperimentTable) -> Vec<Finding> {
    let Some(size) = table.points.iter().filter_map(|p| p.int("size")).min() else {
        return Vec::new();
    };
    let mut all = Vec::new();
    let mut price = |a, b, key, what| all.extend(price(table, (a, b), size, key, what));
    for mount in mounts::MOUNTS {
        let overwrite = [mount, "overwrite", "fdatasync"];
        price(
            overwrite,
            [mount, "append", "fdatasync"],
            format!("append_{mount}"),
            format!("Appending ({mount}) instead of overwriting"),
        );
        price(
            overwrite,
            [mount, "overwrite", "fsync"],
            format!("fsync_{mount}"),
            format!("Overwriting with fsync ({mount}) instead of fdatasync"),
        );
    }
    let mut others = mounts::MOUNTS.to_vec();
    others.retain(|m| !matches!(*m, "scratch" | "ordered"));
    for mount in &others {
        price(
            ["ordered", "append", "fdatasync"],
            [mount, "append", "fdatasync"],
            format!("mode_{mount}"),
            format!("Appending with {} instead of data=ordered", name(mount)),
        );
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
    key: String,
    what: String,
) -> Option<Finding> {
    let times = ratio(find(table, a, size)?, find(table, b, size)?)?;
    let bytes = human_bytes(size.unsigned_abs());
    let same = times.low < 1.0 + PRACTICAL_SHARE && times.high > 1.0 - PRACTICAL_SHARE;
    let effect = match same {
        true => format!("no difference shown ({})", between(&times, 2)),
        false => format!("takes {}", times_as_long(&times, 2)),
    };
    let text = format!("{what}, {bytes}, {effect}");
    Some(estimated(key, Unit::Ratio, times, text))
}

/// Claims of `persist/journal`: an append is not faster than an overwrite.
pub const CLAIMS: &[Claim] = &[Claim {
    text: "an append takes at least as long as an overwrite, by the same call",
    check: |table| {
        let appends = table.measured([("write", "append")]);
        let pairs = appends.filter_map(|append| {
            let (mount, sync) = (append.word("mount"), append.word("sync"));
            let over = find(table, [mount, "overwrite", sync], append.int("size")?)?;
            let (over, append) = (Quoted::latency(over)?, Quoted::latency(append)?);
            Some(over.at_most(append).allowing(TOLERANCE))
        });
        all(pairs)
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
        let held = |t: &ExperimentTable| (CLAIMS[0].check)(t).map(|o| o.held().expect(&o.evidence));
        assert_eq!(held(&machine(150_000.0)), Some(true));
        assert_eq!(held(&machine(20_000.0)), Some(false));
        assert_eq!(held(&table(ID, Vec::new())), None);
        assert_eq!(findings(&table(ID, Vec::new())), []);
    }
}
