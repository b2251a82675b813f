//! Instances of tracefs, and what their rings hold.

use super::tests::Fake;
use super::*;
use std::os::unix::fs::DirBuilderExt;

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
    let restored = fake.restore();
    assert_eq!(restored[0].outcome, Outcome::Removed);
    assert!(restored[0].to_string().ends_with("pontage-1 is removed"));
    assert!(!instance.exists());
    assert_eq!(fake.files(), 0);
}

/// By whoever comes after it; a recording that ends by itself has read its rings.
#[test]
fn the_rings_of_a_killed_recording_are_emptied_before_they_go() {
    let fake = Fake::new();
    fake.write("proc/sys/kernel/random/boot_id", "this-boot\n");
    fake.write(
        "sys/kernel/tracing/available_events",
        "sched:sched_switch\n",
    );
    for killed in [false, true] {
        let ring = fake.setting("pontage-1");
        let spool = fake.root().join("trace.dat.spool");
        let mut journal = fake.journal();
        journal.make_instance(&ring).unwrap();
        journal.announce_recording(&ring, &spool).unwrap();
        std::fs::DirBuilder::new()
            .mode(0o700)
            .create(&spool)
            .unwrap();
        let note = format!("{}\nthis-boot\n4096\nnop\n", ring.display());
        std::fs::write(spool.join("ring"), note).unwrap();
        let pages = ring.join("per_cpu/cpu0/trace_pipe_raw");
        std::fs::create_dir_all(pages.parent().unwrap()).unwrap();
        std::fs::write(&pages, [7; 8192]).unwrap();
        let restored = match killed {
            false => journal.undo(),
            true => {
                fake.abandon(journal);
                fake.restore()
            }
        };
        let drained = restored
            .iter()
            .find(|r| matches!(r.outcome, Outcome::Drained { bytes: 8192 }));
        assert_eq!(drained.is_some(), killed, "{restored:?}");
        let kept = std::fs::read(spool.join("cpu0.raw")).map_or(0, |bytes| bytes.len());
        assert_eq!(kept, if killed { 8192 } else { 0 });
        // Plain files do not go with their folder, as the kernel's do.
        std::fs::remove_dir_all(&ring).unwrap();
        std::fs::remove_dir_all(&spool).unwrap();
        fake.restore();
    }
}

#[test]
fn an_instance_of_another_process_is_refused_and_stays() {
    let fake = Fake::new();
    let instance = fake.setting("pontage-1");
    std::fs::create_dir(&instance).unwrap();
    let mut journal = fake.journal();
    let error = journal.make_instance(&instance).unwrap_err();
    assert!(error.to_string().starts_with("cannot create tracefs"));
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
    let restored = fake.restore();
    assert!(matches!(restored[0].outcome, Outcome::NotRemoved { .. }));
    std::fs::remove_file(instance.join("file")).unwrap();
    assert_eq!(fake.restore()[0].outcome, Outcome::Removed);
}
