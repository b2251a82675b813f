//! False alarms and power of the test for a change of level, by simulation: the figures
//! that docs/design/measuring.md quotes.
//!
//! `cargo xtask truth levels`, or `cargo run --release -p pontage-stats --example change_rates
//! [trials]`

use stats::{Rng, change};

const SIZES: [usize; 5] = [20, 30, 60, 100, 300];

/// Arguments: generator, place in the point from 0 to 1.
type Draw = fn(&mut Rng, f64) -> f64;

const STAYS: [(&str, Draw); 6] = [
    ("normal 1 %", |r, _| 100.0 + r.normal()),
    ("lognormal 0.3", |r, _| (0.3 * r.normal()).exp()),
    ("Pareto 1.5", |r, _| r.uniform().max(1e-12).powf(-1.0 / 1.5)),
    ("70 % at 100, 30 % at 103", |r, _| {
        let mode = if r.uniform() < 0.3 { 103.0 } else { 100.0 };
        mode + 0.1 * r.normal()
    }),
    ("13 % at 40 times", |r, _| {
        let times = if r.uniform() < 0.13 { 40.0 } else { 1.0 };
        times * (100.0 + r.normal())
    }),
    ("clock of one sd", |r, _| (100.0 + r.normal()).round()),
];

const CHANGES: [(&str, Draw); 6] = [
    ("drift 3 %, noise 1 %", |r, t| 100.0 + 3.0 * t + r.normal()),
    ("drift 10 %, noise 2 %", |r, t| {
        100.0 + 10.0 * t + 2.0 * r.normal()
    }),
    ("step 4 % half way, noise 1 %", |r, t| {
        100.0 + if t > 0.5 { 4.0 } else { 0.0 } + r.normal()
    }),
    ("step 8 % half way, noise 2 %", |r, t| {
        100.0 + if t > 0.5 { 8.0 } else { 0.0 } + 2.0 * r.normal()
    }),
    ("first 25 of 60 slower by 30 %, noise 3 %", |r, t| {
        100.0 + if t < 25.0 / 60.0 { 30.0 } else { 0.0 } + 3.0 * r.normal()
    }),
    ("first sixth slower by 10 %, noise 2 %", |r, t| {
        100.0 + if t < 1.0 / 6.0 { 10.0 } else { 0.0 } + 2.0 * r.normal()
    }),
];

fn share(trials: usize, n: usize, draw: impl Fn(&mut Rng, f64) -> f64) -> f64 {
    let mut rng = Rng::new(n as u64);
    let found = (0..trials).filter(|_| {
        let values: Vec<f64> = (0..n)
            .map(|i| draw(&mut rng, i as f64 / n as f64))
            .collect();
        change(&values).is_ok_and(|c| c.is_some())
    });
    100.0 * found.count() as f64 / trials as f64
}

/// A level that stays under noise that leans on itself.
fn leaning(trials: usize, n: usize, phi: f64) -> f64 {
    let mut rng = Rng::new(n as u64);
    let step = (1.0 - phi * phi).sqrt();
    let found = (0..trials).filter(|_| {
        let mut x = rng.normal();
        let values: Vec<f64> = (0..n)
            .map(|_| {
                x = phi * x + step * rng.normal();
                x
            })
            .collect();
        change(&values).is_ok_and(|c| c.is_some())
    });
    100.0 * found.count() as f64 / trials as f64
}

/// Turns of a wave in a point.
const WAVES: [(f64, &str); 5] = [
    (0.5, "half a turn"),
    (1.0, "one turn"),
    (2.0, "two turns"),
    (4.0, "four turns"),
    (10.0, "ten turns"),
];

/// A wave that begins anywhere, with noise of half its height.
fn wave(trials: usize, n: usize, turns: f64) -> f64 {
    let mut rng = Rng::new(n as u64);
    let found = (0..trials).filter(|_| {
        let begins = rng.uniform();
        let values: Vec<f64> = (0..n)
            .map(|i| {
                let at = begins + turns * i as f64 / n as f64;
                (std::f64::consts::TAU * at).sin() + 0.5 * rng.normal()
            })
            .collect();
        change(&values).is_ok_and(|c| c.is_some())
    });
    100.0 * found.count() as f64 / trials as f64
}

/// A warm-up under noise that leans on itself.
fn slow_at_first(trials: usize, n: usize, phi: f64) -> f64 {
    let mut rng = Rng::new(n as u64);
    let step = (1.0 - phi * phi).sqrt();
    let found = (0..trials).filter(|_| {
        let mut x = rng.normal();
        let values: Vec<f64> = (0..n)
            .map(|i| {
                x = phi * x + step * rng.normal();
                let level = if 12 * i < 5 * n { 130.0 } else { 100.0 };
                level * (1.0 + 0.02 * x)
            })
            .collect();
        change(&values).is_ok_and(|c| c.is_some())
    });
    100.0 * found.count() as f64 / trials as f64
}

fn row(name: &str, shares: impl Iterator<Item = f64>) {
    let cells: Vec<String> = shares.map(|s| format!("{s:6.1} %")).collect();
    println!("{name:44}{}", cells.concat());
}

fn main() {
    let trials = std::env::args()
        .nth(1)
        .and_then(|a| a.parse().ok())
        .unwrap_or(1000);
    let sizes: Vec<String> = SIZES.iter().map(|n| format!("{n:8}")).collect();
    println!(
        "{:44}{}",
        "a change is found, of points with samples",
        sizes.concat()
    );
    for (name, draw) in STAYS {
        row(
            &format!("stays: {name}"),
            SIZES.map(|n| share(trials, n, draw)).into_iter(),
        );
    }
    for phi in [0.4, 0.7, 0.95, 0.99] {
        row(
            &format!("stays: AR(1) {phi}"),
            SIZES.map(|n| leaning(trials, n, phi)).into_iter(),
        );
    }
    for (turns, name) in WAVES {
        row(
            &format!("stays: sine of {name}, noise of half of it"),
            SIZES.map(|n| wave(trials, n, turns)).into_iter(),
        );
    }
    for phi in [0.7, 0.9, 0.99] {
        row(
            &format!("first 5 of 12 slower by 30 %, 2 % of AR(1) {phi}"),
            SIZES.map(|n| slow_at_first(trials, n, phi)).into_iter(),
        );
    }
    for (name, draw) in CHANGES {
        row(name, SIZES.map(|n| share(trials, n, draw)).into_iter());
    }
}
