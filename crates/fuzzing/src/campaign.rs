//! Runs the fuzzer on one target after the other and says what came of it.

mod log;

use crate::corpus::{self, files, size};
use crate::tools::{Tools, built};
use fuzzing::Target;
use log::Progress;
use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, ExitCode};
use std::time::Instant;

/// Of one input.
const MOST_SECONDS: u32 = 20;
/// Of the whole program. An input may allocate 512 MiB (`fuzz/src/lib.rs`).
const MOST_RESIDENT_MIB: u32 = 2048;

/// `seconds` for each; else each target's own time.
pub fn run(targets: &[Target], seconds: Option<u64>) -> Result<ExitCode, String> {
    let tools = built(targets)?;
    let mut broken = false;
    println!("{}", head());
    for target in targets {
        let seconds = seconds.unwrap_or(u64::from(target.minutes) * 60);
        let (row, is_broken) = fuzz(&tools, target, seconds)?;
        // At once: whoever interrupts keeps what there is.
        println!("{row}");
        broken |= is_broken;
    }
    Ok(match broken {
        true => ExitCode::FAILURE,
        false => ExitCode::SUCCESS,
    })
}

/// The target's row, and whether it is broken.
fn fuzz(tools: &Tools, target: &Target, seconds: u64) -> Result<(String, bool), String> {
    let (working, committed) = (tools.working(target), corpus::committed(target));
    // Files and bytes of the working corpus with the committed one.
    let sizes = || -> Result<(usize, u64), String> {
        let all = [files(&working)?, files(&committed)?].concat();
        Ok((all.len(), all.iter().map(|f| size(f)).sum()))
    };
    let before = sizes()?;
    eprintln!(
        "fuzzing {} for {seconds} s, from {} files of {} bytes",
        target.name, before.0, before.1
    );
    let path = tools.log(target);
    let log = File::create(&path).map_err(|e| format!("cannot create {}: {e}", path.display()))?;
    let begun = Instant::now();
    let status = program(tools, target, seconds)
        .args([&working, &committed])
        .stdout(log.try_clone().map_err(|e| e.to_string())?)
        .stderr(log)
        .status()
        .map_err(|e| format!("cannot run the program of {}: {e}", target.name))?;
    let text = fs::read(&path).map_err(|e| format!("cannot read {}: {e}", path.display()))?;
    let text = String::from_utf8_lossy(&text);
    let broken = !status.success();
    if broken {
        report(target, &path, &log::kept(&text));
    }
    let (progress, after) = (Progress::read(&text), sizes()?);
    let (begin, end) = (progress.begin, progress.end);
    let arrow = |from: u64, to: u64| format!("{from} -> {to}");
    let row = format!(
        "{:14} {:>6} {:>12}  {:>15}  {:>15}  {:>13}  {:>19}{}",
        target.name,
        begun.elapsed().as_secs(),
        progress.executions,
        arrow(begin.edges, end.edges),
        arrow(begin.features, end.features),
        arrow(before.0 as u64, after.0 as u64),
        arrow(before.1, after.1),
        if broken { "  BROKEN" } else { "" },
    );
    Ok((row, broken))
}

/// Without the folders that it starts from.
fn program(tools: &Tools, target: &Target, seconds: u64) -> Command {
    let found = tools.found(target);
    let mut program = tools.program(target);
    program.args([
        format!("-max_total_time={seconds}"),
        format!("-timeout={MOST_SECONDS}"),
        format!("-rss_limit_mb={MOST_RESIDENT_MIB}"),
        format!("-max_len={}", target.most_bytes),
        format!("-artifact_prefix={}/", found.display()),
    ]);
    program.args(["-print_final_stats=1", "-reload=0"]);
    program
}

fn report(target: &Target, log: &Path, found: &[&str]) {
    let name = target.name;
    eprintln!(
        "fuzzing: {name} is broken; see the end of {}",
        log.display()
    );
    for file in found {
        eprintln!("  input:  {file}");
        eprintln!("  replay: cargo run -p fuzzing -- replay {name} '{file}'");
    }
}

fn head() -> String {
    format!(
        "{:14} {:>6} {:>12}  {:>15}  {:>15}  {:>13}  {:>19}",
        "target", "s", "executions", "edges", "features", "corpus files", "corpus bytes"
    )
}
