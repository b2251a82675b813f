//! A hop between two processes on one CPU: half of perf's pipe round trip.

use super::json::points;
use super::numbers::{median, said};
use super::ours::Ours;
use super::peer::{self, perf_version, pipe_round_trip_ns};
use super::row::Row;

const TURNS: usize = 3;
const PERF_TRIPS: u64 = 100_000;

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
        there.push(pipe_round_trip_ns(ours.cpu, PERF_TRIPS)? / 2.0);
    }
    Ok(vec![Row::ratio(
        "switch/context hop, one CPU",
        (median(&here), said(&here, "ns")),
        (
            median(&there),
            format!("{} {version} sched pipe / 2", said(&there, "ns")),
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
    let found = points(&ours.export(&run)?, "switch/context", 0);
    let point = found
        .first()
        .ok_or("cannot find switch/context in its export")?;
    Ok(point.median)
}
