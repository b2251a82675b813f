//! How often `pontage ab` calls a difference where there is none, looks on the way included, and
//! how often it finds one of 5 %, by simulation: the figures that docs/design/measuring.md quotes.
//!
//! `cargo xtask truth gate`, or `cargo run --release -p analysis --example ab_rates [trials [commands]]`

mod commands;

use analysis::Abba;
use analysis::paired::{Family, Pair, PairOutcome, Side, drawn, order};
use record::Unit;
use stats::Rng;

/// A visit of one point takes 0.55 s here (0.2 s of samples, the rest is starting, looking at the
/// machine and writing), so 60 s are so many blocks of four.
const BLOCKS: usize = 27;
/// The default of `pontage ab`.
const THRESHOLD: f64 = 0.02;
/// Samples of a visit: 200 batches of a millisecond.
const BATCHES: usize = 200;
const BATCH_MS: f64 = 1.0;
/// The hypervisor takes 10 %: for 3 ms on average, every 30.
const TAKEN_MS: f64 = 3.0;
const BETWEEN_MS: f64 = 27.0;

/// What disturbs a visit.
#[derive(Clone, Copy, PartialEq)]
enum Noise {
    /// Processes differ, normally.
    Processes,
    /// As Student's t with two degrees of freedom: wild visits.
    Wild,
    /// The machine slows down by 10 % over the whole study.
    Drift,
    /// 10 % stolen from batches, of which the visit takes the median.
    Stolen,
}

fn exponential(rng: &mut Rng, mean: f64) -> f64 {
    -mean * rng.uniform().ln()
}

/// Time that is stolen during `work_ms` of work that is spread over the host's turns.
struct Host {
    left_ms: f64,
}

impl Host {
    fn new(rng: &mut Rng) -> Host {
        Host {
            left_ms: exponential(rng, BETWEEN_MS),
        }
    }

    fn takes(&mut self, work_ms: f64, rng: &mut Rng) -> f64 {
        let (mut work, mut taken) = (work_ms, 0.0);
        while work > self.left_ms {
            work -= self.left_ms;
            taken += exponential(rng, TAKEN_MS);
            self.left_ms = exponential(rng, BETWEEN_MS);
        }
        self.left_ms -= work;
        taken
    }
}

/// What one visit measures, of a truth of 1 times `effect`.
fn visit(noise: Noise, sd: f64, effect: f64, progress: f64, rng: &mut Rng) -> f64 {
    let own = match noise {
        Noise::Wild => {
            let square = (rng.normal().powi(2) + rng.normal().powi(2)) / 2.0;
            rng.normal() / square.sqrt()
        }
        _ => rng.normal(),
    };
    let level = effect * (sd * own).exp();
    match noise {
        Noise::Processes | Noise::Wild => level,
        Noise::Drift => level * (1.0 + 0.1 * progress),
        Noise::Stolen => {
            let mut host = Host::new(rng);
            let mut batches: Vec<f64> = (0..BATCHES)
                .map(|_| {
                    let work = BATCH_MS * level * (0.015 * rng.normal()).exp();
                    work + host.takes(work, rng)
                })
                .collect();
            batches.sort_unstable_by(f64::total_cmp);
            batches[BATCHES / 2]
        }
    }
}

/// The study of so many points, the first of which differs by `effect`: whether any was called worse
/// or better, and after how many blocks it ended.
fn study(
    points: usize,
    threshold: f64,
    noise: Noise,
    sd: f64,
    effect: f64,
    seed: u64,
) -> (bool, usize) {
    let mut rng = Rng::new(seed);
    let pair = |at| Pair::new(format!("{at}"), "latency".into(), Unit::Nanoseconds, true);
    let mut family = Family::new((0..points).map(pair).collect(), threshold, seed);
    for block in 0..BLOCKS {
        let sides = order(drawn(seed, block));
        for (number, pair) in family.pairs.iter_mut().enumerate() {
            let effect = if number == 0 { effect } else { 1.0 };
            let (mut a, mut b) = (Vec::new(), Vec::new());
            for (at, side) in sides.iter().enumerate() {
                let progress = (4 * block + at) as f64 / (4 * BLOCKS) as f64;
                match side {
                    Side::A => a.push(visit(noise, sd, 1.0, progress, &mut rng)),
                    Side::B => b.push(visit(noise, sd, effect, progress, &mut rng)),
                }
            }
            pair.blocks.push(Abba {
                a: [a[0], a[1]],
                b: [b[0], b[1]],
            });
        }
        if family.look() {
            return (called(&family), block + 1);
        }
    }
    family.last_look();
    (called(&family), BLOCKS)
}

