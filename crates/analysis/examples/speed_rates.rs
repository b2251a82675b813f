//! How often a CPU that was not as fast as usual, or that was taken away, is named, and how
//! often one that was: the figures that docs/design/measuring.md quotes.
//!
//! `cargo xtask truth speeds`, or `cargo run --release -p analysis --example speed_rates
//! [trials]`

use analysis::{Around, ContaminationLevel, Usual, judge_point};
use record::{Disturbance, Sample, Yardstick};
use stats::Rng;

/// Samples of a point, as a quick run has them and a full one.
const SIZES: [usize; 3] = [30, 60, 200];
/// Points of the run that say what is usual.
const OTHERS: usize = 20;
const BATCH_NS: f64 = 200_000.0;
/// Step of the clock, ns, and what a reading of the yardstick lasts, ns.
const STEP_NS: f64 = 10.0;
const READING_NS: f64 = 1_000.0;
/// Two readings of a quiet machine differ by so much besides.
const READING_SD: f64 = 0.003;

/// How much slower than usual the CPU is in sample `i` of `n`, and how long it is away, ns.
type Planted = fn(&mut Rng, usize, usize) -> (f64, f64);

struct Case {
    name: &'static str,
    /// Of the samples, besides what is planted.
    noise: fn(&mut Rng) -> f64,
    planted: Planted,
    /// Whether the scheduler's clock knows of stolen time.
    knows: bool,
    /// Some points meet nothing of it, and are not counted.
    rare: bool,
}

fn two_percent(rng: &mut Rng) -> f64 {
    1.0 + 0.02 * rng.normal()
}

const CLEAN: Planted = |_, _, _| (1.0, 0.0);

fn share(i: usize, n: usize) -> f64 {
    i as f64 / n as f64
}

const CASES: [Case; 11] = [
    case("clean, samples 2 % normal", CLEAN),
    Case {
        noise: |r| (0.1 * r.normal()).exp(),
        ..case("clean, samples 10 % lognormal", CLEAN)
    },
    Case {
        noise: |r| 1.0 + 0.01 * r.uniform().max(1e-9).powf(-1.0 / 1.5),
        ..case("clean, samples with a Pareto tail", CLEAN)
    },
    case("drift of 3 %", |_, i, n| (1.0 + 0.03 * share(i, n), 0.0)),
    case("drift of 10 %", |_, i, n| (1.0 + 0.10 * share(i, n), 0.0)),
    case("step of 4 % half way", |_, i, n| {
        (if 2 * i < n { 1.0 } else { 1.04 }, 0.0)
    }),
    case("the first 25 of 60 slower by 30 %", |_, i, n| {
        (if 60 * i < 25 * n { 1.3 } else { 1.0 }, 0.0)
    }),
    case("60 % of the samples slower by 10 %", |r, _, _| {
        (if r.uniform() < 0.6 { 1.1 } else { 1.0 }, 0.0)
    }),
    case("all samples slower by 5 %", |_, _, _| (1.05, 0.0)),
    Case {
        rare: true,
        ..case("10 % stolen, in slices of 3 ms", slices)
    },
    Case {
        rare: true,
        knows: false,
        ..case("the same, the scheduler does not know", slices)
    },
];

const fn case(name: &'static str, planted: Planted) -> Case {
    Case {
        name,
        noise: two_percent,
        planted,
        knows: true,
        rare: false,
    }
}

/// A slice falls into a batch with the share of the time that is stolen.
fn slices(rng: &mut Rng, _i: usize, _n: usize) -> (f64, f64) {
    let slice_ns = 3e6;
    let rate = 0.1 / 0.9 * BATCH_NS / slice_ns;
    (1.0, if rng.uniform() < rate { slice_ns } else { 0.0 })
}

