//! `pontage ab --command` as it goes by the clock: short commands are repeated in a visit, long ones
//! leave room for few blocks, and the hypervisor's turns go on from one visit to the next.

use analysis::Abba;
use analysis::paired::{Family, Pair, PairOutcome, Side, drawn, order};
use record::Unit;
use stats::Rng;

const TIME_MS: f64 = 60_000.0;
/// As crates/pontage/src/ab/command.rs: repeated until so long, or so often.
const LONG_ENOUGH_MS: f64 = 100.0;
const MOST_REPEATS: usize = 20;
/// A shell and a process.
const START_MS: f64 = 1.5;
const THRESHOLD: f64 = 0.02;
/// Of visits.
const SD: f64 = 0.02;
/// Mean length of a bout, and of the time between two.
const BOUT_MS: f64 = 2000.0;
/// The kernel tells what was stolen in steps of a clock tick.
const TICK_MS: f64 = 10.0;

/// How the hypervisor takes its 10 %.
#[derive(Clone, Copy)]
struct Steal {
    name: &'static str,
    taken_ms: f64,
    between_ms: f64,
    /// Turns come only half of the time, in bouts of 2 s, and twice as often.
    bouts: bool,
}

const STEALS: [Steal; 4] = [
    Steal {
        name: "1 ms every 10",
        taken_ms: 1.0,
        between_ms: 9.0,
        bouts: false,
    },
    Steal {
        name: "3 ms every 30",
        taken_ms: 3.0,
        between_ms: 27.0,
        bouts: false,
    },
    Steal {
        name: "20 ms every 200",
        taken_ms: 20.0,
        between_ms: 180.0,
        bouts: false,
    },
    Steal {
        name: "3 ms every 30, in bouts",
        taken_ms: 3.0,
        between_ms: 27.0,
        bouts: true,
    },
];

/// What visits have besides.
#[derive(Clone, Copy, PartialEq)]
enum Visits {
    Normal,
    /// Student's t with two degrees of freedom.
    Wild,
    /// Each leans on the one before by 0.7.
    Chained,
    /// A mode 10 % slower that is entered and left, one visit in five.
    Switching,
}

const VISITS: [(Visits, &str); 4] = [
    (Visits::Normal, "normal"),
    (Visits::Wild, "t, 2 degrees"),
    (Visits::Chained, "AR(1) 0.7"),
    (Visits::Switching, "mode switches"),
];

fn exponential(rng: &mut Rng, mean: f64) -> f64 {
    -mean * rng.uniform().ln()
}

/// The machine with its clock.
struct Machine {
    steal: Steal,
    visits: Visits,
    rng: Rng,
    now_ms: f64,
    stolen_ms: f64,
    /// Work until the next turn of the hypervisor.
    left_ms: f64,
    bout: bool,
    bout_ends_ms: f64,
    last: f64,
    slow: bool,
}

impl Machine {
    fn new(steal: Steal, visits: Visits, seed: u64) -> Machine {
        let mut machine = Machine {
            steal,
            visits,
            rng: Rng::new(seed),
            now_ms: 0.0,
            stolen_ms: 0.0,
            left_ms: 0.0,
            bout: false,
            bout_ends_ms: 0.0,
            last: 0.0,
            slow: false,
        };
        machine.left_ms = machine.until_next();
        machine
    }

    fn until_next(&mut self) -> f64 {
        if !self.steal.bouts {
            return exponential(&mut self.rng, self.steal.between_ms);
        }
        let mut at = self.now_ms;
        loop {
            if at >= self.bout_ends_ms {
                self.bout = !self.bout;
                self.bout_ends_ms += exponential(&mut self.rng, BOUT_MS);
                continue;
            }
            let next = at + exponential(&mut self.rng, self.steal.between_ms / 2.0);
            if self.bout && next < self.bout_ends_ms {
                return next - self.now_ms;
            }
            at = self.bout_ends_ms;
        }
    }

    fn work(&mut self, work_ms: f64) -> f64 {
        let began = self.now_ms;
        let mut work = work_ms;
        while work > self.left_ms {
            work -= self.left_ms;
            let taken = exponential(&mut self.rng, self.steal.taken_ms);
            self.now_ms += self.left_ms + taken;
            self.stolen_ms += taken;
            self.left_ms = self.until_next();
        }
        self.left_ms -= work;
        self.now_ms += work;
        self.now_ms - began
    }