fn called(family: &Family) -> bool {
    family.count(PairOutcome::Worse) + family.count(PairOutcome::Better) > 0
}

fn main() {
    let trials: u64 = std::env::args()
        .nth(1)
        .and_then(|a| a.parse().ok())
        .unwrap_or(400);
    if std::env::args().any(|a| a == "commands") {
        return commands::print(trials);
    }
    println!(
        "At most {BLOCKS} blocks of four visits (60 s a pair, 0.55 s a visit), {trials} trials.\n"
    );
    println!("No difference, threshold 0, so that every rejection at any look counts:");
    println!(
        "{:44}{:>10}{:>10}{:>10}",
        "family of", "1 point", "12", "84"
    );
    let nulls = [
        ("processes differ by 1 %", Noise::Processes, 0.01),
        ("processes differ by 4 %", Noise::Processes, 0.04),
        ("... 2 %, as t with 2 degrees", Noise::Wild, 0.02),
        ("... 2 %, drift of 10 %", Noise::Drift, 0.02),
        ("... 2 %, 10 % stolen", Noise::Stolen, 0.02),
    ];
    let percent = |hits: usize| 100.0 * hits as f64 / trials as f64;
    for (name, noise, sd) in nulls {
        print!("{name:44}");
        for points in [1, 12, 84] {
            let wrong = (0..trials).filter(|t| study(points, 0.0, noise, sd, 1.0, 1 + t).0);
            print!("{:8.1} %", percent(wrong.count()));
        }
        println!();
    }
    println!(
        "\nOne point of B slower by 5 %, threshold 2 %: found, and blocks until all are decided:"
    );
    println!(
        "{:44}{:>10}{:>10}{:>14}",
        "", "found", "blocks", "equal: ends at"
    );
    let planted = [
        ("processes differ by 1 %", 1, Noise::Processes, 0.01),
        ("processes differ by 2 %", 1, Noise::Processes, 0.02),
        ("processes differ by 4 %", 1, Noise::Processes, 0.04),
        ("... 2 %, one of 12 points", 12, Noise::Processes, 0.02),
        ("... 2 %, one of 84 points", 84, Noise::Processes, 0.02),
        ("... 2 %, as t with 2 degrees", 1, Noise::Wild, 0.02),
        ("... 2 %, drift of 10 %", 1, Noise::Drift, 0.02),
        ("... 2 %, 10 % stolen", 1, Noise::Stolen, 0.02),
        ("... 4 %, 10 % stolen", 1, Noise::Stolen, 0.04),
    ];
    for (name, points, noise, sd) in planted {
        let found: Vec<(bool, usize)> = (0..trials)
            .map(|t| study(points, THRESHOLD, noise, sd, 1.05, 1 + t))
            .collect();
        let hits = found.iter().filter(|(called, _)| *called).count();
        let mean = |all: &[(bool, usize)]| {
            all.iter().map(|(_, n)| *n as f64).sum::<f64>() / all.len() as f64
        };
        let equal: Vec<(bool, usize)> = (0..trials)
            .map(|t| study(points, THRESHOLD, noise, sd, 1.0, 1 + t))
            .collect();
        println!(
            "{name:44}{:8.1} %{:10.0}{:14.0}",
            percent(hits),
            mean(&found),
            mean(&equal)
        );
    }
    commands::print(trials);
}
