//! Settings of the machine that a run may change on request, through the
//! journal. What cannot be set is a note for the record.

use crate::error::HarnessError;
use crate::journal::Journal;
use record::axis::human_bytes;
use std::path::{Path, PathBuf};

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

/// The file of a setting that sysctl(8) names, with dots or slashes: `vm.swappiness`.
pub fn sysctl_file(root: &Path, name: &str) -> PathBuf {
    // As sysctl(8) has it: behind a slash, a dot is part of a name.
    let below = match name.contains('/') {
        true => name.to_owned(),
        false => name.replace('.', "/"),
    };
    root.join("proc/sys").join(below.trim_start_matches('/'))
}

/// Why no more huge pages are reserved.
#[derive(Debug, thiserror::Error)]
pub enum HugePagesError {
    #[error("this kernel has no huge page pool (/proc/sys/vm/nr_hugepages)")]
    NoPool,
    #[error(
        "cannot reserve {pages} huge pages ({}): {} of memory are available, and at most half of \
         it may be reserved: {most} pages ({})",
        human_bytes(pages.saturating_mul(*page_bytes)),
        human_bytes(*available_bytes),
        human_bytes(most.saturating_mul(*page_bytes))
    )]
    TooMany {
        pages: u64,
        page_bytes: u64,
        available_bytes: u64,
        most: u64,
    },
    /// Not written through the journal; with the remedy.
    #[error("{}", with_hint(_0))]
    Journal(#[from] HarnessError),
}

/// Whether so many huge pages of the default size leave the machine half of the memory
/// that is available now. Pages that the pool has already cost nothing more.
///
/// # Errors
/// `cannot ...`, with what was asked for and how many it may be.
pub fn huge_pages_fit(root: &Path, pages: u64) -> Result<(), HugePagesError> {
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
    Err(HugePagesError::TooMany {
        pages,
        page_bytes: size,
        available_bytes: available,
        most,
    })
}

fn huge_pages_present(root: &Path) -> Option<u64> {
    let text = std::fs::read_to_string(root.join(POOL)).ok()?;
    text.trim().parse().ok()
}

/// Raises the pool of huge pages of the default size to at least `pages`; returns how
/// many the pool has now, which may be fewer.
///
/// # Errors
/// As [`huge_pages_fit`]; a kernel without a pool, or one that refuses the write.
pub fn reserve_huge_pages(
    journal: &mut Journal,
    root: &Path,
    pages: u64,
) -> Result<u64, HugePagesError> {
    let path = root.join(POOL);
    let present = || huge_pages_present(root);
    let before = present().ok_or(HugePagesError::NoPool)?;
    huge_pages_fit(root, pages)?;
    if before < pages {
        journal.set(&path, &pages.to_string())?;
    }
    Ok(present().unwrap_or(before))
}

fn with_hint(error: &HarnessError) -> String {
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
    fn a_setting_of_the_kernel_is_set_and_put_back() {
        let root = tempfile::tempdir().unwrap();
        let file = sysctl_file(root.path(), "vm.swappiness");
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(&file, "60\n").unwrap();
        let journal = || Journal::unguarded(&root.path().join("state")).of_machine(root.path());
        let mut first = journal();
        first.set(&file, "10").unwrap();
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "10");
        drop(first);
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "60");
        assert!(journal().set(&file, "ten").is_err());
        let guarded = sysctl_file(root.path(), "kernel/core_pattern");
        std::fs::create_dir_all(guarded.parent().unwrap()).unwrap();
        std::fs::write(&guarded, "core\n").unwrap();
        let refused = journal().set(&guarded, "1").unwrap_err().to_string();
        assert!(refused.contains("does not change it"), "{refused}");
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
        huge_pages_fit(root.path(), 2058).unwrap();
        let refused = huge_pages_fit(root.path(), 2059).unwrap_err().to_string();
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
        let mut reserve = |pages| reserve_huge_pages(&mut journal, root.path(), pages).unwrap();
        assert_eq!((reserve(4), reserve(64)), (8, 64));
        drop(journal);
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "8");
        let nowhere = Path::new("/nonexistent");
        let mut journal = Journal::unguarded(&root.path().join("state")).of_machine(root.path());
        assert!(reserve_huge_pages(&mut journal, nowhere, 1).is_err());
    }
}
