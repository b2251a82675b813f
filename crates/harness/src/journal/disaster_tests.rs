//! What others do meanwhile, and what a journal says after a part of it was lost.

use super::tests::Fake;
use super::*;
use crate::error::HarnessError;
use std::process::{Command, Stdio};

/// The first CPU's governor and the number of huge pages.
fn changed(fake: &Fake) -> Journal {
    let mut journal = fake.journal();
    let governor = fake.setting("governor");
    journal.set(&governor, "performance").unwrap();
    journal.set(&fake.setting("pages"), "16").unwrap();
    journal
}

/// A journal of the same lines by a process that lives, and has no lock.
fn of_another_process(fake: &Fake, lines: &[Line]) -> PathBuf {
    let mut owner = Owner::this_process(false);
    owner.pid = std::os::unix::process::parent_id();
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", owner.pid)).unwrap();
    let (_, behind) = stat.rsplit_once(')').unwrap();
    owner.start_ticks = behind.split_whitespace().nth(19).unwrap().parse().unwrap();
    let folder = Folder::make(&fake.journals()).unwrap().unwrap();
    let path = folder.path().join(format!("journal-{}-0.jsonl", owner.pid));
    let owner = Line::Owner(owner);
    let lines = std::iter::once(&owner).chain(lines).map(Line::to_text);
    std::fs::write(&path, lines.collect::<String>()).unwrap();
    let private = std::os::unix::fs::PermissionsExt::from_mode(0o600);
    std::fs::set_permissions(&path, private).unwrap();
    path
}

fn change(fake: &Fake, name: &str, old: &str, new: &str) -> Line {
    Line::Change {
        path: fake.setting(name),
        old: old.to_owned(),
        new: new.to_owned(),
    }
}

#[test]
fn an_owner_whose_journal_was_removed_still_puts_everything_back() {
    let fake = Fake::new();
    let mut journal = changed(&fake);
    let path = journal.open.as_ref().unwrap().path();
    std::fs::remove_file(&path).unwrap();
    // Nor does it take another one of that name for its own.
    std::fs::write(&path, "another's").unwrap();
    assert_eq!(journal.undo().len(), 2);
    assert_eq!(fake.value("governor"), "powersave");
    assert_eq!(fake.value("pages"), "8");
    assert_eq!(std::fs::read(&path).unwrap(), b"another's");
}

#[test]
fn what_was_refused_is_not_put_back_over_a_value_of_others() {
    let fake = Fake::new();
    let mut journal = changed(&fake);
    let second = fake.setting("second");
    let refused: io::Result<()> = Err(ErrorKind::PermissionDenied.into());
    journal
        .keep(&change(&fake, "second", "ondemand", "performance"))
        .unwrap();
    journal.unless_made(&second, &refused, || true);
    fake.write(
        "sys/devices/system/cpu/cpu1/cpufreq/scaling_governor",
        "schedutil\n",
    );
    assert_eq!(journal.undo().len(), 2);
    assert_eq!(fake.value("second"), "schedutil");
    assert_eq!(fake.files(), 0);
}

#[test]
fn a_folder_that_was_refused_is_not_removed() {
    let fake = Fake::new();
    let mut journal = fake.journal();
    let below = fake.setting("pontage-1").join("pontage-2");
    assert!(journal.make_instance(&below).is_err(), "not on the list");
    let instance = fake.setting("pontage-1");
    std::fs::remove_dir_all(instance.parent().unwrap()).unwrap();
    assert!(journal.make_instance(&instance).is_err());
    std::fs::create_dir_all(&instance).unwrap();
    assert_eq!(journal.undo(), []);
    assert!(instance.exists());
}

/// Killed between the line and what follows it.
#[test]
fn without_a_confirmation_only_what_may_be_ours_is_put_back() {
    for (found, old, new, back) in [
        ("16", "8", "16", true),
        // Fewer huge pages than were asked for.
        ("12", "8", "16", true),
        ("4096", "8", "16", false),
        ("0", "8", "16", false),
    ] {
        let fake = Fake::new();
        let mut journal = fake.journal();
        journal.keep(&change(&fake, "pages", old, new)).unwrap();
        fake.write("proc/sys/vm/nr_hugepages", found);
        fake.abandon(journal);
        let restored = fake.restore();
        let is_back = matches!(restored[0].outcome, Outcome::PutBack { .. });
        assert_eq!(is_back, back, "{found}: {restored:?}");
        assert_eq!(fake.value("pages"), if back { old } else { found });
        assert_eq!(fake.files(), 0);
    }
}

