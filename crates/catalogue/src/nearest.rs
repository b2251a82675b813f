//! "Did you mean": the known names nearest to a mistyped one.

/// Up to three names close to `typed`, nearest first.
pub fn nearest<'a>(typed: &str, names: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut scored: Vec<(f64, &str)> = names
        .map(|name| {
            let last = name.rsplit('/').next().unwrap_or(name);
            let scores = [name, last].map(|name| strsim::jaro_winkler(typed, name));
            (scores[0].max(scores[1]), name)
        })
        .filter(|(score, _)| *score > 0.75)
        .collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0));
    let best = scored.into_iter().take(3);
    best.map(|(_, name)| name.to_owned()).collect()
}

/// `; did you mean a, b?` or nothing.
pub fn hint(near: &[String]) -> String {
    match near {
        [] => String::new(),
        near => format!("; did you mean {}?", near.join(", ")),
    }
}
