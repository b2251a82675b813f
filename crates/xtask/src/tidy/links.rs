//! Relative links in Markdown lead to files that exist.

use super::Source;
use std::path::Path;

/// Links that lead nowhere, a line for each.
pub fn check(root: &Path, sources: &[Source]) -> Vec<String> {
    let mut wrong = Vec::new();
    for source in sources.iter().filter(|s| s.path.ends_with(".md")) {
        let folder = Path::new(&source.path).parent().unwrap_or(Path::new(""));
        for target in targets(&source.text) {
            let file = target.split('#').next().unwrap_or_default();
            let elsewhere = file.is_empty() || file.contains("://") || file.starts_with("mailto:");
            if !elsewhere && !root.join(folder).join(file).exists() {
                wrong.push(format!("{}: link to {target} leads nowhere", source.path));
            }
        }
    }
    wrong
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
    use super::targets;

    #[test]
    fn fenced_code_holds_no_links() {
        assert_eq!(
            targets("[a](b.md) [c](d#e)\n```\n[x](y)\n```\n    [z](w)\n"),
            ["b.md", "d#e"]
        );
    }
}
