//! # offload/priority - What each channel gets when one of them has priority
//!
//! Under the priority policy one DMA channel has the engine to itself for a quantum
//! of each window: what does that channel gain, what do the others lose, and does
//! the gate keep the times that it was set to?
//!
//! ## Counts
//! As `offload/bandwidth` with `context=priority`: a worker on each CPU makes 300
//! copies of `size` bytes, all begin together, times are read by the module.
//! `channel=0` is the worker whose copies are of the high class, so it has the high
//! channel; the others share the low channels in turn, and with as many low workers
//! as low channels a worker's rate is a channel's. `total` comes with the times
//! that the gate really kept while they copied: `quantum_achieved`,
//! `window_achieved`, the number of windows and how many it missed.
//!
//! ## Does not count
//! As `offload/bandwidth`. A low chunk that was submitted before the window opened
//! runs on inside it, unless the hardware pauses; that is in the figures, as it is
//! in life, and the module counts it (`pontage dma policy show`).
//!
//! ## Origin
//! The priority policy of I/OAT-CFTU (A. Papa, Universita di Roma Tor Vergata,
//! 2013), figures 2.15 to 2.20: 30 us of each window of 90 us for one channel. There
//! the channels were stopped and resumed; no driver in today's kernels offers that
//! for those engines, so the gate is before the submission.
//!
//! ## Theory
//! In the quantum only the high channel submits; in the rest of the window all do.
//! With an engine that is busy all the time and n channels of equal rights, the high
//! one should get q + (1 - q) / n of it, where q is the quantum's share of the
//! window: with a third and four channels one half, three times what each other gets.
//! Less is to be expected: chunks under way when the quantum begins are not called
//! back, and 30 us is little more than one chunk of 64 KiB takes an engine.
//!
//! A timer that fires every 30 us asks much of a kernel. Where it comes late the
//! window is longer than it was set to be, and sometimes a whole one passes. So the
//! achieved times are measured, and shares are to be held against them.

use super::bandwidth::{QUANTUM_NS, WINDOW_NS};
use super::{DIRECTIONS, PAGES_OF_ALL, REPETITIONS, plain};
use analysis::compared::{curve, ratio};
use analysis::conclusion::Conclusion;
use analysis::sentence::{between, estimated};
use analysis::{ExperimentTable, PointView};
use catalogue::{AxisSpec, Experiment, Figure, Grid, KIB, MIB, Preset, Tally, doubling, moment};
use engines::offload::axes::{self, CHANNEL, MEMORY, SIZE, WAIT};
use engines::offload::channel;
use engines::offload::desk::Copier;
use harness::{Point, SetupError, Shape};
use record::axis::human_bytes;
use record::{FigureHead, Finding, MachineCard, Unit};

const AXES: &[AxisSpec] = &[
    axes::direction(DIRECTIONS),
    AxisSpec::time(
        "quantum",
        "part of each window reserved for the high-priority channel",
    ),
    AxisSpec::time(
        "window",
        "from the start of one quantum to the start of the next",
    ),
    PAGES_OF_ALL,
    WAIT,
    MEMORY,
    SIZE,
    CHANNEL,
];

const TALLIES: &[Tally] = &[
    moment::OF_WALL_CLOCK[0],
    moment::OF_WALL_CLOCK[1],
    Tally::time(
        "quantum_achieved",
        "mean length of the high-priority windows while the workers copied",
    )
    .explains(),
    Tally::time(
        "window_achieved",
        "mean length of a high-priority window and the low-priority one after it",
    )
    .explains(),
    Tally::count("windows", "high-priority windows while the workers copied"),
    Tally::count(
        "windows_missed",
        "how often the gate should have switched and did not",
    ),
];
/// Where the achieved times are among the metrics.
const QUANTUM_ACHIEVED: u16 = EXPERIMENT.metric("quantum_achieved");
const WINDOW_ACHIEVED: u16 = EXPERIMENT.metric("window_achieved");

/// Beyond this share the gate did not keep what it was set to.
const KEPT: f64 = 0.1;

