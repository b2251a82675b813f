//! The faults. Everything here ends with 0, with 2 and a cause, or with 77 and a remedy;
//! what was measured before is kept.

use crate::fault::{Fault, Needs, Refused};

/// Ends well, says nothing in particular.
const PLAIN: Fault = Fault {
    name: "",
    needs: Needs::Nothing,
    refused: Refused::Nothing,
    script: "",
    status: &[0],
    says: "",
    everyday: false,
};

/// Ends with 2 and says why.
const REFUSED: Fault = Fault {
    status: &[2],
    ..PLAIN
};

/// Every fault that the program must survive, in the order of the report.
pub const FAULTS: &[Fault] = &[
    // Whoever reads leaves, or nothing can be written there.
    Fault {
        name: "reader of stderr leaves at once",
        script: "@run 2> >(true)",
        everyday: true,
        ..PLAIN
    },
    Fault {
        name: "reader of stderr leaves after 60 bytes",
        script: "@run 2>&1 >/dev/null | head -c 60; exit ${PIPESTATUS[0]}",
        ..PLAIN
    },
    Fault {
        name: "reader of stdout leaves",
        script: "@ list | head -c 1 >/dev/null; exit ${PIPESTATUS[0]}",
        ..PLAIN
    },
    Fault {
        name: "all three closed",
        script: "@run <&- >&- 2>&-",
        ..PLAIN
    },
    Fault {
        name: "stderr is full",
        script: "@run 2>/dev/full",
        everyday: true,
        ..PLAIN
    },
    Fault {
        name: "stdout is full",
        script: "@run >/dev/full; s=$?; test -e runs/*/report.html && whole $s",
        says: "cannot write standard output: No space left on device",
        ..REFUSED
    },
    Fault {
        name: "both are full",
        script: "@run >/dev/full 2>&1; whole $?",
        ..REFUSED
    },
    // Names are bytes.
    Fault {
        name: "--out is not UTF-8",
        script: "@run --out $'\\xff'; s=$?; grep -q 'bytes that are no UTF-8' $'\\xff'/*/run.json || exit 97; exit $s",
        everyday: true,
        ..PLAIN
    },
    Fault {
        name: "a recipe's name is not UTF-8",
        script: "printf 'title = \"t\"\\n[[experiment]]\\nid = \"syscall/getppid\"\\nbudget_ms = 5\\n' >$'\\xff.toml'; @ run $'\\xff.toml'",
        everyday: true,
        ..PLAIN
    },
    Fault {
        name: "an experiment's name is not UTF-8",
        script: "@ run $'\\xff'",
        says: "cannot find experiment",
        ..REFUSED
    },
    Fault {
        name: "TMPDIR is not UTF-8",
        script: "mkdir $'\\xff'; TMPDIR=$PWD/$'\\xff' @run",
        ..PLAIN
    },
    Fault {
        name: "the current folder is not UTF-8",
        script: "mkdir $'\\xff'; cd $'\\xff'; @run",
        ..PLAIN
    },
    Fault {
        name: "a file to import is not UTF-8",
        script: "@ import ipc-benchmark $'\\xff'",
        says: "cannot import",
        ..REFUSED
    },
    Fault {
        name: "the folder of copies is not UTF-8",
        script: "@ copies --seconds 1 --records --out $'\\xff'",
        status: &[0, 77],
        ..PLAIN
    },
    Fault {
        name: "doctor's root is not UTF-8",
        script: "mkdir -p $'\\xff'/proc; @ doctor --format json --root $'\\xff' | grep -q capabilities",
        ..PLAIN
    },
    // Limits.
    Fault {
        name: "threads are refused",
        refused: Refused::Threads,
        script: "@run; whole $?",
        says: "cannot start a thread",
        everyday: true,
        ..REFUSED
    },
    Fault {
        name: "ulimit -u 1",
        needs: Needs::User,
        script: "(ulimit -u 1; exec @run); whole $?",
        says: "cannot start the measuring process",
        ..REFUSED
    },
    Fault {
        name: "ulimit -u 1, ipc",
        needs: Needs::User,
        script: "(ulimit -u 1; exec @ ipc -i pipe 2thread)",
        status: &[2, 77],
        says: "Resource temporarily unavailable",
        ..PLAIN
    },
    Fault {
        name: "ulimit -s 64",
        script: "ulimit -s 64; exec @run",
        everyday: true,
        ..PLAIN
    },
    Fault {
        name: "ulimit -s 64, no threads",
        refused: Refused::Threads,
        script: "ulimit -s 64; exec @run",
        says: "cannot start a thread with a stack of its own",
        everyday: true,
        ..REFUSED
    },
    Fault {
        name: "ulimit -f 0",
        script: "(ulimit -f 0; exec @run); s=$?; test -z \"$(ls runs)\" && whole $s",
        says: "File too large",
        ..REFUSED
    },
    Fault {
        name: "ulimit -f 8",
        script: "(ulimit -f 8; exec @run); s=$?; test -z \"$(ls runs)\" && whole $s",
        says: "File too large",
        everyday: true,
        ..REFUSED
    },
    Fault {
        name: "ulimit -f 48",
        script: "(ulimit -f 48; exec @ run 'syscall/*' --processes 4 --budget-ms 40); whole $?",
        says: "File too large",
        ..REFUSED
    },
    Fault {
        name: "ulimit -n 8",
        script: "ulimit -n 8; @run; whole $?",
        says: "Too many open files",
        everyday: true,
        ..REFUSED
    },
    Fault {
        name: "ulimit -n 12",
        script: "ulimit -n 12; @run; whole $?",
        status: &[0, 2],
        ..PLAIN
    },
    Fault {
        name: "ulimit -t 1",
        script: "(ulimit -t 1; exec @ run mem/latency --axis size=1MiB --axis pages=base --samples 100000 --budget-ms 5000); s=$?; grep -q 'ulimit -t' runs/*/run.json || exit 97; whole $s",
        ..REFUSED
    },
    Fault {
        name: "ulimit -v, for doctor",
        script: "for kib in 50000 60000 70000; do (ulimit -v $kib; exec @ doctor >/dev/null) || exit; done",
        status: &[0, 2],
        ..PLAIN
    },
    Fault {
        name: "ulimit -l 0",
        needs: Needs::User,
        script: "ulimit -l 0; @run --mlock",
        ..PLAIN
    },
    // Missing parts of the system.
    Fault {
        name: "no /proc",
        needs: Needs::Root,
        script: "unshare -m bash -c 'mount -t tmpfs none /proc; exec @run'; whole $?",
        says: "mount -t proc",
        ..REFUSED
    },
    Fault {
        name: "no /sys",
        needs: Needs::Root,
        script: "unshare -m bash -c 'mount -t tmpfs none /sys; exec @run'",
        ..PLAIN
    },
    Fault {
        name: "no /dev",
        needs: Needs::Root,
        script: "unshare -m bash -c 'mount -t tmpfs none /dev; exec @ run syscall/write syscall/read ipc/shm_ring --budget-ms 1'",
        ..PLAIN
    },
    Fault {
        name: "no /proc, doctor",
        needs: Needs::Root,
        script: "unshare -m bash -c 'mount -t tmpfs none /proc; exec @ doctor >/dev/null'",
        ..PLAIN
    },
    Fault {
        name: "no HOME",
        script: "env -u HOME -u XDG_STATE_HOME @run",
        ..PLAIN
    },
    Fault {
        name: "the current folder is gone",
        script: "mkdir gone; cd gone; rmdir ../gone; @run",
        says: "cannot create runs",
        everyday: true,
        ..REFUSED
    },
    Fault {
        name: "TMPDIR is missing",
        script: "TMPDIR=$PWD/none @run; s=$?; test ! -e runs && exit $s",
        says: "point TMPDIR to a folder of your own that can be written",
        everyday: true,
        ..REFUSED
    },
    Fault {
        name: "TMPDIR is read-only",
        needs: Needs::Root,
        script: "mkdir ro; unshare -m bash -c 'mount -t tmpfs -o ro none ro; TMPDIR=$PWD/ro exec @run'",
        says: "point TMPDIR to a folder of your own that can be written",
        ..REFUSED
    },
    Fault {
        name: "TMPDIR is everybody's",
        script: "mkdir -m 777 theirs; TMPDIR=$PWD/theirs @run",
        status: &[2],
        says: "others can replace what lies in",
        ..PLAIN
    },
    Fault {
        name: "a container without root",
        needs: Needs::Root,
        script: "own='setpriv --reuid=1234 --regid=1234 --clear-groups env HOME=/nonexistent unshare -Ur'; $own true || exit 0; $own bash -c '@run'",
        everyday: true,
        ..PLAIN
    },
    // Media.
    Fault {
        name: "the disk is full",
        needs: Needs::Root,
        script: "mkdir runs; unshare -m bash -c 'mount -t tmpfs -o size=64k none runs; @ run \"syscall/*\" --processes 4 --budget-ms 20; s=$?; ls runs/*/*.tmp 2>/dev/null && exit 99; @ report runs/* >/dev/null || exit 98; exit $s'",
        says: "No space left on device",
        ..REFUSED
    },
    Fault {
        name: "the folder is read-only",
        needs: Needs::Root,
        script: "mkdir runs; unshare -m bash -c 'mount -t tmpfs -o ro none runs; exec @run'",
        says: "Read-only file system",
        ..REFUSED
    },
    Fault {
        name: "the folder belongs to another user",
        needs: Needs::User,
        script: "@run --out /proc/1",
        says: "hint:",
        ..REFUSED
    },
    Fault {
        name: "the medium fails to sync",
        refused: Refused::Calls(&[libc::SYS_fsync, libc::SYS_fdatasync], libc::EIO),
        script: "@run; whole $?",
        says: "Input/output error",
        ..REFUSED
    },
    // What ends a measuring process.
    Fault {
        name: "a call that ends the process",
        refused: Refused::Deadly(&[libc::SYS_eventfd2]),
        script: "@ run ipc/eventfd --axis size=64 --budget-ms 1; s=$?; grep -q 'eventfd2' runs/*/run.json || exit 97; whole $s",
        status: &[2],
        ..PLAIN
    },
    Fault {
        name: "a memory cgroup that is too small",
        needs: Needs::Root,
        script: r#"name=pontage-faults-$$
if [ -f /sys/fs/cgroup/memory/memory.limit_in_bytes ]; then group=/sys/fs/cgroup/memory/$name; limit=memory.limit_in_bytes
elif [ -f /sys/fs/cgroup/cgroup.controllers ]; then group=/sys/fs/cgroup/$name; limit=memory.max
else echo 'no memory controller' >&2; exit 77; fi
mkdir $group && echo 64M >$group/$limit || { rmdir $group; echo 'no memory controller' >&2; exit 77; }
(echo $BASHPID >$group/cgroup.procs; exec @ run mem/latency --axis size=128MiB --budget-ms 1); s=$?
rmdir $group
grep -q 'by the out-of-memory killer: ' runs/*/run.json || exit 97
whole $s"#,
        ..REFUSED
    },
    // Sandboxes.
    Fault {
        name: "memfd_create is refused",
        refused: Refused::Calls(&[libc::SYS_memfd_create], libc::EPERM),
        script: "@ run ipc/vmsplice --axis size=4096 --budget-ms 1",
        status: &[0, 77],
        everyday: true,
        ..PLAIN
    },
    Fault {
        name: "sched_setaffinity is refused",
        refused: Refused::Calls(&[libc::SYS_sched_setaffinity], libc::EPERM),
        script: "@ run ipc/eventfd --axis size=64 --budget-ms 1",
        status: &[0, 77],
        everyday: true,
        ..PLAIN
    },
];
