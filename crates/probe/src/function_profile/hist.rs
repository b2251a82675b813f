//! `events/.../hist`: a table that the kernel keeps of an event, one entry a key
//! (Documentation/trace/histogram.rst).

use super::{Part, Sums};

/// What the foot of the table says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Totals {
    pub entries: u64,
    /// Events that found the table full.
    pub dropped: u64,
}

/// Adds the entries of a table with the keys `func`, `common_cpu`, and `ns` by
/// powers of two, and the sum `ns`.
///
/// The variance is made of the means of the powers of two: what calls differ
/// within one is left out, so it is a little too small.
pub fn add(sums: &mut Sums, text: &str) -> Totals {
    let mut totals = Totals::default();
    for line in text.lines() {
        if let Some((function, cpu, part)) = entry(line) {
            sums.add(function, cpu, part);
        }
        let number = |head: &str| line.trim().strip_prefix(head)?.trim().parse().ok();
        totals.entries = number("Entries:").unwrap_or(totals.entries);
        totals.dropped = number("Dropped:").unwrap_or(totals.dropped);
    }
    totals
}

/// `{ func: [ffffffffb4f669e0] vfs_read , common_cpu:  0, ns: ~ 2^11 } hitcount: 10  ns: 28006`
fn entry(line: &str) -> Option<(&str, u32, Part)> {
    let (keys, values) = line.trim().strip_prefix('{')?.split_once('}')?;
    let key = |name: &str| {
        let pairs = keys.split(',').filter_map(|pair| pair.split_once(':'));
        let mut named = pairs.filter(|(key, _)| key.trim() == name);
        named.next().map(|(_, value)| value.trim())
    };
    let value = |name: &str| -> Option<u64> {
        let mut words = values.split_whitespace();
        words.find(|word| word.strip_suffix(':') == Some(name))?;
        words.next()?.parse().ok()
    };
    let function = key("func")?;
    // An address without a symbol stands alone.
    let function = match function.split_once(']') {
        Some((_, name)) if !name.trim().is_empty() => name.trim(),
        _ => function.trim_matches(['[', ']']),
    };
    let cpu = key("common_cpu").or_else(|| key("cpu"))?.parse().ok()?;
    let (hits, total_ns) = (value("hitcount")?, value("ns")?);
    let mean = total_ns as f64 / hits.max(1) as f64;
    let part = Part {
        hits,
        total_ns,
        squares_ns2: mean * mean * hits as f64,
    };
    (!function.is_empty()).then_some((function, cpu, part))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "# event histogram\n#\n# trigger info: hist:keys=func.sym,common_cpu,ns.log2:\
        vals=hitcount,ns:sort=hitcount:size=2048 [active]\n#\n\n\
        { func: [ffffffffb4f669e0] vfs_read        , common_cpu:  0, ns: ~ 2^3  } hitcount:          2  ns:         20\n\
        { func: [ffffffffb4f669e0] vfs_read        , common_cpu:  1, ns: ~ 2^5  } hitcount:          1  ns:         40\n\
        { func: ffffffffb4f67160, common_cpu:          1, ns: ~ 2^12 } hitcount:          1  ns:       7535\n\
        \nTotals:\n    Hits: 4\n    Entries: 3\n    Dropped: 5\n";

    #[test]
    fn entries_are_added_by_function_and_cpu() {
        let mut sums = Sums::default();
        let totals = add(&mut sums, TABLE);
        assert_eq!((totals.entries, totals.dropped), (3, 5));
        let rows = sums.rows();
        assert_eq!(rows[0].function, "ffffffffb4f67160");
        let read = &rows[1];
        assert_eq!((read.function.as_str(), read.hits), ("vfs_read", 3));
        assert_eq!((read.total_ns, read.by_cpu.len()), (60, 2));
        // 10, 10, 40.
        assert!((read.variance_ns2 - 300.0).abs() < 1e-9, "{read:?}");
    }

    #[test]
    fn what_is_no_entry_is_passed_over() {
        let mut sums = Sums::default();
        for text in [
            "",
            "{",
            "{ func: }",
            "{ func: , common_cpu: 0 } hitcount: 1 ns: 2",
            "{ func: f, common_cpu: x } hitcount: 1 ns: 2",
            "{ func: f, common_cpu: 0 } hitcount: 1",
            "{}",
        ] {
            assert_eq!(add(&mut sums, text), Totals::default());
        }
        assert!(sums.rows().is_empty());
    }
}