fn grids(preset: Preset, card: &MachineCard) -> Vec<Grid> {
    let channels = axes::channels(card.cpus);
    let study = (QUANTUM_NS as i64, WINDOW_NS as i64);
    match preset {
        Preset::Quick => vec![grid(25, &DIRECTIONS[..1], study, &[64 * KIB], channels)],
        Preset::Full => {
            let sizes: Vec<i64> = doubling(4 * KIB, 32 * MIB).step_by(3).collect();
            let first = &DIRECTIONS[..1];
            let other = |times| grid(200, first, times, &[64 * KIB, MIB], channels);
            vec![
                grid(300, DIRECTIONS, study, &sizes, channels),
                other((300_000, 900_000)),
                other((3_000_000, 9_000_000)),
                other((60_000, 90_000)),
            ]
        }
    }
}

fn grid(
    budget_ms: u64,
    directions: &[&str],
    (quantum, window): (i64, i64),
    sizes: &[i64],
    channels: &[&str],
) -> Grid {
    let grid = Grid::new(budget_ms)
        .words("direction", directions)
        .ints("quantum", [quantum])
        .ints("window", [window]);
    plain(grid)
        .ints("size", sizes.iter().copied())
        .words("channel", channels)
}

fn copier(point: &Point) -> Result<Copier, SetupError> {
    let ns = |axis| u64::try_from(point.int(axis)).unwrap_or(0);
    let (quantum_ns, window_ns) = (ns("quantum"), ns("window"));
    if 0 < quantum_ns && quantum_ns < window_ns {
        return Ok(Copier::Priority {
            quantum_ns,
            window_ns,
        });
    }
    Err(SetupError::skip(
        format!("a quantum of {quantum_ns} ns does not fit in a window of {window_ns} ns"),
        format!("--axis quantum={QUANTUM_NS} --axis window={WINDOW_NS}"),
    ))
}

fn figures() -> Vec<FigureHead> {
    let each = DIRECTIONS.iter().map(|direction| {
        let title = format!("Each channel under the priority policy, {direction}");
        let figure = Figure::of(title, "size", "bandwidth").log_x().log_y();
        let figure = figure.series(&["channel"]);
        figure.only(&[("direction", direction)]).reading(
            "Channel 0 has the priority. GB/s = 10^9 bytes per second, bytes counted once.",
        )
    });
    let windows = Figure::of("Windows as the gate kept them", "size", "window_achieved")
        .log_x()
        .series(&["quantum", "window"])
        .only(&[("channel", "total")])
        .below(&["quantum_achieved"])
        .reading(
            "Mean length of a window; below it, of the part reserved for the high-priority \
             channel. The legend gives the requested lengths.",
        );
    each.chain([windows]).collect()
}

fn findings(table: &ExperimentTable) -> Vec<Finding> {
    let settings = nominal(table).into_iter();
    let kept = settings.filter_map(|times| kept(table, times));
    let gains = DIRECTIONS.iter().filter_map(|d| gain(table, d));
    kept.chain(gains).collect()
}

/// What a point asks of the gate: its quantum and its window.
fn asked(point: &PointView) -> Option<(i64, i64)> {
    point.int("quantum").zip(point.int("window"))
}

/// Settings of the gate with measured points, in the plan's order.
fn nominal(table: &ExperimentTable) -> Vec<(i64, i64)> {
    let mut found = Vec::new();
    for times in table.measured([]).filter_map(asked) {
        if !found.contains(&times) {
            found.push(times);
        }
    }
    found
}

/// The gate's own account compared with what it was set to, at the size with most of it.
fn kept(table: &ExperimentTable, (quantum, window): (i64, i64)) -> Option<Finding> {
    let here = |p: &&PointView| asked(p) == Some((quantum, window)) && p.word("channel") == "total";
    let of = |metric| -> Option<(f64, f64)> {
        let all = curve(table.points.iter().filter(here), "size", metric);
        let largest = all.iter().max_by(|a, b| a.x.total_cmp(&b.x))?;
        Some((largest.x, largest.y.center))
    };
    let ((size, q), (_, w)) = (of(QUANTUM_ACHIEVED)?, of(WINDOW_ACHIEVED)?);
    let us = |ns: f64| format!("{:.1}", ns / 1e3);
    let (asked_q, asked_w) = (quantum as f64, window as f64);
    let is_kept = |a: f64, asked: f64| (a / asked - 1.0).abs() <= KEPT;
    let text = format!(
        "The gate was set to {} of {} us and kept {} of {} us on average (copies of {})",
        us(asked_q),
        us(asked_w),
        us(q),
        us(w),
        human_bytes(stats::whole(size))
    );
    let kept = is_kept(q, asked_q) && is_kept(w, asked_w);
    let share = Conclusion::on(format!("windows_{quantum}_{window}"))
        .sure(0.95)
        .unit(Unit::Ratio)
        .bare_value(q / w)
        .reference(asked_q / asked_w, "quantum and window as asked", kept);
    Some(share.say(text))
}

