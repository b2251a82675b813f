//! The faults. Everything here ends with 0, with 2 and a cause, or with 77 and a remedy;
//! what was measured before is kept.

use crate::fault::{Fault, Needs, Refused};

/// Needs nothing, nothing is refused.
const PLAIN: Fault = Fault {
    name: "",
    needs: Needs::Nothing,
    refused: Refused::Nothing,
    script: "",
    status: &[0],
    says: "",
    everyday: false,
};
const ROOT: Fault = PLAIN.with(Needs::Root);
const USER: Fault = PLAIN.with(Needs::User);

type Text = &'static str;

impl Fault {
    const fn with(self, needs: Needs) -> Fault {
        Fault { needs, ..self }
    }

    /// Short and representative.
    const fn everyday(self) -> Fault {
        let everyday = true;
        Fault { everyday, ..self }
    }

    /// With these calls refused meanwhile.
    const fn while_refused(self, refused: Refused) -> Fault {
        Fault { refused, ..self }
    }

    /// This script ends well, and says nothing in particular.
    const fn ends(self, name: Text, script: Text) -> Fault {
        self.ends_with(&[0], name, script, "")
    }

    /// This script ends with 2, and says why.
    const fn fails(self, name: Text, script: Text, says: Text) -> Fault {
        self.ends_with(&[2], name, script, says)
    }

    /// This script ends with one of these statuses.
    const fn ends_with(
        self,
        status: &'static [i32],
        name: Text,
        script: Text,
        says: Text,
    ) -> Fault {
        Fault {
            name,
            script,
            status,
            says,
            ..self
        }
    }
}

