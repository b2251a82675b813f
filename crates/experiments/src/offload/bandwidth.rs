//! # offload/bandwidth - Copies on every CPU and DMA channel at once
//!
//! How many bytes per second move between user memory and kernel buffers when all
//! CPUs copy at the same time, by themselves or by a DMA channel each?
//!
//! ## Counts
//! One copy of `size` bytes inside the kernel. A worker on each CPU makes 300 of
//! them, one after the other, and all begin at the same moment; with DMA there are
//! as many workers as channels at the most. `channel` is the worker, numbered from
//! 0: with `context=exclusive` it has a DMA channel of its own, with `shared` and
//! `priority` the module hands it a channel for each chunk, with `cpu` it is a core.
//! Its time is the module's clock from its first copy to the end of its last.
//! `total` is one copy of any worker: its rate is the sum of the workers' rates.
//! Bytes are counted once (copied, not read and written). With `direction=both` the
//! 300 copies are 150 out and 150 back in turn. Where 300 would take more than two
//! seconds, as large ones do under load, they are fewer; the point notes how many.
//!
//! ## Does not count
//! The system call that asks for the 300 copies, pinning of `pages=pinned`, and the
//! time until all are ready. Each worker has buffers of its own, warm as its last
//! copy left them. A worker that ends late had fewer neighbours at its end, so the
//! sum of rates is a little more than all bytes by the time of all; it is what the
//! study printed as `total_band`.
//!
//! ## Origin
//! The micro-benchmark of bandwidth of the I/OAT-CFTU documentation (A. Papa,
//! Universita di Roma Tor Vergata, 2013), figures 2.9 to 2.14: 300 operations for
//! each channel and size, 1 KiB to 32 MiB; by CPU and under three policies.
//!
//! ## Theory
//! A single copy by DMA waits most of its time: for the engine to fetch a
//! descriptor, for the interrupt, for the wake-up. Several at once fill that time,
//! so that an engine which loses each race alone may win together. What bounds it
//! then is the engine (its channels often share one port to memory), the memory,
//! or again the CPUs, which prepare descriptors. CPUs that copy are bound by their
//! caches while the data fit, and by memory beyond; there engine and CPUs meet the
//! same wall, and the engine's gain is that the CPUs are free.
//!
//! Exclusive channels need no lock and no choice, and are idle when their CPU has
//! nothing to copy. Shared ones are used by all CPUs, at the price of choosing
//! and of copies that wait behind each other. With as many busy workers as channels
//! the two should not differ much; where they do, it is that price.

use super::{DIRECTIONS, PAGES_OF_ALL, REPETITIONS, plain};
use analysis::claims::{Outcome, Quoted, all};
use analysis::compared::ratio;
use analysis::sentence::{between, estimated};
use analysis::{ExperimentTable, PointView};
use catalogue::{AxisSpec, Claim, Experiment, Figure, Grid, KIB, MIB, Preset, doubling};
use engines::offload::axes::{self, CHANNEL, MEMORY, SIZE, WAIT};
use engines::offload::channel;
use engines::offload::desk::Copier;
use harness::Shape;
use record::{FigureHead, Finding, MachineCard, Unit};

const CONTEXTS: &[&str] = &["cpu", "exclusive", "shared", "priority"];

const AXES: &[AxisSpec] = &[
    axes::direction(DIRECTIONS),
    axes::context(CONTEXTS),
    PAGES_OF_ALL,
    WAIT,
    MEMORY,
    SIZE,
    CHANNEL,
];

/// Quantum and window of the study.
pub const QUANTUM_NS: u64 = 30_000;
/// Window of the study, ns.
pub const WINDOW_NS: u64 = 90_000;

fn grids(preset: Preset, card: &MachineCard) -> Vec<Grid> {
    let channels = axes::channels(card.cpus);
    match preset {
        Preset::Quick => vec![grid(25, CONTEXTS, &[64 * KIB], channels)],
        Preset::Full => {
            let sizes: Vec<i64> = doubling(4 * KIB, 32 * MIB).step_by(3).collect();
            vec![grid(300, CONTEXTS, &sizes, channels)]
        }
    }
}

fn grid(budget_ms: u64, contexts: &[&str], sizes: &[i64], channels: &[&str]) -> Grid {
    let grid = Grid::new(budget_ms).words("direction", DIRECTIONS);
    plain(grid.words("context", contexts))
        .ints("size", sizes.iter().copied())
        .words("channel", channels)
}

fn figures() -> Vec<FigureHead> {
    let figure = |title, series, settings: [(&str, &str); 2]| {
        let figure = Figure::of(title, "size", "bandwidth").log_x().log_y();
        figure.series(&[series]).only(&settings).reading(
            "GB/s = 10^9 bytes per second, bytes counted once (copied, not read + written).",
        )
    };
    let together = DIRECTIONS.iter().map(|direction| {
        let title = format!("All channels together, {direction}");
        let settings = [("direction", *direction), ("channel", "total")];
        figure(title, "context", settings)
    });
    let each = CONTEXTS.iter().map(|context| {
        let title = format!("Each channel, from_user, {context}");
        let settings = [("direction", "from_user"), ("context", *context)];
        figure(title, "channel", settings)
    });
    together.chain(each).collect()
}

