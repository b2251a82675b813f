//! Axes, metrics and grids that all transports have in common.

use crate::placement::near;
use catalogue::{AxisSpec, Grid, Preset, Tally, doubling};
use record::{MachineCard, Placement, Unit};

const KIB: i64 = 1 << 10;
const MIB: i64 = 1 << 20;

/// Words of the axis `pattern`.
pub const PATTERNS: &[&str] = &["stream", "round_trip"];
/// Words of the axis `mode`.
pub const MODES: &[&str] = &["1thread", "2threads", "2processes"];
/// Words of the axis `partner`.
pub const PARTNERS: &[&str] = &["awake", "busy", "idle"];

/// Axes that all transports have.
pub const AXES: &[AxisSpec] = &[
    AxisSpec::number("size", Unit::Bytes, "bytes of a message"),
    AxisSpec::word(
        "pattern",
        "messages in one direction, or each message returned before the next",
        PATTERNS,
    ),
    AxisSpec::word(
        "mode",
        "both ends in one thread, in two threads, or in two processes",
        MODES,
    ),
    AxisSpec::word(
        "placement",
        "CPU of the partner, relative to the CPU under test",
        Placement::WORDS,
    ),
    AxisSpec::word(
        "partner",
        "a waiting side polls (awake), sleeps while another process keeps its CPU busy (busy), or \
         sleeps on an idle CPU (idle)",
        PARTNERS,
    ),
    AxisSpec::number(
        "buffer",
        Unit::Bytes,
        "requested capacity of the pipe, socket buffers or ring; 0: the default",
    ),
    AxisSpec::number(
        "total",
        Unit::Bytes,
        "bytes sent and received in one timed iteration; 0: as many as fill a sample, each round \
         trip timed separately",
    ),
];

/// What is timed.
pub const PARTS: &[(&str, &str)] = &[(
    "latency",
    "time of one message (stream), or of one message and its return (round_trip)",
)];

/// What is counted of both sides.
pub const TALLIES: &[Tally] = &[
    Tally::new(
        "sender_calls",
        Unit::Count,
        "system calls of the starting side per operation",
    ),
    Tally::new(
        "receiver_calls",
        Unit::Count,
        "system calls of the other side per operation",
    ),
    Tally::new(
        "voluntary_switches",
        Unit::Count,
        "voluntary context switches of both sides per operation",
    ),
    Tally::new(
        "involuntary_switches",
        Unit::Count,
        "involuntary context switches of both sides per operation",
    ),
    Tally::new(
        "user_time",
        Unit::Nanoseconds,
        "CPU time of both sides in user mode per operation, as the kernel accounts it",
    )
    .explains(),
    Tally::new(
        "system_time",
        Unit::Nanoseconds,
        "CPU time of both sides in the kernel per operation, as the kernel accounts it",
    )
    .explains(),
    Tally::new(
        "one_way",
        Unit::Nanoseconds,
        "from before the send until the other side has the last byte, measured in a separate trip \
         after every eighth; includes two clock readings",
    ),
];

/// Repetitions of a round trip, timed one by one for its percentiles.
pub const REPETITIONS: u32 = 1000;

fn grid(budget_ms: u64, pattern: &str, sizes: &[i64], modes: &[&str], places: &[&str]) -> Grid {
    Grid::new(budget_ms)
        .ints("size", sizes.iter().copied())
        .words("pattern", &[pattern])
        .words("mode", modes)
        .words("placement", places)
}

fn stream(budget_ms: u64, sizes: &[i64], modes: &[&str], places: &[&str], buffers: &[i64]) -> Grid {
    grid(budget_ms, "stream", sizes, modes, places)
        .words("partner", &["idle"])
        .ints("buffer", buffers.iter().copied())
        .ints("total", [0])
}

fn trip(budget_ms: u64, sizes: &[i64], modes: &[&str], places: &[&str], states: &[&str]) -> Grid {
    grid(budget_ms, "round_trip", sizes, modes, places)
        .words("partner", states)
        .ints("buffer", [0])
        .ints("total", [0])
}

/// Points of a transport that takes messages up to `largest` bytes, with each of
/// `buffers` beyond the default.
pub fn grids(preset: Preset, card: &MachineCard, largest: i64, buffers: &[i64]) -> Vec<Grid> {
    match preset {
        Preset::Quick => quick(card, largest, buffers),
        Preset::Full => full(near(card), largest, buffers),
    }
}

/// Columns of the toll map between two threads of one cache, the effect of two
/// processes and of one CPU, and a round trip with the partner awake, on a busy
/// CPU and idle.
///
/// Two rounds of all transports share 22 s.
fn quick(card: &MachineCard, largest: i64, buffers: &[i64]) -> Vec<Grid> {
    let near = near(card);
    let up_to =
        |sizes: &[i64]| -> Vec<i64> { sizes.iter().copied().filter(|s| *s <= largest).collect() };
    let columns = up_to(&[64, 4 * KIB, 64 * KIB, MIB, 16 * MIB]);
    let large = up_to(&[64 * KIB]);
    let partners: &[&str] = if card.cpus > 1 { PARTNERS } else { &["idle"] };
    let small = up_to(&[64]);
    let page = up_to(&[4 * KIB]);
    let threads = ["2threads"];
    let mut all = vec![
        stream(21, &columns, &threads, &[near], &[0]),
        stream(21, &page, &["2processes"], &[near], &[0]),
        stream(21, &large, &threads, &["same_cpu"], &[0]),
        trip(21, &small, &threads, &[near], partners),
        trip(21, &small, &threads, &["same_cpu"], &["idle"]),
    ];
    let largest_buffer = buffers.last();
    all.extend(largest_buffer.map(|buffer| stream(21, &large, &threads, &[near], &[*buffer])));
    all
}

/// Every power of two up to 16 MiB, in every mode and placement.
fn full(near: &str, largest: i64, buffers: &[i64]) -> Vec<Grid> {
    let sizes: Vec<i64> = doubling(1, 16 * MIB).filter(|s| *s <= largest).collect();
    let every_fourth: Vec<i64> = sizes.iter().copied().step_by(4).collect();
    let mut all = vec![
        stream(200, &sizes, &MODES[1..], Placement::WORDS, &[0]),
        stream(200, &sizes, &MODES[..1], &Placement::WORDS[..1], &[0]),
        trip(200, &every_fourth, &MODES[1..], Placement::WORDS, PARTNERS),
    ];
    if !buffers.is_empty() {
        all.push(stream(200, &sizes, &["2threads"], &[near], buffers));
    }
    all
}
