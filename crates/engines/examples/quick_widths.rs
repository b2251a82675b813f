//! How wide the intervals of a run are where nothing disturbs, and how often they hold: the real
//! plan, sampler and analysis on simulated machines, the figures that docs/design/measuring.md
//! quotes.
//!
//! `cargo xtask truth widths`, or `cargo run --release -p pontage-engines --example quick_widths [runs]`

use analysis::{Interval, summarise};
use catalogue::plan::{Plan, plan};
use catalogue::prose::Prose;
use catalogue::{AxisSpec, Catalogue, Experiment, Grid, Listed, Preset, recipe};
use engines::selftest::Machine;
use engines::selftest::fake::{CALM, Fake};
use harness::self_test::{floor_ns, resolution_ns};
use harness::yardstick::Yardstick;
use harness::{Bench, Member, Sampling, Subject, sample_block};
use record::{MachineCard, PointState, Sample, Unit};
use stats::{Rng, median, whole};
use std::collections::BTreeMap;
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;

const RUNS: u64 = 12;
/// Processes differ by so much, as a share (a standard deviation) ...
const DIFFER: [f64; 4] = [0.0, 0.005, 0.01, 0.02];
/// ... and those of an operation that is bound to the core by no more than this: nothing but
/// the draw of its addresses tells them apart.
const CORE_BOUND: f64 = 0.01;
/// Half of the interval, as a share of the median, at most ...
const NARROW: f64 = 0.02;
/// ... and of all intervals so many hold the truth at least: 95 % less two points.
const HELD: f64 = 0.93;
/// An operation of 500 ns.
const TURNS: f64 = 25.0;
const ID: &str = "syscall/hot";

static HOT: Experiment = Experiment {
    axes: &[AxisSpec::number(
        "place",
        Unit::Count,
        "of a point among its like",
    )],
    grids: |_, _| vec![Grid::new(200).ints("place", 1..=20)],
    ..Experiment::EMPTY
};

/// Works for the machine, a little more or less in each process.
struct Hot<'a> {
    machine: &'a Fake,
    turns: f64,
}

impl Subject for Hot<'_> {
    fn batch(&mut self, _part: u16, ops: u64) {
        self.machine.work(whole((ops as f64 * self.turns).round()));
    }
}

fn main() -> ExitCode {
    let runs = std::env::args().nth(1).and_then(|a| a.parse().ok());
    let runs = runs.unwrap_or(RUNS).max(1);
    println!(
        "{runs} simulated runs of 20 points each; work varies by 0.5 %, an interrupt each 4 ms"
    );
    println!(
        "goal: a quick run whose processes differ by up to {:.0} %: half-width at most {:.0} % in \
         the median; of all intervals at least {:.0} % hold",
        100.0 * CORE_BOUND,
        100.0 * NARROW,
        100.0 * HELD
    );
    println!("run    processes  differ by  half-width, median  90 % under  hold    verdict");
    let mut right = true;
    for preset in [Preset::Quick, Preset::Full] {
        let truth = truth(preset, runs);
        for differ in DIFFER {
            let found = Found::of(preset, differ, runs, truth);
            let good = found.held >= HELD && (differ > CORE_BOUND || found.half <= NARROW);
            right &= good;
            println!(
                "{:<6} {:>9}  {:>7.1} %  {:>16.2} %  {:>8.2} %  {:>4.1} %  {}",
                preset.name(),
                found.processes,
                100.0 * differ,
                100.0 * found.half,
                100.0 * found.wide,
                100.0 * found.held,
                if good { "right" } else { "WRONG" }
            );
        }
    }
    match right {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    }
}

/// What the intervals of all points of all runs are like.
struct Found {
    processes: u32,
    /// Relative half-widths: their median, and the one that nine tenths are under.
    half: f64,
    wide: f64,
    /// Share of the intervals with the truth in them.
    held: f64,
}

