//! Everybody killed at once: coordinator, worker, janitor and caretaker. Nobody is
//! left who would clean up; the next start says what is pending, and cleans.

mod program;

use program::{Program, alive, send};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

#[track_caller]
fn wait_until(what: &str, mut found: impl FnMut() -> bool) {
    let limit = Instant::now() + Duration::from_secs(60);
    while !found() {
        assert!(Instant::now() < limit, "{what}: not within 60 s");
        sleep(Duration::from_millis(10));
    }
}

/// Numbers of the parent's children, theirs, and so on.
fn descendants(of: u32) -> Vec<u32> {
    let mut parents = Vec::new();
    for entry in std::fs::read_dir("/proc").unwrap().flatten() {
        let stat = std::fs::read_to_string(entry.path().join("stat")).unwrap_or_default();
        let Some((before, after)) = stat.rsplit_once(')') else {
            continue;
        };
        let pid = before
            .split_whitespace()
            .next()
            .and_then(|n| n.parse().ok());
        let parent = after.split_whitespace().nth(1).and_then(|n| n.parse().ok());
        parents.extend(pid.zip(parent));
    }
    let mut family: Vec<u32> = vec![of];
    let mut at = 0;
    while at < family.len() {
        let children = parents
            .iter()
            .filter(|(_, p): &&(u32, u32)| *p == family[at]);
        family.extend(children.map(|(child, _)| *child).collect::<Vec<_>>());
        at += 1;
    }
    family
}

/// Stops the child and all that it has started.
fn stopped(child: &Child) -> Vec<u32> {
    let mut stopped = Vec::new();
    loop {
        let family = descendants(child.id());
        let new: Vec<u32> = family
            .into_iter()
            .filter(|p| !stopped.contains(p))
            .collect();
        if new.is_empty() {
            break;
        }
        for pid in new {
            send("STOP", pid);
            stopped.push(pid);
        }
    }
    stopped
}

/// Nobody sees another one die. Returns the keys of the queues that were there.
fn kill_at_once(child: &mut Child, program: &Program) -> Vec<i64> {
    let mut family = Vec::new();
    let mut keys = Vec::new();
    // Between two points there may be none.
    wait_until("queues of a run that is stopped", || {
        family = stopped(child);
        let there = queues();
        keys = announced(program);
        keys.retain(|key| there.contains(key));
        if keys.is_empty() {
            family.iter().for_each(|pid| send("CONT", *pid));
        }
        !keys.is_empty()
    });
    for pid in &family {
        send("KILL", *pid);
    }
    child.wait().unwrap();
    wait_until("the end of all", || !family.iter().any(|pid| alive(*pid)));
    keys
}

fn state(program: &Program) -> PathBuf {
    program.out().parent().unwrap().join("journal")
}

fn scratch(program: &Program) -> PathBuf {
    program.out().parent().unwrap().join("tmp")
}

fn names(folder: &Path) -> Vec<String> {
    let listed = std::fs::read_dir(folder).into_iter().flatten().flatten();
    listed
        .map(|entry| entry.file_name().into_string().unwrap())
        .collect()
}

/// Which runs were begun here is kept there too.
fn journals(program: &Program) -> Vec<String> {
    let mut found = names(&state(program));
    found.retain(|name| name.starts_with("journal-"));
    found
}

/// Keys of the queues that stand in a journal.
fn announced(program: &Program) -> Vec<i64> {
    let mut keys = Vec::new();
    for name in journals(program) {
        let text = std::fs::read_to_string(state(program).join(name)).unwrap_or_default();
        for line in text.lines() {
            let line: serde_json::Value = serde_json::from_str(line).unwrap_or_default();
            let list = line["keys"].as_array().cloned().unwrap_or_default();
            keys.extend(list.iter().filter_map(serde_json::Value::as_i64));
        }
    }
    keys
}

fn queues() -> Vec<i64> {
    let text = std::fs::read_to_string("/proc/sysvipc/msg").unwrap_or_default();
    let key = |line: &str| line.split_whitespace().next()?.parse().ok();
    text.lines().filter_map(key).collect()
}

/// A run whose queues are there; none, and said, without System V.
fn measuring(program: &Program) -> Option<(Child, Vec<i64>)> {
    if !Path::new("/proc/sysvipc/msg").exists() {
        eprintln!("skipped: this kernel has no System V queues");
        return None;
    }
    std::fs::create_dir_all(scratch(program)).unwrap();
    let child = program
        .command(&["run", "ipc/mq_sysv", "--out", "runs"])
        .env("TMPDIR", scratch(program))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut keys = Vec::new();
    wait_until("queues", || {
        keys = announced(program);
        let there = queues();
        !keys.is_empty() && keys.iter().all(|key| there.contains(key))
    });
    Some((child, keys))
}

