//! The version says of which commit it is, and how it was built: two programs of one version may
//! differ by months, and two of one commit in what they measure.
//!
//! The commit is that of the checkout, with `-changed` where tracked files differ from it; else
//! that of the archive (`git archive` writes it into commit.txt); else that of the crate (cargo
//! writes it into .cargo_vcs_info.json). A source that knows none has the bare version.

use std::path::Path;
use std::process::Command;

/// What `git archive` replaces.
const KEPT: &str = "commit.txt";

fn main() {
    println!("cargo::rerun-if-changed={KEPT}");
    println!("cargo::rerun-if-env-changed=PONTAGE_COMMIT");
    let given = std::env::var("PONTAGE_COMMIT")
        .ok()
        .filter(|c| is_commit(c));
    let commit = given.or_else(checkout).or_else(archive).or_else(packaged);
    let number = env!("CARGO_PKG_VERSION");
    let words: Vec<String> = commit.into_iter().chain(built_as()).collect();
    let version = match words.is_empty() {
        true => number.to_owned(),
        false => format!("{number}+{}", words.join(".")),
    };
    println!("cargo::rustc-env=PONTAGE_VERSION={version}");
}

/// Builds that do not measure alike: what the C library does, and what the optimiser left, is
/// part of a time.
fn built_as() -> Vec<String> {
    let of_build = |name: &str| std::env::var(name).unwrap_or_default();
    let is_static = of_build("CARGO_CFG_TARGET_FEATURE").contains("crt-static");
    let is_debug = of_build("PROFILE") == "debug";
    let words = [("static", is_static), ("debug", is_debug)];
    let words = words.iter().filter(|(_, holds)| *holds);
    words.map(|(word, _)| (*word).to_owned()).collect()
}

/// Of the repository that this file is committed in, not of one around it.
fn checkout() -> Option<String> {
    let root = Path::new("../..");
    if !root.join(".git").exists() {
        return None;
    }
    let git = |arguments: &[&str]| {
        let mut command = Command::new("git");
        let ended = command.arg("-C").arg(root).args(arguments).output().ok()?;
        let said = String::from_utf8(ended.stdout).ok()?;
        ended.status.success().then(|| said.trim().to_owned())
    };
    let commit = git(&["rev-parse", "--short=9", "HEAD"])?;
    let folder = git(&["rev-parse", "--absolute-git-dir"])?;
    // A commit moves the first, an edit one of the others. What is not there would make cargo
    // run this each time.
    let parts = ["crates", "recipes", "ui/dist", "Cargo.lock", "Cargo.toml"];
    let parts = parts.map(|part| root.join(part));
    let watched = std::iter::once(Path::new(&folder).join("logs/HEAD")).chain(parts);
    for path in watched.filter(|path| path.exists()) {
        println!("cargo::rerun-if-changed={}", path.display());
    }
    let changed = git(&["status", "--porcelain", "--untracked-files=no"])?;
    let changed = if changed.is_empty() { "" } else { "-changed" };
    is_commit(&commit).then(|| format!("{commit}{changed}"))
}

fn archive() -> Option<String> {
    let kept = std::fs::read_to_string(KEPT).ok()?;
    let commit = kept.trim().get(..9)?.to_owned();
    is_commit(&commit).then_some(commit)
}

fn packaged() -> Option<String> {
    let kept = std::fs::read_to_string(".cargo_vcs_info.json").ok()?;
    let (_, rest) = kept.split_once("\"sha1\": \"")?;
    let commit = rest.get(..9)?.to_owned();
    is_commit(&commit).then_some(commit)
}

fn is_commit(text: &str) -> bool {
    (7..=40).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_hexdigit())
}
