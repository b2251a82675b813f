//! Every object that outlives a process has a line in a journal before it is made.

use super::Source;

/// Calls that make what outlives its maker: queues, segments and semaphores by key or
/// name, nodes, links and folders by descriptor, mounts, modules.
const MAKERS: [&str; 19] = [
    "libc::msgget",
    "libc::semget",
    "libc::shmget",
    "libc::mq_open",
    "libc::sem_open",
    "libc::shm_open",
    "libc::mkdir",
    "libc::mkfifo",
    "libc::mknod",
    "libc::symlink",
    "fs::mkdir",
    "fs::mkfifo",
    "fs::mknod",
    "fs::symlink(",
    "fs::symlinkat",
    "libc::mount",
    "libc::swapon",
    "SYS_init_module",
    "SYS_finit_module",
];

/// Ways to write to a file or to make a folder by its path.
const WRITERS: [&str; 6] = [
    ".write(true)",
    ".append(true)",
    "fs::write(",
    "fs::create_dir",
    "DirBuilder",
    "OFlags::WRONLY",
];

/// Who names files of the kernel's (`kernel_files`), and so could write to them.
const NAMES_KERNEL_FILES: [&str; 5] = [
    "crates/machine/",
    "crates/probe/",
    "crates/uapi/",
    "crates/harness/src/settings.rs",
    "crates/harness/src/resctrl.rs",
];

/// Where either may stand, and what covers it there.
const COVERED: &[(&str, &str)] = &[
    (
        "crates/harness/src/journal/",
        "writes the line, then makes what it names",
    ),
    (
        "crates/engines/src/transport/janitor.rs",
        "harness::queue_keys has entered the keys",
    ),
    (
        "crates/experiments/src/ipc/mq_posix.rs",
        "the name goes with the next call; engines::left_over removes that of a process \
         killed in between",
    ),
    (
        "crates/harness/src/resctrl.rs",
        "tasks of a group that the journal has made and removes",
    ),
    (
        "crates/probe/src/tracefs/mount.rs",
        "files that harness::tracing holds in the journal, and those of its instance",
    ),
    (
        "crates/probe/src/tracefs/instance.rs",
        "filters and triggers of an instance that the journal removes",
    ),
    (
        "crates/probe/src/tracefs/rescue.rs",
        "switches off the ring of a dead process, which the journal then removes",
    ),
    (
        "crates/probe/src/tracefs/folder.rs",
        "a spool next to its output, no object of the kernel's",
    ),
    ("crates/uapi/src/device.rs", "the module's device, by ioctl"),
];

/// Not linked into the program.
const OTHER_PROGRAMS: [&str; 4] = [
    "crates/xtask/",
    "crates/faults/",
    "crates/fuzzing/",
    "crates/testbed/",
];

/// Calls in places without a journal, a line for each.
pub fn check(sources: &[Source]) -> Vec<String> {
    let begins = |source: &Source, places: &[&str]| {
        let path = source.path.as_str();
        places.iter().any(|place| path.starts_with(place))
    };
    let covered: Vec<&str> = COVERED.iter().map(|(place, _)| *place).collect();
    let mut wrong = Vec::new();
    for source in sources.iter().filter(|s| s.is_product()) {
        if begins(source, &OTHER_PROGRAMS) || begins(source, &covered) {
            continue;
        }
        let mut calls = MAKERS.to_vec();
        if begins(source, &NAMES_KERNEL_FILES) {
            calls.extend(WRITERS);
        }
        for (number, line) in (1..).zip(source.code().lines()) {
            let is_code = !line.trim_start().starts_with("//");
            let call = calls.iter().find(|call| is_code && line.contains(**call));
            wrong.extend(call.map(|call| {
                format!(
                    "{}:{number}: {call}: harness::journal enters what outlives the process \
                     before it is made",
                    source.path
                )
            }));
        }
    }
    wrong
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_object_without_a_line_is_found() {
        let source = |path: &str, text: &str| Source {
            path: path.to_owned(),
            text: text.to_owned(),
        };
        let queue = "fn f() {\n    unsafe { libc::msgget(key, flags) };\n}\n";
        let setting = "fn f() {\n    std::fs::write(path, \"1\");\n}\n";
        let only_read = "// libc::msgget\nfn f() {\n    std::fs::read(path);\n}\n";
        let wrong = check(&[
            source("crates/experiments/src/ipc/a.rs", queue),
            source("crates/experiments/src/ipc/b.rs", setting),
            source("crates/experiments/src/ipc/a/tests.rs", queue),
            source("crates/engines/src/transport/janitor.rs", queue),
            source("crates/xtask/src/kills/a.rs", queue),
            source("crates/probe/src/a.rs", setting),
            source("crates/probe/src/b.rs", only_read),
            source("crates/harness/src/journal/a.rs", setting),
        ]);
        let found = [
            "crates/experiments/src/ipc/a.rs:2",
            "crates/probe/src/a.rs:2",
        ];
        assert_eq!(wrong.len(), found.len(), "{wrong:?}");
        for (line, place) in wrong.iter().zip(found) {
            assert!(line.starts_with(place), "{wrong:?}");
        }
    }
}
