//! Sizes at which the kernel or the machine is known to change its ways.

use super::WhatIf;
use record::{CacheKind, MachineCard};

/// Writes of up to this many bytes are not interleaved with others (pipe(7));
/// 4096 on Linux.
pub const PIPE_BUF_BYTES: u64 = 4096;
/// From about here on MSG_ZEROCOPY pays for its page accounting
/// (Documentation/networking/msg_zerocopy.rst: "around 10 KB").
pub const ZEROCOPY_BYTES: u64 = 10 << 10;

/// A size with a name.
#[derive(Debug, Clone, PartialEq)]
pub struct Threshold {
    /// `pipe capacity`.
    pub name: String,
    pub bytes: u64,
    /// Where the number comes from: `F_GETPIPE_SZ`.
    pub source: String,
    /// How to move it, as a clause; None where it cannot be moved.
    pub remedy: Option<String>,
    /// The sweep with it moved, where that was measured.
    pub what_if: Option<WhatIf>,
    /// Words of the evidence by which it shows itself: `switches`. A knee at a
    /// threshold without such evidence is a coincidence until shown otherwise.
    pub shows_in: Vec<&'static str>,
}

/// What one run knows beyond the machine card. None: not a matter of this
/// experiment, or not known.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Facts {
    /// What F_GETPIPE_SZ returned for the pipe in use.
    pub pipe_bytes: Option<u64>,
    /// The same sweep over a pipe of another capacity.
    pub pipe_what_if: Option<WhatIf>,
    /// What SO_SNDBUF and SO_RCVBUF returned for the sockets in use.
    pub send_buffer_bytes: Option<u64>,
    pub receive_buffer_bytes: Option<u64>,
    /// MTU of the loopback device.
    pub loopback_mtu_bytes: Option<u64>,
    /// The sender asks for MSG_ZEROCOPY.
    pub zerocopy: bool,
    /// Two buffers of the message's size are touched on one cache: it holds
    /// messages of half its size.
    pub two_buffers: bool,
}

/// Thresholds of this machine and this run, smallest first.
pub fn thresholds(card: &MachineCard, facts: &Facts) -> Vec<Threshold> {
    let mut found = Vec::new();
    if card.page_bytes > 0 {
        found.push(plain("page", card.page_bytes, "machine card"));
    }
    pipe(facts, &mut found);
    sockets(facts, &mut found);
    if facts.zerocopy {
        found.push(plain(
            "MSG_ZEROCOPY threshold",
            ZEROCOPY_BYTES,
            "kernel documentation",
        ));
    }
    caches(card, facts.two_buffers, &mut found);
    found.sort_by_key(|t| t.bytes);
    found
}

fn plain(name: &str, bytes: u64, source: &str) -> Threshold {
    Threshold {
        name: name.to_owned(),
        bytes,
        source: source.to_owned(),
        remedy: None,
        what_if: None,
        shows_in: Vec::new(),
    }
}

fn pipe(facts: &Facts, found: &mut Vec<Threshold>) {
    let Some(capacity) = facts.pipe_bytes else {
        return;
    };
    found.push(plain("PIPE_BUF", PIPE_BUF_BYTES, "pipe(7)"));
    found.push(Threshold {
        remedy: Some("fcntl F_SETPIPE_SZ raises it, up to fs.pipe-max-size".to_owned()),
        what_if: facts.pipe_what_if.clone(),
        // A write that does not fit sleeps, and comes back in parts.
        shows_in: vec!["switches", "calls"],
        ..plain("pipe capacity", capacity, "F_GETPIPE_SZ")
    });
}

fn sockets(facts: &Facts, found: &mut Vec<Threshold>) {
    let buffers = [
        (
            "send buffer",
            facts.send_buffer_bytes,
            "SO_SNDBUF",
            "net.core.wmem_max",
        ),
        (
            "receive buffer",
            facts.receive_buffer_bytes,
            "SO_RCVBUF",
            "net.core.rmem_max",
        ),
    ];
    for (name, bytes, option, limit) in buffers {
        let Some(bytes) = bytes else { continue };
        found.push(Threshold {
            remedy: Some(format!("{option} raises it, up to {limit}")),
            shows_in: vec!["switches", "calls"],
            ..plain(name, bytes, option)
        });
    }
    if let Some(mtu) = facts.loopback_mtu_bytes {
        found.push(Threshold {
            remedy: Some("ip link set lo mtu N changes it".to_owned()),
            shows_in: vec!["segments", "packets"],
            ..plain("lo MTU", mtu, "ip link show lo")
        });
    }
}

fn caches(card: &MachineCard, two_buffers: bool, found: &mut Vec<Threshold>) {
    for cache in card.data_caches() {
        let name = match cache.kind {
            CacheKind::Data => format!("L{}d", cache.level),
            _ => format!("L{}", cache.level),
        };
        let mut add = |name: &str, bytes| {
            found.push(Threshold {
                shows_in: vec!["refills", "misses"],
                ..plain(name, bytes, "machine card")
            });
        };
        add(&name, cache.size_bytes);
        if two_buffers {
            add(
                &format!("half of {name} (two buffers share it)"),
                cache.size_bytes / 2,
            );
        }
    }
}
