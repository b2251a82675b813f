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
    /// Promises that a program can build on.
    pub keeps: &'static [Promise],
}

/// What a program may demand of a way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Promise {
    /// A message arrives as it was sent, not as a part of a stream.
    Boundaries,
    /// Nothing is lost, and nothing overtakes (messages of one priority).
    Order,
    /// Programs without a common ancestor find each other by a name or an address.
    UnrelatedProcesses,
    /// Neither side can change what the other one holds, or read its memory.
    Isolation,
    /// The sender's buffer is its own again when the call returns.
    BufferReuse,
    /// The same calls reach another machine.
    Network,
}

impl Promise {
    /// In the order in which they are named.
    pub const ALL: [Promise; 6] = [
        Promise::Boundaries,
        Promise::Order,
        Promise::UnrelatedProcesses,
        Promise::Isolation,
        Promise::BufferReuse,
        Promise::Network,
    ];

    /// As it is typed.
    pub fn word(self) -> &'static str {
        match self {
            Promise::Boundaries => "boundaries",
            Promise::Order => "order",
            Promise::UnrelatedProcesses => "unrelated-processes",
            Promise::Isolation => "isolation",
            Promise::BufferReuse => "buffer-reuse",
            Promise::Network => "network",
        }
    }

    /// What it means, for the help.
    pub fn doc(self) -> &'static str {
        match self {
            Promise::Boundaries => "a message arrives as it was sent, not as part of a stream",
            Promise::Order => "nothing is lost or overtaken",
            Promise::UnrelatedProcesses => "the two sides find each other by a name or an address",
            Promise::Isolation => "neither side can reach the other's memory",
            Promise::BufferReuse => "the sender may change its buffer when the call returns",
            Promise::Network => "the same calls reach another machine",
        }
    }
}

const ORDERED: &str = "in order, nothing lost";

macro_rules! semantics {
    ($($id:literal: $copies:literal, $boundaries:literal, $ordering:expr, $needs:literal,
        [$($promise:ident)*];)+) => {
        &[$(Semantics {
            id: $id,
            copies: $copies,
            boundaries: $boundaries,
            ordering: $ordering,
            needs: $needs,
            keeps: &[$(Promise::$promise),*],
        }),+]
    };
}

/// By id of the experiment.
pub const SEMANTICS: &[Semantics] = semantics! {
    "ipc/memcpy": "1", "memory of one thread", ORDERED, "nothing: the floor, no second task",
        [];
    "ipc/shm_ring": "2, none in the kernel", "whatever both sides agree on", ORDERED,
        "memory that both map (memfd: Linux 3.17); both sides must trust each other",
        [Boundaries Order UnrelatedProcesses BufferReuse];
    "ipc/futex": "0 for the hand-off; the data stays in place", "one slot", ORDERED,
        "memory that both map; both sides must trust each other",
        [Boundaries Order UnrelatedProcesses];
    "ipc/eventfd": "0 for the hand-off; the data stays in place", "one slot", ORDERED,
        "memory that both map; Linux 2.6.22",
        [Boundaries Order];
    "ipc/pipe": "2", "stream; writes of up to 4096 bytes stay whole", ORDERED, "nothing",
        [Order UnrelatedProcesses Isolation BufferReuse];
    "ipc/unix_stream": "2", "stream", ORDERED, "nothing",
        [Order UnrelatedProcesses Isolation BufferReuse];
    "ipc/unix_seqpacket": "2", "messages", ORDERED, "nothing; size limited by the socket buffer",
        [Boundaries Order UnrelatedProcesses Isolation BufferReuse];
    "ipc/unix_dgram": "2", "messages", ORDERED, "nothing; size limited by the socket buffer",
        [Boundaries Order UnrelatedProcesses Isolation BufferReuse];
    "ipc/unix_hot_potato": "2", "stream", ORDERED, "nothing",
        [Order UnrelatedProcesses Isolation BufferReuse];
    "ipc/tcp": "2", "stream", ORDERED, "a port; also leaves the machine",
        [Order UnrelatedProcesses Isolation BufferReuse Network];
    "ipc/tcp_zerocopy": "1, or 2 where the kernel falls back", "stream", ORDERED,
        "Linux 4.14; the buffer must not change until the kernel reports it free; over loopback \
         the kernel copies",
        [Order UnrelatedProcesses Isolation Network];
    "ipc/udp": "2", "messages of up to 65507 bytes",
        "may be lost when the receiver is slow", "a port; also leaves the machine",
        [Boundaries UnrelatedProcesses Isolation BufferReuse Network];
    "ipc/mq_posix": "2", "messages with priorities", "in order within a priority",
        "limits of /proc/sys/fs/mqueue",
        [Boundaries Order UnrelatedProcesses Isolation BufferReuse];
    "ipc/mq_sysv": "2", "messages with types", ORDERED, "limits kernel.msgmax and msgmnb",
        [Boundaries Order UnrelatedProcesses Isolation BufferReuse];
    "ipc/vmsplice": "1", "stream", ORDERED,
        "Linux 2.6.17; pages handed over must not be touched until they are read",
        [Order UnrelatedProcesses];
    "ipc/splice": "0 between descriptors", "stream", ORDERED,
        "Linux 2.6.17; both ends are descriptors, one of them a pipe",
        [Order UnrelatedProcesses Isolation];
    "ipc/process_vm": "1", "whatever both sides agree on", ORDERED,
        "Linux 3.2; the right to trace the other process (ptrace_scope)",
        [Boundaries Order];
    "ipc/io_uring": "2", "stream", ORDERED, "Linux 5.1; kernel.io_uring_disabled = 0",
        [Order UnrelatedProcesses Isolation];
};

/// The properties of an experiment's transport.
pub fn of(id: &str) -> Option<&'static Semantics> {
    SEMANTICS.iter().find(|s| s.id == id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn promises_agree_with_what_is_said_in_words() {
        for s in SEMANTICS {
            let keeps = |promise| s.keeps.contains(&promise);
            let stream = s.boundaries.starts_with("stream");
            assert!(!(stream && keeps(Promise::Boundaries)), "{}", s.id);
            let lossy = s.ordering.contains("lost when");
            assert!(!(lossy && keeps(Promise::Order)), "{}", s.id);
            let trusts = s.needs.contains("must trust each other");
            assert!(!(trusts && keeps(Promise::Isolation)), "{}", s.id);
            let shared = s.needs.contains("must not ") || s.boundaries == "one slot";
            assert!(!(shared && keeps(Promise::BufferReuse)), "{}", s.id);
            let leaves = s.needs.contains("leaves the machine");
            assert!(!leaves || keeps(Promise::Network), "{}", s.id);
            let once = Promise::ALL.map(|p| s.keeps.iter().filter(|k| **k == p).count());
            assert!(once.iter().all(|count| *count <= 1), "{}", s.id);
        }
        assert!(of("ipc/memcpy").is_some_and(|floor| floor.keeps.is_empty()));
    }
}
