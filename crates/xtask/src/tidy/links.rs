//! Relative links in Markdown lead to files that exist, and to headings in them.

use super::Source;
use std::path::Path;

/// Links that lead nowhere, a line for each.
pub fn check(root: &Path, sources: &[Source]) -> Vec<String> {
    let mut wrong = Vec::new();
    for source in sources.iter().filter(|s| s.path.ends_with(".md")) {
        let folder = Path::new(&source.path).parent().unwrap_or(Path::new(""));
        for target in targets(&source.text) {
            let (file, place) = target.split_once('#').unwrap_or((target, ""));
            if file.contains("://") || file.starts_with("mailto:") {
                continue;
            }
            let path = match file {
                "" => root.join(&source.path),
                file => root.join(folder).join(file),
            };
            let leads = path.exists() && (place.is_empty() || has_heading(&path, place));
            if !leads {
                wrong.push(format!("{}: link to {target} leads nowhere", source.path));
            }
        }
    }
    wrong
}

/// Whether a page has a heading of this anchor. Of other files nothing is known.
fn has_heading(path: &Path, anchor: &str) -> bool {
    if path.extension().is_none_or(|e| e != "md") {
        return true;
    }
    let text = std::fs::read_to_string(path).unwrap_or_default();
    anchors(&text).any(|found| found == anchor)
}

/// Anchors of the headings, as code hosts and mdBook make them.
fn anchors(text: &str) -> impl Iterator<Item = String> {
    let headings = text.lines().filter(|line| line.starts_with('#'));
    headings.map(|line| {
        let words = line.trim_start_matches('#').trim().to_lowercase();
        let kept = words.chars().filter_map(|c| match c {
            ' ' => Some('-'),
            c if c.is_alphanumeric() || c == '-' || c == '_' => Some(c),
            _ => None,
        });
        kept.collect()
    })
}

/// Targets of `[text](target)` outside fenced code.
fn targets(text: &str) -> Vec<&str> {
    let mut fenced = false;
    let mut found = Vec::new();
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        }
        if fenced || line.starts_with("    ") {
            continue;
        }
        let mut rest = line;
        while let Some((_, after)) = rest.split_once("](") {
            let Some((target, behind)) = after.split_once(')') else {
                break;
            };
            found.push(target.trim());
            rest = behind;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::{anchors, targets};

    #[test]
    fn anchors_are_those_of_code_hosts() {
        let page = "# Did it get slower? A/B, in CI\ntext\n## `pontage ab`\n";
        let found: Vec<String> = anchors(page).collect();
        assert_eq!(found, ["did-it-get-slower-ab-in-ci", "pontage-ab"]);
    }

    #[test]
    fn fenced_code_holds_no_links() {
        assert_eq!(
            targets("[a](b.md) [c](d#e)\n```\n[x](y)\n```\n    [z](w)\n"),
            ["b.md", "d#e"]
        );
    }
}
