//! A hop between two processes on one CPU: half of perf's pipe round trip.

use super::numbers::median_of;
use super::ours::Ours;
use super::peer::{perf_version, pipe_round_trip_ns};
use super::row::Rows;
use super::turns::Turns;

const AXES: &str = "processes=2 footprint=0 placement=same_cpu";
const TURNS: usize = 3;
/// Round trips of one short run of perf (some 20 ms), and runs in a turn.
const PERF_TRIPS: u64 = 5_000;
const PERF_RUNS: usize = 9;

/// One row: our hop against perf's.
pub fn hop(ours: &Ours) -> Rows {
    let version = perf_version("switch/context hop")?;
    let mut turns = Turns {
        ours: Vec::new(),
        peers: Vec::new(),
        unit: "ns",
    };
    for _ in 0..TURNS {
        turns.ours.push(ours.median("switch/context", "", AXES)?);
        let trip = median_of(PERF_RUNS, || pipe_round_trip_ns(ours.cpu, PERF_TRIPS))?;
        turns.peers.push(trip / 2.0);
    }
    let peer = format!("{version} sched pipe / 2");
    Ok(vec![turns.medians(
        "switch/context hop, one CPU",
        &peer,
        0.9..=1.1,
    )])
}
