//! A bare loop in C over the same system calls as `ipc/pipe`, `ipc/unix_stream`
//! and `ipc/tcp`, compiled here and now.

use super::command::succeed;
use super::compiler::{INSTALL, compile, is_there};
use super::ipc::median_of_point;
use super::numbers::summary;
use super::ours::Ours;
use super::row::Row;
use super::syscall::turn_about;
use std::path::Path;
use std::process::Command;

const SOURCE: &str = include_str!("bare_loop.c");

/// Our experiment and what the loop calls the same.
const TRANSPORTS: [(&str, &str); 3] = [
    ("ipc/pipe", "pipe"),
    ("ipc/unix_stream", "unix"),
    ("ipc/tcp", "tcp"),
];
const ALONE: &str = "1thread";
const MODES: [&str; 2] = [ALONE, "2processes"];
/// Bytes of a message, and messages of a sample between two processes: some 30 ms.
/// Between samples the sender has the CPU to itself for a moment, and the scheduler
/// gives that back to the receiver in the first milliseconds of the next; an endless
/// loop has no such pauses.
const SIZES: [(u64, u64); 3] = [(1, 1 << 16), (512, 1 << 16), (4096, 1 << 14)];
/// Turns of each, in alternation, of so much measuring.
const TURNS: usize = 15;
const BUDGET_MS: &str = "150";

/// Cost of a message, ours against the bare loop, for each transport, mode and size.
pub fn loops(ours: &Ours) -> Result<Vec<Row>, String> {
    if !is_there() {
        return Ok(vec![Row::skipped(
            "ipc against a bare C loop",
            "no C compiler",
            INSTALL,
        )]);
    }
    let bare = compile(&ours.folder, "bare_loop", SOURCE)?;
    let mut rows = Vec::new();
    for (id, transport) in TRANSPORTS {
        for mode in MODES {
            for (bytes, messages) in SIZES {
                let stream = Stream {
                    id,
                    transport,
                    mode,
                    bytes,
                    messages: if mode == ALONE { 0 } else { messages },
                };
                rows.push(stream.compared(ours, &bare)?);
            }
        }
    }
    Ok(rows)
}

/// What is compared.
struct Stream {
    id: &'static str,
    transport: &'static str,
    mode: &'static str,
    bytes: u64,
    /// Of a sample; 0: as many as last 2 ms.
    messages: u64,
}

impl Stream {
    fn compared(&self, ours: &Ours, bare: &Path) -> Result<Row, String> {
        let (mine, theirs) = turn_about(
            TURNS,
            || self.our_message_ns(ours),
            || self.bare_message_ns(ours, bare),
        )?;
        Ok(Row::paired(
            &format!("{} {} {} B", self.id, self.mode, self.bytes),
            (&mine, summary(&mine, "ns")),
            (&theirs, format!("{} C loop", summary(&theirs, "ns"))),
            0.97,
            1.03,
        ))
    }

    fn bare_message_ns(&self, ours: &Ours, bare: &Path) -> Result<f64, String> {
        let (bytes, cpu) = (self.bytes.to_string(), ours.cpu.to_string());
        let messages = self.messages.to_string();
        let mut command = Command::new(bare);
        command.args([
            self.transport,
            self.mode,
            &bytes,
            BUDGET_MS,
            &cpu,
            &messages,
        ]);
        let text = succeed(&mut command)?.stdout;
        text.trim()
            .parse()
            .map_err(|e| format!("cannot read the bare loop's {text:?}: {e}"))
    }

    fn our_message_ns(&self, ours: &Ours) -> Result<f64, String> {
        let (size, mode) = (
            format!("size={}", self.bytes),
            format!("mode={}", self.mode),
        );
        let total = format!("total={}", self.bytes * self.messages);
        let budget = ["--processes", "1", "--budget-ms", BUDGET_MS];
        let axes = [
            size.as_str(),
            mode.as_str(),
            total.as_str(),
            "pattern=stream",
            "placement=same_cpu",
            "partner=idle",
            "buffer=0",
        ];
        median_of_point(ours, self.id, &budget, &axes)
    }
}
