//! A bare loop in C over the same system calls as `ipc/pipe`, `ipc/unix_stream`
//! and `ipc/tcp`, compiled here and now.

use super::command::{finish, succeed};
use super::json::{Measured, points};
use super::numbers::said;
use super::ours::Ours;
use super::row::Row;
use std::path::{Path, PathBuf};
use std::process::Command;

const SOURCE: &str = include_str!("bare_loop.c");
const COMPILER: &str = "cc";
const INSTALL: &str = "apt install gcc";

/// Our experiment and what the loop calls the same.
const TRANSPORTS: [(&str, &str); 3] = [
    ("ipc/pipe", "pipe"),
    ("ipc/unix_stream", "unix"),
    ("ipc/tcp", "tcp"),
];
const MODES: [&str; 2] = ["1thread", "2processes"];
const SIZES: [&str; 3] = ["1", "512", "4096"];
/// Turns of each, in alternation, of so much measuring for each size.
const TURNS: usize = 31;
const BUDGET_MS: &str = "50";

/// Cost of a message, ours against the bare loop, for each transport, mode and size.
pub fn loops(ours: &Ours) -> Result<Vec<Row>, String> {
    if finish(Command::new(COMPILER).arg("--version")).is_err() {
        return Ok(vec![Row::skipped(
            "ipc against a bare C loop",
            "no C compiler",
            INSTALL,
        )]);
    }
    let bare = compile(&ours.folder)?;
    let mut rows = Vec::new();
    for (id, transport) in TRANSPORTS {
        for mode in MODES {
            rows.extend(compared(ours, &bare, (id, transport), mode)?);
        }
    }
    Ok(rows)
}

fn compile(folder: &Path) -> Result<PathBuf, String> {
    let (source, program) = (folder.join("bare_loop.c"), folder.join("bare_loop"));
    std::fs::write(&source, SOURCE)
        .map_err(|e| format!("cannot write {}: {e}", source.display()))?;
    let mut compiler = Command::new(COMPILER);
    succeed(compiler.args(["-O2", "-o"]).arg(&program).arg(&source))?;
    Ok(program)
}

/// Times by size: ours and the loop's, turn by turn.
#[derive(Default, Clone)]
struct Pairs {
    ours: Vec<f64>,
    bare: Vec<f64>,
}

fn compared(
    ours: &Ours,
    bare: &Path,
    (id, transport): (&str, &str),
    mode: &str,
) -> Result<Vec<Row>, String> {
    let mut pairs = vec![Pairs::default(); SIZES.len()];
    for turn in 0..TURNS {
        for half in 0..2 {
            // A B B A: each goes first as often as the other.
            if (turn + half) % 2 == 0 {
                let found = our_messages(ours, id, mode)?;
                for (pair, size) in pairs.iter_mut().zip(SIZES) {
                    pair.ours.push(of_size(&found, size, id)?);
                }
            } else {
                for (pair, size) in pairs.iter_mut().zip(SIZES) {
                    pair.bare
                        .push(bare_message_ns(ours, bare, [transport, mode, size])?);
                }
            }
        }
    }
    let rows = pairs.iter().zip(SIZES).map(|(pair, size)| {
        Row::paired(
            &format!("{id} {mode} {size} B"),
            (&pair.ours, said(&pair.ours, "ns")),
            (&pair.bare, format!("{} C loop", said(&pair.bare, "ns"))),
            0.97,
            1.03,
        )
    });
    Ok(rows.collect())
}

fn bare_message_ns(ours: &Ours, bare: &Path, words: [&str; 3]) -> Result<f64, String> {
    let mut command = Command::new(bare);
    command.args(words).args([BUDGET_MS, &ours.cpu.to_string()]);
    let text = succeed(&mut command)?.stdout;
    text.trim()
        .parse()
        .map_err(|e| format!("cannot read the bare loop's {text:?}: {e}"))
}

fn our_messages(ours: &Ours, id: &str, mode: &str) -> Result<Vec<Measured>, String> {
    let (cpu, mode) = (ours.cpu.to_string(), format!("mode={mode}"));
    let sizes = format!("size={}", SIZES.join(","));
    let mut words = vec![id, "--full", "--cpu", &cpu, "--processes", "1"];
    words.extend(["--budget-ms", BUDGET_MS]);
    for axis in [
        sizes.as_str(),
        mode.as_str(),
        "pattern=stream",
        "placement=same_cpu",
        "partner=idle",
        "buffer=0",
    ] {
        words.extend(["--axis", axis]);
    }
    Ok(points(&ours.export(&ours.run(&words)?)?, id))
}

fn of_size(found: &[Measured], size: &str, id: &str) -> Result<f64, String> {
    let point = found.iter().find(|p| p.setting("size") == Some(size));
    point
        .map(|p| p.median)
        .ok_or_else(|| format!("cannot find {id} size={size} in its export"))
}
