//! Texts that were read and committed, in this folder.

use std::path::PathBuf;

/// # Panics
/// Where the text differs; `UPDATE_GOLDEN=1` writes it anew.
pub fn golden(name: &str, text: &str) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("tests/golden")
        .join(name);
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&path, text).unwrap();
    }
    let want = std::fs::read_to_string(&path)
        .unwrap_or_else(|e| panic!("cannot read {}: {e}", path.display()));
    assert!(
        text == want,
        "{name} differs; run with UPDATE_GOLDEN=1 and read the difference"
    );
}
