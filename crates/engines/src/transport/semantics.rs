//! What each transport guarantees, for the choice of one.

use serde::Serialize;

/// The properties on which a choice may turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Semantics {
    pub id: &'static str,
    /// Times that the bytes are copied from one side's buffer to the other's.
    pub copies: &'static str,
    /// What arrives: a stream of bytes, or messages as they were sent.
    pub boundaries: &'static str,
    /// Whether bytes may be lost or overtake each other.
    pub ordering: &'static str,
    /// First kernel that has it, and what it demands of the user.
    pub needs: &'static str,
}

const ORDERED: &str = "in order, nothing lost";

macro_rules! semantics {
    ($($id:literal: $copies:literal, $boundaries:literal, $ordering:expr, $needs:literal;)+) => {
        &[$(Semantics {
            id: $id,
            copies: $copies,
            boundaries: $boundaries,
            ordering: $ordering,
            needs: $needs,
        }),+]
    };
}

/// By id of the experiment.
pub const SEMANTICS: &[Semantics] = semantics! {
    "ipc/memcpy": "1", "memory of one thread", ORDERED, "nothing: the floor, no second task";
    "ipc/shm_ring": "2, none in the kernel", "whatever both sides agree on", ORDERED,
        "memory that both map (memfd: Linux 3.17); both sides must trust each other";
    "ipc/futex": "0 for the hand-off; the data stays in place", "one slot", ORDERED,
        "memory that both map; both sides must trust each other";
    "ipc/eventfd": "0 for the hand-off; the data stays in place", "one slot", ORDERED,
        "memory that both map; Linux 2.6.22";
    "ipc/pipe": "2", "stream; writes of up to 4096 bytes stay whole", ORDERED, "nothing";
    "ipc/unix_stream": "2", "stream", ORDERED, "nothing";
    "ipc/unix_seqpacket": "2", "messages", ORDERED, "nothing; size limited by the socket buffer";
    "ipc/unix_dgram": "2", "messages", ORDERED, "nothing; size limited by the socket buffer";
    "ipc/unix_hot_potato": "2", "stream", ORDERED, "nothing";
    "ipc/tcp": "2", "stream", ORDERED, "a port; also leaves the machine";
    "ipc/tcp_zerocopy": "1, or 2 where the kernel falls back", "stream", ORDERED,
        "Linux 4.14; the buffer must not change until the kernel reports it free; over loopback \
         the kernel copies";
    "ipc/udp": "2", "messages of up to 65507 bytes",
        "may be lost when the receiver is slow", "a port; also leaves the machine";
    "ipc/mq_posix": "2", "messages with priorities", "in order within a priority",
        "limits of /proc/sys/fs/mqueue";
    "ipc/mq_sysv": "2", "messages with types", ORDERED, "limits kernel.msgmax and msgmnb";
    "ipc/vmsplice": "1", "stream", ORDERED,
        "Linux 2.6.17; pages handed over must not be touched until they are read";
    "ipc/splice": "0 between descriptors", "stream", ORDERED,
        "Linux 2.6.17; both ends are descriptors, one of them a pipe";
    "ipc/process_vm": "1", "whatever both sides agree on", ORDERED,
        "Linux 3.2; the right to trace the other process (ptrace_scope)";
    "ipc/io_uring": "2", "stream", ORDERED, "Linux 5.1; kernel.io_uring_disabled = 0";
};

/// The properties of an experiment's transport.
pub fn of(id: &str) -> Option<&'static Semantics> {
    SEMANTICS.iter().find(|s| s.id == id)
}
