//! How often the interval of a point's median holds the truth, whatever its samples look
//! like, by simulation: the figures that docs/design/measuring.md quotes.
//!
//! `cargo xtask truth intervals`, or `cargo run --release -p analysis --example
//! interval_truth [trials]`

use analysis::series::{Likes, Series};
use record::{Disturbance, Sample};
use stats::{Rng, effective_interval};
use std::f64::consts::TAU;

/// Points of one experiment, which borrow from each other.
const ALIKE: usize = 20;
const SIZES: [usize; 5] = [10, 30, 100, 300, 1000];

struct Shape {
    name: &'static str,
    /// Median in the long run.
    truth: f64,
    /// Autocorrelation time; None where none describes it.
    time: Option<f64>,
    draw: fn(&mut Rng, usize) -> Vec<f64>,
}

fn independent(rng: &mut Rng, n: usize, one: fn(&mut Rng) -> f64) -> Vec<f64> {
    (0..n).map(|_| one(rng)).collect()
}

fn autoregressive(rng: &mut Rng, n: usize, phi: f64) -> Vec<f64> {
    let mut x = rng.normal();
    let step = (1.0 - phi * phi).sqrt();
    let next = |_| {
        x = phi * x + step * rng.normal();
        100.0 + x
    };
    (0..n).map(next).collect()
}

const SHAPES: [Shape; 11] = [
    Shape {
        name: "normal",
        truth: 100.0,
        time: Some(1.0),
        draw: |r, n| independent(r, n, |r| 100.0 + r.normal()),
    },
    Shape {
        name: "lognormal 0.3",
        truth: 1.0,
        time: Some(1.0),
        draw: |r, n| independent(r, n, |r| (0.3 * r.normal()).exp()),
    },
    Shape {
        name: "Pareto 1.5",
        truth: 1.587_401_05,
        time: Some(1.0),
        draw: |r, n| independent(r, n, |r| r.uniform().max(1e-12).powf(-1.0 / 1.5)),
    },
    Shape {
        name: "70 % at 100, 30 % at 103",
        truth: 100.056_59,
        time: Some(1.0),
        draw: |r, n| {
            independent(r, n, |r| {
                let mode = if r.uniform() < 0.3 { 103.0 } else { 100.0 };
                mode + 0.1 * r.normal()
            })
        },
    },
    Shape {
        name: "normal, clock of one sd",
        truth: 100.0,
        time: Some(1.0),
        draw: |r, n| independent(r, n, |r| (100.0 + r.normal()).round()),
    },
    Shape {
        name: "AR(1) 0.4",
        truth: 100.0,
        time: Some(1.4 / 0.6),
        draw: |r, n| autoregressive(r, n, 0.4),
    },
    Shape {
        name: "AR(1) 0.7",
        truth: 100.0,
        time: Some(1.7 / 0.3),
        draw: |r, n| autoregressive(r, n, 0.7),
    },
    Shape {
        name: "AR(1) 0.95",
        truth: 100.0,
        time: Some(1.95 / 0.05),
        draw: |r, n| autoregressive(r, n, 0.95),
    },
    Shape {
        name: "AR(1) 0.99",
        truth: 100.0,
        time: Some(1.99 / 0.01),
        draw: |r, n| autoregressive(r, n, 0.99),
    },
    Shape {
        name: "sine, three turns a point",
        truth: 100.0,
        time: None,
        draw: |r, n| {
            let phase = r.uniform();
            let turn = |i: usize| (TAU * (3.0 * i as f64 / n as f64 + phase)).sin();
            (0..n).map(|i| 100.0 + 5.0 * turn(i) + r.normal()).collect()
        },
    },
    Shape {
        name: "step of 6 sd in the middle",
        truth: 100.0,
        time: None,
        draw: |r, n| {
            let at = (0.2 + 0.6 * r.uniform()) * n as f64;
            let side = if r.uniform() < 0.5 { 3.0 } else { -3.0 };
            let level = |i: usize| if (i as f64) < at { side } else { -side };
            (0..n).map(|i| 100.0 + level(i) + r.normal()).collect()
        },
    },
];

fn series(values: &[f64]) -> Series {
    let sample = |(index, value): (u32, &f64)| Sample {
        metric: 0,
        process: 0,
        index,
        ops: 1,
        elapsed_ns: 0.0,
        floor_ns: 0.0,
        value: *value,
        cpu: 0,
        disturbance: Disturbance::default(),
        yardstick: None,
    };
    let samples: Vec<Sample> = (0..).zip(values).map(sample).collect();
    Series::of(&samples).remove(&0).expect("one metric")
}

#[derive(Default)]
struct Seen {
    points: u32,
    given: u32,
    right: u32,
    width: f64,
    oracle: f64,
}

impl Seen {
    fn judge(&mut self, shape: &Shape, values: &[f64], likes: &Likes) {
        self.points += 1;
        let interval = series(values).interval(likes).expect("finite values");
        if interval.is_none() {
            return;
        }
        self.given += 1;
        self.right += u32::from(interval.contains(shape.truth));
        let Some(time) = shape.time else {
            return;
        };
        let worth = values.len() as f64 / time;
        let oracle = effective_interval(values, 0.95, worth).expect("finite values");
        self.width += interval.high - interval.low;
        self.oracle += oracle.high - oracle.low;
    }

    fn cells(&self) -> String {
        let percent = |part: u32, of: u32| 100.0 * f64::from(part) / f64::from(of.max(1));
        let times = self.width / self.oracle;
        let times = match times.is_finite() {
            true => format!("{times:.2}"),
            false => "-".to_owned(),
        };
        format!(
            "{:6.1} %{:8.1} %{:8.1} %{:>8}",
            percent(self.points - self.given, self.points),
            percent(self.right, self.given),
            percent(self.given - self.right, self.points),
            times
        )
    }
}

fn main() {
    let trials: usize = std::env::args()
        .nth(1)
        .and_then(|a| a.parse().ok())
        .unwrap_or(2000);
    println!("Nominal 95 %. none: no interval given. holds: of those given. wrong: given and");
    println!("wrong, of all points. width: over that of one who knows the dependence.");
    println!(
        "\n{:>38}{:^36}  {:^36}",
        "", "a point alone", "twenty points alike"
    );
    let heads = "   none     holds     wrong   width";
    println!("{:30}{:>6}  {heads}  {heads}", "samples", "");
    for shape in &SHAPES {
        for n in SIZES {
            let mut rng = Rng::new(n as u64);
            let (mut alone, mut together) = (Seen::default(), Seen::default());
            for _ in 0..trials.div_ceil(ALIKE) {
                let points: Vec<Vec<f64>> = (0..ALIKE).map(|_| (shape.draw)(&mut rng, n)).collect();
                let all: Vec<Series> = points.iter().map(|p| series(p)).collect();
                let likes = Likes::of(&all.iter().collect::<Vec<_>>());
                for values in &points {
                    alone.judge(shape, values, &Likes::default());
                    together.judge(shape, values, &likes);
                }
            }
            let name = if n == SIZES[0] { shape.name } else { "" };
            println!("{name:30}{n:6}  {}  {}", alone.cells(), together.cells());
        }
    }
}
