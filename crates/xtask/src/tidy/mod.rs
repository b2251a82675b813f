//! The rules of the house. One file a rule; each returns what it found wrong.

mod circles;
mod direction;
mod documented;
mod experiments;
mod journal_lines;
mod kernel_files;
mod lines;
mod links;
mod one_of_each;
mod places;
mod versions;
mod words;

use crate::command::cargo;
use std::fs;
use std::path::Path;
use std::process::Command;

/// A file of the repository: its path from the root, and its text.
pub struct Source {
    pub path: String,
    pub text: String,
}

impl Source {
    /// Whether it is Rust's.
    pub fn is_rust(&self) -> bool {
        self.path.ends_with(".rs")
    }

    /// All but the tests at its end.
    pub fn code(&self) -> &str {
        let tests = self.text.find("#[cfg(test)]\nmod tests {");
        &self.text[..tests.unwrap_or(self.text.len())]
    }

    /// Whether it is of the program and no test.
    pub fn is_product(&self) -> bool {
        let tests = ["/tests/", "/examples/", "/benches/", "/testing"];
        self.is_rust()
            && self.path.starts_with("crates/")
            && !tests.iter().any(|place| self.path.contains(place))
            && !self.path.ends_with("tests.rs")
    }
}

/// Checks every rule.
pub fn run(root: &Path) -> Result<String, String> {
    let sources = sources(root)?;
    let mut wrong = Vec::new();
    wrong.extend(circles::check(&sources));
    wrong.extend(direction::check(&metadata(root)?, &sources));
    wrong.extend(documented::check(&sources));
    wrong.extend(experiments::check(&sources));
    wrong.extend(journal_lines::check(&sources));
    wrong.extend(kernel_files::check(&sources));
    wrong.extend(lines::check(&sources));
    wrong.extend(links::check(root, &sources));
    wrong.extend(one_of_each::check(&sources));
    wrong.extend(places::check(root, &sources));
    wrong.extend(versions::check(&sources));
    wrong.extend(words::check(&sources));
    if wrong.is_empty() {
        Ok(format!("tidy: {} files, every rule holds", sources.len()))
    } else {
        Err(format!(
            "{}\ntidy: {} violations",
            wrong.join("\n"),
            wrong.len()
        ))
    }
}

/// Text files that git tracks or would track.
fn sources(root: &Path) -> Result<Vec<Source>, String> {
    let listed = Command::new("git")
        .args(["ls-files", "--cached", "--others", "--exclude-standard"])
        .current_dir(root)
        .output()
        .map_err(|e| format!("cannot run git ls-files: {e}"))?;
    let names = String::from_utf8_lossy(&listed.stdout).into_owned();
    Ok(names
        .lines()
        .filter_map(|path| {
            let text = fs::read_to_string(root.join(path)).ok()?;
            Some(Source {
                path: path.to_owned(),
                text,
            })
        })
        .collect())
}

fn metadata(root: &Path) -> Result<serde_json::Value, String> {
    let output = cargo(root)
        .args(["metadata", "--no-deps", "--format-version", "1"])
        .output()
        .map_err(|e| format!("cannot run cargo metadata: {e}"))?;
    serde_json::from_slice(&output.stdout).map_err(|e| format!("cannot read cargo metadata: {e}"))
}
