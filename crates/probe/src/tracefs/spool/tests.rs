use super::super::testing::{HEADER_PAGE, pages};
use super::*;
use trace::Order;

fn head() -> Head {
    let mut head = Head::empty(Order::Little, 8, 4096);
    head.header_page = HEADER_PAGE.to_owned();
    head.comms = "7 seven\n".to_owned();
    head.clock = Some("mono".to_owned());
    head.notes = vec!["command: x".to_owned()];
    head
}

#[test]
fn a_killed_recording_is_completed_from_its_spool() {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("trace.dat");
    let spool = Spool::create(&output, &head()).unwrap();
    let mut cut = pages(2);
    cut.extend([1; 100]);
    std::fs::write(spool.folder().join(pages_name(2)), cut).unwrap();
    let path = spool.folder().to_owned();
    drop(spool);
    assert!(matches!(
        Spool::create(&output, &head()),
        Err(TracefsError::Refused { .. })
    ));
    let recovered = Spool::recover(folder.path(), &path).unwrap().unwrap();
    assert_eq!(recovered.output, output);
    assert!(!path.exists());
    let capture = file::open(&output).unwrap();
    assert_eq!(capture.cpu(2).unwrap().count(), 3);
    assert_eq!(capture.task_name(7), Some("seven"));
    assert!(capture.head.notes[1].starts_with("recovered: "));
}

/// Killed while it wrote its head: there is nothing to recover, and nothing in the
/// way of the next recording.
#[test]
fn a_spool_without_a_head_is_forgotten() {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("trace.dat");
    let path = Spool::folder_of(&output);
    let part = path.join(PART);
    let begun = || {
        drop(Folder::make(&path).unwrap());
        std::fs::write(&part, "tra").unwrap();
    };
    begun();
    assert_eq!(Spool::recover(folder.path(), &path).unwrap(), None);
    assert!(!path.exists());
    begun();
    Spool::create(&output, &head()).unwrap().remove();
    // One that is being written, and one that holds something else.
    begun();
    let writer = File::open(&part).unwrap();
    writer.lock().unwrap();
    assert!(Spool::recover(folder.path(), &path).is_err());
    assert!(Spool::create(&output, &head()).is_err());
    drop(writer);
    std::fs::write(path.join("mine"), "x").unwrap();
    assert!(Spool::recover(folder.path(), &path).is_err());
    assert!(path.join("mine").exists());
}

#[test]
fn functions_get_their_names_on_the_boot_that_called_them() {
    let folder = tempfile::tempdir().unwrap();
    let proc = folder.path().join("proc/sys/kernel/random");
    std::fs::create_dir_all(&proc).unwrap();
    // The payloads begin so.
    std::fs::write(
        folder.path().join("proc/kallsyms"),
        "000000000000000f T called\n",
    )
    .unwrap();
    let recovered = |of: &str, now: &str| {
        std::fs::write(proc.join("boot_id"), format!("{of}\n")).unwrap();
        let mut head = head();
        head.notes.extend(boot_note(folder.path()));
        let output = folder.path().join("trace.dat");
        let spool = Spool::create(&output, &head).unwrap();
        std::fs::write(spool.folder().join(pages_name(0)), pages(0)).unwrap();
        std::fs::write(proc.join("boot_id"), format!("{now}\n")).unwrap();
        Spool::recover(folder.path(), spool.folder()).unwrap();
        file::open(&output).unwrap().head.kallsyms.clone()
    };
    assert!(recovered("a", "a").contains("called"));
    assert_eq!(recovered("a", "b"), "");
}

#[test]
fn pages_are_written_through_no_link_and_over_no_file() {
    let folder = tempfile::tempdir().unwrap();
    let victim = folder.path().join("victim");
    std::fs::write(&victim, "kept").unwrap();
    let spool = Spool::create(&folder.path().join("trace.dat"), &head()).unwrap();
    std::os::unix::fs::symlink(&victim, spool.folder().join(pages_name(0))).unwrap();
    std::fs::hard_link(&victim, spool.folder().join(pages_name(1))).unwrap();
    assert!(spool.create_pages(0).is_err() && spool.create_pages(1).is_err());
    assert_eq!(std::fs::read(&victim).unwrap(), b"kept");
    spool.create_pages(2).unwrap();
}

