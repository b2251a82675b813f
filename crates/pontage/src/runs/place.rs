//! Where a run lies, however its folder was typed.

use std::path::{Path, PathBuf};

/// The folder of a run; its `run.json` stands for it as well.
pub fn own(folder: &Path) -> PathBuf {
    match folder.ends_with(record::layout::HEAD) {
        true => parent(folder),
        false => folder.to_owned(),
    }
}

/// The folder that it is in, as it was typed where that says it.
pub fn parent(folder: &Path) -> PathBuf {
    match folder.parent() {
        Some(typed) if !typed.as_os_str().is_empty() && folder.file_name().is_some() => {
            typed.to_owned()
        }
        _ => absolute(folder)
            .parent()
            .map_or_else(PathBuf::new, Path::to_owned),
    }
}

/// The name of its folder, which is its id.
pub fn id(folder: &Path) -> String {
    let folder = absolute(folder);
    folder
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}

/// From the root on.
pub fn absolute(folder: &Path) -> PathBuf {
    std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned())
}

/// As it is typed in the current folder, where it is below it.
pub fn shown(folder: &Path) -> String {
    let below = std::env::current_dir().ok();
    let below = below.and_then(|here| folder.strip_prefix(here).ok());
    below.unwrap_or(folder).display().to_string()
}

#[cfg(test)]
mod tests {
    use super::{id, own, parent};
    use std::path::Path;

    #[test]
    fn a_run_is_its_folder() {
        assert_eq!(own(Path::new("runs/a/run.json")), Path::new("runs/a"));
        assert_eq!(own(Path::new("runs/a")), Path::new("runs/a"));
        assert_eq!(parent(Path::new("runs/a/")), Path::new("runs"));
        assert_eq!(id(Path::new("runs/a/")), "a");
        let here = std::env::current_dir().unwrap();
        assert_eq!(parent(Path::new("a")), here);
        assert_eq!(Some(&*parent(Path::new("."))), here.parent());
        assert_eq!(own(Path::new("run.json")), here);
    }
}