/// The high channel against the first low one, at the largest size of the first
/// setting of the gate.
fn gain(table: &ExperimentTable, direction: &str) -> Option<Finding> {
    let (quantum, window) = nominal(table).into_iter().next()?;
    let of = |channel: &str| -> Vec<&PointView> {
        let here = |p: &&PointView| {
            p.has(&[("direction", direction), ("channel", channel)])
                && asked(p) == Some((quantum, window))
        };
        table.points.iter().filter(here).collect()
    };
    let (high, low) = (of("0"), of("1"));
    let pairs = high.iter().filter_map(|h| {
        let l = low.iter().find(|l| l.int("size") == h.int("size"))?;
        Some((h, ratio(h, l)?))
    });
    let (point, times) = pairs.max_by_key(|(high, _)| high.int("size"))?;
    let text = format!(
        "With {} of {} us reserved, the high-priority channel moves {:.2} times the bytes of a \
         low-priority one ({direction}, copies of {}; {})",
        quantum as f64 / 1e3,
        window as f64 / 1e3,
        times.center,
        point.bytes("size"),
        between(&times, 2)
    );
    let key = format!("high_over_low_{direction}");
    Some(estimated(key, Unit::Ratio, times, text))
}

pub static EXPERIMENT: Experiment = Experiment {
    axes: AXES,
    parts: channel::PARTS,
    tallies: TALLIES,
    shape: |_| Shape::Single {
        repetitions: REPETITIONS,
    },
    bytes_per_op: |point| Some(point.size("size") as u64),
    grids,
    setup: |point, context| channel::setup(point, context, copier(point)?, TALLIES.len()),
    figures,
    findings: |table, _| findings(table),
    ..Experiment::EMPTY
};

#[cfg(test)]
mod tests {
    use super::{copier, findings};
    use crate::testing::table;
    use analysis::PointView;
    use harness::SetupError;
    use record::Verdict;

    const ID: &str = "offload/priority";
    use testbed::{int, measured, point, word};

    fn row(channel: &str, medians: &[f64]) -> PointView {
        let settings = [
            word("direction", "from_user"),
            int("quantum", 30_000),
            int("window", 90_000),
            int("size", 65536),
            word("channel", channel),
        ];
        measured(ID, &settings, medians)
    }

    #[test]
    fn what_the_gate_kept_stands_beside_what_it_was_set_to() {
        let total = |q, w| row("total", &[10.0, 0.0, 0.0, q, w, 50.0, 0.0]);
        let all = findings(&table(ID, vec![total(31_000.0, 92_000.0)]));
        assert_eq!(all[0].verdict, Verdict::Agree);
        assert_eq!(
            all[0].sentence,
            "The gate was set to 30.0 of 90.0 us and kept 31.0 of 92.0 us on average (copies of 64 \
             KiB)"
        );
        let late = findings(&table(ID, vec![total(400_000.0, 900_000.0)]));
        assert_eq!(late[0].verdict, Verdict::Disagree);
    }

    #[test]
    fn the_high_channel_is_held_against_a_low_one() {
        let all = findings(&table(ID, vec![row("0", &[100.0]), row("1", &[300.0])]));
        assert_eq!(all.len(), 1);
        assert!((all[0].value.unwrap() - 3.0).abs() < 1e-9);
    }

    #[test]
    fn a_quantum_outside_its_window_is_skipped() {
        let of = |q, w| copier(&point(ID, &[int("quantum", q), int("window", w)]));
        assert!(of(30_000, 90_000).is_ok());
        for (q, w) in [(90_000, 90_000), (0, 9), (5, 3)] {
            assert!(matches!(of(q, w), Err(SetupError::Skip { .. })), "{q} {w}");
        }
    }
}
