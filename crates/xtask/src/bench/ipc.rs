//! Transports against perf's, and against what the machine itself allows.

use super::numbers::summary;
use super::ours::Ours;
use super::peer::{perf_version, pipe_round_trip_ns};
use super::row::{Row, Rows, table};
use super::turns::Turns;

/// Round trips of one run of perf, about half a second, and as much measured
/// time of ours.
const PERF_TRIPS: u64 = 150_000;
const PIPE_OPTIONS: &str = "--full --processes 5 --budget-ms 100";
/// 500 trips timed together, the total: perf makes no pauses either.
const PIPE_AXES: &str = "size=4 pattern=round_trip mode=2processes placement=same_cpu \
                         partner=idle buffer=0 total=2000";
const PIPE_RUNS: usize = 50;

/// Runs of the ring and of its limits, in turn.
const RING_TURNS: usize = 15;
const RING_OPTIONS: &str = "--full --processes 1 --budget-ms 100";
const SMALL_BYTES: f64 = 64.0;
const LARGE_BYTES: f64 = 131_072.0;
/// Share of the machine's own limit that the ring must reach.
const OF_THE_LINES: f64 = 0.9;
const OF_THE_COPY: f64 = 0.9;

/// CPUs are far apart where a line takes so many times the shortest way.
const NEAR_FACTOR: f64 = 2.0;

const SUITE_LIMIT_S: f64 = 25.0;

/// A round trip of four bytes through two pipes, both ends on one CPU.
pub fn pipe(ours: &Ours) -> Rows {
    let version = perf_version("ipc/pipe")?;
    let turns = Turns::about(
        PIPE_RUNS,
        "ns",
        || our_round_trip_ns(ours),
        || pipe_round_trip_ns(ours.cpu, PERF_TRIPS),
    )?;
    let peer = format!("{version} sched pipe");
    Ok(vec![
        turns.row("ipc/pipe round trip, one CPU", &peer, 0.97..=1.03),
        turns.spread(&peer),
    ])
}

fn our_round_trip_ns(ours: &Ours) -> Result<f64, String> {
    ours.median("ipc/pipe", PIPE_OPTIONS, PIPE_AXES)
}

/// The ring in shared memory against lines between the same two CPUs, and
/// against a copy out of the second-level cache.
pub fn ring(ours: &Ours) -> Rows {
    let Some(other) = ours.another_cpu() else {
        return Ok(vec![Row::skipped(
            "ipc/shm_ring",
            "one CPU",
            "run on a machine with two CPUs",
        )]);
    };
    let turns: Vec<Turn> = (0..RING_TURNS)
        .map(|_| Turn::taken(ours, other))
        .collect::<Result<_, _>>()?;
    let (near, far) = apart(turns);
    let mut rows = ring_rows(&near, "");
    if !far.is_empty() {
        // Printed, not judged: what the limits were taken from is not there then.
        eprintln!(
            "bench: in {} of {RING_TURNS} turns the host had put the two CPUs far apart (a line \
             takes {NEAR_FACTOR} times the shortest way); the ring then:\n{}",
            far.len(),
            table(&ring_rows(&far, ", CPUs far apart"))
        );
    }
    if far.len() > near.len() {
        rows.push(Row::skipped(
            "ipc/shm_ring",
            "most turns on CPUs far apart",
            "repeat, or run on hardware",
        ));
    }
    Ok(rows)
}

/// One turn of the ring and of its limits, GB/s.
struct Turn {
    small: f64,
    line: f64,
    overlapped: f64,
    large: f64,
    copy: f64,
}

impl Turn {
    fn taken(ours: &Ours, other: u32) -> Result<Turn, String> {
        Ok(Turn {
            small: SMALL_BYTES / ring_message_ns(ours, "size=64")?,
            line: SMALL_BYTES / line_ns(ours, other, "load_store")?,
            large: LARGE_BYTES / ring_message_ns(ours, "size=131072")?,
            copy: LARGE_BYTES / copy_ns(ours)?,
            overlapped: SMALL_BYTES / line_ns(ours, other, "stream")?,
        })
    }
}

/// A hypervisor may move the two virtual CPUs between cores under one cache and
/// cores under two, from one second to the next. Turns with a short way of the
/// line, and the others.
fn apart(turns: Vec<Turn>) -> (Vec<Turn>, Vec<Turn>) {
    let fastest = turns.iter().map(|t| t.line).fold(0.0, f64::max);
    turns
        .into_iter()
        .partition(|t| t.line * NEAR_FACTOR > fastest)
}

fn ring_rows(turns: &[Turn], where_: &str) -> Vec<Row> {
    let all = |of: fn(&Turn) -> f64| -> Vec<f64> { turns.iter().map(of).collect() };
    let row = |size: &str, ours, peers, limit: &str, least| {
        let what = format!("ipc/shm_ring {size}, spinning{where_}");
        let unit = "GB/s";
        Turns { ours, peers, unit }.row(&what, limit, least..=f64::INFINITY)
    };
    let overlapped = summary(&all(|t| t.overlapped), "GB/s");
    let line = format!("a line there; overlapped {overlapped}");
    let (small, lines) = (all(|t| t.small), all(|t| t.line));
    let (large, copies) = (all(|t| t.large), all(|t| t.copy));
    vec![
        row("64 B", small, lines, &line, OF_THE_LINES),
        row("128 KiB", large, copies, "ipc/memcpy 128 KiB", OF_THE_COPY),
    ]
}

fn ring_message_ns(ours: &Ours, size: &str) -> Result<f64, String> {
    let axes =
        format!("{size} pattern=stream mode=2threads placement=same_cache partner=awake buffer=0");
    ours.median("ipc/shm_ring", RING_OPTIONS, &axes)
}

/// A line from our CPU to the other: one way of a ping-pong, or one of many that
/// overlap.
fn line_ns(ours: &Ours, other: u32, method: &str) -> Result<f64, String> {
    let axes = format!("method={method} from={} to={other}", ours.cpu);
    ours.median("mem/line_transfer", RING_OPTIONS, &axes)
}

fn copy_ns(ours: &Ours) -> Result<f64, String> {
    let axes = "size=131072 pattern=stream mode=1thread placement=same_cpu partner=idle buffer=0";
    ours.median("ipc/memcpy", RING_OPTIONS, axes)
}

/// Seconds of the whole quick suite of the transports.
pub fn suite(ours: &Ours) -> Rows {
    let run = ours.run(&["ipc/*", "--quick"])?;
    Ok(vec![Row::limit(
        "quick suite of ipc/*",
        run.seconds,
        SUITE_LIMIT_S,
        "s",
    )])
}

#[cfg(test)]
mod tests {
    use super::{Turn, apart};

    #[test]
    fn turns_on_cpus_far_apart_are_separated_from_the_others() {
        let turn = |line| Turn {
            small: 1.0,
            line,
            overlapped: 1.0,
            large: 1.0,
            copy: 1.0,
        };
        let (near, far) = apart([2.5, 2.4, 0.6, 1.3, 1.2].map(turn).into());
        assert_eq!(near.len(), 3);
        assert_eq!(far.len(), 2);
    }
}
