//! A bare loop in C over the same system calls as `ipc/pipe`, `ipc/unix_stream`
//! and `ipc/tcp`, compiled here and now.

use super::compiler::{compile, must_be_there};
use super::ours::Ours;
use super::row::{Row, Rows};
use super::turns::Turns;
use crate::command::succeed;
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
pub fn loops(ours: &Ours) -> Rows {
    must_be_there("ipc against a bare C loop")?;
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
        let turns = Turns::about(
            TURNS,
            "ns",
            || self.our_message_ns(ours),
            || self.bare_message_ns(ours, bare),
        )?;
        let what = format!("{} {} {} B", self.id, self.mode, self.bytes);
        Ok(turns.row(&what, "C loop", 0.97..=1.03))
    }

    fn bare_message_ns(&self, ours: &Ours, bare: &Path) -> Result<f64, String> {
        let mut command = Command::new(bare);
        command.args([self.transport, self.mode, &self.bytes.to_string()]);
        command.args([BUDGET_MS, &ours.cpu.to_string(), &self.messages.to_string()]);
        let text = succeed(&mut command)?.stdout;
        text.trim()
            .parse()
            .map_err(|e| format!("cannot read the bare loop's {text:?}: {e}"))
    }

    fn our_message_ns(&self, ours: &Ours) -> Result<f64, String> {
        let options = format!("--full --processes 1 --budget-ms {BUDGET_MS}");
        let axes = format!(
            "size={} mode={} total={} pattern=stream placement=same_cpu partner=idle buffer=0",
            self.bytes,
            self.mode,
            self.bytes * self.messages
        );
        ours.median(self.id, &options, &axes)
    }
}
