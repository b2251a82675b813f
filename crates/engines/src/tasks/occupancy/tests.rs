use super::{Footprint, OCCUPANCY, Watched, occupancy};
use harness::journal::Journal;
use harness::resctrl::{Group, Monitor};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use testbed::{Scratch, context};

/// Folders that look like a mounted resctrl.
pub struct Fake(PathBuf, #[expect(dead_code, reason = "kept")] Scratch);

impl Fake {
    pub fn stand_in() -> Fake {
        let (context, keep) = context();
        let fake = Fake(context.scratch, keep);
        fake.write("proc/self/mounts", "r /r resctrl rw 0 0\n");
        let events = "llc_occupancy\nmbm_total_bytes\nmbm_local_bytes\n";
        fake.write("r/info/L3_MON/mon_features", events);
        fake.write("r/mon_groups/.keep", "");
        fake
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.0.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    /// A task with what the kernel would put into its group.
    pub fn watched(&self) -> (Watched, PathBuf) {
        let journal = Journal::unguarded(&self.0.join("state"));
        let monitor = Rc::new(Monitor::open(&self.0, journal).unwrap().unwrap());
        let mut folder = PathBuf::new();
        let watched = Watched::within(&monitor, |group: &Group| {
            folder = group.folder().to_owned();
            std::fs::write(folder.join("tasks"), "").unwrap();
            group.add(4711)
        });
        assert!(watched.is_in_a_group(), "{:?}", watched.note());
        (watched, folder)
    }
}

pub fn says(folder: &Path, cache: &str, filled: &str, moved: &str) {
    let cache = folder.join("mon_data").join(cache);
    std::fs::create_dir_all(&cache).unwrap();
    std::fs::write(cache.join("llc_occupancy"), filled).unwrap();
    std::fs::write(cache.join("mbm_total_bytes"), moved).unwrap();
}

#[test]
fn windows_have_levels_and_rates() {
    let fake = Fake::stand_in();
    let (mut watched, folder) = fake.watched();
    let tasks = std::fs::read_to_string(folder.join("tasks"));
    assert_eq!(tasks.unwrap(), "4711\n");
    let mut footprint = Footprint::default();
    for window in [1, 2] {
        says(&folder, "mon_L3_00", "0\n", "1000\n");
        says(&folder, "mon_L3_01", "0\n", "50\n");
        let before = watched.look();
        says(&folder, "mon_L3_00", &format!("{window}000\n"), "9000\n");
        says(&folder, "mon_L3_01", "500\n", "50\n");
        footprint.add(before, watched.look(), Some(2000));
    }
    let all = occupancy(&footprint, &Footprint::default());
    assert_eq!(all.len(), OCCUPANCY.len());
    // 1500 and 2500 bytes; 8000 bytes in 2000 ns, twice.
    assert_eq!([all[0], all[2]], [2000.0, 4.0]);
    assert!(all[1].is_nan() && all[3].is_nan(), "no neighbour");
    assert_eq!(watched.note(), None);
}

#[test]
fn a_cache_that_does_not_tell_takes_the_value_and_leaves_a_reason() {
    let fake = Fake::stand_in();
    let (mut watched, folder) = fake.watched();
    says(&folder, "mon_L3_00", "77\n", "1000\n");
    let before = watched.look();
    says(&folder, "mon_L3_00", "77\n", "Unavailable\n");
    let mut footprint = Footprint::default();
    footprint.add(before, watched.look(), Some(1));
    let all = occupancy(&footprint, &footprint);
    assert_eq!(all[0], 77.0);
    assert!(all[2].is_nan());
    let why = watched.note().unwrap();
    assert!(why.starts_with("occupancy is incomplete: cannot read "));
    assert!(why.contains("mon_L3_00/mbm_total_bytes: Unavailable"));
}

#[test]
fn a_count_that_was_set_back_has_no_rate() {
    let fake = Fake::stand_in();
    let (mut watched, folder) = fake.watched();
    says(&folder, "mon_L3_00", "0\n", "1000\n");
    let before = watched.look();
    says(&folder, "mon_L3_00", "0\n", "10\n");
    let mut footprint = Footprint::default();
    footprint.add(before, watched.look(), Some(1));
    assert!(footprint.gb_per_s().is_nan());
}

#[test]
fn what_was_refused_is_a_reason_and_no_group_stays() {
    let fake = Fake::stand_in();
    let journal = Journal::unguarded(&fake.0.join("state"));
    let monitor = Rc::new(Monitor::open(&fake.0, journal).unwrap().unwrap());
    // Without a tasks file nothing can be moved.
    let mut watched = Watched::within(&monitor, |group| group.add(4711));
    let why = watched.note().unwrap();
    assert!(
        why.starts_with("no occupancy: cannot move a task to "),
        "{why}"
    );
    assert!(!watched.is_in_a_group() && watched.look().is_none());
    let left = std::fs::read_dir(fake.0.join("r/mon_groups")).unwrap();
    assert_eq!(left.count(), 1, "the file that keeps the folder");
}

#[test]
fn a_machine_without_says_nothing() {
    if std::fs::read_to_string("/proc/filesystems").is_ok_and(|t| t.contains("resctrl")) {
        return;
    }
    let mut watched = Watched::this_thread();
    assert!(watched.look().is_none() && watched.note().is_none());
}
