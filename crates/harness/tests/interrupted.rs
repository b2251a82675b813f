//! What is left of a program that was killed while it had changed the machine
//! or kept a load running: nothing.

use harness::journal::{self, CARETAKER_ARGUMENT, Journal, Outcome};
use harness::load::{Heavy, HeavyError};
use libtest_mimic::{Arguments, Completion, Failed, Trial};
use std::path::Path;
use std::process::{Child, Command, ExitCode};
use std::time::{Duration, Instant};

const CHANGER: &str = "__changer";
const LOADER: &str = "__loader";
/// A monitoring group, as resctrl has them.
const GROUP: &str = "sys/fs/resctrl/mon_groups/pontage-1-0";
const GOVERNOR: &str = "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().collect();
    match arguments.get(1).map(String::as_str) {
        Some(CARETAKER_ARGUMENT) => {
            journal::caretaker_main(arguments[2].as_ref(), arguments[3].as_ref())
        }
        Some(CHANGER) => change(Path::new(&arguments[2]), arguments[3] == "guarded"),
        Some(LOADER) => load(Path::new(&arguments[2])),
        _ => libtest_mimic::run(&Arguments::from_args(), trials()).exit_code(),
    }
}

fn trials() -> Vec<Trial> {
    vec![
        Trial::test("the_caretaker_undoes_what_a_killed_program_changed", || {
            the_caretaker_undoes_what_a_killed_program_changed();
            Ok::<(), Failed>(())
        }),
        Trial::test("restore_undoes_what_an_unguarded_one_changed", || {
            restore_undoes_what_an_unguarded_one_changed();
            Ok::<(), Failed>(())
        }),
        Trial::ignorable_test("a_killed_program_takes_its_load_along", || {
            Ok::<Completion, Failed>(a_killed_program_takes_its_load_along())
        }),
    ]
}

/// Changes a setting and makes a group below `root`, and waits to be killed.
fn change(root: &Path, guarded: bool) -> ExitCode {
    let state = root.join("state");
    let journal = if guarded {
        Journal::here().kept_in(&state)
    } else {
        Journal::unguarded(&state)
    };
    let mut journal = journal.of_machine(root);
    journal.set(&root.join(GOVERNOR), "performance").unwrap();
    journal.make_group(&root.join(GROUP)).unwrap();
    wait_to_be_killed(root)
}

/// Loads the last CPU and waits to be killed.
fn load(root: &Path) -> ExitCode {
    let last = harness::affinity::allowed_cpus().unwrap().pop().unwrap();
    match Heavy::start(&[last], Path::new("/")) {
        Ok(_load) => wait_to_be_killed(root),
        Err(HeavyError::Skip(why)) => {
            std::fs::write(root.join("skip"), why.reason).unwrap();
            wait_to_be_killed(root)
        }
        Err(HeavyError::Fail(e)) => {
            std::fs::write(root.join("skip"), e.to_string()).unwrap();
            wait_to_be_killed(root)
        }
    }
}

fn wait_to_be_killed(root: &Path) -> ExitCode {
    std::fs::write(root.join("ready"), "").unwrap();
    std::thread::sleep(Duration::from_secs(600));
    ExitCode::FAILURE
}

/// Starts this executable with `arguments` and kills it once it is ready.
fn start_and_kill(root: &Path, arguments: &[&str]) {
    let mut child: Child = Command::new("/proc/self/exe")
        .arg(arguments[0])
        .arg(root)
        .args(&arguments[1..])
        .spawn()
        .unwrap();
    wait_until("it is ready", || root.join("ready").exists());
    child.kill().unwrap();
    child.wait().unwrap();
}

fn fake_machine() -> tempfile::TempDir {
    let root = tempfile::tempdir().unwrap();
    let write = |path: &str, text: &str| {
        let path = root.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    write(GOVERNOR, "powersave\n");
    write("proc/self/mounts", "r /sys/fs/resctrl resctrl rw 0 0\n");
    write("sys/fs/resctrl/mon_groups/other", "");
    root
}

fn governor(root: &Path) -> String {
    std::fs::read_to_string(root.join(GOVERNOR))
        .unwrap()
        .trim()
        .to_owned()
}

fn the_caretaker_undoes_what_a_killed_program_changed() {
    let root = fake_machine();
    start_and_kill(root.path(), &[CHANGER, "guarded"]);
    wait_until("the setting is back", || {
        governor(root.path()) == "powersave"
    });
    wait_until("the group is gone", || !root.path().join(GROUP).exists());
    let state = root.path().join("state");
    wait_until("the journal is gone", || {
        std::fs::read_dir(&state).unwrap().count() == 0
    });
}

fn restore_undoes_what_an_unguarded_one_changed() {
    let root = fake_machine();
    start_and_kill(root.path(), &[CHANGER, "unguarded"]);
    assert_eq!(governor(root.path()), "performance");
    assert!(root.path().join(GROUP).is_dir());
    let restored = journal::restore(root.path(), &root.path().join("state"));
    assert_eq!(restored[0].outcome, Outcome::GroupRemoved, "{restored:?}");
    assert!(
        matches!(restored[1].outcome, Outcome::PutBack { .. }),
        "{restored:?}"
    );
    assert!(!root.path().join(GROUP).exists());
    assert_eq!(governor(root.path()), "powersave");
}

fn a_killed_program_takes_its_load_along() -> Completion {
    let root = tempfile::tempdir().unwrap();
    let already = stressors();
    start_and_kill(root.path(), &[LOADER]);
    if let Ok(why) = std::fs::read_to_string(root.path().join("skip")) {
        return Completion::ignored_with(why);
    }
    wait_until("the load is gone", || {
        stressors().iter().all(|pid| already.contains(pid))
    });
    Completion::Completed
}

/// Processes of the generator that are alive.
fn stressors() -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir("/proc").unwrap().flatten() {
        let stat = std::fs::read_to_string(entry.path().join("stat")).unwrap_or_default();
        let zombie = stat
            .rsplit(')')
            .next()
            .is_some_and(|s| s.trim().starts_with('Z'));
        if stat.contains("(stress-ng") && !zombie {
            found.push(entry.file_name().to_string_lossy().into_owned());
        }
    }
    found
}

fn wait_until(what: &str, done: impl Fn() -> bool) {
    let limit = Instant::now() + Duration::from_secs(30);
    while !done() {
        assert!(Instant::now() < limit, "waited in vain until {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}
