//! Times that reach from nanoseconds to milliseconds, in words.

/// `160 ns`, `12.3 µs`, `6.10 ms`.
pub fn span(ns: f64) -> String {
    let (value, unit) = match ns {
        ns if ns < 1e4 => return format!("{ns:.0} ns"),
        ns if ns < 1e6 => (ns / 1e3, "µs"),
        ns => (ns / 1e6, "ms"),
    };
    let digits = if value < 10.0 { 2 } else { 1 };
    format!("{value:.digits$} {unit}")
}

#[cfg(test)]
mod tests {
    use super::span;

    #[test]
    fn the_unit_follows_the_size() {
        let texts: Vec<String> = [160.4, 12_345.0, 6_104_000.0]
            .into_iter()
            .map(span)
            .collect();
        assert_eq!(texts, ["160 ns", "12.3 µs", "6.10 ms"]);
    }
}
