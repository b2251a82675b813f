//! How often `pontage compare` fails a run that did not get worse, and how often it finds one that
//! did, by simulation: the figures that docs/design/measuring.md quotes.
//!
//! `cargo xtask truth gate`, or `cargo run --release -p analysis --example gate_rates [trials]`

use analysis::compare::{History, Verdict};
use analysis::{CompareOptions, Comparison, OfRun, RunView, compare_with, summarise_measured};
use record::{
    AxisValue, Disturbance, ExperimentHead, MachineCard, MetricHead, PointHead, PointState,
    RunHead, RunState, Sample, Setting, Unit,
};
use stats::Rng;
use std::collections::BTreeMap;

const POINTS: usize = 84;
const SAMPLES: u32 = 20;
/// Within a process.
const NOISE: f64 = 0.01;

/// How runs come about.
#[derive(Clone, Copy)]
struct World {
    name: &'static str,
    /// Of the 84 points.
    experiments: usize,
    processes: u16,
    /// Standard deviations of logarithms: of each process at each point ...
    process: f64,
    /// ... of a process at all points of an experiment ...
    together: f64,
    /// ... of a whole run ...
    run: f64,
    /// ... and of one run at all points of an experiment.
    group: f64,
    heavy: bool,
    /// Runs besides A and B.
    history: usize,
}

const CALM: World = World {
    name: "",
    experiments: 7,
    processes: 3,
    process: 0.02,
    together: 0.0,
    run: 0.0,
    group: 0.0,
    heavy: false,
    history: 0,
};

fn worlds() -> Vec<World> {
    let of = |name, world: World| World { name, ..world };
    let mut all = Vec::new();
    for (process, name) in [
        (0.01, "processes differ by 1 %"),
        (0.02, "processes differ by 2 %"),
        (0.04, "processes differ by 4 %"),
    ] {
        for processes in [1, 2, 3, 6] {
            all.push(World {
                name,
                process,
                processes,
                ..CALM
            });
        }
    }
    all.push(of(
        "... 4 %, all in one experiment",
        World {
            process: 0.04,
            experiments: 1,
            ..CALM
        },
    ));
    all.push(of(
        "... 2 %, t with 3 degrees",
        World {
            heavy: true,
            ..CALM
        },
    ));
    all.push(of(
        "... 1 %, 5 % as a group",
        World {
            process: 0.01,
            together: 0.05,
            processes: 2,
            ..CALM
        },
    ));
    all.push(of("runs differ by 3 %", World { run: 0.03, ..CALM }));
    all.push(of(
        "runs differ by 3 %, one process",
        World {
            run: 0.03,
            processes: 1,
            ..CALM
        },
    ));
    all.push(of(
        "runs differ by 3 %, 4 more known",
        World {
            run: 0.03,
            history: 4,
            ..CALM
        },
    ));
    all.push(of(
        "runs differ by 3 %, 9 more known",
        World {
            run: 0.03,
            history: 9,
            ..CALM
        },
    ));
    all.push(of(
        "experiments of a run by 5 %",
        World {
            group: 0.05,
            ..CALM
        },
    ));
    all.push(of(
        "experiments ... 5 %, 4 more known",
        World {
            group: 0.05,
            history: 4,
            ..CALM
        },
    ));
    all
}

/// What is done to B.
#[derive(Clone, Copy)]
struct Change {
    name: &'static str,
    factor: f64,
    points: usize,
}

impl Change {
    fn trials(self, trials: u64) -> u64 {
        if self.points == 0 {
            trials
        } else {
            trials.div_ceil(4)
        }
    }
}

const CHANGES: [Change; 5] = [
    Change {
        name: "none",
        factor: 1.0,
        points: 0,
    },
    Change {
        name: "one +10 %",
        factor: 1.1,
        points: 1,
    },
    Change {
        name: "one +20 %",
        factor: 1.2,
        points: 1,
    },
    Change {
        name: "ten +10 %",
        factor: 1.1,
        points: 10,
    },
    Change {
        name: "all +20 %",
        factor: 1.2,
        points: POINTS,
    },
];

fn head(id: &str) -> ExperimentHead {
    let latency = MetricHead {
        name: "latency".into(),
        unit: Unit::Nanoseconds,
        doc: String::new(),
        lower_is_better: true,
        explains: false,
    };
    ExperimentHead {
        id: id.into(),
        title: String::new(),
        question: String::new(),
        counts: String::new(),
        does_not_count: String::new(),
        origin: String::new(),
        theory: String::new(),
        axes: Vec::new(),
        metrics: vec![latency],
        figures: Vec::new(),
        toll: Vec::new(),
        in_cycles: false,
        kinds: Vec::new(),
    }
}

fn point(index: u32, experiment: &str) -> PointHead {
    PointHead {
        index,
        experiment: experiment.into(),
        settings: vec![Setting {
            axis: "at".into(),
            value: AxisValue::Int(i64::from(index)),
        }],
        bytes_per_op: None,
        state: PointState::Done,
        notes: Vec::new(),
        traces: Vec::new(),
        interrupts: None,
    }
}

