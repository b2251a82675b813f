//! Names in a row.

/// As many names have a first word in common before it is said once.
const SHARED: usize = 3;

/// Names with commas; a first word that several in a row share is said once: `perf cache, raw, x`.
pub fn joined(names: &[String]) -> String {
    let first = |name: &String| name.split_once(' ').map(|(first, _)| first.to_owned());
    let rows = names.chunk_by(|a, b| first(a).is_some() && first(a) == first(b));
    let mut shown: Vec<&str> = Vec::new();
    for row in rows {
        let rest = |name: &'_ String| name.find(' ').map_or(0, |blank| blank + 1);
        let from = |at: usize, name: &String| match at > 0 && row.len() >= SHARED {
            true => rest(name),
            false => 0,
        };
        shown.extend(row.iter().enumerate().map(|(at, n)| &n[from(at, n)..]));
    }
    shown.join(", ")
}

#[cfg(test)]
mod tests {
    use super::joined;

    #[test]
    fn a_word_that_names_share_is_said_once() {
        let names = |text: &str| -> Vec<String> { text.split(", ").map(str::to_owned).collect() };
        let shown = joined(&names("mlock, perf cache, perf raw, perf x y, raw y"));
        assert_eq!(shown, "mlock, perf cache, raw, x y, raw y");
        // `no quota, steal` would say the opposite.
        for same in ["a, a, a", "no quota, no steal", "a"] {
            assert_eq!(joined(&names(same)), same);
        }
        assert_eq!(joined(&[]), "");
    }
}
