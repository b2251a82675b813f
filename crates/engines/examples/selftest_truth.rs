//! How often `pontage selftest` finds what it plants, and what it does not, on simulated machines
//! of many seeds: the figures that docs/design/measuring.md quotes.
//!
//! `cargo xtask truth selftest`, or `cargo run --release -p pontage-engines --example selftest_truth
//! [seeds]`

use engines::selftest::fake::{CALM, Fake, Noise};
use engines::selftest::{TRIALS, run};
use record::{SelfTestRow, SelfTestVerdict};
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;

const SEEDS: u64 = 20;
/// On a calm machine so many of the trials find what is planted ...
const FOUND: f64 = 0.95;
/// ... so many intervals hold it, less three deviations of their number ...
const HELD: f64 = 0.95;
/// ... and so many trials see what is not there.
const FALSE: f64 = 0.02;
/// Share of machines on which a row may fail, though nothing is wrong with the instrument: 0.5 %,
/// more what 20 of them scatter by. One always may.
const FAILED: f64 = 0.05;

/// A machine, and whether all that is planted has to be found there.
struct World {
    name: &'static str,
    noise: Noise,
    calm: bool,
}

const WORLDS: [World; 5] = [
    World {
        name: "calm: work varies by 0.5 %",
        noise: CALM,
        calm: true,
    },
    World {
        name: "restless: work varies by 3 %",
        noise: Noise { each: 0.03, ..CALM },
        calm: false,
    },
    World {
        name: "noisy: work varies by 10 %",
        noise: Noise { each: 0.10, ..CALM },
        calm: false,
    },
    World {
        name: "wandering: slowly by 2 % (AR(1) 0.99)",
        noise: Noise {
            wander: 0.02,
            stays: 0.99,
            ..CALM
        },
        calm: false,
    },
    World {
        name: "a CPU that is 10 % slower every other 11 ms",
        noise: Noise {
            slow_for_ns: 11e6,
            ..CALM
        },
        calm: false,
    },
];

fn main() -> ExitCode {
    let seeds = std::env::args().nth(1).and_then(|a| a.parse().ok());
    let seeds = seeds.unwrap_or(SEEDS).max(1);
    println!("{seeds} machines of each kind, {TRIALS} trials of each row and machine");
    println!(
        "goal: of a calm machine {:.0} % found, {:.0} % of intervals hold (less three deviations), at \
         most {:.0} % false; of all, a row fails on at most {:.0} % of machines",
        100.0 * FOUND,
        100.0 * HELD,
        100.0 * FALSE,
        100.0 * FAILED
    );
    let mut right = true;
    for world in WORLDS {
        right &= table(&world, seeds);
    }
    match right {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    }
}

/// Prints a machine's table; whether all goals are met.
fn table(world: &World, seeds: u64) -> bool {
    println!("\n{}", world.name);
    println!(
        "{:<26} {:<38} {:>9} {:>15} {:>15} {:>7} {:>7}  verdict",
        "row", "planted", "read", "found", "held", "noisy", "failed"
    );
    let stop = AtomicBool::new(false);
    let tests = (1..=seeds).filter_map(|seed| {
        let machine = Fake::new(seed, world.noise);
        run(&machine, TRIALS, &stop, &mut |_| {}).ok()
    });
    let tests: Vec<Vec<SelfTestRow>> = tests.collect();
    let rows = tests.first().map_or(0, Vec::len);
    let mut all = true;
    for at in 0..rows {
        let of_row = tests.iter().filter_map(|test| test.get(at));
        let rates = Rates::of(&of_row.collect::<Vec<_>>());
        let right = rates.meet(world.calm);
        all &= right;
        println!(
            "{}  {}",
            rates.text(),
            if right { "right" } else { "WRONG" }
        );
    }
    let (found, trials) = tests
        .iter()
        .flatten()
        .filter(|row| row.plants_nothing())
        .fold((0u64, 0u64), |(found, trials), row| {
            (found + u64::from(row.found), trials + u64::from(row.trials))
        });
    println!("where nothing is planted: {found} false alarms in {trials} trials");
    all
}

/// One row of all machines of a kind.
struct Rates {
    id: String,
    planted: String,
    nothing: bool,
    /// Median of what was read.
    read: Option<f64>,
    trials: u64,
    found: u64,
    held: Option<u64>,
    too_noisy: usize,
    failed: usize,
    machines: usize,
}

impl Rates {
    fn of(rows: &[&SelfTestRow]) -> Rates {
        let ended = |verdict| rows.iter().filter(|row| row.verdict == verdict).count();
        let sum = |of: fn(&SelfTestRow) -> u32| rows.iter().map(|row| u64::from(of(row))).sum();
        let reads: Vec<f64> = rows
            .iter()
            .filter_map(|row| Some(row.read?.center))
            .collect();
        let first = rows.first();
        Rates {
            id: first.map_or_else(String::new, |row| row.id.clone()),
            planted: first.map_or_else(String::new, |row| row.planted.clone()),
            nothing: first.is_some_and(|row| row.plants_nothing()),
            read: stats::median(&reads).ok(),
            trials: sum(|row| row.trials),
            found: sum(|row| row.found),
            held: rows.iter().map(|row| row.held.map(u64::from)).sum(),
            too_noisy: ended(SelfTestVerdict::TooNoisy),
            failed: ended(SelfTestVerdict::Failed),
            machines: rows.len(),
        }
    }

    /// Of another than a calm machine only that nothing is called wrong that is not.
    fn meet(&self, calm: bool) -> bool {
        let may_fail = (FAILED * self.machines as f64).max(1.0);
        let deviation = (HELD * (1.0 - HELD) / self.trials.max(1) as f64).sqrt();
        let share = |n: u64| n as f64 / self.trials.max(1) as f64;
        let found = match (self.nothing, self.id == record::self_test::COUNTERS_HERE) {
            (true, _) => share(self.found) <= FALSE,
            // One of six counters is dead there.
            (_, true) => self.found * 6 == self.trials * 5,
            _ => share(self.found) >= FOUND,
        };
        let held = self
            .held
            .is_none_or(|held| share(held) >= HELD - 3.0 * deviation);
        self.failed as f64 <= may_fail && (!calm || (found && held && self.too_noisy == 0))
    }

    fn text(&self) -> String {
        let of = |n: u64| {
            let share = 100.0 * n as f64 / self.trials.max(1) as f64;
            format!("{n:>5} {share:>7.2} %")
        };
        let read = self
            .read
            .map_or_else(|| "-".to_owned(), |read| format!("{read:.4}"));
        let held = self.held.map_or_else(|| "-".to_owned(), of);
        format!(
            "{:<26} {:<38} {read:>9} {:>15} {held:>15} {:>7} {:>7}",
            self.id,
            self.planted,
            of(self.found),
            self.too_noisy,
            self.failed
        )
    }
}