/// Of unit variance.
fn deviate(rng: &mut Rng, heavy: bool) -> f64 {
    if !heavy {
        return rng.normal();
    }
    let square: f64 = (0..3).map(|_| rng.normal().powi(2)).sum();
    rng.normal() / (square / 3.0).sqrt() / 3f64.sqrt()
}

fn measured(world: &World, change: Change, rng: &mut Rng) -> RunView {
    let of_run = world.run * rng.normal();
    let per = POINTS / world.experiments;
    let mut tables = Vec::new();
    for experiment in 0..world.experiments {
        let id = format!("area/e{experiment}");
        let of_group = of_run + world.group * rng.normal();
        let shared: Vec<f64> = (0..world.processes)
            .map(|_| world.together * rng.normal())
            .collect();
        let mut samples: BTreeMap<u32, Vec<Sample>> = BTreeMap::new();
        let mut points = Vec::new();
        for at in 0..per {
            let number = experiment * per + at;
            let index = u32::try_from(number).unwrap_or(0);
            // The changed ones stand all over the family.
            let changed = change.points > 0 && number.is_multiple_of(POINTS / change.points);
            let level = if changed && number / (POINTS / change.points) < change.points {
                change.factor.ln()
            } else {
                0.0
            };
            points.push(point(index, &id));
            let of = samples.entry(index).or_default();
            for process in 0..world.processes {
                let own = world.process * deviate(rng, world.heavy);
                let center = level + of_group + own + shared[usize::from(process)];
                of.extend((0..SAMPLES).map(|sample| Sample {
                    metric: 0,
                    process,
                    index: sample,
                    ops: 1,
                    elapsed_ns: 0.0,
                    floor_ns: 0.0,
                    value: 100.0 * (center + NOISE * rng.normal()).exp(),
                    cpu: 0,
                    disturbance: Disturbance::default(),
                    yardstick: None,
                }));
            }
        }
        let of_run = OfRun::default();
        let table = summarise_measured(&head(&id), &points, &samples, &of_run);
        tables.push(table);
    }
    RunView {
        head: run_head(),
        speeds: Vec::new(),
        tables,
    }
}

fn run_head() -> RunHead {
    RunHead {
        schema_version: record::SCHEMA_VERSION,
        id: "simulated".into(),
        started_utc: String::new(),
        ended_utc: None,
        tool_version: String::new(),
        command_line: Vec::new(),
        recipe: record::RecipeHead::default(),
        state: RunState::Complete,
        labels: record::Labels::default(),
        machine: MachineCard::default(),
        machine_full: serde_json::Value::Null,
        conditions: record::Conditions::default(),
        instrument: record::Instrument::default(),
        experiments: Vec::new(),
        points: Vec::new(),
        findings: Vec::new(),
        claims: Vec::new(),
    }
}

fn compared(world: &World, change: Change, rng: &mut Rng) -> Comparison {
    let none = CHANGES[0];
    let a = measured(world, none, rng);
    let b = measured(world, change, rng);
    let others: Vec<RunView> = (0..world.history)
        .map(|_| measured(world, none, rng))
        .collect();
    let options = CompareOptions {
        threshold: 0.05,
        across_machines: false,
    };
    compare_with(
        &a,
        &b,
        options,
        &History::of(std::iter::once(&a).chain(&others)),
    )
}

fn main() {
    let trials: u64 = std::env::args()
        .nth(1)
        .and_then(|a| a.parse().ok())
        .unwrap_or(400);
    println!("{POINTS} points, {SAMPLES} samples a process that vary by 1 %, threshold 5 %.");
    println!("fail: share of comparisons that end with 1: of {trials} without a change (false");
    println!("alarms), of a quarter as many with one. 77: that say they cannot tell.\n");
    print!("{:34}{:>5}", "", "proc.");
    for change in CHANGES {
        print!("{:>15}", change.name);
    }
    print!("\n{:39}", "");
    for _ in CHANGES {
        print!("{:>9}{:>6}", "fail", "77");
    }
    println!();
    for world in worlds() {
        print!("{:34}{:>5}", world.name, world.processes);
        for change in CHANGES {
            let (mut failed, mut unknown) = (0u32, 0u32);
            let trials = change.trials(trials);
            for trial in 0..trials {
                let mut rng = Rng::new(1 + trial);
                match compared(&world, change, &mut rng).gate.verdict {
                    Verdict::Failed => failed += 1,
                    Verdict::Unknown => unknown += 1,
                    Verdict::Passed => {}
                }
            }
            let percent = |n: u32| 100.0 * f64::from(n) / trials as f64;
            print!("{:7.1} %{:4.0} %", percent(failed), percent(unknown));
        }
        println!();
    }
}
