//! The cheapest system call, and what our loop adds to an operation.

use super::json::points;
use super::numbers::{median, median_of, said, spread};
use super::ours::Ours;
use super::peer::{self, getppid_ns, perf_version};
use super::row::Row;

const TURNS: usize = 5;
/// Calls of one short run of perf (some 20 ms), and runs in a turn.
const PERF_CALLS: u64 = 200_000;
const PERF_RUNS: usize = 15;
/// Harness overhead allowed for one operation, ns.
const OVERHEAD_LIMIT_NS: f64 = 1.0;

/// One turn of the empty loop, as the self-test of each run measures it through
/// the very code that samples go through.
pub fn overhead(ours: &Ours) -> Result<Vec<Row>, String> {
    let run = ours.run(&["syscall/getppid", "--cpu", &ours.cpu.to_string()])?;
    let head = Ours::head(&run)?;
    let ns = head["instrument"]["empty_loop_ns"]
        .as_f64()
        .ok_or("cannot find the self-test of the instrument in run.json")?;
    Ok(vec![Row::limit(
        "overhead per operation",
        ns,
        OVERHEAD_LIMIT_NS,
        "ns",
    )])
}

/// getppid here and in perf, turn about.
pub fn getppid(ours: &Ours) -> Result<Vec<Row>, String> {
    let Some(version) = perf_version() else {
        return Ok(vec![Row::skipped(
            "syscall/getppid",
            "no perf",
            peer::INSTALL,
        )]);
    };
    let (mut here, mut there) = (Vec::new(), Vec::new());
    for turn in 0..TURNS {
        // ABBA: who goes first changes.
        if turn % 2 == 0 {
            here.push(our_getppid_ns(ours)?);
        }
        there.push(median_of(PERF_RUNS, || getppid_ns(ours.cpu, PERF_CALLS))?);
        if turn % 2 == 1 {
            here.push(our_getppid_ns(ours)?);
        }
    }
    let peer = format!("{version} syscall basic");
    Ok(vec![
        Row::ratio(
            "syscall/getppid",
            (median(&here), said(&here, "ns")),
            (median(&there), format!("{} {peer}", said(&there, "ns"))),
            0.97,
            1.03,
        ),
        Row::ratio(
            "its spread over the turns",
            (spread(&here), format!("{:.2} %", spread(&here) * 100.0)),
            (
                spread(&there),
                format!("{:.2} % {peer}", spread(&there) * 100.0),
            ),
            0.0,
            1.0,
        ),
    ])
}

fn our_getppid_ns(ours: &Ours) -> Result<f64, String> {
    // As many short processes as perf gets, so that both see the same variety
    // of moments.
    let processes = PERF_RUNS.to_string();
    let cpu = ours.cpu.to_string();
    let run = ours.run(&[
        "syscall/getppid",
        "--cpu",
        &cpu,
        "--processes",
        &processes,
        "--budget-ms",
        "100",
    ])?;
    let found = points(&ours.export(&run)?, "syscall/getppid");
    let point = found
        .first()
        .ok_or("cannot find syscall/getppid in its export")?;
    Ok(point.median)
}
