//! Settings of the machine that a run may change on request, through the
//! journal. What cannot be set is a note for the record.

use crate::journal::Journal;
use std::path::Path;

const POOL: &str = "proc/sys/vm/nr_hugepages";

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

/// Whether so many huge pages of the default size leave the machine half of the memory
/// that is available now. Pages that the pool has already cost nothing more.
///
/// # Errors
/// `cannot ...`, with what was asked for and how many it may be.
pub fn huge_pages_fit(root: &Path, pages: u64) -> Result<(), String> {
    let text = std::fs::read_to_string(root.join("proc/meminfo")).unwrap_or_default();
    let memory = machine::memory::parse(&text).0;
    let size = memory.default_huge_page_bytes.filter(|bytes| *bytes > 0);
    let available = memory.available_bytes.or(memory.free_bytes);
    let (Some(size), Some(available)) = (size, available) else {
        // Without a pool nothing is reserved; `reserve_huge_pages` says so.
        return Ok(());
    };
    let before = huge_pages_present(root).unwrap_or(0);
    let most = before.saturating_add(available / 2 / size);
    if pages <= most {
        return Ok(());
    }
    let bytes = |pages: u64| record::axis::human_bytes(pages.saturating_mul(size));
    Err(format!(
        "cannot reserve {pages} huge pages ({}): {} of memory are available, of which at most \
         half may be taken: {most} pages ({})",
        bytes(pages),
        record::axis::human_bytes(available),
        bytes(most)
    ))
}

fn huge_pages_present(root: &Path) -> Option<u64> {
    let text = std::fs::read_to_string(root.join(POOL)).ok()?;
    text.trim().parse().ok()
}

/// Raises the pool of huge pages of the default size to at least `pages`; how
/// many there are now, or why there are none more.
pub fn reserve_huge_pages(journal: &mut Journal, root: &Path, pages: u64) -> Result<u64, String> {
    let path = root.join(POOL);
    let present = || huge_pages_present(root);
    let before =
        present().ok_or("this kernel has no huge page pool (/proc/sys/vm/nr_hugepages)")?;
    huge_pages_fit(root, pages)?;
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
    fn the_governor_is_set_and_put_back_and_a_missing_one_is_noted() {
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
    fn no_more_than_half_of_what_is_available_is_reserved() {
        let root = tempfile::tempdir().unwrap();
        let file = root.path().join(POOL);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(&file, "10\n").unwrap();
        let info = "MemTotal: 33554432 kB\nMemFree: 1024 kB\nMemAvailable: 8388608 kB\n\
                    Hugepagesize: 2048 kB\n";
        std::fs::write(root.path().join("proc/meminfo"), info).unwrap();
        // Half of 8 GiB in pages of 2 MiB, besides the ten that are there.
        assert_eq!(huge_pages_fit(root.path(), 2058), Ok(()));
        let refused = huge_pages_fit(root.path(), 2059).unwrap_err();
        for part in ["2059 huge pages", "8 GiB", "2058 pages"] {
            assert!(refused.contains(part), "{part}: {refused}");
        }
        let mut journal = Journal::unguarded(&root.path().join("state"));
        for many in [2059, 99_999_999, u64::MAX] {
            assert!(reserve_huge_pages(&mut journal, root.path(), many).is_err());
        }
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "10\n");
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
