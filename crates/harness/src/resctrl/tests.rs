use super::{Group, Monitor};
use crate::journal::{Journal, Outcome, restore};
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// Folders that look like a resctrl. What the kernel does when a group is made and
/// removed, `fill` and `empty` do.
struct Fake(tempfile::TempDir);

const MOUNT: &str = "sys/fs/resctrl";

impl Fake {
    fn new() -> Fake {
        let fake = Fake(tempfile::tempdir().unwrap());
        fake.write("proc/filesystems", "nodev\tresctrl\n");
        fake.write(
            "proc/self/mounts",
            "resctrl /sys/fs/resctrl resctrl rw 0 0\n",
        );
        fake.write("proc/self/cpu_resctrl_groups", "res:/\nmon:\n");
        let events = "llc_occupancy\nmbm_local_bytes\n";
        fake.write(&format!("{MOUNT}/info/L3_MON/mon_features"), events);
        fake.write(&format!("{MOUNT}/info/last_cmd_status"), "ok\n");
        fake.write(&format!("{MOUNT}/tasks"), "");
        std::fs::create_dir_all(fake.groups()).unwrap();
        fake
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.0.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    fn groups(&self) -> PathBuf {
        self.0.path().join(MOUNT).join("mon_groups")
    }

    fn journals(&self) -> PathBuf {
        self.0.path().join("state")
    }

    fn monitor(&self) -> Rc<Monitor> {
        let journal = Journal::unguarded(&self.journals());
        let opened = Monitor::open(self.0.path(), journal);
        Rc::new(opened.unwrap().unwrap())
    }

    fn why_not(&self) -> String {
        let journal = Journal::unguarded(&self.journals());
        Monitor::open(self.0.path(), journal)
            .unwrap_err()
            .to_string()
    }
}

fn fill(group: &Group) {
    let cache = group.folder().join("mon_data/mon_L3_00");
    std::fs::create_dir_all(&cache).unwrap();
    std::fs::write(group.folder().join("tasks"), "").unwrap();
    std::fs::write(cache.join("llc_occupancy"), "1114112\n").unwrap();
    std::fs::write(cache.join("mbm_local_bytes"), "Unavailable\n").unwrap();
}

fn empty(folder: &Path) {
    std::fs::remove_dir_all(folder.join("mon_data")).unwrap();
    std::fs::remove_file(folder.join("tasks")).unwrap();
}

fn names(folder: &Path) -> Vec<String> {
    let listing = std::fs::read_dir(folder).into_iter().flatten().flatten();
    listing
        .map(|e| e.file_name().to_string_lossy().into_owned())
        .collect()
}

#[test]
fn a_group_takes_tasks_in_is_read_and_goes() {
    let fake = Fake::new();
    for thread in [4711, 4712] {
        fake.write(&format!("proc/4711/task/{thread}/comm"), "x");
    }
    let monitor = fake.monitor();
    let (first, second) = (monitor.group().unwrap(), monitor.group().unwrap());
    let named = format!("pontage-{}-0", std::process::id());
    assert_eq!(first.folder(), fake.groups().join(named));
    fill(&first);
    first.add(4711).unwrap();
    let tasks = std::fs::read_to_string(first.folder().join("tasks")).unwrap();
    assert_eq!(tasks, "4711\n4712\n");
    assert_eq!(first.read("llc_occupancy"), Some(Ok(1_114_112)));
    let local = first.read("mbm_local_bytes").unwrap();
    assert!(local.unwrap_err().to_string().contains("Unavailable"));
    assert_eq!(first.read("mbm_total_bytes"), None, "not of this processor");

    assert_eq!(names(&fake.groups()).len(), 2);
    empty(first.folder());
    drop(first);
    drop(second);
    assert!(names(&fake.groups()).is_empty());
    drop(monitor);
    assert!(names(&fake.journals()).is_empty());
}

#[test]
fn groups_are_made_below_the_control_group_of_this_program() {
    let fake = Fake::new();
    fake.write("proc/self/cpu_resctrl_groups", "res:/batch\nmon:\n");
    let groups = fake.0.path().join(MOUNT).join("batch/mon_groups");
    std::fs::create_dir_all(&groups).unwrap();
    let group = fake.monitor().group().unwrap();
    assert!(group.folder().starts_with(groups));
}

#[test]
fn what_stands_in_the_way_is_reported() {
    let fake = Fake::new();
    fake.write("proc/self/cpu_resctrl_groups", "res:/\nmon:theirs\n");
    let why = fake.why_not();
    assert!(why.starts_with("this program is monitored already, by the group theirs"));
    assert!(why.contains("sudo tee /sys/fs/resctrl/tasks"), "{why}");

    fake.write("proc/self/mounts", "");
    let none = Monitor::open(fake.0.path(), Journal::unguarded(&fake.journals()));
    assert!(none.unwrap().is_none(), "no flag says that it monitors");
    fake.write("proc/cpuinfo", "processor\t: 0\nflags\t\t: cqm_llc\n");
    let why = fake.why_not();
    assert!(why.contains("(sudo mount -t resctrl resctrl /sys/fs/resctrl)"));
}

#[test]
fn a_task_that_is_gone_is_named_with_what_resctrl_says() {
    let fake = Fake::new();
    let group = fake.monitor().group().unwrap();
    fake.write(
        &format!("{MOUNT}/info/last_cmd_status"),
        "Can't move task to different control group\n",
    );
    // The kernel makes the file with the group; a fake folder has none.
    let why = group.add(1).unwrap_err().reason;
    assert!(why.starts_with("cannot move a task to "), "{why}");
    assert!(
        why.ends_with("(last_cmd_status: Can't move task to different control group)"),
        "{why}"
    );
}

#[test]
fn every_refusal_has_its_remedy() {
    use crate::error::HarnessError;
    let fake = Fake::new();
    fake.write(&format!("{MOUNT}/info/last_cmd_status"), "Out of RMIDs\n");
    let monitor = fake.monitor();
    let refused = |code| {
        let error = HarnessError::file("create monitoring group", Path::new("/r/mon_groups/x"));
        monitor.refused(&error(std::io::Error::from_raw_os_error(code)))
    };
    let full = refused(libc::ENOSPC);
    assert!(
        full.reason
            .starts_with("cannot create monitoring group /r/mon_groups/x: No space left on device")
    );
    assert!(full.reason.ends_with("(last_cmd_status: Out of RMIDs)"));
    assert!(full.remedy.starts_with("sudo rmdir "));
    assert!(refused(libc::EBUSY).remedy.starts_with("none: wait"));
    assert_eq!(refused(libc::EACCES).remedy, "sudo pontage ...");
    assert!(refused(libc::EROFS).remedy.contains("remount,rw"));
}

#[test]
fn no_group_where_the_folder_is_closed() {
    // SAFETY: takes nothing and cannot fail.
    if unsafe { libc::geteuid() } == 0 {
        // Root may write everywhere: a folder that is not there refuses it as well.
        let fake = Fake::new();
        std::fs::remove_dir(fake.groups()).unwrap();
        let why = fake.monitor().group().unwrap_err();
        assert!(why.reason.starts_with("cannot create monitoring group"));
        return;
    }
    use std::os::unix::fs::PermissionsExt;
    let fake = Fake::new();
    std::fs::set_permissions(fake.groups(), PermissionsExt::from_mode(0o555)).unwrap();
    assert_eq!(
        fake.monitor().group().unwrap_err().remedy,
        "sudo pontage ..."
    );
}

#[test]
fn a_group_that_could_not_be_removed_stays_in_the_journal() {
    let fake = Fake::new();
    let monitor = fake.monitor();
    let group = monitor.group().unwrap();
    let folder = group.folder().to_owned();
    fill(&group);
    drop(group);
    let undone = monitor.journal.borrow_mut().undo();
    assert!(matches!(undone[0].outcome, Outcome::GroupNotRemoved { .. }));
    let text = undone[0].to_string();
    assert!(
        text.starts_with("cannot remove monitoring group "),
        "{text}"
    );
    assert_eq!(names(&fake.journals()).len(), 1);
    empty(&folder);
    let restored = restore(fake.0.path(), &fake.journals());
    assert_eq!(restored[0].outcome, Outcome::GroupRemoved);
    assert!(!folder.exists());
}
