//! One version everywhere: the workspace's, which the changelog and the citation repeat.

use super::Source;

/// Places that say another version than the workspace.
pub fn check(sources: &[Source]) -> Vec<String> {
    let text = |path: &str| sources.iter().find(|s| s.path == path).map(|s| &*s.text);
    let Some(version) = text("Cargo.toml").and_then(|t| after(t, "\nversion = \"")) else {
        return vec!["Cargo.toml: the workspace has no version".to_owned()];
    };
    let places = [("CHANGELOG.md", "\n## "), ("CITATION.cff", "\nversion: ")];
    let wrong = |(path, mark): (&str, &str)| match text(path).and_then(|t| after(t, mark)) {
        Some(said) if said == version => None,
        Some(said) => Some(format!(
            "{path}: it says {said}, the workspace is {version}"
        )),
        None => Some(format!("{path}: it names no version")),
    };
    places.into_iter().filter_map(wrong).collect()
}

/// The version behind the first `mark`.
fn after<'a>(text: &'a str, mark: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(mark)?;
    let is_part = |c: char| c.is_ascii_digit() || c == '.';
    let end = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
    Some(&rest[..end]).filter(|version| !version.is_empty())
}

#[cfg(test)]
mod tests {
    use super::check;
    use crate::tidy::Source;

    fn found(citation: &str) -> Vec<String> {
        let all = [
            ("Cargo.toml", "[workspace.package]\nversion = \"0.2.0\"\n"),
            (
                "CHANGELOG.md",
                "# Changelog\n\n## 0.2.0, unreleased\n\n## 0.1.0\n",
            ),
            ("CITATION.cff", citation),
        ];
        check(&all.map(|(path, text)| Source {
            path: path.to_owned(),
            text: text.to_owned(),
        }))
    }

    #[test]
    fn every_place_says_the_workspace_s_version() {
        assert_eq!(found("cff-version: 1.2.0\nversion: 0.2.0\n"), [""; 0]);
        assert_eq!(
            found("cff-version: 1.2.0\nversion: 0.1.0\n"),
            ["CITATION.cff: it says 0.1.0, the workspace is 0.2.0"]
        );
        assert_eq!(found("title: x\n"), ["CITATION.cff: it names no version"]);
    }
}
