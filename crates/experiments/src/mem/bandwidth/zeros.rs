//! What copying zeros gains over copying data.

use super::points::{by_one, size};
use analysis::compared::{PRACTICAL_SHARE, ratio};
use analysis::sentence::estimated;
use analysis::{ExperimentTable, PointView};
use record::axis::human_bytes;
use record::{Finding, Unit};

/// Whether the largest set is copied faster where it holds only zeros, by the
/// method that gains most.
pub fn gain(table: &ExperimentTable) -> Option<Finding> {
    let cleared = |p: &&PointView| p.word("content") == "zeros" && p.int("cores") == Some(1);
    let at = table.points.iter().filter(cleared).map(size).max()?;
    let here = by_one(table, "copy").filter(|p| size(p) == at);
    let gains = here.filter_map(|data| {
        let same =
            |p: &&PointView| cleared(p) && size(p) == at && p.word("method") == data.word("method");
        let zeros = table.points.iter().find(same)?;
        Some((data.word("method"), ratio(zeros, data)?))
    });
    let (method, gain) = gains.max_by(|a, b| a.1.low.total_cmp(&b.1.low))?;
    let at = human_bytes(at.unsigned_abs());
    let text = if gain.low > 1.0 && gain.center > 1.0 + PRACTICAL_SHARE {
        format!(
            "{at} of zeros are copied {:.2} times as fast as {at} of data (by {method}): \
             benchmarks that copy cleared memory report too much",
            gain.center
        )
    } else {
        format!("Zeros are copied no faster than data, by any method at {at}")
    };
    Some(estimated("copy_of_zeros", Unit::Ratio, gain, text))
}

#[cfg(test)]
mod tests {
    use super::super::findings::findings;
    use super::super::findings::tests::{copied, find, machine};
    use record::MachineCard;
    use testbed::word;

    #[test]
    fn zeros_that_are_copied_faster_are_noted_and_kept_apart() {
        let mut t = machine();
        let mut cleared = copied("nt", 64 << 20, 1, 12.0);
        cleared.head.settings.push(word("content", "zeros"));
        t.points.push(cleared.clone());
        let all = findings(&t, &MachineCard::default());
        let found = find(&all, "copy_of_zeros");
        assert!((found.value.expect("a ratio") - 1.5).abs() < 1e-9);
        assert!(found.sentence.contains("1.50 times as fast"));
        // The best copy is one of data.
        let best = find(&all, "largest_set_copy_bandwidth");
        assert!(best.sentence.contains("8.00 GB/s"), "{}", best.sentence);
        let mut slow = machine();
        let mut alike = copied("nt", 64 << 20, 1, 8.0);
        alike.head = cleared.head;
        slow.points.push(alike);
        let all = findings(&slow, &MachineCard::default());
        assert!(
            find(&all, "copy_of_zeros")
                .sentence
                .starts_with("Zeros are copied no faster")
        );
    }
}
