//! False alarms and power of the mode test, by simulation: the figures that
//! docs/design/measuring.md quotes.
//!
//! `cargo run --release -p stats --example mode_rates [trials]`

use stats::{Rng, modes_on_grid};

type Draw = fn(&mut Rng, usize, usize) -> f64;

/// One mode each: any second one is a false alarm. Arguments: generator,
/// position, sample size.
const ONE_MODE: [(&str, f64, Draw); 15] = [
    ("uniform 1..2", 0.0, |r, _, _| 1.0 + r.uniform()),
    ("uniform 0..1", 0.0, |r, _, _| r.uniform()),
    ("normal 2 %", 0.0, |r, _, _| 100.0 + 2.0 * r.normal()),
    ("normal 20 %", 0.0, |r, _, _| 100.0 + 20.0 * r.normal()),
    ("lognormal 0.3", 0.0, |r, _, _| (0.3 * r.normal()).exp()),
    ("lognormal 1", 0.0, |r, _, _| r.normal().exp()),
    ("exponential", 0.0, |r, _, _| -r.uniform().ln()),
    ("pareto 1", 0.0, |r, _, _| 1.0 / r.uniform()),
    ("cauchy", 0.0, |r, _, _| 100.0 + r.normal() / r.normal()),
    ("normal + 8 % far", 0.0, |r, _, _| {
        let base = 100.0 + r.normal();
        if r.uniform() < 0.08 {
            base * (1.0 + 9.0 * r.uniform())
        } else {
            base
        }
    }),
    ("1 ns clock", 0.0, |r, _, _| (25.0 + r.normal()).round()),
    ("10 ns clock", 0.0, |r, _, _| {
        ((60.0 + 8.0 * r.normal()) / 10.0).round() * 10.0
    }),
    ("24 MHz clock, step known", 41.67, |r, _, _| {
        ((60.0 + 8.0 * r.normal()) / 41.67 + r.uniform()).floor() * 41.67
    }),
    ("drift 20 %", 0.0, |r, i, n| {
        100.0 + 20.0 * i as f64 / n as f64 + r.normal()
    }),
    ("drift of a lognormal", 0.0, |r, i, n| {
        (0.1 * r.normal()).exp() * (1.0 + 0.3 * i as f64 / n as f64)
    }),
];

/// Two modes each.
const TWO_MODES: [(&str, f64, Draw); 8] = [
    ("70/30 at 25/120, 3 %", 0.0, |r, _, _| {
        pick(r, 0.3, 25.0, 120.0, 0.03)
    }),
    ("70/30 at 25/120, 1 ns clock", 0.0, |r, _, _| {
        pick(r, 0.3, 25.0, 120.0, 0.03).round()
    }),
    ("50/50 at 100/120, 3 %", 0.0, |r, _, _| {
        pick(r, 0.5, 100.0, 120.0, 0.03)
    }),
    ("50/50 at 100/110, 2 %", 0.0, |r, _, _| {
        pick(r, 0.5, 100.0, 110.0, 0.02)
    }),
    ("90/10 at 25/120, 3 %", 0.0, |r, _, _| {
        pick(r, 0.1, 25.0, 120.0, 0.03)
    }),
    ("90/10 at 25/120, 15 %", 0.0, |r, _, _| {
        pick(r, 0.1, 25.0, 120.0, 0.15)
    }),
    ("70/30 at 1/2, 15 %", 0.0, |r, _, _| {
        pick(r, 0.3, 1.0, 2.0, 0.15)
    }),
    ("97/3 at 25/120 (outliers)", 0.0, |r, _, _| {
        pick(r, 0.03, 25.0, 120.0, 0.03)
    }),
];

fn pick(r: &mut Rng, share: f64, low: f64, high: f64, spread: f64) -> f64 {
    let center = if r.uniform() < share { high } else { low };
    center * (spread * r.normal()).exp()
}

fn rate(draw: Draw, step: f64, n: usize, trials: usize, want: fn(usize) -> bool) -> f64 {
    let mut rng = Rng::new(n as u64);
    let hits = (0..trials)
        .filter(|_| {
            let values: Vec<f64> = (0..n).map(|i| draw(&mut rng, i, n)).collect();
            let step = Some(step).filter(|s| *s > 0.0);
            modes_on_grid(&values, step).is_ok_and(|m| want(m.len()))
        })
        .count();
    hits as f64 / trials as f64
}

fn main() {
    let trials = std::env::args()
        .nth(1)
        .and_then(|a| a.parse().ok())
        .unwrap_or(1000);
    let sizes = [20, 30, 50, 100, 300, 1000];
    println!(
        "{:32}{}",
        "more than one mode found",
        sizes.map(|n| format!("{n:>8}")).concat()
    );
    for (name, step, draw) in ONE_MODE {
        let rates = sizes.map(|n| rate(draw, step, n, trials.max(1), |m| m > 1));
        println!(
            "{name:32}{}",
            rates.map(|p| format!("{:>7.2}%", 100.0 * p)).concat()
        );
    }
    println!("\nexactly two modes found");
    for (name, step, draw) in TWO_MODES {
        let rates = sizes.map(|n| rate(draw, step, n, (trials / 4).max(1), |m| m == 2));
        println!(
            "{name:32}{}",
            rates.map(|p| format!("{:>7.1}%", 100.0 * p)).concat()
        );
    }
}
