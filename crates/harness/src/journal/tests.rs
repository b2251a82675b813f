use super::*;

pub struct Fake {
    root: tempfile::TempDir,
}

const SETTINGS: [(&str, &str); 3] = [
    (
        "governor",
        "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor",
    ),
    (
        "second",
        "sys/devices/system/cpu/cpu1/cpufreq/scaling_governor",
    ),
    ("pages", "proc/sys/vm/nr_hugepages"),
];

impl Fake {
    pub fn new() -> Self {
        let fake = Fake {
            root: tempfile::tempdir().unwrap(),
        };
        fake.write("proc/self/mounts", "t /sys/kernel/tracing tracefs rw 0 0\n");
        fake.write("sys/kernel/tracing/instances/other", "");
        fake.write(SETTINGS[0].1, "powersave\n");
        fake.write(SETTINGS[1].1, "ondemand\n");
        fake.write(SETTINGS[2].1, "8\n");
        fake
    }

    pub fn write(&self, path: &str, text: &str) {
        let path = self.root.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    pub fn root(&self) -> &Path {
        self.root.path()
    }

    /// A setting by its short name, or a file of tracefs.
    pub fn setting(&self, name: &str) -> PathBuf {
        let known = SETTINGS.iter().find(|(short, _)| *short == name);
        let tracing = Path::new("sys/kernel/tracing");
        let path = match known {
            Some((_, path)) => PathBuf::from(path),
            None if name.starts_with("pontage-") => tracing.join("instances").join(name),
            None => tracing.join(name),
        };
        self.root.path().join(path)
    }

    pub fn value(&self, name: &str) -> String {
        std::fs::read_to_string(self.setting(name))
            .unwrap()
            .trim()
            .to_owned()
    }

    pub fn journals(&self) -> PathBuf {
        self.root.path().join("state")
    }

    pub fn journal(&self) -> Journal {
        Journal::unguarded(&self.journals()).of_machine(self.root())
    }

    pub fn restore(&self) -> Vec<Restored> {
        restore(self.root(), &self.journals())
    }

    pub fn files(&self) -> usize {
        std::fs::read_dir(self.journals()).map_or(0, Iterator::count)
    }

    /// Leaves the journal of a process that has ended, as kill -9 does.
    pub fn abandon(&self, mut journal: Journal) -> PathBuf {
        let open = journal.open.take().unwrap();
        let path = open.path();
        // Its lock goes with it, and nothing is undone.
        drop(open);
        path
    }
}

#[test]
fn a_dropped_journal_has_put_everything_back_and_is_gone() {
    let fake = Fake::new();
    let mut journal = fake.journal();
    journal
        .set(&fake.setting("governor"), "performance")
        .unwrap();
    journal.set(&fake.setting("second"), "performance").unwrap();
    assert_eq!(fake.value("governor"), "performance");
    assert_eq!(fake.files(), 1);
    drop(journal);
    assert_eq!(fake.value("governor"), "powersave");
    assert_eq!(fake.value("second"), "ondemand");
    assert_eq!(fake.files(), 0);
}

#[test]
fn nothing_is_written_where_nothing_changes() {
    let fake = Fake::new();
    let mut journal = fake.journal();
    journal.set(&fake.setting("governor"), "powersave").unwrap();
    journal.set(&fake.setting("second"), "ondemand").unwrap();
    assert_eq!(fake.files(), 0);
}

#[test]
fn a_setting_changed_twice_gets_its_first_value_back() {
    let fake = Fake::new();
    let mut journal = fake.journal();
    journal
        .set(&fake.setting("governor"), "performance")
        .unwrap();
    journal.set(&fake.setting("governor"), "schedutil").unwrap();
    journal.undo();
    assert_eq!(fake.value("governor"), "powersave");
}

#[test]
fn what_others_changed_since_is_left_alone() {
    let fake = Fake::new();
    let mut journal = fake.journal();
    journal
        .set(&fake.setting("governor"), "performance")
        .unwrap();
    std::fs::write(fake.setting("governor"), "conservative\n").unwrap();
    let restored = journal.undo();
    assert_eq!(fake.value("governor"), "conservative");
    assert!(matches!(restored[0].outcome, Outcome::LeftToOthers { .. }));
    assert!(restored[0].to_string().contains("set it to conservative"));
}

#[test]
fn a_missing_setting_is_an_error_and_is_not_created() {
    let fake = Fake::new();
    std::fs::remove_file(fake.setting("governor")).unwrap();
    let set = fake.journal().set(&fake.setting("governor"), "performance");
    let error = set.unwrap_err().to_string();
    assert!(error.starts_with("cannot read "), "{error}");
    assert!(!fake.setting("governor").exists());
    assert_eq!(fake.files(), 0);
}

/// What could not be restored is not changed.
#[test]
fn what_is_not_on_the_list_is_neither_set_nor_held() {
    let fake = Fake::new();
    fake.write("proc/sys/vm/drop_caches", "60\n");
    let path = fake.root().join("proc/sys/vm/drop_caches");
    let mut journal = fake.journal();
    let error = journal.set(&path, "0").unwrap_err().to_string();
    assert!(error.contains("this program does not change it"), "{error}");
    assert!(journal.hold(&path, "60", &[]).is_err());
    assert!(
        journal
            .make_instance(&fake.root().join("instances/pontage-1"))
            .is_err()
    );
    let governor = fake.setting("governor");
    assert!(journal.set(&governor, "performance\npowersave").is_err());
    let size = fake.setting("buffer_size_kb");
    let error = journal.hold(&size, "X", &[]).unwrap_err().to_string();
    assert!(error.contains("\"X\" is not a value of it"), "{error}");
    assert_eq!(fake.value("governor"), "powersave");
    assert_eq!(fake.files(), 0);
}

#[test]
fn one_process_may_keep_several_journals() {
    let fake = Fake::new();
    let (mut one, mut two) = (fake.journal(), fake.journal());
    one.set(&fake.setting("governor"), "performance").unwrap();
    two.set(&fake.setting("second"), "performance").unwrap();
    assert_eq!(fake.files(), 2);
    drop(two);
    assert_eq!(fake.value("second"), "ondemand");
    assert_eq!(fake.value("governor"), "performance");
}

#[test]
fn no_more_is_written_than_is_read_again() {
    let fake = Fake::new();
    let mut journal = fake.journal();
    let many: Vec<String> = (0..1000).map(|n| format!("function_{n}")).collect();
    let hold = |journal: &mut Journal| journal.hold(&fake.setting("set_ftrace_filter"), "", &many);
    let error = (0..1000).find_map(|_| hold(&mut journal).err()).unwrap();
    assert!(
        error.to_string().starts_with("cannot write journal "),
        "{error}"
    );
    std::fs::write(fake.setting("set_ftrace_filter"), "function_1").unwrap();
    fake.abandon(journal);
    let restored = fake.restore();
    let put_back = |r: &&Restored| matches!(r.outcome, Outcome::PutBack { .. });
    assert_eq!(restored.iter().filter(put_back).count(), 1, "{restored:?}");
    assert_eq!(fake.files(), 0);
}

#[test]
fn restore_undoes_the_journal_of_a_dead_process_once() {
    let fake = Fake::new();
    let mut journal = fake.journal();
    journal
        .set(&fake.setting("governor"), "performance")
        .unwrap();
    fake.abandon(journal);
    let restored = fake.restore();
    assert_eq!(restored.len(), 1);
    assert!(
        matches!(restored[0].outcome, Outcome::PutBack { .. }),
        "{restored:?}"
    );
    assert_eq!(fake.value("governor"), "powersave");
    assert!(fake.restore().is_empty());
}

#[test]
fn restore_leaves_a_living_process_its_settings() {
    let fake = Fake::new();
    let mut journal = fake.journal();
    journal
        .set(&fake.setting("governor"), "performance")
        .unwrap();
    let restored = fake.restore();
    assert!(matches!(restored[0].outcome, Outcome::InUse { .. }));
    assert_eq!(fake.value("governor"), "performance");
}

#[test]
fn a_setting_that_cannot_be_put_back_stays_in_the_journal() {
    let fake = Fake::new();
    let mut journal = fake.journal();
    journal
        .set(&fake.setting("governor"), "performance")
        .unwrap();
    fake.abandon(journal);
    std::fs::rename(fake.setting("governor"), fake.setting("hidden")).unwrap();
    let restored = fake.restore();
    assert!(matches!(restored[0].outcome, Outcome::Failed { .. }));
    std::fs::rename(fake.setting("hidden"), fake.setting("governor")).unwrap();
    let _ = fake.restore();
    assert_eq!(fake.value("governor"), "powersave");
    assert_eq!(fake.files(), 0);
}

/// Cut at every byte, as a crash in the middle of a write leaves it: either
/// the change is known and undone, or it was not made yet.
#[test]
fn a_cut_journal_never_misleads() {
    let fake = Fake::new();
    let mut journal = fake.journal();
    journal
        .set(&fake.setting("governor"), "performance")
        .unwrap();
    let path = fake.abandon(journal);
    let whole = std::fs::read(&path).unwrap();
    let change_ends = whole
        .iter()
        .enumerate()
        .filter(|(_, b)| **b == b'\n')
        .nth(1)
        .unwrap()
        .0;
    for end in 0..=whole.len() {
        let changed = end > change_ends;
        let value = if changed {
            "performance\n"
        } else {
            "powersave\n"
        };
        std::fs::write(fake.setting("governor"), value).unwrap();
        std::fs::write(&path, &whole[..end]).unwrap();
        let restored = fake.restore();
        assert_eq!(
            fake.value("governor"),
            "powersave",
            "cut at {end}: {restored:?}"
        );
    }
}

#[test]
fn a_foreign_file_is_reported_and_kept() {
    let fake = Fake::new();
    let path = fake.abandon({
        let mut journal = fake.journal();
        journal.set(&fake.setting("pages"), "9").unwrap();
        journal
    });
    std::fs::write(&path, "not json\n").unwrap();
    let restored = fake.restore();
    assert!(matches!(restored[0].outcome, Outcome::Unreadable { .. }));
    assert!(path.exists());
    assert!(restore(Path::new("/"), Path::new("/nonexistent")).is_empty());
}

#[test]
fn a_standing_change_outlives_its_journal_and_is_undone_under_its_name() {
    let fake = Fake::new();
    let standing = || {
        let journal = Journal::standing("policy").of_machine(fake.root());
        journal.kept_in(&fake.journals())
    };
    standing()
        .set(&fake.setting("governor"), "performance")
        .unwrap();
    assert_eq!(fake.value("governor"), "performance");
    // A second process changes what it finds changed, and another setting.
    let mut second = standing();
    second
        .set(&fake.setting("governor"), "performance")
        .unwrap();
    second.set(&fake.setting("second"), "performance").unwrap();
    drop(second);
    let undone = standing().undo();
    assert_eq!(undone.len(), 2, "{undone:?}");
    assert_eq!(fake.value("governor"), "powersave");
    assert_eq!(standing().undo(), Vec::new());
}
