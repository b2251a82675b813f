//! Axes, metrics and grids that all transports have in common.

use crate::placement::near;
use catalogue::{AxisSpec, Grid, doubling};
use catalogue::{Preset, Tally};
use record::{MachineCard, Placement, Unit};

const KIB: i64 = 1 << 10;
const MIB: i64 = 1 << 20;

pub const PATTERNS: &[&str] = &["stream", "round_trip"];
pub const MODES: &[&str] = &["1thread", "2threads", "2processes"];
pub const PARTNERS: &[&str] = &["awake", "busy", "idle"];

pub const AXES: &[AxisSpec] = &[
    AxisSpec::number("size", Unit::Bytes, "bytes of a message"),
    AxisSpec::word(
        "pattern",
        "one message after the other one way, or each one back before the next",
        PATTERNS,
    ),
    AxisSpec::word(
        "mode",
        "both ends in one thread, in two threads, or in two processes",
        MODES,
    ),
    AxisSpec::word(
        "placement",
        "where the partner runs, seen from the CPU under test",
        Placement::WORDS,
    ),
    AxisSpec::word(
        "partner",
        "a waiting side asks again and again (awake), sleeps on a CPU kept busy, or sleeps",
        PARTNERS,
    ),
    AxisSpec::number(
        "buffer",
        Unit::Bytes,
        "capacity asked for between the two (pipe, socket buffers, ring); 0: the default",
    ),
    AxisSpec::number(
        "total",
        Unit::Bytes,
        "bytes that have all arrived before the next are sent, timed together; 0: as many \
              as fill a sample, round trips each on its own",
    ),
];

pub const PARTS: &[(&str, &str)] = &[(
    "latency",
    "time of one message (stream), or of one message there and back (round_trip)",
)];

pub const TALLIES: &[Tally] = &[
    Tally::new(
        "sender_calls",
        Unit::Count,
        "system calls of the side that begins, for one operation",
    ),
    Tally::new(
        "receiver_calls",
        Unit::Count,
        "system calls of the other side for one operation",
    ),
    Tally::new(
        "voluntary_switches",
        Unit::Count,
        "times that a side slept, for one operation",
    ),
    Tally::new(
        "involuntary_switches",
        Unit::Count,
        "times that a side was preempted, for one operation",
    ),
    Tally::new(
        "user_time",
        Unit::Nanoseconds,
        "CPU time of both sides in user mode for one operation, as the kernel accounts it",
    ),
    Tally::new(
        "system_time",
        Unit::Nanoseconds,
        "CPU time of both sides in the kernel for one operation, as it accounts it",
    ),
    Tally::new(
        "one_way",
        Unit::Nanoseconds,
        "from before the send until the other side has the last byte, of a trip of its own \
              after every eighth; two readings of the kernel's clock are in it",
    ),
];

/// Repetitions of a round trip, timed one by one for its percentiles.
pub const REPETITIONS: u32 = 1000;

struct Place<'a> {
    pattern: &'a str,
    modes: &'a [&'a str],
    placements: &'a [&'a str],
    partners: &'a [&'a str],
}

fn stream<'a>(modes: &'a [&'a str], placements: &'a [&'a str]) -> Place<'a> {
    Place {
        pattern: "stream",
        modes,
        placements,
        partners: &["idle"],
    }
}

fn trip<'a>(modes: &'a [&'a str], placements: &'a [&'a str], partners: &'a [&'a str]) -> Place<'a> {
    Place {
        pattern: "round_trip",
        modes,
        placements,
        partners,
    }
}

fn grid(budget_ms: u64, sizes: &[i64], place: &Place<'_>, buffers: &[i64]) -> Grid {
    Grid::new(budget_ms)
        .ints("size", sizes.iter().copied())
        .words("pattern", &[place.pattern])
        .words("mode", place.modes)
        .words("placement", place.placements)
        .words("partner", place.partners)
        .ints("buffer", buffers.iter().copied())
        .ints("total", [0])
}

/// Points of a transport that takes messages up to `largest` bytes.
///
/// Quick: columns of the toll map between two threads of one cache, what two
/// processes and one CPU change, and a round trip with the partner awake, on a
/// busy CPU and idle.
pub fn grids(preset: Preset, card: &MachineCard, largest: i64, buffers: &[i64]) -> Vec<Grid> {
    let near = near(card);
    let up_to =
        |sizes: &[i64]| -> Vec<i64> { sizes.iter().copied().filter(|s| *s <= largest).collect() };
    match preset {
        Preset::Quick => {
            // Two rounds of all transports share 22 s.
            let columns = up_to(&[64, 4 * KIB, 64 * KIB, MIB, 16 * MIB]);
            let large = up_to(&[64 * KIB]);
            let partners: &[&str] = if card.cpus > 1 { PARTNERS } else { &["idle"] };
            let small = up_to(&[64]);
            let mut all = vec![
                grid(21, &columns, &stream(&["2threads"], &[near]), &[0]),
                grid(
                    21,
                    &up_to(&[4 * KIB]),
                    &stream(&["2processes"], &[near]),
                    &[0],
                ),
                grid(21, &large, &stream(&["2threads"], &["same_cpu"]), &[0]),
                grid(21, &small, &trip(&["2threads"], &[near], partners), &[0]),
                grid(
                    21,
                    &small,
                    &trip(&["2threads"], &["same_cpu"], &["idle"]),
                    &[0],
                ),
            ];
            if let Some(buffer) = buffers.last() {
                all.push(grid(
                    21,
                    &large,
                    &stream(&["2threads"], &[near]),
                    &[*buffer],
                ));
            }
            all
        }
        Preset::Full => {
            let sizes: Vec<i64> = doubling(1, 16 * MIB).filter(|s| *s <= largest).collect();
            let every_fourth: Vec<i64> = sizes.iter().copied().step_by(4).collect();
            let mut all = vec![
                grid(200, &sizes, &stream(&MODES[1..], Placement::WORDS), &[0]),
                grid(
                    200,
                    &sizes,
                    &stream(&MODES[..1], &Placement::WORDS[..1]),
                    &[0],
                ),
                grid(
                    200,
                    &every_fourth,
                    &trip(&MODES[1..], Placement::WORDS, PARTNERS),
                    &[0],
                ),
            ];
            if !buffers.is_empty() {
                all.push(grid(200, &sizes, &stream(&["2threads"], &[near]), buffers));
            }
            all
        }
    }
}