#[test]
fn what_is_undone_is_not_undone_again_where_another_thing_cannot_be() {
    let fake = Fake::new();
    let journal = changed(&fake);
    let governor = fake.setting("governor");
    // Offline: its folder is there and the governor is not.
    std::fs::remove_dir_all(governor.parent().unwrap()).unwrap();
    fake.abandon(journal);
    let first = fake.restore();
    assert!(
        first
            .iter()
            .any(|r| matches!(r.outcome, Outcome::Failed { .. }))
    );
    assert_eq!(fake.value("pages"), "8");
    // The administrator asks for as many himself.
    fake.write("proc/sys/vm/nr_hugepages", "16");
    let again = fake.restore();
    assert_eq!(again.len(), 1, "{again:?}");
    assert_eq!(fake.value("pages"), "16");
    assert_eq!(fake.files(), 1);
    // Online again.
    fake.write(
        "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor",
        "performance\n",
    );
    assert_eq!(fake.restore().len(), 1);
    assert_eq!(
        (fake.value("governor").as_str(), fake.files()),
        ("powersave", 0)
    );
}

#[test]
fn a_cpu_that_was_taken_out_leaves_nothing_to_do() {
    let fake = Fake::new();
    let journal = changed(&fake);
    let cpu = fake.setting("governor");
    let cpu = cpu.ancestors().nth(2).unwrap();
    std::fs::remove_dir_all(cpu).unwrap();
    fake.abandon(journal);
    let restored = fake.restore();
    assert!(restored.iter().any(|r| r.outcome == Outcome::GoneWithCpu));
    assert_eq!(fake.files(), 0);
}

#[test]
fn what_another_run_holds_is_not_set_over_nor_relied_on() {
    let fake = Fake::new();
    let held = [change(&fake, "pages", "8", "16")];
    let path = of_another_process(&fake, &held);
    fake.write("proc/sys/vm/nr_hugepages", "16");
    let mut journal = fake.journal();
    for pages in ["32", "16"] {
        let refused = journal.set(&fake.setting("pages"), pages).unwrap_err();
        assert!(matches!(refused, HarnessError::Held { .. }), "{refused}");
        assert!(refused.hint().unwrap().contains("kill -INT "));
    }
    assert_eq!(fake.value("pages"), "16");
    // Something else it may set; and this one once the other has ended.
    journal
        .set(&fake.setting("governor"), "performance")
        .unwrap();
    std::fs::remove_file(path).unwrap();
    journal.set(&fake.setting("pages"), "32").unwrap();
}

#[test]
fn a_line_that_was_cut_is_gone_before_the_next_one() {
    let fake = Fake::new();
    let standing = || {
        let mut journal = fake.journal();
        journal.standing = Some("policy");
        journal
    };
    let mut first = standing();
    first.set(&fake.setting("pages"), "16").unwrap();
    let path = first.open.as_ref().unwrap().path();
    drop(first);
    let mut bytes = std::fs::read(&path).unwrap();
    bytes.extend(b"{\"line\":\"change\",\"pa");
    std::fs::write(&path, bytes).unwrap();
    let mut second = standing();
    second
        .set(&fake.setting("governor"), "performance")
        .unwrap();
    assert_eq!(second.undo().len(), 2);
    assert_eq!(fake.value("pages"), "8");
    assert_eq!(fake.value("governor"), "powersave");
}

/// A caretaker begun by hand during a run, and one that wakes up after another process
/// of that number has given its journal the name.
#[test]
fn a_caretaker_touches_no_journal_of_a_run_that_lives() {
    let caretaker = |path: &Path, root: &Path| {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args([
                "journal::disaster_tests::child_takes_care",
                "--exact",
                "--ignored",
            ])
            .env("PONTAGE_TEST_JOURNAL", path)
            .env("PONTAGE_TEST_ROOT", root)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let input = child.stdin.take();
        (child, input)
    };
    let fake = Fake::new();
    let journal = changed(&fake);
    let path = journal.open.as_ref().unwrap().path();
    let (mut child, input) = caretaker(&path, fake.root());
    drop(input);
    child.wait().unwrap();
    assert_eq!(fake.value("pages"), "16", "its run lives");
    // And it does its work once that is over.
    let (mut child, input) = caretaker(&path, fake.root());
    fake.abandon(journal);
    drop(input);
    child.wait().unwrap();
    assert_eq!(fake.value("pages"), "8");
    assert_eq!(fake.files(), 0);
}

#[test]
#[ignore = "body of a child process"]
fn child_takes_care() {
    let (Some(journal), Some(root)) = (
        std::env::var_os("PONTAGE_TEST_JOURNAL"),
        std::env::var_os("PONTAGE_TEST_ROOT"),
    ) else {
        return;
    };
    let _ = caretaker_main(&journal, Path::new(&root));
}
