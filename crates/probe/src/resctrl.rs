//! What a monitoring group of resctrl says: how much of the last-level cache its
//! tasks have filled, and what they moved to and from memory.
//!
//! Source: Documentation/arch/x86/resctrl.rst.

pub use crate::absence::Absence;
use crate::absence::needs_kernel;
use machine::resctrl::Resctrl;
use std::path::{Path, PathBuf};

const MOUNT: &str = "sudo mount -t resctrl resctrl /sys/fs/resctrl";
const NOT_MONITORED: &str = "this processor (or its hypervisor) does not monitor caches";

/// What keeps groups from being made, as far as can be seen without making one.
pub fn obstacle(found: &Resctrl) -> Option<Absence> {
    if let Some(point) = &found.mount {
        let absent = Absence::new(
            format!("{point} has no info/L3_MON: {NOT_MONITORED}"),
            "none: caches can be partitioned, not monitored",
        );
        return found.events.is_empty().then_some(absent);
    }
    let flagged = !found.flags.is_empty();
    Some(match found.supported {
        Some(true) if flagged => Absence::new("resctrl is not mounted", MOUNT),
        Some(true) => Absence::new(
            "resctrl is not mounted, and no flag of the processor (cqm_llc) says that it \
             monitors caches",
            MOUNT,
        ),
        _ if !flagged => Absence::new(
            NOT_MONITORED,
            "none: /proc/cpuinfo has no cqm_llc among the flags",
        ),
        Some(false) => Absence::new(
            "the kernel has no resctrl",
            needs_kernel("CONFIG_X86_CPU_RESCTRL"),
        ),
        None => Absence::new("no file shows whether the kernel has resctrl", MOUNT),
    })
}

/// Why an event of a group has no sum: one of its caches has no count.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EventError {
    #[error("cannot read {}: {cause}", path.display())]
    Unreadable { path: PathBuf, cause: String },
    #[error("{} has no cache (mon_L3_*)", folder.display())]
    NoCache { folder: PathBuf },
}

/// What the kernel shows instead of a count (Documentation/filesystems/resctrl.rst).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoCount {
    #[error("Unavailable: the hardware has no count now")]
    Unavailable,
    #[error("Unassigned: no hardware counter is assigned to the group")]
    Unassigned,
    #[error("Error: the hardware refused")]
    Refused,
    /// The first 40 characters.
    #[error("expected a number of bytes, found {0:?}")]
    NotANumber(String),
}

/// Reads an event (`llc_occupancy`: bytes of all last-level caches that the tasks
/// filled, in steps of the processor's, often some tens of KiB; `mbm_total_bytes`,
/// `mbm_local_bytes`: bytes to and from all memory or that of the own node, since the
/// group was made) of the group at `folder`.
///
/// # Errors
/// Which cache has no count: without it the sum would be too small.
pub fn read_event(folder: &Path, event: &str) -> Result<u64, EventError> {
    let data = folder.join("mon_data");
    let unreadable = |path: &Path, cause: String| EventError::Unreadable {
        path: path.to_owned(),
        cause,
    };
    let listing = std::fs::read_dir(&data).map_err(|e| unreadable(&data, e.to_string()))?;
    let mut sum = None;
    for entry in listing {
        let entry = entry.map_err(|e| unreadable(&data, e.to_string()))?;
        if !entry.file_name().to_string_lossy().starts_with("mon_L3_") {
            continue;
        }
        let path = entry.path().join(event);
        let text = std::fs::read_to_string(&path).map_err(|e| unreadable(&path, e.to_string()))?;
        let value = parse_value(&text).map_err(|e| unreadable(&path, e.to_string()))?;
        sum = Some(value.saturating_add(sum.unwrap_or(0)));
    }
    sum.ok_or(EventError::NoCache { folder: data })
}

/// A number of bytes, or the word that the kernel has instead.
///
/// # Errors
/// What the word means.
pub fn parse_value(text: &str) -> Result<u64, NoCount> {
    let word = text.trim();
    match word {
        "Unavailable" => Err(NoCount::Unavailable),
        "Unassigned" => Err(NoCount::Unassigned),
        "Error" => Err(NoCount::Refused),
        _ => {
            let found = || NoCount::NotANumber(word.chars().take(40).collect());
            word.parse().map_err(|_| found())
        }
    }
}

