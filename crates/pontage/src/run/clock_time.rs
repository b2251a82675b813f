//! Long times as a clock has them.

/// `75 s`, `7 min`, `4 h 20 min`.
pub fn clock_time(ns: f64) -> String {
    if ns < 120e9 {
        return format!("{:.0} s", ns / 1e9);
    }
    hours_and_minutes(analysis::whole(ns))
}

/// `4 h 20 min`, `7 min`.
fn hours_and_minutes(ns: u64) -> String {
    let minutes = ns.div_ceil(60_000_000_000);
    match (minutes / 60, minutes % 60) {
        (0, minutes) => format!("{minutes} min"),
        (hours, 0) => format!("{hours} h"),
        (hours, minutes) => format!("{hours} h {minutes} min"),
    }
}

#[cfg(test)]
mod tests {
    use super::hours_and_minutes;

    #[test]
    fn long_times_read_as_a_clock_has_them() {
        const MINUTE_NS: u64 = 60_000_000_000;
        for (minutes, text) in [(3, "3 min"), (60, "1 h"), (260, "4 h 20 min")] {
            assert_eq!(hours_and_minutes(minutes * MINUTE_NS), text);
        }
        assert_eq!(hours_and_minutes(2 * MINUTE_NS + 1), "3 min");
    }
}
