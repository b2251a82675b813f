//! A shell script plays QEMU. One test starts all of them: a script that was
//! just written cannot be run while another thread forks.

use super::{CONSOLE, End, Marker, Patience, QEMU_LOG, run, text};
use crate::data::Machine;
use crate::guest::qemu::Boot;
use crate::guest::storage::Storage;
use crate::stop::Stop;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Runs `script` in place of QEMU; how it ended, and whether it is still alive.
fn lived(
    folder: &Path,
    script: &str,
    ends: &str,
    deadline_s: u64,
    stop: bool,
    kill: Option<Duration>,
) -> (Result<End, Stop>, bool) {
    let qemu = folder.join("qemu");
    let log = folder.join(CONSOLE);
    let script = format!(
        "#!/bin/sh\necho $$ > {}\n{script}\n",
        folder.join("pid").display()
    );
    fs::write(&qemu, script.replace("LOG", &log.display().to_string())).unwrap();
    fs::set_permissions(&qemu, fs::Permissions::from_mode(0o755)).unwrap();
    let machine: Machine = toml::from_str(&format!(
        "about = 'x'\narchitecture = 'amd64'\nqemu = '{}'\npackage = 'p'\nmemory_mib = 1\n\
         console = 'c'\nappend = ''\nbus = 'pci'\nends = '{ends}'\n",
        qemu.display()
    ))
    .unwrap();
    let boot = Boot {
        machine: &machine,
        image: "i".into(),
        initramfs: "r".into(),
        folder,
        shares: &[],
        plugins: &[],
        append: "",
        storage: &Storage::default(),
        number: None,
        shell: false,
    };
    let patience = Patience {
        deadline: Duration::from_secs(deadline_s),
        silence: Duration::from_secs(3),
    };
    let ended = run(&boot, patience, kill, &AtomicBool::new(stop));
    let pid = text(&folder.join("pid"));
    let alive = !pid.is_empty() && Path::new("/proc").join(pid.trim()).exists();
    (ended, alive)
}

#[test]
fn each_end_is_distinguished_and_nothing_outlives_it() {
    let home = tempfile::tempdir().unwrap();
    let live = |script: &str, ends: &str, deadline_s: u64| {
        let _ = fs::remove_file(home.path().join(CONSOLE));
        lived(home.path(), script, ends, deadline_s, false, None)
    };
    let end = "echo 'pontage-lab: END' > LOG";
    assert_eq!(live(end, "poweroff", 60), (Ok(End::Done), false));
    // Never powers off, and does not have to.
    let stays = format!("{end}; exec sleep 600");
    assert_eq!(live(&stays, "marker", 60), (Ok(End::Done), false));
    let panics = "echo gave up >&2; echo panic > LOG";
    assert_eq!(live(panics, "poweroff", 60), (Ok(End::Gone), false));
    assert_eq!(text(&home.path().join(QEMU_LOG)), "gave up\n");
    let hangs = "echo stuck > LOG; exec sleep 600";
    assert_eq!(live(hangs, "poweroff", 2), (Ok(End::Deadline), false));
    assert_eq!(text(&home.path().join(CONSOLE)), "stuck\n");
    assert_eq!(live(hangs, "poweroff", 60), (Ok(End::Silent), false));
    // Init has spoken: what follows has until the deadline.
    let works = "echo 'pontage-lab: ready on 6.1' > LOG; sleep 4; echo 'pontage-lab: END' >> LOG";
    assert_eq!(live(works, "poweroff", 60), (Ok(End::Done), false));
    let interrupted = lived(home.path(), "exec sleep 600", "poweroff", 60, true, None);
    assert_eq!(interrupted, (Err(Stop::Interrupted), false));
    let killed = |script: &str| {
        let _ = fs::remove_file(home.path().join(CONSOLE));
        let moment = Some(Duration::from_millis(100));
        lived(home.path(), script, "poweroff", 60, false, moment)
    };
    let works = "echo 'pontage-lab: KILL' > LOG; exec sleep 600";
    assert_eq!(killed(works), (Ok(End::Killed), false));
    assert_eq!(
        killed(end),
        (Ok(End::Done), false),
        "it had nothing to lose yet"
    );
}

#[test]
fn a_marker_in_two_pieces_is_seen() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("log");
    let mut marker = Marker::new(path.clone(), super::END);
    assert!(!marker.seen(), "there is no log yet");
    fs::write(&path, "[ 1.0] something\n[ 2.0] pontage-l").unwrap();
    assert!(!marker.seen());
    let mut log = OpenOptions::new().append(true).open(&path).unwrap();
    log.write_all(b"ab: END\r\n").unwrap();
    assert!(marker.seen() && marker.seen());
}
