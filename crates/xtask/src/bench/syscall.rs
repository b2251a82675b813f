//! The cheapest system call, and what our loop adds to an operation.

use super::json::points;
use super::numbers::{median, said, spread};
use super::ours::Ours;
use super::peer::{self, getppid_ns, perf_version};
use super::row::Row;

/// Runs whose spread is compared; each is the median of as many pairs.
const RUNS: usize = 5;
const PAIRS: usize = 15;
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
    let (mut here, mut there) = (Vec::new(), Vec::new());
    for _ in 0..RUNS {
        let (ours_ns, perf_ns) = turn_about(ours)?;
        here.push(ours_ns);
        there.push(perf_ns);
    }
    let (mine, theirs) = (here.concat(), there.concat());
    let medians = |runs: &[Vec<f64>]| runs.iter().map(|run| median(run)).collect::<Vec<f64>>();
    let (here, there) = (medians(&here), medians(&there));
    let peer = format!("{version} syscall basic");
    Ok(vec![
        Row::paired(
            "syscall/getppid",
            (&mine, said(&here, "ns")),
            (&theirs, format!("{} {peer}", said(&there, "ns"))),
            0.97,
            1.03,
        ),
        Row::ratio(
            "its spread over the runs",
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

/// Short processes of ours and of perf in turn, ABBA, so that each pair sees the
/// same state of the machine.
fn turn_about(ours: &Ours) -> Result<(Vec<f64>, Vec<f64>), String> {
    let (mut here, mut there) = (Vec::new(), Vec::new());
    for pair in 0..PAIRS {
        if pair % 2 == 0 {
            here.push(our_getppid_ns(ours)?);
        }
        there.push(getppid_ns(ours.cpu, PERF_CALLS)?);
        if pair % 2 == 1 {
            here.push(our_getppid_ns(ours)?);
        }
    }
    Ok((here, there))
}

fn our_getppid_ns(ours: &Ours) -> Result<f64, String> {
    let cpu = ours.cpu.to_string();
    let run = ours.run(&[
        "syscall/getppid",
        "--cpu",
        &cpu,
        "--processes",
        "1",
        "--budget-ms",
        OUR_BUDGET_MS,
    ])?;
    let found = points(&ours.export(&run)?, "syscall/getppid");
    let point = found
        .first()
        .ok_or("cannot find syscall/getppid in its export")?;
    Ok(point.median)
}
