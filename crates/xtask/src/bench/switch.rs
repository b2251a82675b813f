//! A hop between two processes on one CPU: half of perf's pipe round trip.

use super::json::points;
use super::numbers::{median, median_of, summary};
use super::ours::Ours;
use super::peer::{self, perf_version, pipe_round_trip_ns};
use super::row::Row;

const TURNS: usize = 3;
/// Round trips of one short run of perf (some 20 ms), and runs in a turn.
const PERF_TRIPS: u64 = 5_000;
const PERF_RUNS: usize = 9;

/// One row: our hop against perf's.
pub fn hop(ours: &Ours) -> Result<Vec<Row>, String> {
    let Some(version) = perf_version() else {
        return Ok(vec![Row::skipped(
            "switch/context hop",
            "no perf",
            peer::INSTALL,
        )]);
    };
    let (mut here, mut there) = (Vec::new(), Vec::new());
    for _ in 0..TURNS {
        here.push(our_hop_ns(ours)?);
        let trip = median_of(PERF_RUNS, || pipe_round_trip_ns(ours.cpu, PERF_TRIPS))?;
        there.push(trip / 2.0);
    }
    Ok(vec![Row::ratio(
        "switch/context hop, one CPU",
        (median(&here), summary(&here, "ns")),
        (
            median(&there),
            format!("{} {version} sched pipe / 2", summary(&there, "ns")),
        ),
        0.9,
        1.1,
    )])
}

fn our_hop_ns(ours: &Ours) -> Result<f64, String> {
    let cpu = ours.cpu.to_string();
    let run = ours.run(&[
        "switch/context",
        "--cpu",
        &cpu,
        "--axis",
        "processes=2",
        "--axis",
        "footprint=0",
        "--axis",
        "placement=same_cpu",
    ])?;
    let found = points(&ours.export(&run)?, "switch/context");
    let point = found
        .first()
        .ok_or("cannot find switch/context in its export")?;
    Ok(point.median)
}
