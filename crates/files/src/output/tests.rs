use super::*;
use std::os::unix::fs::{FileTypeExt, symlink};
use std::path::PathBuf;
use std::process::Command;

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|e| e.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

fn mode_of(path: &Path) -> u32 {
    std::fs::symlink_metadata(path).unwrap().mode() & 0o7777
}

/// A copy of a device's node, so that the machine's own is left alone; None
/// without the right to make one.
fn node(folder: &Path, name: &str, kind: &str, major: u32, minor: u32) -> Option<PathBuf> {
    let at = folder.join(name);
    let made = Command::new("mknod")
        .arg(&at)
        .args([kind, &major.to_string(), &minor.to_string()])
        .stderr(std::process::Stdio::null())
        .status();
    made.is_ok_and(|s| s.success()).then_some(at)
}

/// Gives a file or link to nobody; None without the right to.
fn given_away(at: &Path) -> Option<()> {
    std::os::unix::fs::lchown(at, Some(65534), None).ok()
}

#[test]
fn a_file_is_whole_or_not_there_and_nothing_else_is_left() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("report.html");
    write(&path, b"one").unwrap();
    let mut output = Output::create(&path).unwrap();
    output.write_all(b"half of tw").unwrap();
    assert_eq!(std::fs::read(&path).unwrap(), b"one");
    drop(output);
    assert_eq!(std::fs::read(&path).unwrap(), b"one");
    let mut output = Output::create(&path).unwrap();
    output.write_all(b"two").unwrap();
    assert_eq!(output.finish_durably().unwrap(), 3);
    assert_eq!(std::fs::read(&path).unwrap(), b"two");
    assert_eq!(names(folder.path()), ["report.html"]);
}

#[test]
fn a_device_is_written_into_and_never_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let Some(null) = node(folder.path(), "null", "c", 1, 3) else {
        eprintln!("SKIP: only root makes device nodes");
        return;
    };
    write(&null, b"gone").unwrap();
    let found = std::fs::symlink_metadata(&null).unwrap();
    assert!(found.file_type().is_char_device(), "the node was replaced");
    assert_eq!(names(folder.path()), ["null"]);
    assert_eq!(
        check_file(&null).unwrap_err().to_string(),
        "it is a character device, not a regular file"
    );
    let full = node(folder.path(), "full", "c", 1, 7).unwrap();
    assert_eq!(
        write(&full, b"x").unwrap_err().kind(),
        ErrorKind::StorageFull
    );
}

#[test]
fn memory_disks_serial_lines_and_sockets_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let socket = folder.path().join("socket");
    let _listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
    assert_eq!(
        write(&socket, b"x").unwrap_err().kind(),
        ErrorKind::InvalidInput
    );
    assert_eq!(
        write(folder.path(), b"x").unwrap_err().kind(),
        ErrorKind::IsADirectory
    );
    assert!(write(&folder.path().join("new/"), b"x").is_err());
    // Numbers that no driver has: a mistake of ours shall not reach a disk.
    let Some(disk) = node(folder.path(), "disk", "b", 250, 77) else {
        eprintln!("SKIP: only root makes device nodes");
        return;
    };
    let memory = node(folder.path(), "mem", "c", 1, 1).unwrap();
    let serial = node(folder.path(), "ttyS", "c", 4, 127).unwrap();
    for device in [disk, memory, serial] {
        let error = write(&device, b"x").unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidInput, "{error}");
        assert!(!std::fs::symlink_metadata(&device).unwrap().is_file());
    }
}

#[test]
fn a_fifo_is_written_into_where_somebody_reads_and_refused_elsewhere() {
    let folder = tempfile::tempdir().unwrap();
    let fifo = folder.path().join("fifo");
    assert!(
        Command::new("mkfifo")
            .arg(&fifo)
            .status()
            .unwrap()
            .success()
    );
    let error = write(&fifo, b"x").unwrap_err();
    assert!(error.to_string().contains("nobody reads"), "{error}");
    let mut reader = OpenOptions::new()
        .read(true)
        .custom_flags(libc::O_NONBLOCK)
        .open(&fifo)
        .unwrap();
    write(&fifo, b"through").unwrap();
    let mut got = String::new();
    std::io::Read::read_to_string(&mut reader, &mut got).unwrap();
    assert_eq!(got, "through");
    assert!(
        std::fs::symlink_metadata(&fifo)
            .unwrap()
            .file_type()
            .is_fifo()
    );
}

#[test]
fn one_link_is_followed_and_stays_a_link() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    symlink("target", at("link")).unwrap();
    write(&at("link"), b"first").unwrap();
    write(&at("link"), b"second").unwrap();
    assert_eq!(std::fs::read(at("target")).unwrap(), b"second");
    assert!(std::fs::symlink_metadata(at("link")).unwrap().is_symlink());
    symlink("link", at("again")).unwrap();
    assert!(
        write(&at("again"), b"x")
            .unwrap_err()
            .to_string()
            .contains("link to a")
    );
    assert_eq!(std::fs::read(at("target")).unwrap(), b"second");
    assert_eq!(names(folder.path()), ["again", "link", "target"]);
}