/// All channels against all CPUs, at the largest size both have.
fn findings(table: &ExperimentTable) -> Vec<Finding> {
    let engine = &CONTEXTS[1..];
    let ways = DIRECTIONS
        .iter()
        .flat_map(|d| engine.iter().map(move |c| (d, c)));
    ways.filter_map(|(d, c)| against_cpus(table, d, c))
        .collect()
}

fn against_cpus(table: &ExperimentTable, direction: &str, context: &str) -> Option<Finding> {
    let total = [("channel", "total"), ("direction", direction)];
    let totals = |context| {
        table
            .measured(total)
            .filter(move |p| p.word("context") == context)
    };
    let pairs = totals(context).filter_map(|dma| {
        let cpu = totals("cpu").find(|c| c.int("size") == dma.int("size"))?;
        Some((dma, cpu))
    });
    let (dma, cpu) = pairs.max_by_key(|(dma, _)| dma.int("size"))?;
    let times = ratio(dma, cpu)?;
    let text = format!(
        "Copying {} {} on all channels ({context}): {:.2} times the bandwidth of all CPUs copying \
         ({})",
        dma.bytes("size"),
        match direction {
            "both" => "from and to user memory",
            "to_user" => "to user memory",
            _ => "from user memory",
        },
        times.center,
        between(&times, 2)
    );
    let key = format!("{context}_over_cpu_{direction}");
    Some(estimated(key, Unit::Ratio, times, text))
}

const CLAIMS: &[Claim] = &[Claim {
    text: "all workers together move at least as much as any one of them",
    check: total_is_most,
}];

fn total_is_most<'a>(table: &'a ExperimentTable) -> Option<Outcome> {
    let others = |p: &'a PointView| p.all_but(&["channel"]);
    let workers = table.points.iter().filter(|p| p.word("channel") != "total");
    let pairs = workers.filter_map(|worker| {
        let mut totals = table.measured([("channel", "total")]);
        let total = totals.find(|t| others(t) == others(worker))?;
        // What moves more takes less time a copy.
        Some(Quoted::latency(total)?.at_most(Quoted::latency(worker)?))
    });
    all(pairs)
}

pub static EXPERIMENT: Experiment = Experiment {
    axes: AXES,
    parts: channel::PARTS,
    tallies: channel::TALLIES,
    shape: |_| Shape::Single {
        repetitions: REPETITIONS,
    },
    bytes_per_op: |point| Some(point.size("size") as u64),
    grids,
    setup: |point, context| {
        let copier = Copier::of(point, QUANTUM_NS, WINDOW_NS);
        channel::setup(point, context, copier, channel::TALLIES.len())
    },
    figures,
    claims: CLAIMS,
    findings: |table, _| findings(table),
    ..Experiment::EMPTY
};

#[cfg(test)]
mod tests {
    use super::{CLAIMS, findings};
    use crate::testing::table;
    use analysis::PointView;

    const ID: &str = "offload/bandwidth";
    use testbed::{int, measured, word};

    fn total(context: &str, size: i64, ns: f64) -> PointView {
        row(context, "total", size, ns)
    }

    fn row(context: &str, channel: &str, size: i64, ns: f64) -> PointView {
        let settings = [
            word("direction", "both"),
            word("context", context),
            int("size", size),
            word("channel", channel),
        ];
        measured(ID, &settings, &[ns])
    }

    #[test]
    fn channels_are_held_against_cpus_at_the_largest_common_size() {
        let points = vec![
            total("cpu", 4096, 100.0),
            total("shared", 4096, 400.0),
            total("cpu", 65536, 9000.0),
            total("shared", 65536, 6000.0),
            total("shared", 1 << 20, 1.0),
        ];
        let all = findings(&table(ID, points));
        assert_eq!(all.len(), 1);
        assert_eq!(all[0].key, "shared_over_cpu_both");
        assert!((all[0].value.unwrap() - 1.5).abs() < 1e-9);
        assert!(
            all[0].sentence.contains("64 KiB from and to"),
            "{}",
            all[0].sentence
        );
    }

    #[test]
    fn a_total_below_a_worker_breaks_the_claim() {
        let held = |total_ns| {
            let points = vec![total("cpu", 4096, total_ns), row("cpu", "0", 4096, 100.0)];
            (CLAIMS[0].check)(&table(ID, points)).map(|o| o.held().expect(&o.evidence))
        };
        assert_eq!(held(50.0), Some(true));
        assert_eq!(held(200.0), Some(false));
    }
}
