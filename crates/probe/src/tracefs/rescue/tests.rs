use super::super::spool::{Recovered, Spool};
use super::super::testing::{Tree, pages, spool_folder};
use super::super::{Recording, Selection, Settings, Specification};
use super::*;
use std::os::unix::fs::{PermissionsExt, symlink};

struct Killed {
    tree: Tree,
    spool: PathBuf,
    ring: PathBuf,
}

/// A recording that was killed: CPU 0 was read, and a page cut in the middle; of
/// CPU 1 nothing was. Both rings hold pages.
fn killed() -> Killed {
    let tree = Tree::new();
    tree.write("proc/sys/kernel/random/boot_id", "this-boot\n");
    let Ok(wish) = "sched".parse::<Specification>();
    let tracefs = tree.tracefs();
    let selection = Selection::resolve(&tracefs, &[wish], None).unwrap();
    let settings = Settings {
        clock: "mono".to_owned(),
        buffer_kib: 512,
        overwrite: true,
        pids: Vec::new(),
    };
    let prepared = tree.instance().prepare(&settings, &selection).unwrap();
    let ring = prepared.instance.folder().to_owned();
    std::fs::create_dir_all(spool_folder(&tree).parent().unwrap()).unwrap();
    let recording = Recording::start(&tracefs, prepared, &selection, &spool_folder(&tree)).unwrap();
    let stopped = recording.stop().unwrap();
    let spool = stopped.spool.folder().to_owned();
    drop(stopped);
    let mut cut = pages(0);
    cut.extend([1; 100]);
    std::fs::write(spool.join("cpu0.raw"), cut).unwrap();
    std::fs::remove_file(spool.join("cpu1.raw")).unwrap();
    std::fs::write(ring.join("tracing_on"), "1").unwrap();
    Killed { tree, spool, ring }
}

impl Killed {
    fn find(&self, ring: Option<&Path>) -> std::result::Result<Option<Rescue>, Untouched> {
        Rescue::find(self.tree.root(), &self.spool, ring)
    }

    fn recovered(&self) -> Recovered {
        let recovered = Spool::recover(self.tree.root(), &self.spool);
        recovered.unwrap().expect("a head")
    }

    fn refused(&self) -> String {
        match self.find(Some(&self.ring)) {
            Err(Untouched::Refused(cause)) => cause,
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn what_the_rings_held_is_behind_what_was_read() {
    let killed = killed();
    let rescue = killed.find(Some(&killed.ring)).unwrap().unwrap();
    let held = pages(0).len() as u64;
    assert_eq!(rescue.drain().unwrap(), 2 * held);
    assert_eq!(killed.tree.setting("tracing_on"), "0");
    let size = |name: &str| killed.spool.join(name).metadata().unwrap().len();
    assert_eq!(size("cpu0.raw"), 2 * held, "without the cut page");
    assert_eq!(size("cpu1.raw"), held);
    // The instance goes; what was kept is enough.
    std::fs::remove_dir_all(&killed.ring).unwrap();
    let recovered = killed.recovered();
    let capture = trace::file::open(&recovered.output).unwrap();
    assert_eq!(capture.cpu(1).unwrap().count(), 3);
    assert_eq!(capture.head.cpu_stats.len(), 2);
    assert_eq!(capture.head.cpu_stats[1].lost(), 1);
    assert!(recovered.drained);
    let notes = capture.head.notes.join("\n");
    assert!(notes.contains("emptied after it was killed"), "{notes}");
}

#[test]
fn recovering_empties_rings_that_are_still_there() {
    let killed = killed();
    let recovered = killed.recovered();
    assert!(recovered.drained);
    let capture = trace::file::open(&recovered.output).unwrap();
    assert_eq!(capture.cpu(1).unwrap().count(), 3);
    assert_eq!(killed.tree.setting("tracing_on"), "0");
}

#[test]
fn rings_that_are_gone_or_of_another_boot_leave_what_was_read() {
    let killed = killed();
    killed
        .tree
        .write("proc/sys/kernel/random/boot_id", "another\n");
    assert!(killed.find(None).unwrap().is_none());
    let recovered = killed.recovered();
    assert!(!recovered.drained);
    let capture = trace::file::open(&recovered.output).unwrap();
    let notes = capture.head.notes.join("\n");
    assert!(
        notes.contains("still in the ring buffers is missing"),
        "{notes}"
    );
}

#[test]
fn a_recording_that_runs_is_left_alone() {
    let killed = killed();
    let note = File::open(killed.spool.join(RING)).unwrap();
    note.lock().unwrap();
    assert_eq!(killed.find(None).unwrap_err(), Untouched::InUse);
    let error = Spool::recover(killed.tree.root(), &killed.spool).unwrap_err();
    assert!(error.to_string().contains("still being written"), "{error}");
    assert!(killed.spool.exists());
    assert_eq!(killed.tree.setting("tracing_on"), "1");
}

#[test]
fn a_spool_that_others_have_been_at_gets_nothing() {
    let killed = killed();
    let mode = |mode| {
        let mode = std::fs::Permissions::from_mode(mode);
        std::fs::set_permissions(&killed.spool, mode).unwrap();
    };
    assert_eq!(
        killed.spool.metadata().unwrap().permissions().mode() & 0o777,
        0o700
    );
    mode(0o770);
    assert!(killed.refused().contains("others may write"));
    mode(0o700);
    assert!(killed.find(Some(Path::new("/other"))).is_err());
    let moved = killed.tree.root().join("moved");
    std::fs::rename(&killed.spool, &moved).unwrap();
    symlink(&moved, &killed.spool).unwrap();
    assert!(killed.refused().contains("symbolic link"));
    std::fs::remove_file(&killed.spool).unwrap();
    std::fs::rename(&moved, &killed.spool).unwrap();
    let secret = killed.tree.root().join("secret");
    std::fs::write(&secret, "x").unwrap();
    symlink(&secret, killed.spool.join("cpu1.raw")).unwrap();
    let rescue = killed.find(Some(&killed.ring)).unwrap().unwrap();
    assert!(rescue.drain().is_err());
    assert_eq!(std::fs::read_to_string(secret).unwrap(), "x");
}

#[test]
fn a_note_cannot_name_the_rings_of_others() {
    let killed = killed();
    let other = killed.tree.tracefs().folder().join("instances/other");
    let top = killed.tree.tracefs().folder().to_owned();
    for ring in [other, top, PathBuf::from("/tmp")] {
        let text = format!("{}\nthis-boot\n4096\nnop\n", ring.display());
        std::fs::write(killed.spool.join(RING), text).unwrap();
        assert!(killed.find(None).unwrap().is_none(), "{}", ring.display());
    }
    std::fs::write(killed.spool.join(RING), "nonsense").unwrap();
    assert!(killed.refused().contains("cannot be read"));
}