#[test]
fn the_next_start_says_what_is_pending_and_restore_cleans_it() {
    let program = Program::new();
    let Some((mut child, _)) = measuring(&program) else {
        return;
    };
    let keys = kill_at_once(&mut child, &program);
    let left = || queues().iter().filter(|key| keys.contains(key)).count();
    assert_eq!(left(), keys.len(), "nobody has removed them");
    assert_eq!(names(&scratch(&program)).len(), 1);
    let doctor = program.run(&["doctor", "--all"]);
    assert_eq!(doctor.status, 0, "{doctor:?}");
    let line = doctor.stdout.lines().find(|l| l.starts_with("pending: "));
    let line = line.unwrap_or_else(|| panic!("{doctor:?}"));
    assert!(line.contains("System V queues 0x5054") && line.ends_with(": pontage restore"));
    // Such folders are left by a kill before there is a head.
    std::fs::create_dir_all(program.out().join("20261121T002946Z-host")).unwrap();
    let mut next = program.command(&["run", "syscall/getppid", "--out", "runs"]);
    let next = next.env("TMPDIR", scratch(&program)).output().unwrap();
    let said = String::from_utf8_lossy(&next.stderr).into_owned();
    assert!(next.status.success(), "{said}");
    assert_eq!(said.matches("pontage restore").count(), 1, "{said}");
    assert!(
        names(&scratch(&program)).is_empty(),
        "swept, and its own is gone"
    );
    assert!(!names(&program.out()).contains(&"20261121T002946Z-host".to_owned()));
    let restored = program.run(&["restore"]);
    assert_eq!(restored.status, 0, "{restored:?}");
    assert!(restored.stdout.contains(" are removed"), "{restored:?}");
    assert_eq!(left(), 0);
    assert!(journals(&program).is_empty());
    let doctor = program.run(&["doctor", "--all"]);
    assert!(!doctor.stdout.contains("pending: "), "{doctor:?}");
}

#[test]
fn a_caretaker_that_is_left_leaves_nothing_to_say() {
    let program = Program::new();
    let Some((mut child, keys)) = measuring(&program) else {
        return;
    };
    child.kill().unwrap();
    child.wait().unwrap();
    wait_until("the queues' end", || {
        !queues().iter().any(|key| keys.contains(key))
    });
    wait_until("the journal's end", || journals(&program).is_empty());
}

/// As in a sandbox that hides /proc: every process looks gone there.
#[test]
fn without_proc_nobody_is_taken_for_dead() {
    let program = Program::new();
    let place = program.out().parent().unwrap().to_owned();
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap();
    let (_, behind) = stat.rsplit_once(')').unwrap();
    let owner = serde_json::json!({
        "line": "owner", "version": 3, "pid": std::process::id(), "boot": "",
        "start_ticks": behind.split_whitespace().nth(19).unwrap().parse::<u64>().unwrap(),
    });
    let change = serde_json::json!({
        "line": "change", "path": "/proc/sys/vm/nr_hugepages", "old": "0", "new": "1",
    });
    std::fs::write(place.join("lines"), format!("{owner}\n{change}\n")).unwrap();
    let prepared = program.shell(
        "chmod 755 . && mkdir -m 700 state && install -m 600 lines state/journal-1-0.jsonl && \
         chown -R 65534 state && cp $PONTAGE . && chmod 755 pontage && \
         unshare -m mount -t tmpfs none /proc",
    );
    if prepared.status != 0 {
        eprintln!("SKIP: only root can hide /proc: {}", prepared.stderr);
        return;
    }
    let restore = |hide: &str| {
        program.shell(&format!(
            "unshare -m sh -c '{hide} exec setpriv --reuid 65534 --regid 65534 --clear-groups \
             env HOME=/nonexistent ./pontage restore --journal state'"
        ))
    };
    let hidden = restore("mount -t tmpfs none /proc &&");
    assert_eq!(hidden.status, 1, "{hidden:?}");
    assert!(hidden.stdout.contains("which may still run"), "{hidden:?}");
    let seen = restore("");
    assert_eq!(seen.status, 1, "{seen:?}");
    assert!(seen.stdout.contains("still running"), "{seen:?}");
}
