//! What is killed: each command makes other things on the machine.

/// A command and the time in which it is killed.
pub struct Victim {
    pub name: &'static str,
    /// As typed behind the program's name; `OUT` stands for the round's own folder.
    pub line: &'static str,
    pub longest_ms: u64,
    /// It leaves run folders under `OUT`.
    pub records: bool,
    /// It leaves `OUT/trace.dat.spool`.
    pub spool: bool,
}

/// Every command that changes the machine or leaves files.
pub const VICTIMS: &[Victim] = &[
    Victim {
        name: "run",
        // Huge pages through the journal, System V and POSIX queues, scratch files.
        line: "run ipc/mq_sysv ipc/mq_posix syscall/read --huge-pages 2 --budget-ms 30 --out OUT",
        longest_ms: 3000,
        records: true,
        spool: false,
    },
    Victim {
        name: "ipc",
        // Messages that the kernel's own limits let through.
        line: "ipc -B -i mq_sysv -b 8192 -n 100000 2proc",
        longest_ms: 1500,
        records: false,
        spool: false,
    },
    Victim {
        name: "colocate",
        line: "colocate --a alu --b 'cmd:sort /proc/self/maps' --out OUT",
        longest_ms: 3000,
        records: true,
        spool: false,
    },
    Victim {
        name: "trace",
        // Without a command: a recorded one is the user's, and outlives the recorder.
        line: "trace record -e sched -o OUT/trace.dat --seconds 60",
        longest_ms: 2500,
        records: false,
        spool: true,
    },
    Victim {
        name: "persist",
        line: "persist log OUT/log --records 1000000",
        longest_ms: 1500,
        records: false,
        spool: false,
    },
    Victim {
        name: "pollute",
        line: "pollute --victim susan_s_small --out OUT",
        longest_ms: 3000,
        records: true,
        spool: false,
    },
];