    /// Of a visit, as a logarithm.
    fn level(&mut self) -> f64 {
        let normal = self.rng.normal();
        match self.visits {
            Visits::Normal => SD * normal,
            Visits::Wild => {
                let square = (self.rng.normal().powi(2) + self.rng.normal().powi(2)) / 2.0;
                SD * normal / square.sqrt()
            }
            Visits::Chained => {
                self.last = 0.7 * self.last + (1.0f64 - 0.49).sqrt() * normal;
                SD * self.last
            }
            Visits::Switching => {
                self.slow ^= self.rng.uniform() < 0.2;
                SD / 2.0 * normal + if self.slow { 0.1 } else { 0.0 }
            }
        }
    }

    /// As the kernel tells it.
    fn counted_ms(&self) -> f64 {
        (self.stolen_ms / TICK_MS).floor() * TICK_MS
    }

    /// The median time, and what is known of the share that was stolen.
    fn visit(&mut self, work_ms: f64) -> (f64, f64) {
        let work = work_ms * self.level().exp();
        let (began, before) = (self.now_ms, self.counted_ms());
        let mut times = Vec::new();
        while times.is_empty()
            || (self.now_ms - began < LONG_ENOUGH_MS && times.len() < MOST_REPEATS)
        {
            times.push(self.work(START_MS + work));
        }
        let share = (self.counted_ms() - before) / (self.now_ms - began);
        (stats::median(&times).unwrap_or(f64::NAN), share.min(1.0))
    }
}

/// Whether B, `effect` times as long, was called, and the blocks that it took.
fn study(
    work_ms: f64,
    effect: f64,
    threshold: f64,
    machine: &mut Machine,
    seed: u64,
) -> (bool, usize) {
    let pair = Pair::new("command".into(), "time".into(), Unit::Nanoseconds, true);
    let mut family = Family::new(vec![pair], threshold, seed);
    // The start is in every time: the whole process is to differ.
    let of = |side| match side {
        Side::A => work_ms,
        Side::B => (START_MS + work_ms) * effect - START_MS,
    };
    machine.visit(of(Side::A));
    machine.visit(of(Side::B));
    let (mut longest, mut decided): (f64, bool) = (0.0, false);
    while !decided {
        if machine.now_ms + longest > TIME_MS && family.blocks() > 0 {
            family.last_look();
            break;
        }
        let began = machine.now_ms;
        let (mut a, mut b) = (Vec::new(), Vec::new());
        for side in order(drawn(seed, family.blocks())) {
            let visit = machine.visit(of(side));
            if side == Side::A {
                a.push(visit)
            } else {
                b.push(visit)
            }
        }
        let block = |of: fn(&(f64, f64)) -> f64| Abba {
            a: [of(&a[0]), of(&a[1])],
            b: [of(&b[0]), of(&b[1])],
        };
        family.pairs[0].blocks.push(block(|visit| visit.0));
        family.stolen.push(block(|visit| visit.1));
        longest = longest.max(machine.now_ms - began);
        decided = family.look();
    }
    let called = family.count(PairOutcome::Worse) + family.count(PairOutcome::Better) > 0;
    (called, family.blocks())
}

/// Both tables.
pub fn print(trials: u64) {
    println!("\nCommands by the clock: 60 s, visits differ by 2 %, 10 % stolen. False alarms with");
    println!("threshold 0; found: B slower by 5 %, threshold 2 %; blocks that it took:");
    println!(
        "{:26}{:16}{:>9}{:>9}{:>8}{:>8}",
        "stolen", "visits", "command", "false", "found", "blocks"
    );
    for steal in STEALS {
        for (visits, name) in VISITS {
            for work_ms in [1.0, 20.0, 100.0, 500.0, 2000.0] {
                let run = |effect, threshold| {
                    (1..=trials).map(move |seed| {
                        let mut machine = Machine::new(steal, visits, seed);
                        study(work_ms, effect, threshold, &mut machine, seed)
                    })
                };
                let share = |n: usize| 100.0 * n as f64 / trials as f64;
                let wrong = run(1.0, 0.0).filter(|(called, _)| *called).count();
                let found: Vec<(bool, usize)> = run(1.05, THRESHOLD).collect();
                let hits = found.iter().filter(|(called, _)| *called).count();
                let blocks = found.iter().map(|(_, n)| *n).sum::<usize>() as f64 / trials as f64;
                println!(
                    "{:26}{name:16}{work_ms:6.0} ms{:7.1} %{:6.1} %{blocks:8.0}",
                    steal.name,
                    share(wrong),
                    share(hits)
                );
            }
        }
    }
}
