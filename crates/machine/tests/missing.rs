//! Machines of which little or nothing can be read.

use machine::{Access, Machine, Problem};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

fn fixture(name: &str) -> std::path::PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.join("../../fixtures/machines").join(name).join("root")
}

fn write(root: &Path, path: &str, text: impl AsRef<[u8]>) {
    let path = root.join(path);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

#[test]
fn of_an_empty_root_nothing_is_known() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(machine::read(folder.path()), Machine::default());
    assert_eq!(
        machine::read(Path::new("/nowhere/at/all")),
        Machine::default()
    );
}

#[test]
fn the_running_machine_has_at_least_a_cpu_memory_and_pages() {
    let m = machine::read(Path::new("/"));
    assert!(!m.topology.cpus.is_empty());
    assert!(!m.usable_cpus().is_empty());
    assert!(m.memory.total_bytes.unwrap() > 0);
    assert!(m.pages.base_bytes.unwrap().is_power_of_two());
    assert!(m.kernel.release.is_some() && m.kernel.arch.is_some());
    assert!(m.kernel.hz.is_some());
}

#[test]
fn without_sys_the_cpus_are_those_of_proc() {
    let folder = tempfile::tempdir().unwrap();
    let text = std::fs::read(fixture("raspberry-pi-4").join("proc/cpuinfo")).unwrap();
    write(folder.path(), "proc/cpuinfo", text);
    let m = machine::read(folder.path());
    assert_eq!((m.topology.cpus.len(), m.topology.cores), (4, 4));
    assert_eq!(m.topology.source.as_deref(), Some("/proc/cpuinfo"));
    assert_eq!(m.problems, [] as [Problem; 0]);
}

#[test]
fn without_cpuinfo_the_cpus_are_those_this_process_may_use() {
    let folder = tempfile::tempdir().unwrap();
    write(
        folder.path(),
        "proc/self/status",
        "Cpus_allowed_list:\t2-3\n",
    );
    let m = machine::read(folder.path());
    assert_eq!(m.topology.online().to_string(), "2-3");
}

#[test]
fn caches_without_sizes_are_kept_and_unknown_sizes_stay_unknown() {
    // Raspberry Pi kernels whose device tree does not state cache sizes.
    let folder = tempfile::tempdir().unwrap();
    let cpu = "sys/devices/system/cpu";
    write(folder.path(), &format!("{cpu}/online"), "0\n");
    let index = format!("{cpu}/cpu0/cache/index0");
    write(folder.path(), &format!("{index}/level"), "1\n");
    write(folder.path(), &format!("{index}/type"), "Data\n");
    let m = machine::read(folder.path());
    assert_eq!(m.caches.len(), 1);
    assert_eq!((m.caches[0].size_bytes, m.caches[0].ways), (None, None));
    assert_eq!(m.caches[0].instances[0].to_string(), "0");
    assert_eq!(m.problems, [] as [Problem; 0]);
}

#[test]
fn cores_of_two_kinds_have_caches_of_two_shapes() {
    let folder = tempfile::tempdir().unwrap();
    let cpu = "sys/devices/system/cpu";
    write(folder.path(), &format!("{cpu}/online"), "0-2\n");
    for (n, size) in [(0, "48K"), (1, "32K"), (2, "32K")] {
        let index = format!("{cpu}/cpu{n}/cache/index0");
        write(folder.path(), &format!("{index}/level"), "1\n");
        write(folder.path(), &format!("{index}/type"), "Data\n");
        write(folder.path(), &format!("{index}/size"), size);
    }
    let m = machine::read(folder.path());
    let shapes: Vec<_> = m
        .caches
        .iter()
        .map(|c| (c.size_bytes, c.instances.len()))
        .collect();
    assert_eq!(shapes, [(Some(48 << 10), 1), (Some(32 << 10), 2)]);
}

#[test]
fn the_mode_of_preemption_is_the_one_in_force() {
    let folder = tempfile::tempdir().unwrap();
    write(
        folder.path(),
        "proc/sys/kernel/version",
        "#1 SMP PREEMPT_DYNAMIC\n",
    );
    write(folder.path(), "proc/cmdline", "preempt=none\n");
    let booted = machine::read(folder.path()).kernel.preemption.unwrap();
    assert_eq!(booted.value, "PREEMPT_DYNAMIC (none)");
    let path = "sys/kernel/debug/sched/preempt";
    write(folder.path(), path, "none voluntary (full) lazy\n");
    let now = machine::read(folder.path()).kernel.preemption.unwrap();
    assert_eq!(now.value, "PREEMPT_DYNAMIC (full)");
    assert_eq!(now.by, "/sys/kernel/debug/sched/preempt");
}

#[test]
fn what_may_not_be_read_is_listed_and_no_problem() {
    let folder = tempfile::tempdir().unwrap();
    write(
        folder.path(),
        "proc/self/mounts",
        "t /sys/kernel/tracing tracefs rw 0 0\n",
    );
    let closed = folder.path().join("sys/kernel/tracing/available_tracers");
    write(
        folder.path(),
        "sys/kernel/tracing/available_tracers",
        "nop\n",
    );
    std::fs::set_permissions(&closed, PermissionsExt::from_mode(0o000)).unwrap();
    if std::fs::read(&closed).is_ok() {
        eprintln!("skipped: this user may read everything (run as an ordinary user)");
        return;
    }
    let m = machine::read(folder.path());
    assert_eq!(m.tracing.access, Access::Denied);
    assert_eq!(m.denied, ["/sys/kernel/tracing/available_tracers"]);
    assert_eq!(m.problems, [] as [Problem; 0]);
}
