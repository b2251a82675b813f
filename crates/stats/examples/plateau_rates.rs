//! How often the plateau finder reads synthetic cache curves right: the
//! figures that docs/design/measuring.md quotes.
//!
//! `cargo run --release -p pontage-stats --example plateau_rates [trials]`

use stats::{CurvePoint, PlateauOptions, Rng, plateaus};

/// Capacity in KiB and latency in ns of each level, and what lies beyond.
struct Machine {
    name: &'static str,
    levels: &'static [(f64, f64)],
    beyond_ns: f64,
}

const MACHINES: [Machine; 5] = [
    Machine {
        name: "32K",
        levels: &[(32.0, 1.0)],
        beyond_ns: 90.0,
    },
    Machine {
        name: "32K 256K",
        levels: &[(32.0, 3.0), (256.0, 9.0)],
        beyond_ns: 150.0,
    },
    Machine {
        name: "48K 1M 16M",
        levels: &[(48.0, 1.0), (1024.0, 3.4), (16384.0, 12.0)],
        beyond_ns: 110.0,
    },
    Machine {
        name: "48K 2M 256M",
        levels: &[(48.0, 1.6), (2048.0, 5.0), (262_144.0, 40.0)],
        beyond_ns: 130.0,
    },
    Machine {
        name: "32K 256K 8M 64M",
        levels: &[(32.0, 1.2), (256.0, 3.6), (8192.0, 11.0), (65536.0, 30.0)],
        beyond_ns: 120.0,
    },
];

/// Shape of the transitions.
#[derive(Clone, Copy)]
enum Edge {
    /// All accesses miss at once: a cyclic walk under LRU.
    Sharp,
    /// Misses grow as 1 - capacity / working set: a random walk.
    Gradual,
    /// Gradual, with 4 KiB pages: 20 % more beyond 256 KiB, 5 % more for each
    /// doubling beyond 8 MiB.
    Translated,
}

fn latency(machine: &Machine, edge: Edge, kib: f64) -> f64 {
    let (mut reaching, mut total) = (1.0, 0.0);
    for (capacity, ns) in machine.levels {
        let miss = match edge {
            _ if kib <= *capacity => 0.0,
            Edge::Sharp => 1.0,
            Edge::Gradual | Edge::Translated => 1.0 - capacity / kib,
        };
        let on = f64::min(reaching, miss);
        total += (reaching - on) * ns;
        reaching = on;
    }
    total += reaching * machine.beyond_ns;
    if matches!(edge, Edge::Translated) && kib > 256.0 {
        total *= 1.2 * 1.05f64.powf((kib / 8192.0).log2().max(0.0));
    }
    total
}

fn curve(machine: &Machine, edge: Edge, steps: i32, noise: f64, rng: &mut Rng) -> Vec<CurvePoint> {
    let largest = machine.levels.last().map_or(1.0, |l| l.0) * 8.0;
    (0..)
        .map(|i| 2f64.powf(f64::from(i) / f64::from(steps)))
        .take_while(|x| *x <= largest)
        .map(|x| {
            let median = latency(machine, edge, x) * (noise * rng.normal()).exp();
            let half = (1.96 * noise).exp();
            CurvePoint::new(x, median, median / half, median * half)
        })
        .collect()
}

/// Shares, in %: right number of levels; capacities within half an octave,
/// given the right number; true capacity inside the interval, likewise.
fn rates(machine: &Machine, edge: Edge, steps: i32, noise: f64, trials: u64) -> [f64; 3] {
    let options = PlateauOptions {
        redraws: 40,
        ..PlateauOptions::default()
    };
    let (mut count, mut near, mut inside, mut edges) = (0, 0, 0, 0);
    for seed in 0..trials {
        let points = curve(machine, edge, steps, noise, &mut Rng::new(seed));
        let Ok(found) = plateaus(&points, options) else {
            continue;
        };
        if found.levels.len() != machine.levels.len() + 1 {
            continue;
        }
        count += 1;
        for (level, truth) in found.levels.iter().zip(machine.levels) {
            let Some(capacity) = level.capacity else {
                continue;
            };
            edges += 1;
            near += usize::from((capacity.at.center / truth.0).log2().abs() <= 0.51);
            inside += usize::from(capacity.at.low <= truth.0 && truth.0 <= capacity.at.high);
        }
    }
    let share = |part: usize, whole: usize| 100.0 * part as f64 / whole.max(1) as f64;
    [
        share(count, trials as usize),
        share(near, edges),
        share(inside, edges),
    ]
}

fn main() {
    let trials = std::env::args()
        .nth(1)
        .and_then(|a| a.parse().ok())
        .unwrap_or(100);
    println!("number of levels right / capacities to half an octave / inside their interval, %");
    for (edge, name) in [
        (Edge::Sharp, "sharp"),
        (Edge::Gradual, "gradual"),
        (Edge::Translated, "gradual, 4 KiB pages"),
    ] {
        for machine in &MACHINES {
            print!("{name:22}{:18}", machine.name);
            for steps in [2, 4] {
                for noise in [0.01, 0.03, 0.05] {
                    let [a, b, c] = rates(machine, edge, steps, noise, trials);
                    print!("  {a:3.0}/{b:3.0}/{c:3.0}");
                }
            }
            println!();
        }
    }
    println!("columns: 2 points an octave with noise 1, 3, 5 %, then 4 points an octave");
}
