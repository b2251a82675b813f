use super::*;
use std::process::Command;

pub struct Fake {
    root: tempfile::TempDir,
}

impl Fake {
    pub fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        std::fs::write(root.path().join("governor"), "powersave\n").unwrap();
        std::fs::write(root.path().join("thp"), "always [madvise] never\n").unwrap();
        Fake { root }
    }

    pub fn setting(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
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
        Journal::unguarded(&self.journals())
    }

    pub fn files(&self) -> usize {
        std::fs::read_dir(self.journals()).map_or(0, Iterator::count)
    }

    /// Leaves the journal of a process that has ended, as kill -9 does.
    pub fn abandon(&self, journal: Journal) {
        let path = journal.open.as_ref().unwrap().path.clone();
        std::mem::forget(journal);
        let mut ended = Command::new("true").spawn().unwrap();
        let pid = ended.id();
        ended.wait().unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        let ours = format!("\"pid\":{}", std::process::id());
        assert!(text.contains(&ours));
        std::fs::write(&path, text.replace(&ours, &format!("\"pid\":{pid}"))).unwrap();
    }
}

#[test]
fn a_dropped_journal_has_put_everything_back_and_is_gone() {
    let fake = Fake::new();
    let mut journal = fake.journal();
    journal
        .set(&fake.setting("governor"), "performance")
        .unwrap();
    journal.set(&fake.setting("thp"), "never").unwrap();
    assert_eq!(fake.value("governor"), "performance");
    assert_eq!(fake.files(), 1);
    drop(journal);
    assert_eq!(fake.value("governor"), "powersave");
    assert_eq!(fake.value("thp"), "madvise");
    assert_eq!(fake.files(), 0);
}

#[test]
fn nothing_is_written_where_nothing_changes() {
    let fake = Fake::new();
    let mut journal = fake.journal();
    journal.set(&fake.setting("governor"), "powersave").unwrap();
    journal.set(&fake.setting("thp"), "madvise").unwrap();
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
    std::fs::write(fake.setting("governor"), "ondemand\n").unwrap();
    let restored = journal.undo();
    assert_eq!(fake.value("governor"), "ondemand");
    assert!(matches!(restored[0].outcome, Outcome::LeftToOthers { .. }));
    assert!(restored[0].to_string().contains("set to ondemand"));
}

#[test]
fn a_missing_setting_is_an_error_and_is_not_created() {
    let fake = Fake::new();
    let error = fake
        .journal()
        .set(&fake.setting("nothing"), "1")
        .unwrap_err();
    assert!(error.to_string().starts_with("cannot read "), "{error}");
    assert!(!fake.setting("nothing").exists());
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
    let restored = restore(&fake.journals());
    assert_eq!(restored.len(), 1);
    assert!(
        matches!(restored[0].outcome, Outcome::PutBack { .. }),
        "{restored:?}"
    );
    assert_eq!(fake.value("governor"), "powersave");
    assert!(restore(&fake.journals()).is_empty());
}

#[test]
fn restore_leaves_a_living_process_its_settings() {
    let fake = Fake::new();
    let mut journal = fake.journal();
    journal
        .set(&fake.setting("governor"), "performance")
        .unwrap();
    let restored = restore(&fake.journals());
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
    let restored = restore(&fake.journals());
    assert!(matches!(restored[0].outcome, Outcome::Failed { .. }));
    std::fs::rename(fake.setting("hidden"), fake.setting("governor")).unwrap();
    let _ = restore(&fake.journals());
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
    let path = journal.open.as_ref().unwrap().path.clone();
    fake.abandon(journal);
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
        let restored = restore(&fake.journals());
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
    std::fs::create_dir(fake.journals()).unwrap();
    let path = fake.journals().join("journal-1.jsonl");
    std::fs::write(&path, "not json\n").unwrap();
    let restored = restore(&fake.journals());
    assert!(matches!(restored[0].outcome, Outcome::Unreadable { .. }));
    assert!(path.exists());
    assert!(restore(Path::new("/nonexistent")).is_empty());
}

#[test]
fn a_standing_change_outlives_its_journal_and_is_undone_under_its_name() {
    let fake = Fake::new();
    let standing = || Journal::standing(&fake.journals(), "policy");
    standing()
        .set(&fake.setting("governor"), "performance")
        .unwrap();
    assert_eq!(fake.value("governor"), "performance");
    // A second process changes what it finds changed, and another setting.
    let mut second = standing();
    second
        .set(&fake.setting("governor"), "performance")
        .unwrap();
    second.set(&fake.setting("thp"), "never").unwrap();
    drop(second);
    let undone = standing().undo();
    assert_eq!(undone.len(), 2, "{undone:?}");
    assert_eq!(fake.value("governor"), "powersave");
    assert_eq!(standing().undo(), Vec::new());
}

#[test]
fn an_instance_goes_with_its_journal_and_with_restore() {
    let fake = Fake::new();
    let instance = fake.setting("pontage-1");
    let mut journal = fake.journal();
    journal.make_instance(&instance).unwrap();
    assert!(instance.is_dir());
    assert_eq!(journal.undo()[0].outcome, Outcome::Removed);
    assert!(!instance.exists());

    journal.make_instance(&instance).unwrap();
    fake.abandon(journal);
    let restored = restore(&fake.journals());
    assert_eq!(restored[0].outcome, Outcome::Removed);
    assert!(restored[0].to_string().ends_with("pontage-1 is removed"));
    assert!(!instance.exists());
    assert_eq!(fake.files(), 0);
}

#[test]
fn an_instance_of_somebody_else_is_refused_and_stays() {
    let fake = Fake::new();
    let instance = fake.setting("pontage-1");
    std::fs::create_dir(&instance).unwrap();
    let mut journal = fake.journal();
    let error = journal.make_instance(&instance).unwrap_err();
    assert!(error.to_string().starts_with("cannot make tracefs"));
    drop(journal);
    assert!(instance.is_dir());
}

#[test]
fn a_folder_with_files_is_not_emptied_and_the_journal_keeps_it() {
    let fake = Fake::new();
    let instance = fake.setting("pontage-1");
    let mut journal = fake.journal();
    journal.make_instance(&instance).unwrap();
    std::fs::write(instance.join("file"), "x").unwrap();
    fake.abandon(journal);
    let restored = restore(&fake.journals());
    assert!(matches!(restored[0].outcome, Outcome::NotRemoved { .. }));
    std::fs::remove_file(instance.join("file")).unwrap();
    assert_eq!(restore(&fake.journals())[0].outcome, Outcome::Removed);
}
