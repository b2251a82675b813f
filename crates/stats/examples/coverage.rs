//! Coverage of the nominal 95 % intervals, by simulation: the figures that
//! docs/design/measuring.md quotes.
//!
//! `cargo run --release -p pontage-stats --example coverage [trials]`

use stats::{
    Interval, Rng, SpreadPrior, StatsError, median_interval, moderated_interval,
    one_process_interval, process_interval, ratio_interval,
};

const LEVEL: f64 = 0.95;

/// What a process adds to all its samples, log scale.
type Effect = fn(&mut Rng) -> f64;

const EFFECTS: [(&str, Effect); 4] = [
    ("normal, sd 2 %", |r| 0.02 * r.normal()),
    ("uniform, 6 % wide", |r| 0.06 * (r.uniform() - 0.5)),
    ("Student t3, scale 1.2 %", |r| {
        let chi: f64 = (0..3).map(|_| r.normal().powi(2)).sum();
        0.012 * r.normal() / (chi / 3.0).sqrt()
    }),
    ("50/50 at -+ 3 %, sd 0.5 %", |r| {
        let side = if r.uniform() < 0.5 { 0.03 } else { -0.03 };
        side + 0.005 * r.normal()
    }),
];

fn processes(rng: &mut Rng, effect: Effect, count: usize) -> Vec<Vec<f64>> {
    (0..count)
        .map(|_| {
            let shift = effect(rng);
            (0..30)
                .map(|_| (shift + 0.01 * rng.normal()).exp())
                .collect()
        })
        .collect()
}

/// Share of intervals that hold the truth, in %, and their mean width, in %.
fn measure(
    trials: usize,
    truth: f64,
    mut draw: impl FnMut(&mut Rng) -> Result<Interval, StatsError>,
) -> (f64, f64) {
    let mut rng = Rng::new(42);
    let (mut hits, mut width) = (0, 0.0);
    for _ in 0..trials {
        if let Ok(interval) = draw(&mut rng) {
            hits += usize::from(interval.contains(truth));
            width += interval.relative_width();
        }
    }
    (
        100.0 * hits as f64 / trials as f64,
        100.0 * width / trials as f64,
    )
}

/// Standard deviation between the processes of one point, log scale.
const SPREADS: [(&str, Effect); 4] = [
    ("all spread by 2 %", |_| 0.02),
    ("spread by 2 %, inverse chi-square 4", |r| {
        let chi: f64 = (0..4).map(|_| r.normal().powi(2)).sum();
        0.02 * (4.0 / chi).sqrt()
    }),
    ("spread by 0.7 to 6 %, lognormal", |r| {
        0.02 * (1.1 * r.normal()).exp()
    }),
    ("spread by 1 %, every tenth by 40 %", |r| {
        if r.uniform() < 0.1 { 0.4 } else { 0.01 }
    }),
];

/// Coverage and mean width over experiments of forty points each.
fn of_many_points(experiments: usize, processes: usize, spread: Effect) -> (f64, f64) {
    let mut rng = Rng::new(42);
    let mut points: Vec<Vec<Vec<f64>>> = Vec::new();
    let mut next = 40;
    let mut prior = None;
    measure(experiments * 40, 1.0, |_| {
        if next == 40 {
            points = (0..40)
                .map(|_| {
                    let sd = spread(&mut rng);
                    let process = |rng: &mut Rng| {
                        let shift = sd * rng.normal();
                        (0..30)
                            .map(|_| (shift + 0.001 * rng.normal()).exp())
                            .collect()
                    };
                    (0..processes).map(|_| process(&mut rng)).collect()
                })
                .collect();
            prior = SpreadPrior::fit(&points);
            next = 0;
        }
        next += 1;
        moderated_interval(&points[next - 1], LEVEL, prior.as_ref())
    })
}

fn print(what: &str, (coverage, width): (f64, f64)) {
    println!("{what:58}{coverage:7.1} %{width:9.1} %");
}

fn main() {
    let trials = std::env::args()
        .nth(1)
        .and_then(|a| a.parse().ok())
        .unwrap_or(4000);
    println!("{:58}{:>9}{:>11}", "nominal 95 %", "coverage", "mean width");
    for n in [3, 5, 6, 10, 30, 100] {
        let found = measure(trials, 1.0, |r| {
            let values: Vec<f64> = (0..n).map(|_| (0.3 * r.normal()).exp()).collect();
            median_interval(&values, LEVEL)
        });
        print(&format!("one process, {n} lognormal samples (0.3)"), found);
    }
    for (name, effect) in EFFECTS {
        for count in [1, 2, 3, 5, 6, 10] {
            let found = measure(trials, 1.0, |r| {
                process_interval(&processes(r, effect, count), LEVEL)
            });
            print(&format!("{count} processes, effect {name}"), found);
        }
        let usual = SpreadPrior {
            variance: 0.02 * 0.02,
            degrees: 1e6,
        };
        let assumed = measure(trials, 1.0, |r| {
            let within = median_interval(&processes(r, effect, 1).concat(), LEVEL)?;
            Ok(one_process_interval(within, &usual))
        });
        print(&format!("1 process, 2 % assumed, effect {name}"), assumed);
        let pooled = measure(trials, 1.0, |r| {
            median_interval(&processes(r, effect, 10).concat(), LEVEL)
        });
        print(&format!("10 processes pooled, effect {name}"), pooled);
    }
    for (name, spread) in SPREADS {
        for count in [2, 3] {
            let found = of_many_points(trials / 40, count, spread);
            print(&format!("{count} processes, 40 points that {name}"), found);
        }
    }
    for (n, m) in [(3, 3), (6, 6), (10, 10), (30, 30), (30, 100)] {
        let found = measure(trials, 1.1, |r| {
            let a: Vec<f64> = (0..n).map(|_| (0.1 * r.normal()).exp()).collect();
            let b: Vec<f64> = (0..m).map(|_| 1.1 * (0.3 * r.normal()).exp()).collect();
            ratio_interval(&median_interval(&a, LEVEL)?, &median_interval(&b, LEVEL)?)
        });
        print(&format!("ratio of medians, {n} and {m} samples"), found);
    }
    for count in [2, 3, 6] {
        let found = measure(trials, 1.0, |r| {
            let a = process_interval(&processes(r, EFFECTS[0].1, count), LEVEL)?;
            ratio_interval(
                &a,
                &process_interval(&processes(r, EFFECTS[0].1, count), LEVEL)?,
            )
        });
        print(
            &format!("ratio of medians, {count} processes each, effect normal"),
            found,
        );
    }
}
