//! The cheapest system call, and what our loop adds to an operation.

use super::json::points;
use super::numbers::{deviation, median_of, said};
use super::ours::Ours;
use super::peer::{self, getppid_ns, perf_version};
use super::row::Row;

/// Short processes of ours and of perf in turn, for the ratio.
const PAIRS: usize = 45;
/// Runs whose spread is compared, and short processes in each: one run of ours
/// with so many, the median of so many of perf's.
const RUNS: usize = 20;
const PROCESSES: usize = 5;
/// Calls of one short run of perf: about as long as our budget.
const PERF_CALLS: u64 = 800_000;
const OUR_BUDGET_MS: &str = "100";
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
    let (mine, theirs) = turn_about(PAIRS, || our_getppid_ns(ours, 1), || perf_ns(ours))?;
    let (here, there) = turn_about(
        RUNS,
        || our_getppid_ns(ours, PROCESSES),
        || median_of(PROCESSES, || perf_ns(ours)),
    )?;
    let peer = format!("{version} syscall basic");
    Ok(vec![
        Row::paired(
            "syscall/getppid",
            (&mine, said(&mine, "ns")),
            (&theirs, format!("{} {peer}", said(&theirs, "ns"))),
            0.97,
            1.03,
        ),
        Row::ratio(
            &format!("its spread over {RUNS} runs"),
            (
                deviation(&here),
                format!("sd {:.2} %", deviation(&here) * 100.0),
            ),
            (
                deviation(&there),
                format!("sd {:.2} % {peer}", deviation(&there) * 100.0),
            ),
            0.0,
            1.0,
        ),
    ])
}

/// `ours` and `peers` in turn, ABBA, so that each pair sees the same state of the
/// machine.
fn turn_about(
    turns: usize,
    ours: impl Fn() -> Result<f64, String>,
    peers: impl Fn() -> Result<f64, String>,
) -> Result<(Vec<f64>, Vec<f64>), String> {
    let (mut here, mut there) = (Vec::new(), Vec::new());
    for turn in 0..turns {
        if turn % 2 == 0 {
            here.push(ours()?);
        }
        there.push(peers()?);
        if turn % 2 == 1 {
            here.push(ours()?);
        }
    }
    Ok((here, there))
}

fn perf_ns(ours: &Ours) -> Result<f64, String> {
    getppid_ns(ours.cpu, PERF_CALLS)
}

fn our_getppid_ns(ours: &Ours, processes: usize) -> Result<f64, String> {
    let (cpu, processes) = (ours.cpu.to_string(), processes.to_string());
    // Full: perf does not stop early either.
    let run = ours.run(&[
        "syscall/getppid",
        "--full",
        "--cpu",
        &cpu,
        "--processes",
        &processes,
        "--budget-ms",
        OUR_BUDGET_MS,
    ])?;
    let found = points(&ours.export(&run)?, "syscall/getppid");
    let point = found
        .first()
        .ok_or("cannot find syscall/getppid in its export")?;
    Ok(point.median)
}
