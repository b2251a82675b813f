//! Files and folders, with errors that name them.

use std::fs;
use std::path::Path;

/// The whole text of a file.
pub fn read(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|e| format!("cannot read {}: {e}", path.display()))
}

/// Replaces what the file holds.
pub fn write(path: &Path, text: &str) -> Result<(), String> {
    fs::write(path, text).map_err(|e| format!("cannot write {}: {e}", path.display()))
}

/// Makes a folder and those above it.
pub fn make_folder(path: &Path) -> Result<(), String> {
    fs::create_dir_all(path).map_err(|e| format!("cannot create {}: {e}", path.display()))
}

/// Refuses a program that was not built.
pub fn must_be_built(program: &Path) -> Result<(), String> {
    match program.is_file() {
        true => Ok(()),
        false => Err(format!(
            "cannot find {}: build it with: cargo build -p pontage",
            program.display()
        )),
    }
}
