//! The cheapest system call, and what our loop adds to an operation.

use super::ours::Ours;
use super::peer::{getppid_ns, perf_version};
use super::row::{Row, Rows};
use super::turns::Turns;

/// Runs of each, in turn.
const RUNS: usize = 50;
/// What perf does by itself, about 1.2 s; and as much measured time of ours, in
/// processes, because the speed of a call differs a little from one to the next. Full:
/// perf does not stop early either.
const PERF_CALLS: u64 = 10_000_000;
const OPTIONS: &str = "--full --processes 12 --budget-ms 100";
/// Harness overhead allowed for one operation, ns.
const OVERHEAD_LIMIT_NS: f64 = 1.0;

/// One turn of the empty loop, as the self-test of each run measures it through
/// the very code that samples go through.
pub fn overhead(ours: &Ours) -> Rows {
    let run = ours.run(&["syscall/getppid", "--cpu", &ours.cpu.to_string()])?;
    let head = Ours::head(&run)?;
    let ns = head["instrument"]["empty_loop_ns"]
        .as_f64()
        .ok_or_else(|| "cannot find the self-test of the instrument in run.json".to_owned())?;
    Ok(vec![Row::limit(
        "overhead per operation",
        ns,
        OVERHEAD_LIMIT_NS,
        "ns",
    )])
}

/// getppid here and in perf, turn about.
pub fn getppid(ours: &Ours) -> Rows {
    let version = perf_version("syscall/getppid")?;
    let turns = Turns::about(
        RUNS,
        "ns",
        || ours.median("syscall/getppid", OPTIONS, ""),
        || getppid_ns(ours.cpu, PERF_CALLS),
    )?;
    let peer = format!("{version} syscall basic");
    Ok(vec![
        turns.row("syscall/getppid", &peer, 0.97..=1.03),
        turns.spread(&peer),
    ])
}
