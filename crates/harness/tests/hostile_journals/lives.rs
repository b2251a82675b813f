//! Whose a journal is, and whether that process lives: number, start, boot,
//! namespace and lock say different things.

use crate::scene::{GOVERNOR, Scene, boot, is_root, owner};
use crate::{Disaster, Tried};
use harness::journal::{Journal, Outcome};
use std::path::Path;
use std::process::{Child, Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

pub const ALL: &[Disaster] = &[
    ("a_journal_of_version_1", a_journal_of_version_1),
    ("a_journal_of_a_later_version", a_journal_of_a_later_version),
    ("a_journal_of_an_earlier_boot", a_journal_of_an_earlier_boot),
    ("a_journal_of_another_machine", a_journal_of_another_machine),
    (
        "a_number_that_another_process_has_now",
        a_number_that_another_process_has_now,
    ),
    (
        "a_journal_of_another_namespace",
        a_journal_of_another_namespace,
    ),
    (
        "a_live_run_that_holds_its_lock",
        a_live_run_that_holds_its_lock,
    ),
    (
        "a_lock_says_more_than_a_number",
        a_lock_says_more_than_a_number,
    ),
    ("a_live_run_in_a_container", a_live_run_in_a_container),
];

/// Changes a governor and waits to be killed.
pub const OWNER: &str = "__owner";
const NAME: &str = "journal-1.jsonl";

fn write(scene: &Scene, owner: &str) -> std::path::PathBuf {
    let path = scene.good_journal(NAME);
    let change = scene.change(GOVERNOR, "powersave", "performance");
    std::fs::write(&path, owner.to_owned() + &change).unwrap();
    path
}

/// Every line that it knew, word for word.
fn a_journal_of_version_1() -> Tried {
    let scene = Scene::new();
    let tracing = scene.path("sys/kernel/tracing");
    let instance = tracing.join("instances/pontage-17");
    let group = scene.path("sys/fs/resctrl/mon_groups/pontage-17-0");
    std::fs::create_dir_all(&instance).unwrap();
    std::fs::create_dir_all(&group).unwrap();
    scene.write("sys/kernel/tracing/max_graph_depth", "3\n");
    scene.write("sys/kernel/tracing/kprobe_events", "p:pontage_17/in_0 f\n");
    scene.write("proc/sys/vm/nr_hugepages", "64\n");
    let at = |path: &Path| path.to_str().unwrap().to_owned();
    let lines = [
        change_line(&scene, "proc/sys/vm/nr_hugepages", "8", "100"),
        format!(
            r#"{{"line":"applied","path":"{}","value":"64"}}"#,
            at(&scene.path("proc/sys/vm/nr_hugepages"))
        ),
        change_line(&scene, GOVERNOR, "powersave", "performance"),
        format!(
            r#"{{"line":"held","path":"{}","old":"0","ours":["3"]}}"#,
            at(&tracing.join("max_graph_depth"))
        ),
        format!(r#"{{"line":"instance","path":"{}"}}"#, at(&instance)),
        format!(r#"{{"line":"group","path":"{}"}}"#, at(&group)),
        format!(
            r#"{{"line":"joined","path":"{}","mention":"pontage_17/in_0 ","leave":"-:pontage_17/in_0\n"}}"#,
            at(&tracing.join("kprobe_events"))
        ),
    ];
    let path = scene.good_journal(NAME);
    let text = owner("0", "7", &boot()) + &lines.join("\n") + "\n";
    std::fs::write(&path, text).unwrap();
    scene.is_restored();
    assert_eq!(scene.read("proc/sys/vm/nr_hugepages"), "8");
    assert_eq!(scene.read("sys/kernel/tracing/max_graph_depth"), "0");
    assert!(
        scene
            .read("sys/kernel/tracing/kprobe_events")
            .ends_with("-:pontage_17/in_0\n")
    );
    assert!(!instance.exists() && !group.exists() && !path.exists());
    Ok(())
}

fn change_line(scene: &Scene, below: &str, old: &str, new: &str) -> String {
    scene.change(below, old, new).trim().to_owned()
}

fn a_journal_of_a_later_version() -> Tried {
    let scene = Scene::new();
    let later = r#"{"line":"owner","version":4,"pid":0,"start_ticks":7,"boot":""}"#;
    write(&scene, &format!("{later}\n"));
    scene.refuses("a later version of this program");
    Ok(())
}

/// The machine has its own values again: nothing is written.
fn a_journal_of_an_earlier_boot() -> Tried {
    if boot().is_empty() {
        return Err("this machine has no boot id".to_owned());
    }
    let scene = Scene::new();
    // Even if this process had the same number and start then.
    let path = write(
        &scene,
        &owner(&std::process::id().to_string(), "7", "earlier"),
    );
    let restored = scene.restore();
    assert_eq!(restored[0].outcome, Outcome::GoneWithReboot, "{restored:?}");
    scene.is_untouched();
    assert!(!path.exists());
    Ok(())
}

/// On a home folder in the network.
fn a_journal_of_another_machine() -> Tried {
    if boot().is_empty() {
        return Err("this machine has no boot id".to_owned());
    }
    let scene = Scene::new();
    let line = serde_json::json!({
        "line": "owner", "version": 2, "pid": 0, "start_ticks": 7, "boot": "another",
        "namespace": 1, "host": "another", "locked": true
    });
    let path = write(&scene, &format!("{line}\n"));
    let restored = scene.restore();
    assert!(
        matches!(restored[0].outcome, Outcome::Elsewhere { .. }),
        "{restored:?}"
    );
    scene.is_untouched();
    assert!(path.exists(), "it is needed there");
    Ok(())
}

fn a_number_that_another_process_has_now() -> Tried {
    let scene = Scene::new();
    let parent = std::os::unix::process::parent_id();
    let path = write(&scene, &owner(&parent.to_string(), "1", &boot()));
    std::fs::rename(path, scene.state().join(format!("journal-{parent}.jsonl"))).unwrap();
    scene.is_restored();
    Ok(())
}

/// Without a lock nobody but root of the host can know.
fn a_journal_of_another_namespace() -> Tried {
    let scene = Scene::new();
    let line = serde_json::json!({
        "line": "owner", "version": 2, "pid": std::process::id(), "start_ticks": 7,
        "boot": boot(), "namespace": 1, "host": "", "locked": false
    });
    write(&scene, &format!("{line}\n"));
    if is_root() && sees_every_process() {
        scene.is_restored();
        return Ok(());
    }
    let restored = scene.restore();
    assert!(
        matches!(restored[0].outcome, Outcome::PerhapsInUse { .. }),
        "{restored:?}"
    );
    scene.is_untouched();
    Ok(())
}

fn sees_every_process() -> bool {
    use std::os::unix::fs::MetadataExt;
    let own = std::fs::metadata("/proc/self/ns/pid");
    own.is_ok_and(|m| m.ino() == 0xEFFF_FFFC)
}

pub fn own(root: &Path) -> ExitCode {
    let mut journal = Journal::unguarded(&root.join("state")).of_machine(root);
    journal.set(&root.join(GOVERNOR), "performance").unwrap();
    std::fs::write(root.join("ready"), "").unwrap();
    std::thread::sleep(Duration::from_secs(600));
    ExitCode::FAILURE
}

/// Of a container whose processes nobody here can see.
fn a_lock_says_more_than_a_number() -> Tried {
    let scene = Scene::new();
    let journal = std::fs::File::open(scene.good_journal(NAME)).unwrap();
    if journal.lock().is_err() {
        return Err("the temporary folder has no locks".to_owned());
    }
    let restored = scene.restore();
    assert!(
        matches!(restored[0].outcome, Outcome::InUse { .. }),
        "{restored:?}"
    );
    scene.is_untouched();
    drop(journal);
    scene.is_restored();
    Ok(())
}

fn a_live_run_that_holds_its_lock() -> Tried {
    in_use_until_killed(&mut Command::new("/proc/self/exe"))
}

/// There it is process 1: here that number is init's.
fn a_live_run_in_a_container() -> Tried {
    let apart = |command: &mut Command| {
        command.args(["--pid", "--fork", "--kill-child", "--"]);
    };
    let mut trial = Command::new("unshare");
    apart(&mut trial);
    if !trial.arg("true").output().is_ok_and(|o| o.status.success()) {
        return Err("no PID namespace can be had (unshare --pid)".to_owned());
    }
    let mut command = Command::new("unshare");
    apart(&mut command);
    command.arg(std::env::current_exe().unwrap());
    in_use_until_killed(&mut command)
}

/// Also where the test fails.
struct KilledAtTheEnd(Child);

impl KilledAtTheEnd {
    fn kill(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Drop for KilledAtTheEnd {
    fn drop(&mut self) {
        self.kill();
    }
}

fn in_use_until_killed(command: &mut Command) -> Tried {
    let scene = Scene::new();
    scene.write(GOVERNOR, "powersave\n");
    let mut owner = KilledAtTheEnd(
        command
            .arg(OWNER)
            .arg(scene.root())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap(),
    );
    wait_until("it has changed the governor", || {
        scene.path("ready").exists()
    });
    for _ in 0..2 {
        let restored = scene.restore();
        assert!(
            matches!(restored[0].outcome, Outcome::InUse { .. }),
            "{restored:?}"
        );
        assert_eq!(scene.read(GOVERNOR), "performance");
    }
    owner.kill();
    wait_until("its lock is free", || {
        scene.restore();
        scene.read(GOVERNOR) == "powersave"
    });
    assert_eq!(std::fs::read_dir(scene.state()).unwrap().count(), 0);
    Ok(())
}

fn wait_until(what: &str, done: impl Fn() -> bool) {
    let limit = Instant::now() + Duration::from_secs(30);
    while !done() {
        assert!(Instant::now() < limit, "waited in vain until {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}
