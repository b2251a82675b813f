//! "Did you mean": the known names nearest to a mistyped one.

/// Up to three names close to `typed`, nearest first.
pub fn nearest<'a>(typed: &str, names: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut scored: Vec<(f64, &str)> = names
        .map(|name| {
            let whole = strsim::jaro_winkler(typed, name);
            let last = name
                .rsplit('/')
                .next()
                .map_or(0.0, |n| strsim::jaro_winkler(typed, n));
            (whole.max(last), name)
        })
        .filter(|(score, _)| *score > 0.75)
        .collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0));
    scored
        .into_iter()
        .take(3)
        .map(|(_, name)| name.to_owned())
        .collect()
}

/// `; did you mean a, b?` or nothing.
pub fn hint(near: &[String]) -> String {
    if near.is_empty() {
        String::new()
    } else {
        format!("; did you mean {}?", near.join(", "))
    }
}
