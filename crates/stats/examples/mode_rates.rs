//! False alarms and power of the mode test, by simulation: the figures that
//! docs/design/measuring.md quotes.
//!
//! `cargo run --release -p pontage-stats --example mode_rates [trials]`

use stats::{Rng, modes_on_grid};
use std::f64::consts::TAU;

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

/// Samples that lean on each other.
type Series = fn(&mut Rng, usize) -> Vec<f64>;

/// One mode each: they wander.
const WANDERING: [(&str, Series); 5] = [
    ("sine, three turns a point", |r, n| {
        wave(r, n, n as f64 / 3.0)
    }),
    ("sine, a turn in 300 samples", |r, n| wave(r, n, 300.0)),
    ("AR(1) 0.7, 3 %", |r, n| autoregressive(r, n, 0.7)),
    ("AR(1) 0.95, 3 %", |r, n| autoregressive(r, n, 0.95)),
    ("AR(1) 0.99, 3 %", |r, n| autoregressive(r, n, 0.99)),
];

/// Two modes each: they switch.
const SWITCHING: [(&str, Series); 3] = [
    ("25/120, 3 %, every 10 samples", |r, n| {
        switching(r, n, 10.0, 120.0)
    }),
    ("25/120, 3 %, every 50 samples", |r, n| {
        switching(r, n, 50.0, 120.0)
    }),
    ("25/30, 3 %, every 50 samples", |r, n| {
        switching(r, n, 50.0, 30.0)
    }),
];

fn wave(r: &mut Rng, n: usize, turn: f64) -> Vec<f64> {
    let phase = TAU * r.uniform();
    let at = |i: usize| (TAU * i as f64 / turn + phase).sin();
    (0..n).map(|i| 100.0 + 10.0 * at(i) + r.normal()).collect()
}

fn autoregressive(r: &mut Rng, n: usize, phi: f64) -> Vec<f64> {
    let mut x = r.normal();
    let step = (1.0 - phi * phi).sqrt();
    (0..n)
        .map(|_| {
            x = phi * x + step * r.normal();
            100.0 * (0.03 * x).exp()
        })
        .collect()
}

fn switching(r: &mut Rng, n: usize, dwell: f64, high: f64) -> Vec<f64> {
    let mut is_high = r.uniform() < 0.5;
    (0..n)
        .map(|_| {
            is_high ^= r.uniform() < 1.0 / dwell;
            let center = if is_high { high } else { 25.0 };
            center * (0.03 * r.normal()).exp()
        })
        .collect()
}

fn rate_of(series: Series, n: usize, trials: usize, want: fn(usize) -> bool) -> f64 {
    let mut rng = Rng::new(n as u64);
    let hits = (0..trials).filter(|_| {
        let values = series(&mut rng, n);
        modes_on_grid(&values, None).is_ok_and(|m| want(m.len()))
    });
    hits.count() as f64 / trials as f64
}

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
    for (name, series) in WANDERING {
        let rates = sizes.map(|n| rate_of(series, n, (trials / 4).max(1), |m| m > 1));
        println!(
            "{name:32}{}",
            rates.map(|p| format!("{:>7.2}%", 100.0 * p)).concat()
        );
    }
    println!("\nexactly two modes found");
    for (name, series) in SWITCHING {
        let rates = sizes.map(|n| rate_of(series, n, (trials / 4).max(1), |m| m == 2));
        println!(
            "{name:32}{}",
            rates.map(|p| format!("{:>7.1}%", 100.0 * p)).concat()
        );
    }
    for (name, step, draw) in TWO_MODES {
        let rates = sizes.map(|n| rate(draw, step, n, (trials / 4).max(1), |m| m == 2));
        println!(
            "{name:32}{}",
            rates.map(|p| format!("{:>7.1}%", 100.0 * p)).concat()
        );
    }
}