/// One reading of a link, ns: noise, and the step of the clock at a random phase.
fn reading(rng: &mut Rng, slower: f64) -> f64 {
    let exact_ns = READING_NS * slower * (1.0 + READING_SD * rng.normal());
    let ticks = (exact_ns / STEP_NS + rng.uniform()).floor();
    0.28 * ticks * STEP_NS / READING_NS
}

/// None where nothing fell into a point from which time is stolen now and then.
fn point(rng: &mut Rng, n: usize, case: &Case) -> Option<Vec<Sample>> {
    let states: Vec<(f64, f64)> = (0..n).map(|i| (case.planted)(rng, i, n)).collect();
    if case.rare && states.iter().all(|state| *state == (1.0, 0.0)) {
        return None;
    }
    let links: Vec<(f64, f64)> = states
        .iter()
        .map(|(slower, _)| {
            let (before, behind) = (reading(rng, *slower), reading(rng, *slower));
            let burst = reading(rng, *slower).min(reading(rng, *slower));
            (before.min(behind), 0.25 * burst)
        })
        .collect();
    let mut samples: Vec<Sample> = (0u32..)
        .zip(states.iter().zip(links))
        .map(|(index, ((slower, away_ns), (link_ns, burst_ns)))| {
            let elapsed_ns = BATCH_NS * slower * (case.noise)(rng) + away_ns;
            Sample {
                index,
                ops: 1000,
                elapsed_ns,
                value: elapsed_ns / 1000.0,
                disturbance: Disturbance {
                    off_cpu_ns: case.knows.then_some(*away_ns as u64),
                    ..Disturbance::default()
                },
                yardstick: Some(Yardstick { link_ns, burst_ns }),
                ..Sample::default()
            }
        })
        .collect();
    bracket(&mut samples, &states);
    Some(samples)
}

/// The kernel counts steal in ticks of 10 ms, and is read every ten batches.
fn bracket(samples: &mut [Sample], states: &[(f64, f64)]) {
    let mut stolen_ns = 0.0;
    for (bracket, states) in samples.chunks_mut(10).zip(states.chunks(10)) {
        let before = (stolen_ns / 1e7) as u64;
        stolen_ns += states.iter().map(|(_, away_ns)| away_ns).sum::<f64>();
        let ticks = (stolen_ns / 1e7) as u64 - before;
        let batches = u32::try_from(bracket.len()).unwrap_or(u32::MAX);
        for sample in bracket {
            sample.disturbance.steal_ns = Some(ticks * 10_000_000);
            sample.disturbance.bracket_batches = batches;
        }
    }
}

fn main() {
    let trials = std::env::args().nth(1).and_then(|t| t.parse().ok());
    let trials: usize = trials.unwrap_or(1000);
    let mut rng = Rng::new(11);
    println!("named, contaminated in % of {trials} points; n =");
    print!("{:<40}", "");
    SIZES.iter().for_each(|n| print!("{n:>10}"));
    println!();
    for case in &CASES {
        print!("{:<40}", case.name);
        for n in SIZES {
            let (mut named, mut contaminated, mut all) = (0, 0, 0);
            while all < trials {
                let clean = case_of_run();
                let others: Vec<Vec<Sample>> = (0..OTHERS)
                    .filter_map(|_| point(&mut rng, n, &clean))
                    .collect();
                let Some(samples) = point(&mut rng, n, case) else {
                    continue;
                };
                all += 1;
                let all = others.iter().chain([&samples]);
                let around = Around {
                    shared: false,
                    usual: Usual::of(all.map(Vec::as_slice)),
                    may_be_stolen: true,
                };
                let judged = judge_point(&samples, &around).expect("there are samples");
                named += usize::from(judged.level > ContaminationLevel::Clean);
                contaminated += usize::from(judged.level == ContaminationLevel::Contaminated);
            }
            let percent = |count: usize| 100.0 * count as f64 / trials as f64;
            print!("{:>6.1}{:>6.1}", percent(named), percent(contaminated));
        }
        println!();
    }
}

fn case_of_run() -> Case {
    case("clean", CLEAN)
}
