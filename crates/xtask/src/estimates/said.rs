//! What the program says: the estimate of a plan, and why nothing runs here.

/// Seconds of the row `together` of `--dry-run`.
pub fn estimate_s(text: &str) -> Option<f64> {
    let row = text.lines().find(|line| line.starts_with("together"))?;
    let words: Vec<&str> = row.split_whitespace().collect();
    let at = words.iter().position(|word| *word == "points")?;
    let seconds: f64 = words.get(at + 1)?.parse().ok()?;
    (words.get(at + 2) == Some(&"s") && seconds.is_finite()).then_some(seconds)
}

/// The first line that says why something was skipped; rows of tables only refer to it.
pub fn skip_reason(text: &str) -> Option<&str> {
    let lines = || text.lines().map(str::trim);
    let refused = |line: &&str| line.starts_with("SKIP") || line.starts_with("pontage: SKIP");
    let footnote = || lines().find(|line| line.starts_with("[1]"));
    lines().find(refused).or_else(footnote)
}

/// The last line with anything in it.
pub fn last_line(text: &str) -> &str {
    let mut lines = text.lines().rev().map(str::trim);
    lines.find(|line| !line.is_empty()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::{estimate_s, last_line, skip_reason};

    #[test]
    fn the_estimate_is_that_of_all_experiments() {
        let text = "syscall/getppid         1 points      0.4 s\n\
                    together             1174 points   1075.0 s with set-up, 5 processes each\n";
        assert_eq!(estimate_s(text), Some(1075.0));
        assert_eq!(estimate_s("together 3 points soon"), None);
        assert_eq!(estimate_s("together 3 points 7.0 h"), None);
        assert_eq!(estimate_s("syscall/getppid 1 points 0.4 s"), None);
    }

    #[test]
    fn a_skip_says_why() {
        let text = "run 1\n  SKIP  irq/x: no tracefs\n  SKIP  irq/y: the same\n";
        assert_eq!(skip_reason(text), Some("SKIP  irq/x: no tracefs"));
        let table = "hot  SKIP [1]  SKIP [1]\n\n[1] no such device\n";
        assert_eq!(skip_reason(table), Some("[1] no such device"));
        assert_eq!(skip_reason("all is well"), None);
        assert_eq!(last_line("cannot run: why\nhint: x\n\n"), "hint: x");
        assert_eq!(last_line(""), "");
    }
}