/// Every fault that the program must survive, in the order of the report.
pub const FAULTS: &[Fault] = &[
    // Whoever reads leaves, or nothing can be written there.
    PLAIN.everyday().ends("reader of stderr leaves at once", "@run 2> >(true)"),
    PLAIN.ends(
        "reader of stderr leaves after 60 bytes",
        "@run 2>&1 >/dev/null | head -c 60; exit ${PIPESTATUS[0]}",
    ),
    PLAIN.ends(
        "reader of stdout leaves",
        "@ list | head -c 1 >/dev/null; exit ${PIPESTATUS[0]}",
    ),
    PLAIN.ends("all three closed", "@run <&- >&- 2>&-"),
    PLAIN.everyday().ends("stderr is full", "@run 2>/dev/full"),
    PLAIN.fails(
        "stdout is full",
        "@run >/dev/full; s=$?; test -e runs/*/report.html && whole $s",
        "cannot write standard output: No space left on device",
    ),
    PLAIN.fails("both are full", "@run >/dev/full 2>&1; whole $?", ""),
    // Names are bytes.
    PLAIN.everyday().ends(
        "--out is not UTF-8",
        "@run --out $'\\xff'; s=$?; grep -q 'words are not UTF-8' $'\\xff'/*/run.json || exit 97; exit $s",
    ),
    PLAIN.everyday().ends(
        "a recipe's name is not UTF-8",
        "printf 'title = \"t\"\\n[[experiment]]\\nid = \"syscall/getppid\"\\nbudget_ms = 5\\n' >$'\\xff.toml'; @ run $'\\xff.toml'",
    ),
    PLAIN.fails(
        "an experiment's name is not UTF-8",
        "@ run $'\\xff'",
        "cannot find experiment",
    ),
    PLAIN.ends(
        "TMPDIR is not UTF-8",
        "mkdir $'\\xff'; TMPDIR=$PWD/$'\\xff' @run",
    ),
    PLAIN.ends(
        "the current folder is not UTF-8",
        "mkdir $'\\xff'; cd $'\\xff'; @run",
    ),
    PLAIN.fails(
        "a file to import is not UTF-8",
        "@ import ipc-benchmark $'\\xff'",
        "cannot import",
    ),
    PLAIN.ends_with(
        &[0, 77],
        "the folder of copies is not UTF-8",
        "@ copies --seconds 1 --records --out $'\\xff'",
        "",
    ),
    PLAIN.ends(
        "doctor's root is not UTF-8",
        "mkdir -p $'\\xff'/proc; @ doctor --format json --root $'\\xff' | grep -q capabilities",
    ),
    // Limits.
    PLAIN.everyday().while_refused(Refused::Threads).fails(
        "threads are refused",
        "@run; whole $?",
        "cannot start a thread",
    ),
    USER.fails(
        "ulimit -u 1",
        "(ulimit -u 1; exec @run); whole $?",
        "cannot start the measuring process",
    ),
    USER.ends_with(
        &[2, 77],
        "ulimit -u 1, ipc",
        "(ulimit -u 1; exec @ ipc -i pipe 2thread)",
        "Resource temporarily unavailable",
    ),
    PLAIN.everyday().ends("ulimit -s 64", "ulimit -s 64; exec @run"),
    PLAIN.everyday().while_refused(Refused::Threads).fails(
        "ulimit -s 64, no threads",
        "ulimit -s 64; exec @run",
        "cannot start a thread with its own stack",
    ),
    PLAIN.fails(
        "ulimit -f 0",
        "(ulimit -f 0; exec @run); s=$?; test -z \"$(ls runs)\" && whole $s",
        "File too large",
    ),
    PLAIN.everyday().fails(
        "ulimit -f 8",
        "(ulimit -f 8; exec @run); s=$?; test -z \"$(ls runs)\" && whole $s",
        "File too large",
    ),
    PLAIN.fails(
        "ulimit -f 48",
        "(ulimit -f 48; exec @ run 'syscall/*' --processes 4 --budget-ms 40); whole $?",
        "File too large",
    ),
    PLAIN.everyday().fails(
        "ulimit -n 8",
        "ulimit -n 8; @run; whole $?",
        "Too many open files",
    ),
    PLAIN.ends_with(&[0, 2], "ulimit -n 12", "ulimit -n 12; @run; whole $?", ""),
    PLAIN.fails(
        "ulimit -t 1",
        "(ulimit -t 1; exec @ run mem/latency --axis size=1MiB --axis pages=base --samples 100000 --budget-ms 5000); s=$?; grep -q 'ulimit -t' runs/*/run.json || exit 97; whole $s",
        "",
    ),
    PLAIN.ends_with(
        &[0, 2],
        "ulimit -v, for doctor",
        "for kib in 50000 60000 70000; do (ulimit -v $kib; exec @ doctor >/dev/null) || exit; done",
        "",
    ),
    USER.ends("ulimit -l 0", "ulimit -l 0; @run --mlock"),
    // Missing parts of the system.
    ROOT.fails(
        "no /proc",
        "unshare -m bash -c 'mount -t tmpfs none /proc; exec @run'; whole $?",
        "mount -t proc",
    ),
    ROOT.ends(
        "no /sys",
        "unshare -m bash -c 'mount -t tmpfs none /sys; exec @run'",
    ),
    ROOT.ends(
        "no /dev",
        "unshare -m bash -c 'mount -t tmpfs none /dev; exec @ run syscall/write syscall/read ipc/shm_ring --budget-ms 1'",
    ),
    ROOT.ends(
        "no /proc, doctor",
        "unshare -m bash -c 'mount -t tmpfs none /proc; exec @ doctor >/dev/null'",
    ),
    PLAIN.ends("no HOME", "env -u HOME -u XDG_STATE_HOME @run"),
    PLAIN.everyday().fails(
        "the current folder is gone",
        "mkdir gone; cd gone; rmdir ../gone; @run",
        "cannot create runs",
    ),
    PLAIN.everyday().fails(
        "TMPDIR is missing",
        "TMPDIR=$PWD/none @run; s=$?; test ! -e runs && exit $s",
        "set TMPDIR to a writable folder that you own",
    ),
    ROOT.fails(
        "TMPDIR is read-only",
        "mkdir ro; unshare -m bash -c 'mount -t tmpfs -o ro none ro; TMPDIR=$PWD/ro exec @run'",
        "set TMPDIR to a writable folder that you own",
    ),
    PLAIN.fails(
        "TMPDIR is everybody's",
        "mkdir -m 777 theirs; TMPDIR=$PWD/theirs @run",
        "others can replace files in",
    ),
    ROOT.everyday().ends(
        "a container without root",
        "own='setpriv --reuid=1234 --regid=1234 --clear-groups env HOME=/nonexistent unshare -Ur'; $own true || exit 0; $own bash -c '@run'",
    ),
    // Media.
    ROOT.fails(
        "the disk is full",
        "mkdir runs; unshare -m bash -c 'mount -t tmpfs -o size=64k none runs; @ run \"syscall/*\" --processes 4 --budget-ms 20; s=$?; ls runs/*/*.tmp 2>/dev/null && exit 99; @ report runs/* >/dev/null || exit 98; exit $s'",
        "No space left on device",
    ),
    ROOT.fails(
        "the folder is read-only",
        "mkdir runs; unshare -m bash -c 'mount -t tmpfs -o ro none runs; exec @run'",
        "Read-only file system",
    ),
    USER.fails(
        "the folder belongs to another user",
        "@run --out /proc/1",
        "hint:",
    ),
    PLAIN.while_refused(Refused::Calls(&[libc::SYS_fsync, libc::SYS_fdatasync], libc::EIO)).fails(
        "the medium fails to sync",
        "@run; whole $?",
        "Input/output error",
    ),
    // What ends a measuring process.
    PLAIN.while_refused(Refused::Deadly(&[libc::SYS_eventfd2])).fails(
        "a call that ends the process",
        "@ run ipc/eventfd --axis size=64 --budget-ms 1; s=$?; grep -q 'eventfd2' runs/*/run.json || exit 97; whole $s",
        "",
    ),
    ROOT.fails(
        "a memory cgroup that is too small",
        r#"name=pontage-faults-$$
if [ -f /sys/fs/cgroup/memory/memory.limit_in_bytes ]; then group=/sys/fs/cgroup/memory/$name; limit=memory.limit_in_bytes
elif [ -f /sys/fs/cgroup/cgroup.controllers ]; then group=/sys/fs/cgroup/$name; limit=memory.max
else echo 'no memory controller' >&2; exit 77; fi
mkdir $group && echo 64M >$group/$limit || { rmdir $group; echo 'no memory controller' >&2; exit 77; }
(echo $BASHPID >$group/cgroup.procs; exec @ run mem/latency --axis size=128MiB --budget-ms 1); s=$?
rmdir $group
grep -q 'by the out-of-memory killer: ' runs/*/run.json || exit 97
whole $s"#,
        "",
    ),
    // Sandboxes.
    PLAIN
        .everyday()
        .while_refused(Refused::Calls(&[libc::SYS_memfd_create], libc::EPERM))
        .ends_with(
            &[0, 77],
            "memfd_create is refused",
            "@ run ipc/vmsplice --axis size=4096 --budget-ms 1",
            "",
        ),
    PLAIN
        .everyday()
        .while_refused(Refused::Calls(&[libc::SYS_sched_setaffinity], libc::EPERM))
        .ends_with(
            &[0, 77],
            "sched_setaffinity is refused",
            "@ run ipc/eventfd --axis size=64 --budget-ms 1",
            "",
        ),
];