impl Found {
    fn of(preset: Preset, differ: f64, runs: u64, truth: f64) -> Found {
        let plan = planned(preset);
        let seeds = (1..=runs).map(|run| run * 1000);
        let all = seeds.flat_map(|seed| intervals(&plan, differ, seed));
        let all: Vec<Interval> = all.collect();
        let halves = all.iter().map(|i| (i.high - i.low) / 2.0 / i.center);
        let mut halves: Vec<f64> = halves.collect();
        halves.sort_by(f64::total_cmp);
        let held = all.iter().filter(|i| i.contains(truth)).count();
        Found {
            processes: plan.processes,
            half: median(&halves).unwrap_or(f64::NAN),
            wide: halves[halves.len() * 9 / 10],
            held: held as f64 / all.len() as f64,
        }
    }
}

/// The middle of what such a machine takes, in the long run: its interrupts are in it.
fn truth(preset: Preset, runs: u64) -> f64 {
    let plan = planned(preset);
    let all = (1..=runs).flat_map(|run| sampled_run(&plan, 0.0, run * 1000));
    let values: Vec<f64> = all.flat_map(|(_, of)| of).map(|s| s.value).collect();
    median(&values).unwrap_or(f64::NAN)
}

fn planned(preset: Preset) -> Plan {
    let listed = Listed {
        id: ID,
        experiment: &HOT,
        prose: Prose::default(),
    };
    let text = format!(
        "title = \"hot\"\npreset = \"{}\"\n[[experiment]]\nid = \"{ID}\"\n",
        preset.name()
    );
    let recipe = recipe::parse("hot", &text).expect("a recipe of one experiment");
    let catalogue = Catalogue::new(vec![listed], catalogue::Quantities::NONE);
    plan(&catalogue, &recipe, &MachineCard::default()).expect("a plan of one experiment")
}

/// The intervals of one run's points.
fn intervals(plan: &Plan, differ: f64, seed: u64) -> Vec<Interval> {
    let samples = sampled_run(plan, differ, seed);
    let head = plan.experiments[0].listed.head(&MachineCard::default());
    let mut points = plan.point_heads();
    points.iter_mut().for_each(|p| p.state = PointState::Done);
    let table = summarise(&head, &points, &samples);
    let medians = table
        .points
        .iter()
        .filter_map(|p| Some(p.primary()?.median));
    medians.collect()
}

/// All samples of a run, by point.
fn sampled_run(plan: &Plan, differ: f64, seed: u64) -> BTreeMap<u32, Vec<Sample>> {
    let mut rng = Rng::new(seed);
    let mut samples: BTreeMap<u32, Vec<Sample>> = BTreeMap::new();
    for process in 0..plan.processes {
        let machine = Fake::new(seed + u64::from(process), CALM);
        let process = u16::try_from(process).expect("a few processes");
        for block in &plan.experiments[0].blocks {
            for point in &block.points {
                let turns = TURNS * (differ * rng.normal()).exp();
                let taken = sampled(&machine, turns, process, block.sampling);
                samples.entry(point.index).or_default().extend(taken);
            }
        }
    }
    samples
}

/// One process's samples of a point.
fn sampled(machine: &Fake, turns: f64, process: u16, sampling: Sampling) -> Vec<Sample> {
    let (stop, clock) = (AtomicBool::new(false), machine.clock());
    let resolution_ns = resolution_ns(clock);
    let mut gauge = machine.gauge(resolution_ns);
    let mut watch = machine.watch();
    let mut members = [Member {
        subject: &mut Hot { machine, turns },
        parts: 1,
        sampling,
    }];
    let mut bench = Bench {
        clock,
        watch: &mut *watch,
        yardstick: gauge
            .as_deref_mut()
            .map(|gauge| Yardstick::begin(gauge, clock)),
        counters: None,
        floor_ns: floor_ns(clock),
        resolution_ns,
        process,
        next_index: 0,
        stop: &stop,
    };
    sample_block(&mut members, &mut bench).remove(0).samples
}

#[cfg(test)]
mod tests {
    use super::*;
    use engines::selftest::fake::TURN_NS;

    #[test]
    fn a_quick_run_of_a_calm_machine_has_intervals_worth_reading() {
        let truth = truth(Preset::Quick, 3);
        let cost_ns = TURNS * TURN_NS;
        assert!((truth / cost_ns - 1.0).abs() < 0.005, "{truth}");
        let found = Found::of(Preset::Quick, CORE_BOUND, 3, truth);
        assert!(found.half <= NARROW, "{}", found.half);
        assert!(found.held >= 0.85, "{}", found.held);
    }
}
