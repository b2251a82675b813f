//! Achieved windows as bars.

use analysis::whole_index;
use report::document::{Column, Table};
use report::format::time_ns;

const BAR: usize = 24;

/// Room of a bar and its count.
const ROOM: usize = 34;

/// Buckets of powers of two, from the first to the last that holds something,
/// the two kinds of window side by side. None where nothing was counted.
pub fn table(high: &[u64], low: &[u64]) -> Option<Table> {
    let counts: Vec<(u64, u64)> = high.iter().copied().zip(low.iter().copied()).collect();
    let used = |c: &(u64, u64)| c.0 + c.1 > 0;
    let first = counts.iter().position(used)?;
    let last = counts.iter().rposition(used).unwrap_or(first);
    let most = counts.iter().map(|c| c.0.max(c.1)).max().unwrap_or(1);
    let bars = ["high", "low"].map(|head| Column::words(head).least(ROOM));
    let from = Column::number("from").least(10);
    let mut table = Table::new(std::iter::once(from).chain(bars)).indent(2);
    for (bucket, (high, low)) in counts.iter().enumerate().take(last + 1).skip(first) {
        // 2^31 ns is the last.
        let from = time_ns((1_u64 << bucket) as f64, 3);
        table.row([from, bar(*high, most), bar(*low, most)]);
    }
    Some(table)
}

/// A count that is there has a bar that is there.
fn bar(count: u64, most: u64) -> String {
    let length = whole_index((count as f64 / most as f64 * BAR as f64).round());
    let length = length.max(usize::from(count > 0));
    match count {
        0 => String::new(),
        _ => format!("{} {count}", "#".repeat(length)),
    }
}

#[cfg(test)]
mod tests {
    use super::table;
    use report::document::terminal;

    #[test]
    fn bars_are_in_proportion_and_none_is_lost() {
        let mut high = [0; 32];
        let mut low = [0; 32];
        (high[14], high[16]) = (1000, 1);
        low[15] = 500;
        let expected = [
            "        from  high                                low",
            "     16.4 µs  ######################## 1000",
            "     32.8 µs                                      ############ 500",
            "     65.5 µs  # 1",
        ];
        let shown = table(&high, &low).map(|table| terminal::lines(&table));
        assert_eq!(shown.unwrap(), expected);
        assert!(table(&[0; 32], &[0; 32]).is_none());
    }
}
