//! How a kernel shares a CPU among real-time tasks that compute.

use super::narrow::whole;
use harness::RealTimeLimits;
use harness::slices::Slice;
use stats::Rng;

/// In so many kernels each of the things is planted that mislead one method.
const SHARE: f64 = 0.1;
/// Turns in ns: the default of Linux, and others.
const TURNS_NS: [f64; 4] = [100e6, 100e6, 60e6, 30e6];
/// What ordinary tasks may have of each period: the default of Linux, and others.
const SPARED: [f64; 3] = [0.05, 0.05, 0.1];
const PERIOD_NS: f64 = 1e9;
/// Pieces that it is given in where it is not given in one.
const PIECES: usize = 8;
/// What is left of it where ordinary tasks want little.
const LITTLE: f64 = 0.3;
/// Threads of the kernel have the CPU so often in a second, and for so long in the mean, ns.
const THREADS_HZ: f64 = 20.0;
const THREAD_NS: f64 = 15_000.0;

/// What a kernel does with real-time tasks, and what it states.
#[derive(Debug, Clone, PartialEq)]
pub struct RealTime {
    /// How long a task keeps the CPU from others of its rank, before it is rounded to ticks.
    pub turn_ns: f64,
    /// Share of each period that ordinary tasks have where they want it.
    pub spared: f64,
    /// They have it in pieces.
    pub in_pieces: bool,
    /// They want only a part of it.
    pub wants_little: bool,
    /// What it states where that is something else.
    stated_turn_ns: Option<f64>,
    stated_spared: Option<f64>,
}

impl Default for RealTime {
    fn default() -> Self {
        RealTime {
            turn_ns: TURNS_NS[0],
            spared: SPARED[0],
            in_pieces: false,
            wants_little: false,
            stated_turn_ns: None,
            stated_spared: None,
        }
    }
}

/// What the tasks share their CPU with.
#[derive(Debug, Clone, Copy)]
pub struct Around {
    pub tick_ns: f64,
    /// Share of time that a hypervisor takes, and for how long in the mean, ns.
    pub stolen_share: f64,
    pub stolen_ns: f64,
}

/// The end of what a task does next.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Next {
    /// A thread of the kernel runs for so long, ns.
    Thread(f64),
    /// Ordinary tasks run for so long, ns.
    Spared(f64),
    /// Its turn is over.
    Turn,
    End,
}

impl RealTime {
    /// One kernel's. What misleads is drawn by itself for each method.
    pub fn drawn(rng: &mut Rng) -> RealTime {
        let turn_ns = TURNS_NS[rng.below(TURNS_NS.len())];
        let spared = SPARED[rng.below(SPARED.len())];
        let in_pieces = rng.below(2) == 0;
        let mut planted = || rng.uniform() < SHARE;
        let (wants_little, lies_of_turn, lies_of_spared) = (planted(), planted(), planted());
        RealTime {
            turn_ns,
            spared,
            in_pieces,
            wants_little,
            stated_turn_ns: lies_of_turn.then_some(2.0 * turn_ns),
            stated_spared: lies_of_spared.then_some(4.0 * spared),
        }
    }

    /// Whether what it states of turns, and of the limit, is something else.
    pub fn states_others(&self) -> (bool, bool) {
        let other = |stated: Option<f64>, real: f64| stated.is_some_and(|stated| stated != real);
        (
            other(self.stated_turn_ns, self.turn_ns),
            other(self.stated_spared, self.spared),
        )
    }

    /// What it states.
    pub fn stated(&self) -> RealTimeLimits {
        let spared = self.stated_spared.unwrap_or(self.spared);
        RealTimeLimits {
            rr_slice_ns: whole(self.stated_turn_ns.unwrap_or(self.turn_ns)),
            runtime_ns: whole(PERIOD_NS * (1.0 - spared)),
            period_ns: whole(PERIOD_NS),
        }
    }

    /// The slices of so many tasks of equal rank that compute for `length_ns`.
    pub fn play(
        &self,
        around: Around,
        (tasks, in_turns, length_ns): (usize, bool, f64),
        rng: &mut Rng,
    ) -> Vec<Vec<Slice>> {
        let mut all = vec![Vec::new(); tasks.max(1)];
        let mut allowances = self.allowances(length_ns, rng);
        let (mut task, mut now_ns) = (0, 0.0);
        let mut turn_end_ns = self.turn_end(now_ns, in_turns, around, rng);
        while now_ns < length_ns {
            let thread_ns = now_ns - rng.uniform().max(1e-12).ln() * 1e9 / THREADS_HZ;
            let (spared_at_ns, spared_ns) = allowances.last().copied().unwrap_or((f64::MAX, 0.0));
            let ends = [
                (
                    thread_ns,
                    Next::Thread(-rng.uniform().max(1e-12).ln() * THREAD_NS),
                ),
                (spared_at_ns.max(now_ns), Next::Spared(spared_ns)),
                (turn_end_ns, Next::Turn),
                (length_ns, Next::End),
            ];
            let (end_ns, next) = first(ends);
            all[task].push(Slice {
                began_ns: whole(now_ns),
                ended_ns: whole(end_ns),
                blocked: 0,
                cut: u64::from(next == Next::End),
            });
            now_ns = end_ns;
            match next {
                Next::Thread(ns) => now_ns += ns,
                Next::Spared(ns) => {
                    allowances.pop();
                    now_ns += ns;
                    // Ticks in between are not of its turn.
                    turn_end_ns += ns;
                }
                Next::Turn => {
                    task = (task + 1) % all.len();
                    turn_end_ns = self.turn_end(now_ns, in_turns, around, rng);
                }
                Next::End => {}
            }
        }
        all
    }

