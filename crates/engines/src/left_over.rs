//! Files outside of the scratch folder that a killed process has left: their names
//! carry its number.

use machine::task;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// Removes files of this user in `folder` from whose names `owner` reads the number of
/// a process that is gone. If that process lives in another container, only the name is
/// lost: an open file stays usable.
pub fn remove(folder: &Path, owner: fn(&str) -> Option<u32>) {
    // Without /proc every process would look dead.
    if !task::are_seen() {
        return;
    }
    // SAFETY: takes nothing and cannot fail.
    let us = unsafe { libc::geteuid() };
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let Some(pid) = name.to_str().and_then(owner) else {
            continue;
        };
        let plain = entry.metadata().is_ok_and(|m| m.is_file() && m.uid() == us);
        if plain && !task::exists(pid) {
            // One that stays is found again.
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::remove;

    fn last(name: &str) -> Option<u32> {
        name.strip_prefix("pontage-x-")?.parse().ok()
    }

    #[test]
    fn only_files_of_the_dead_go() {
        let (context, _keep) = testbed::context();
        let folder = context.scratch.as_path();
        let make = |name: &str| {
            let path = folder.join(name);
            std::fs::write(&path, "x").unwrap();
            path
        };
        let dead = make("pontage-x-4294967295");
        let live = make(&format!("pontage-x-{}", std::process::id()));
        let others = make("pontage-y-4294967295");
        let link = folder.join("pontage-x-4294967294");
        std::os::unix::fs::symlink(&others, &link).unwrap();
        remove(folder, last);
        assert!(!dead.exists());
        assert!(live.exists() && others.exists() && link.is_symlink());
    }
}
