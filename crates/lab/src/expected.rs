//! Skips that are known, with their reason. A test that skips without being
//! listed fails the run: it must not stop running unnoticed.

use crate::stop::{Stop, cannot};
use serde::Deserialize;
use std::fs;
use std::path::Path;

/// A skip that is expected: its three parts are matched.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExpectedSkip {
    /// Name of the scenario, or part of it.
    pub scenario: String,
    /// Part of the test's path.
    pub test: String,
    /// Part of the reason it gives.
    pub reason: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    skip: Vec<ExpectedSkip>,
}

/// The list in `path`.
///
/// # Errors
/// Where it cannot be read or understood.
pub fn read(path: &Path) -> Result<Vec<ExpectedSkip>, Stop> {
    let text = fs::read_to_string(path).map_err(cannot("read", path))?;
    let file: File = toml::from_str(&text).map_err(cannot("understand", path))?;
    Ok(file.skip)
}

/// Whether the skip of `test` for `reason` is on the list.
pub fn is_expected(list: &[ExpectedSkip], scenario: &str, test: &str, reason: &str) -> bool {
    list.iter().any(|skip| {
        scenario.contains(&skip.scenario)
            && test.contains(&skip.test)
            && reason.contains(&skip.reason)
    })
}
