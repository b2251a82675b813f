//! Settings of the machine that a run may change on request, through the
//! journal. What cannot be set is a note for the record.

use crate::journal::Journal;
use std::path::Path;

/// Sets the frequency governor of `cpus` (`performance`); what could not be.
pub fn set_governor(
    journal: &mut Journal,
    root: &Path,
    cpus: &[u32],
    governor: &str,
) -> Vec<String> {
    let mut notes = Vec::new();
    for cpu in cpus {
        let name = format!("sys/devices/system/cpu/cpu{cpu}/cpufreq/scaling_governor");
        let path = root.join(&name);
        if !path.exists() {
            notes.push(format!(
                "CPU {cpu} has no frequency governor: its frequency is not under this system's control"
            ));
        } else if let Err(e) = journal.set(&path, governor) {
            notes.push(with_hint(&e));
        }
    }
    notes
}

/// Raises the pool of huge pages of the default size to at least `pages`; how
/// many there are now, or why there are none more.
pub fn reserve_huge_pages(journal: &mut Journal, root: &Path, pages: u64) -> Result<u64, String> {
    let path = root.join("proc/sys/vm/nr_hugepages");
    let present = || {
        let text = std::fs::read_to_string(&path).ok()?;
        text.trim().parse::<u64>().ok()
    };
    let before =
        present().ok_or("this kernel has no huge page pool (/proc/sys/vm/nr_hugepages)")?;
    if before < pages {
        journal
            .set(&path, &pages.to_string())
            .map_err(|e| with_hint(&e))?;
    }
    Ok(present().unwrap_or(before))
}

fn with_hint(error: &crate::HarnessError) -> String {
    match error.hint() {
        Some(hint) => format!("{error} ({hint})"),
        None => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_governor_is_set_and_put_back_and_a_missing_one_is_said() {
        let root = tempfile::tempdir().unwrap();
        let dir = root.path().join("sys/devices/system/cpu/cpu1/cpufreq");
        std::fs::create_dir_all(&dir).unwrap();
        let file = dir.join("scaling_governor");
        std::fs::write(&file, "powersave\n").unwrap();
        let mut journal = Journal::unguarded(&root.path().join("state")).of_machine(root.path());
        let notes = set_governor(&mut journal, root.path(), &[1, 2], "performance");
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "performance");
        assert_eq!(notes.len(), 1);
        assert!(notes[0].contains("CPU 2 has no frequency governor"));
        drop(journal);
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "powersave");
    }

    #[test]
    fn the_pool_grows_only() {
        let root = tempfile::tempdir().unwrap();
        let file = root.path().join("proc/sys/vm/nr_hugepages");
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(&file, "8\n").unwrap();
        let mut journal = Journal::unguarded(&root.path().join("state")).of_machine(root.path());
        assert_eq!(reserve_huge_pages(&mut journal, root.path(), 4), Ok(8));
        assert_eq!(reserve_huge_pages(&mut journal, root.path(), 64), Ok(64));
        drop(journal);
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "8");
        let nowhere = Path::new("/nonexistent");
        let mut journal = Journal::unguarded(&root.path().join("state")).of_machine(root.path());
        assert!(reserve_huge_pages(&mut journal, nowhere, 1).is_err());
    }
}
