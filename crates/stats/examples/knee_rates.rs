//! How often the knee finder reads synthetic throughput curves right: the
//! figures that docs/design/measuring.md quotes.
//!
//! `cargo run --release -p pontage-stats --example knee_rates [trials]`

use stats::{CurvePoint, KneeOptions, Rng, log_log_knees};

/// A curve over message sizes 1 B to 16 MiB and its true knees.
struct Shape {
    name: &'static str,
    knees: &'static [f64],
    y: fn(f64) -> f64,
}

const SHAPES: [Shape; 8] = [
    Shape {
        name: "straight",
        knees: &[],
        y: |x| x.powf(0.6),
    },
    Shape {
        name: "bend, slope 1 to 0",
        knees: &[5000.0],
        y: |x| x.min(5000.0),
    },
    Shape {
        name: "bend, slope 1 to 0.6",
        knees: &[5000.0],
        y: |x| x.min(5000.0 * (x / 5000.0).powf(0.6)),
    },
    Shape {
        name: "cliff to 25 %",
        knees: &[50_000.0],
        y: |x| if x < 50_000.0 { 1.0 } else { 0.25 },
    },
    Shape {
        name: "cliff to 70 %",
        knees: &[50_000.0],
        y: |x| if x < 50_000.0 { 1.0 } else { 0.7 },
    },
    Shape {
        name: "bend and cliff",
        knees: &[5000.0, 50_000.0],
        y: |x| x.min(5000.0) * if x < 50_000.0 { 1.0 } else { 0.2 },
    },
    Shape {
        name: "bend, cliff, decline",
        knees: &[5000.0, 50_000.0, 1.5e6],
        y: |x| {
            let cliff = if x < 50_000.0 { 1.0 } else { 0.2 };
            x.min(5000.0) * cliff * (x / 1.5e6).max(1.0).powf(-0.5)
        },
    },
    Shape {
        name: "fixed cost + rate",
        knees: &[5000.0],
        y: |x| x / (1.0 + x / 5000.0),
    },
];

fn curve(shape: &Shape, steps: i32, noise: f64, rng: &mut Rng) -> Vec<CurvePoint> {
    let half = (1.96 * noise).exp();
    (0..=24 * steps)
        .map(|i| {
            let x = 2f64.powf(f64::from(i) / f64::from(steps));
            let median = (shape.y)(x) * (noise * rng.normal()).exp();
            CurvePoint::new(x, median, median / half, median * half)
        })
        .collect()
}

/// Shares, in %: right number of knees; given that, the truth inside a knee's
/// interval.
fn rates(shape: &Shape, steps: i32, noise: f64, trials: u64) -> [f64; 2] {
    let options = KneeOptions {
        redraws: 40,
        ..KneeOptions::default()
    };
    let (mut right, mut inside, mut knees) = (0, 0, 0);
    for seed in 0..trials {
        let points = curve(shape, steps, noise, &mut Rng::new(seed));
        let Ok(found) = log_log_knees(&points, options) else {
            continue;
        };
        if found.breaks.len() != shape.knees.len() {
            continue;
        }
        right += 1;
        for (knee, truth) in found.breaks.iter().zip(shape.knees) {
            knees += 1;
            inside += usize::from(knee.at.low <= *truth && *truth <= knee.at.high);
        }
    }
    let share = |part: usize, whole: usize| 100.0 * part as f64 / whole.max(1) as f64;
    [share(right, trials as usize), share(inside, knees)]
}

/// Two bends, slope 1 to 0.5 to 0, some octaves apart: the share of curves in
/// which both are found rather than one gradual one.
fn two_bends(trials: u64) {
    const BENDS: [Shape; 5] = [
        half_bends("2 bends, 1 octave", &[1000.0, 2000.0], |x| bent(x, 2000.0)),
        half_bends("2 bends, 2 octaves", &[1000.0, 4000.0], |x| bent(x, 4000.0)),
        half_bends("2 bends, 3 octaves", &[1000.0, 8000.0], |x| bent(x, 8000.0)),
        half_bends("2 bends, 4 octaves", &[1000.0, 16e3], |x| bent(x, 16e3)),
        half_bends("2 bends, 5 octaves", &[1000.0, 32e3], |x| bent(x, 32e3)),
    ];
    for shape in &BENDS {
        print!("{:22}", shape.name);
        for noise in [0.01, 0.03] {
            let [right, inside] = rates(shape, 1, noise, trials);
            print!("  {right:3.0}/{inside:3.0}");
        }
        println!();
    }
}

const fn half_bends(name: &'static str, knees: &'static [f64], y: fn(f64) -> f64) -> Shape {
    Shape { name, knees, y }
}

fn bent(x: f64, second: f64) -> f64 {
    x.min(1000.0) * (x.min(second) / 1000.0).max(1.0).sqrt()
}

fn main() {
    let trials = std::env::args()
        .nth(1)
        .and_then(|a| a.parse().ok())
        .unwrap_or(200);
    println!("number of knees right / true places inside their intervals, %");
    for shape in &SHAPES {
        print!("{:22}", shape.name);
        for steps in [1, 2] {
            for noise in [0.01, 0.03, 0.05, 0.1] {
                let [right, inside] = rates(shape, steps, noise, trials);
                print!("  {right:3.0}/{inside:3.0}");
            }
        }
        println!();
    }
    println!("columns: 1 point an octave with noise 1, 3, 5, 10 %, then 2 points an octave");
    two_bends(trials);
    println!("columns: 1 point an octave with noise 1, 3 %");
}
