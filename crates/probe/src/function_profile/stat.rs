//! `trace_stat/functionN`: the kernel's own function profile, a file for each CPU
//! (kernel/trace/ftrace.c, CONFIG_FUNCTION_PROFILER).

use super::{Part, Sums};

/// Adds the rows of one CPU. What is no row (headings, `No entries`) is passed
/// over; returns how many rows there were.
///
/// A row is name, hits, and three times in µs: all, average, and the variance,
/// which is in µs² although the kernel writes `us` behind it. Names are cut to 30
/// characters there.
pub fn add(sums: &mut Sums, cpu: u32, text: &str) -> usize {
    let rows = text.lines().filter_map(row);
    rows.map(|(name, part)| sums.add(name, cpu, part)).count()
}

fn row(line: &str) -> Option<(&str, Part)> {
    let mut words = line.split_whitespace().filter(|word| *word != "us");
    let name = words.next()?;
    let hits: u64 = words.next()?.parse().ok()?;
    let mut number = || words.next()?.parse::<f64>().ok().filter(|n| *n >= 0.0);
    let total_us = number()?;
    // A kernel without function_graph counts hits only.
    let _average = number();
    let variance_us2 = number().unwrap_or(0.0);
    let (count, total_ns) = (hits as f64, total_us * 1e3);
    let squares = match hits {
        0 => 0.0,
        // Of s² = (n Σx² - (Σx)²) / (n (n - 1)).
        _ => variance_us2 * 1e6 * (count - 1.0) + total_ns * total_ns / count,
    };
    #[expect(
        clippy::cast_possible_truncation,
        reason = "not below 0, and `as` saturates"
    )]
    let rounded_ns = total_ns.round() as u64;
    let part = Part {
        hits,
        total_ns: rounded_ns,
        squares_ns2: squares,
    };
    Some((name, part))
}

#[cfg(test)]
mod tests {
    use super::*;

    const CPU0: &str = "  Function                               Hit    Time            Avg             s^2\n\
        \x20 --------                               ---    ----            ---             ---\n\
        \x20 schedule                             22943    1994458706 us     86931.03 us     30862.51 us \n\
        \x20 vfs_write                                3    90.000 us       30.000 us       700.000 us  \n\
        \x20 copy_page_from_iter_atomic.par           1    2.804 us        2.804 us        0.000 us    \n";

    #[test]
    fn rows_are_read_and_headings_passed_over() {
        let mut sums = Sums::default();
        assert_eq!(add(&mut sums, 0, CPU0), 3);
        assert_eq!(
            add(&mut sums, 1, "  Function Hit Time\n  No entries\n\n"),
            0
        );
        let rows = sums.rows();
        assert_eq!(rows[0].total_ns, 1_994_458_706_000);
        let write = &rows[1];
        assert_eq!((write.function.as_str(), write.hits), ("vfs_write", 3));
        assert!((write.variance_ns2 - 700e6).abs() < 1.0, "{write:?}");
        assert_eq!(rows[2].variance_ns2, 0.0);
    }

    #[test]
    fn two_cpus_are_one_sample() {
        let mut sums = Sums::default();
        // 10 and 20 µs; 60 µs.
        add(&mut sums, 0, "f 2 30.000 us 15.000 us 50.000 us\n");
        add(&mut sums, 1, "f 1 60.000 us 60.000 us 0.000 us\n");
        let rows = sums.rows();
        assert_eq!((rows[0].hits, rows[0].average_ns), (3, 30_000.0));
        assert!((rows[0].variance_ns2 - 700e6).abs() < 1.0, "{rows:?}");
    }
}