/// Whose link it is chooses what is replaced.
#[test]
fn a_link_of_another_user_is_not_followed() {
    let folder = tempfile::tempdir().unwrap();
    let (file, link) = (folder.path().join("file"), folder.path().join("link"));
    std::fs::write(&file, "kept").unwrap();
    symlink(&file, &link).unwrap();
    let Some(()) = given_away(&link) else { return };
    let error = write(&link, b"new").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::PermissionDenied);
    assert!(error.to_string().contains("another user (uid 65534)"));
    assert_eq!(std::fs::read(&file).unwrap(), b"kept");
    assert_eq!(names(folder.path()), ["file", "link"]);
}

#[test]
fn another_users_mode_and_part_are_not_taken_over() {
    let folder = tempfile::tempdir().unwrap();
    let (file, part) = (folder.path().join("file"), folder.path().join(".file.part"));
    for at in [&file, &part] {
        std::fs::write(at, "theirs").unwrap();
        std::fs::set_permissions(at, Permissions::from_mode(0o666)).unwrap();
        let Some(()) = given_away(at) else { return };
    }
    write(&file, b"ours").unwrap();
    assert_eq!(mode_of(&file) & 0o022, 0, "anybody could change it");
    assert_eq!(std::fs::read(&part).unwrap(), b"theirs");
    // Nor what has a second name.
    std::fs::remove_file(&part).unwrap();
    std::fs::hard_link(&file, &part).unwrap();
    write(&file, b"again").unwrap();
    assert_eq!(std::fs::read(&part).unwrap(), b"ours");
}

/// Its reader would take that for the end.
#[test]
fn a_fifo_is_not_opened_where_a_file_is_wanted() {
    let folder = tempfile::tempdir().unwrap();
    let fifo = folder.path().join("fifo");
    let made = Command::new("mkfifo").arg(&fifo).status().unwrap();
    assert!(made.success());
    let error = check_file(&fifo).unwrap_err().to_string();
    assert!(error.starts_with("it is a FIFO, not a regular"), "{error}");
}

#[test]
fn a_file_that_may_not_be_written_is_not_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    std::fs::write(&file, "kept").unwrap();
    std::fs::set_permissions(&file, Permissions::from_mode(0o444)).unwrap();
    // Root may write anything.
    let refused = OpenOptions::new().write(true).open(&file).is_err();
    assert_eq!(write(&file, b"new").is_err(), refused);
}

#[test]
fn the_standard_output_has_a_name_too() {
    let output = Output::create(Path::new("/dev/stdout")).unwrap();
    assert!(output.part.is_none());
    let output = Output::create(Path::new("/proc/self/fd/2")).unwrap();
    assert!(output.part.is_none());
}

#[test]
fn modes_are_ours_and_an_owners_choice_stays() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    // The umask belongs to the process; a shell has its own.
    write(&at("new"), b"x").unwrap();
    assert_eq!(mode_of(&at("new")) & !FILE_MODE, 0);
    write(&at("secret"), b"x").unwrap();
    std::fs::set_permissions(at("secret"), Permissions::from_mode(0o600)).unwrap();
    write(&at("secret"), b"y").unwrap();
    assert_eq!(mode_of(&at("secret")), 0o600);
    super::folder(&at("a/b")).unwrap();
    assert_eq!(mode_of(&at("a/b")) & !FOLDER_MODE, 0);
}

#[test]
fn what_a_killed_writer_left_is_used_again_and_a_living_one_is_not_disturbed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.json");
    std::fs::write(folder.path().join(".run.json.part"), b"half").unwrap();
    write(&path, b"whole").unwrap();
    assert_eq!(names(folder.path()), ["run.json"]);

    let mut slow = Output::create(&path).unwrap();
    slow.write_all(b"slow").unwrap();
    write(&path, b"quick").unwrap();
    assert_eq!(std::fs::read(&path).unwrap(), b"quick");
    slow.finish().unwrap();
    assert_eq!(std::fs::read(&path).unwrap(), b"slow");
    assert_eq!(names(folder.path()), ["run.json"]);
}

#[test]
fn a_link_in_the_place_of_the_part_is_not_followed() {
    let folder = tempfile::tempdir().unwrap();
    let victim = folder.path().join("victim");
    std::fs::write(&victim, b"precious").unwrap();
    symlink(&victim, folder.path().join(".out.part")).unwrap();
    write(&folder.path().join("out"), b"x").unwrap();
    assert_eq!(std::fs::read(&victim).unwrap(), b"precious");
    assert_eq!(std::fs::read(folder.path().join("out")).unwrap(), b"x");
}

#[test]
fn a_long_name_and_one_that_is_no_text_are_written() {
    use std::os::unix::ffi::OsStrExt;
    let folder = tempfile::tempdir().unwrap();
    write(&folder.path().join("n".repeat(255)), b"x").unwrap();
    write(
        &folder.path().join(std::ffi::OsStr::from_bytes(b"\xff")),
        b"x",
    )
    .unwrap();
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2);
}

#[test]
fn the_parts_of_a_file_are_known_by_their_names() {
    for part in [".run.json.part", ".run.json.1.part", ".run.json.99.part"] {
        assert!(is_part_of(part, "run.json"), "{part}");
    }
    for other in [
        "run.json",
        "run.json.gz",
        "run.json.bak",
        ".run.json.0.part",
        ".run.json.x.part",
        ".run.json.01.part",
        ".other.json.part",
        "run.json.part",
    ] {
        assert!(!is_part_of(other, "run.json"), "{other}");
    }
}