/// What a count grew by. It may run over its end; one that falls otherwise was set
/// back by another process, and then there is no difference.
pub fn growth(before: u64, after: u64) -> Option<u64> {
    let grown = after.wrapping_sub(before);
    (grown <= u64::MAX / 2).then_some(grown)
}

#[cfg(test)]
mod tests {
    use super::*;
    use machine::resctrl::{LOCAL, OCCUPANCY, TOTAL};
    use proptest::prelude::*;

    fn write(group: &Path, cache: &str, event: &str, text: &str) {
        let folder = group.join("mon_data").join(cache);
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join(event), text).unwrap();
    }

    #[test]
    fn caches_are_summed_and_one_without_a_count_is_named() {
        let group = tempfile::tempdir().unwrap();
        let group = group.path();
        assert!(read_event(group, OCCUPANCY).is_err());
        write(group, "mon_L3_00", OCCUPANCY, "1245184\n");
        write(group, "mon_L3_01", OCCUPANCY, "65536\n");
        write(group, "mon_MB_00", OCCUPANCY, "1\n");
        write(group, "mon_L3_00", TOTAL, "100\n");
        write(group, "mon_L3_01", TOTAL, "Unavailable\n");
        assert_eq!(read_event(group, OCCUPANCY), Ok(1_310_720));
        let why = read_event(group, TOTAL).unwrap_err().to_string();
        assert!(
            why.contains("mon_L3_01/mbm_total_bytes: Unavailable"),
            "{why}"
        );
        let why = read_event(group, LOCAL).unwrap_err().to_string();
        assert!(why.contains("mbm_local_bytes: No such file"), "{why}");
    }

    #[test]
    fn words_in_the_place_of_numbers_are_reasons() {
        assert_eq!(parse_value("0\n"), Ok(0));
        for word in ["Unavailable\n", "Unassigned", "Error\n", "", "-1", "1 2"] {
            assert!(parse_value(word).is_err(), "{word}");
        }
    }

    #[test]
    fn counts_run_over_their_end_and_do_not_fall() {
        assert_eq!(growth(5, 5), Some(0));
        assert_eq!(growth(5, 105), Some(100));
        assert_eq!(growth(u64::MAX - 9, 10), Some(20));
        assert_eq!(growth(105, 5), None);
    }

    #[test]
    fn obstacles_have_their_commands() {
        let see = |supported, flag: &str, mount: Option<&str>, event: &str| {
            let words = |w: &str| w.split_whitespace().map(str::to_owned).collect();
            let found = Resctrl {
                supported,
                flags: words(flag),
                mount: mount.map(str::to_owned),
                events: words(event),
                ..Resctrl::default()
            };
            obstacle(&found).map(|a| (a.reason, a.remedy))
        };
        assert_eq!(see(Some(true), "cqm_llc", Some("/r"), OCCUPANCY), None);
        let unmonitored = see(Some(true), "", Some("/r"), "").unwrap();
        assert!(unmonitored.0.starts_with("/r has no info/L3_MON"));
        assert_eq!(see(Some(true), "cqm_llc", None, "").unwrap().1, MOUNT);
        assert_eq!(see(Some(true), "", None, "").unwrap().1, MOUNT);
        assert_eq!(see(Some(false), "", None, "").unwrap().0, NOT_MONITORED);
        let built = see(Some(false), "cqm_llc", None, "").unwrap().1;
        assert!(built.contains("CONFIG_X86_CPU_RESCTRL"), "{built}");
    }

    proptest! {
        #[test]
        fn any_value_is_read(text in "(?s).*") {
            let _ = parse_value(&text);
        }

        #[test]
        fn numbers_are_read_as_they_are(value: u64) {
            prop_assert_eq!(parse_value(&format!("{value}\n")), Ok(value));
        }

        #[test]
        fn growth_is_what_was_added(before: u64, added in 0..=u64::MAX / 2) {
            prop_assert_eq!(growth(before, before.wrapping_add(added)), Some(added));
        }
    }
}