/// A spool of one CPU, and what a test puts into it.
fn left_by(put: impl Fn(&Path)) -> (tempfile::TempDir, std::result::Result<Recovered, String>) {
    let folder = tempfile::tempdir().unwrap();
    let spool = Spool::create(&folder.path().join("trace.dat"), &head()).unwrap();
    let path = spool.folder().to_owned();
    std::fs::write(path.join(pages_name(0)), pages(0)).unwrap();
    drop(spool);
    put(&path);
    let recovered = Spool::recover(folder.path(), &path).map(Option::unwrap);
    (folder, recovered.map_err(|e| e.to_string()))
}

/// A folder from elsewhere chooses the names in it.
#[test]
fn only_numbers_of_cpus_that_can_be_are_read() {
    let names = [
        "cpu4294967295.raw",
        "cpu400000000.raw",
        "cpu16384.raw",
        "cpu01.raw",
        "cpu+2.raw",
    ];
    let (folder, recovered) = left_by(|path| {
        for name in names {
            std::fs::write(path.join(name), pages(2)).unwrap();
        }
        std::fs::write(path.join("cpu16383.raw"), pages(2)).unwrap();
    });
    let recovered = recovered.unwrap();
    let capture = file::open(&recovered.output).unwrap();
    assert_eq!(capture.merged().count(), 6);
    // What is none of ours stays where it is.
    assert_eq!(
        recovered.left.unwrap(),
        folder.path().join("trace.dat.spool")
    );
    for name in names {
        assert!(folder.path().join("trace.dat.spool").join(name).exists());
    }
}

#[test]
fn a_spool_reads_nothing_through_links_and_waits_for_nobody() {
    let at_names = [
        ("cpu3.raw", Some("/etc/passwd")),
        ("cpu3.raw", None),
        ("comms", Some("/dev/zero")),
        ("comms", None),
        ("cpu0.stats", Some("/dev/zero")),
    ];
    for (name, link) in at_names {
        let (folder, recovered) = left_by(|path| match link {
            Some(to) => std::os::unix::fs::symlink(to, path.join(name)).unwrap(),
            None => {
                let made = std::process::Command::new("mkfifo")
                    .arg(path.join(name))
                    .status();
                assert!(made.unwrap().success());
            }
        });
        let error = recovered.unwrap_err();
        assert!(
            error.contains(&format!("{name} is not a regular file of this user")),
            "{error}"
        );
        assert!(!folder.path().join("trace.dat").exists());
        assert!(folder.path().join("trace.dat.spool/cpu0.raw").exists());
    }
}

#[test]
fn another_folder_is_no_spool_and_stays_whole() {
    let folder = tempfile::tempdir().unwrap();
    let error = Spool::recover(folder.path(), folder.path()).unwrap_err();
    assert!(error.to_string().starts_with("cannot recover "), "{error}");
    // Nor does a head make it one.
    let spool = Spool::create(&folder.path().join("trace.dat"), &head()).unwrap();
    let named = folder.path().join("photos");
    std::fs::rename(spool.folder(), &named).unwrap();
    std::fs::write(named.join("holiday.jpg"), "x").unwrap();
    let error = Spool::recover(folder.path(), &named).unwrap_err();
    assert!(
        error.to_string().contains("does not end with .spool"),
        "{error}"
    );
    assert_eq!(std::fs::read_dir(&named).unwrap().count(), 2);
}

#[test]
fn a_spool_that_was_moved_away_is_written_where_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let spool = Spool::create(&folder.path().join("trace.dat"), &head()).unwrap();
    let at = spool.folder().to_owned();
    std::fs::rename(&at, folder.path().join("moved")).unwrap();
    std::fs::create_dir(&at).unwrap();
    spool.create_pages(0).unwrap();
    std::fs::write(at.join("foreign"), "x").unwrap();
    spool.write_file(&head()).unwrap();
    assert_eq!(
        std::fs::read_dir(folder.path().join("moved"))
            .unwrap()
            .count(),
        0
    );
    assert!(at.join("foreign").exists());
}

#[test]
fn what_stood_there_stays_until_the_new_file_is_whole() {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("trace.dat");
    let spool = Spool::create(&output, &head()).unwrap();
    // Refused at once where it stands there before.
    std::fs::create_dir(&output).unwrap();
    let path = spool.folder().to_owned();
    assert!(spool.write_file(&head()).is_err());
    assert!(path.exists() && output.exists());
    assert!(!with_ending(&output, "part").exists());
}
