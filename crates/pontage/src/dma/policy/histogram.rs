//! Achieved windows as bars.

use report::format::time_ns;
use std::fmt::Write;

const BAR: usize = 24;

/// Buckets of powers of two, from the first to the last that holds something,
/// the two kinds of window side by side.
pub fn text(high: &[u64], low: &[u64]) -> String {
    let counts: Vec<(u64, u64)> = high.iter().copied().zip(low.iter().copied()).collect();
    let used = |c: &(u64, u64)| c.0 + c.1 > 0;
    let Some(first) = counts.iter().position(used) else {
        return String::new();
    };
    let last = counts.iter().rposition(used).unwrap_or(first);
    let most = counts.iter().map(|c| c.0.max(c.1)).max().unwrap_or(1);
    let mut text = format!("  {:>10}  {:<34}  low\n", "from", "high");
    for (bucket, (high, low)) in counts.iter().enumerate().take(last + 1).skip(first) {
        // 2^31 ns is the last.
        let from = time_ns((1_u64 << bucket) as f64, 3);
        let line = format!("  {from:>10}  {}  {}", bar(*high, most), bar(*low, most));
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{}", line.trim_end());
    }
    text
}

/// A count that is there has a bar that is there.
fn bar(count: u64, most: u64) -> String {
    let length = (count as f64 / most as f64 * BAR as f64).round() as usize;
    let length = length.max(usize::from(count > 0));
    let text = match count {
        0 => String::new(),
        _ => format!("{} {count}", "#".repeat(length)),
    };
    format!("{text:<34}")
}

#[cfg(test)]
mod tests {
    use super::text;

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
            "     65.5 µs  # 1\n",
        ]
        .join("\n");
        assert_eq!(text(&high, &low), expected);
        assert_eq!(text(&[0; 32], &[0; 32]), "");
    }
}