    /// When ordinary tasks get the CPU, and for how long; the last first.
    fn allowances(&self, length_ns: f64, rng: &mut Rng) -> Vec<(f64, f64)> {
        let wanted = if self.wants_little { LITTLE } else { 1.0 };
        let whole_ns = PERIOD_NS * self.spared * wanted;
        let pieces = if self.in_pieces { PIECES } else { 1 };
        let piece_ns = whole_ns / pieces as f64;
        let apart_ns = PERIOD_NS / pieces as f64;
        let mut at_ns = rng.uniform() * apart_ns;
        let mut all = Vec::new();
        while at_ns < length_ns {
            all.push((at_ns, piece_ns));
            at_ns += apart_ns;
        }
        all.reverse();
        all
    }

    /// A turn has a number of ticks; those that come while a hypervisor has the CPU are one.
    fn turn_end(&self, now_ns: f64, in_turns: bool, around: Around, rng: &mut Rng) -> f64 {
        if !in_turns {
            return f64::MAX;
        }
        let ticks = (self.turn_ns / around.tick_ns).ceil();
        let length_ns = ticks * around.tick_ns;
        let thefts = around.stolen_share * length_ns / around.stolen_ns.max(1.0);
        let mut lost_ns = 0.0;
        let mut left = thefts;
        while left > 0.0 {
            if rng.uniform() < left.min(1.0) {
                let theft_ns = -rng.uniform().max(1e-12).ln() * around.stolen_ns;
                lost_ns += (theft_ns / around.tick_ns).floor() * around.tick_ns;
            }
            left -= 1.0;
        }
        now_ns + length_ns + lost_ns
    }
}

fn first(ends: [(f64, Next); 4]) -> (f64, Next) {
    let mut first = ends[0];
    for end in ends {
        if end.0 < first.0 {
            first = end;
        }
    }
    first
}

#[cfg(test)]
mod tests {
    use super::{Around, PERIOD_NS, RealTime};
    use harness::slices::Slice;
    use stats::Rng;

    const STILL: Around = Around {
        tick_ns: 4e6,
        stolen_share: 0.0,
        stolen_ns: 0.0,
    };

    fn had(slices: &[Slice]) -> f64 {
        slices
            .iter()
            .map(|s| (s.ended_ns - s.began_ns) as f64)
            .sum()
    }

    #[test]
    fn tasks_in_turns_have_equal_shares_and_the_first_of_others_has_all() {
        let kernel = RealTime::default();
        let mut rng = Rng::new(3);
        let turns = kernel.play(STILL, (2, true, 10e9), &mut rng);
        let [first, second] = [0, 1].map(|task| had(&turns[task]));
        assert!((first / second - 1.0).abs() < 0.05, "{first} {second}");
        let spared = 1.0 - (first + second) / 10e9;
        assert!((0.045..0.06).contains(&spared), "{spared}");
        let alone = kernel.play(STILL, (2, false, 10e9), &mut rng);
        assert!(alone[1].is_empty());
        assert!(alone[0].windows(2).all(|w| w[0].ended_ns <= w[1].began_ns));
    }

    #[test]
    fn what_is_spared_comes_whole_or_in_pieces() {
        for (in_pieces, longest_ns) in [(false, 50e6), (true, 6.25e6)] {
            let kernel = RealTime {
                in_pieces,
                ..RealTime::default()
            };
            let slices = &kernel.play(STILL, (2, false, 4.0 * PERIOD_NS), &mut Rng::new(1))[0];
            let waits = slices
                .windows(2)
                .map(|w| (w[1].began_ns - w[0].ended_ns) as f64);
            let longest = waits.fold(0.0, f64::max);
            assert!((longest / longest_ns - 1.0).abs() < 0.01, "{longest}");
        }
    }

    #[test]
    fn ticks_that_are_lost_make_turns_longer() {
        let turn = |around| {
            let mut rng = Rng::new(5);
            let ends = (0..200).map(|_| RealTime::default().turn_end(0.0, true, around, &mut rng));
            ends.sum::<f64>() / 200.0
        };
        let stolen = Around {
            stolen_share: 0.1,
            stolen_ns: 8e6,
            ..STILL
        };
        assert_eq!(turn(STILL), 100e6);
        assert!((102e6..115e6).contains(&turn(stolen)));
    }
}
