//! The cheapest system call, and what our loop adds to an operation.

use super::json::points;
use super::numbers::{scatter, spread, summary};
use super::ours::Ours;
use super::peer::{self, getppid_ns, perf_version};
use super::row::Row;

/// Runs of each, in turn.
const RUNS: usize = 50;
/// Runs whose range a reader of five runs would see.
const BLOCK: usize = 5;
/// What perf does by itself, about 1.2 s; and as much measured time of ours, in
/// processes, because the speed of a call differs a little from one to the next.
const PERF_CALLS: u64 = 10_000_000;
const PROCESSES: &str = "12";
const BUDGET_MS: &str = "100";
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
    let (mine, theirs) = turn_about(
        RUNS,
        || our_getppid_ns(ours),
        || getppid_ns(ours.cpu, PERF_CALLS),
    )?;
    let peer = format!("{version} syscall basic");
    Ok(vec![
        Row::paired(
            "syscall/getppid",
            (&mine, summary(&mine, "ns")),
            (&theirs, format!("{} {peer}", summary(&theirs, "ns"))),
            0.97,
            1.03,
        ),
        its_spread(&mine, &theirs, &peer),
    ])
}

/// The range of five runs, as a reader of five runs sees it. The machine's own
/// slow spells decide each block for one or the other, so there are many: in half
/// of them ours may be the wider by chance, not in more. The scatter of all runs
/// is given with it.
pub fn its_spread(mine: &[f64], theirs: &[f64], peer: &str) -> Row {
    let blocks = mine.chunks(BLOCK).zip(theirs.chunks(BLOCK));
    let narrow = blocks.filter(|(m, t)| spread(m) <= spread(t)).count();
    let of = mine.len().div_ceil(BLOCK);
    Row::share(
        &format!("its range over {BLOCK} runs is no wider"),
        narrow as f64 / of as f64,
        &format!(
            "in {narrow} of {of}; MAD of all runs {:.2} % against {:.2} % {peer}",
            scatter(mine) * 100.0,
            scatter(theirs) * 100.0
        ),
        0.5,
    )
}

/// `ours` and `peers` in turn, ABBA, so that each pair sees the same state of the
/// machine.
pub fn turn_about(
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

fn our_getppid_ns(ours: &Ours) -> Result<f64, String> {
    let cpu = ours.cpu.to_string();
    // Full: perf does not stop early either.
    let run = ours.run(&[
        "syscall/getppid",
        "--full",
        "--cpu",
        &cpu,
        "--processes",
        PROCESSES,
        "--budget-ms",
        BUDGET_MS,
    ])?;
    let found = points(&ours.export(&run)?, "syscall/getppid");
    let point = found
        .first()
        .ok_or("cannot find syscall/getppid in its export")?;
    Ok(point.median)
}

#[cfg(test)]
mod tests {
    use super::its_spread;
    use crate::bench::row::table;

    #[test]
    fn a_wider_range_than_the_peer_is_missed() {
        let narrow = [100.0, 101.0, 99.0, 100.0, 102.0];
        let wide = [100.0, 110.0, 90.0, 100.0, 120.0];
        assert!(table(&[its_spread(&narrow, &wide, "perf")]).ends_with("yes"));
        let missed = table(&[its_spread(&wide, &narrow, "perf")]);
        assert!(missed.ends_with("NO") && missed.contains("in 0 of 1"));
    }
}
