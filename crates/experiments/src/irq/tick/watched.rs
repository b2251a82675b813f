//! The tick without tracing: from what the kernel states, from its coarse clock, and from gaps
//! in a loop.

use super::Came;
use super::folding::{Gap, fold};
use harness::Measured;
use harness::looks::{Clocks, Look, Watched, coarse_step_ns, watch};
use stats::quantile::median;

/// A change of the coarse clock was seen at once where the look before it was no earlier, ns.
const AT_ONCE_NS: f64 = 50_000.0;
/// Times from one change to the next, at least, for a period.
const LEAST: usize = 5;
/// Ends of what is near the one in the middle.
const NEAR: [f64; 2] = [0.9, 1.1];

/// The step of the coarse clock as the kernel states it.
pub(super) fn stated(measured: &Measured) -> Vec<Came> {
    vec![Came::period(coarse_step_ns(measured), 1.0)]
}

/// From each change of the coarse clock to the next, of those that were seen at once.
pub(super) fn coarse(measured: &Measured, ns: u64) -> Vec<Came> {
    of_changes(&watch(measured, ns, Clocks::Both))
}

/// From each gap of the tick to the next.
pub(super) fn gaps(measured: &Measured, ns: u64) -> Vec<Came> {
    of_gaps(&watch(measured, ns, Clocks::Fine))
}

fn of_changes(watched: &Watched) -> Vec<Came> {
    let moved = |[before, now]: &&[Look; 2]| before.coarse_ns != now.coarse_ns;
    let changes: Vec<&[Look; 2]> = watched.pairs.iter().filter(moved).collect();
    let at_once = |[before, now]: &[Look; 2]| now.at_ns - before.at_ns <= AT_ONCE_NS;
    let apart = changes.windows(2).filter_map(|two| {
        let seen = at_once(two[0]) && at_once(two[1]);
        seen.then(|| two[1][1].at_ns - two[0][1].at_ns)
    });
    let apart: Vec<f64> = apart.collect();
    let near = near_the_middle(&apart);
    match apart.len() >= LEAST {
        true => apart.iter().map(|ns| Came::period(*ns, near)).collect(),
        false => vec![Came::nothing(changes.len(), watched.lasted_ns)],
    }
}

/// The share that is near the one in the middle.
fn near_the_middle(apart_ns: &[f64]) -> f64 {
    let Ok(middle) = median(apart_ns) else {
        return 0.0;
    };
    let [low, high] = NEAR.map(|share| share * middle);
    let near = apart_ns.iter().filter(|ns| (low..=high).contains(*ns));
    near.count() as f64 / apart_ns.len() as f64
}

fn of_gaps(watched: &Watched) -> Vec<Came> {
    let gaps: Vec<Gap> = watched.pairs.iter().map(Gap::of).collect();
    match fold(&gaps, watched.lasted_ns) {
        Some(fold) => {
            let period = |ns: &f64| Came::period(*ns, fold.share);
            fold.periods_ns.iter().map(period).collect()
        }
        None => vec![Came::nothing(gaps.len(), watched.lasted_ns)],
    }
}

#[cfg(test)]
mod tests {
    use super::{Came, median, of_changes, of_gaps};
    use harness::looks::{Look, Watched};
    use stats::Rng;

    fn look(at_ns: f64, coarse_ns: f64) -> Look {
        Look { at_ns, coarse_ns }
    }

    /// The coarse clock moves on at this rate, each time up to 20 us late; `away`: the share
    /// of time in which the loop did not look, half a millisecond at once.
    fn moving(hz: f64, away: f64, seed: u64) -> Watched {
        let mut rng = Rng::new(seed);
        let period_ns = 1e9 / hz;
        let mut pairs = Vec::new();
        for n in 1..(2e8 / period_ns) as usize {
            let at_ns = n as f64 * period_ns + 2e4 * rng.uniform();
            let late_ns = match rng.uniform() < away {
                true => 5e5 * rng.uniform(),
                false => 3e3,
            };
            let step = |n: usize| n as f64 * period_ns;
            pairs.push([
                look(at_ns - 20.0, step(n - 1)),
                look(at_ns + late_ns, step(n)),
            ]);
        }
        Watched {
            lasted_ns: 2e8,
            pairs,
        }
    }

    fn middle(came: &[Came]) -> f64 {
        let all: Vec<f64> = came.iter().map(|c| c.elapsed_ns).collect();
        median(&all).unwrap()
    }

    #[test]
    fn the_coarse_clock_moves_on_at_each_tick_however_much_is_stolen() {
        for hz in [100.0, 250.0, 300.0, 1000.0] {
            for (away, seed) in [(0.0, 1), (0.1, 2), (0.3, 3)] {
                let came = of_changes(&moving(hz, away, seed));
                let off = middle(&came) * hz / 1e9 - 1.0;
                assert!(off.abs() < 0.02, "{hz}, {away}: {off}");
                assert!(came[0].explained > 0.8);
            }
        }
    }

    #[test]
    fn a_coarse_clock_that_never_moves_has_no_period() {
        let came = of_changes(&Watched {
            lasted_ns: 2e8,
            pairs: vec![[look(1e6, 0.0), look(1.1e6, 0.0)]],
        });
        assert_eq!((came.len(), came[0].explained), (1, 0.0));
        assert_eq!(came[0].elapsed_ns, 2e8);
    }

    #[test]
    fn gaps_without_a_period_are_one_sample_that_explains_nothing() {
        let mut rng = Rng::new(6);
        let mut at: Vec<f64> = (0..90).map(|_| 2e8 * rng.uniform()).collect();
        at.sort_by(f64::total_cmp);
        let pair = |at: &f64| [look(*at, 0.0), look(at + 2e3, 0.0)];
        let came = of_gaps(&Watched {
            lasted_ns: 2e8,
            pairs: at.iter().map(pair).collect(),
        });
        assert_eq!((came.len(), came[0].explained, came[0].count), (1, 0.0, 90));
        let on: Vec<f64> = (0..50).map(|n| 1e6 + 4e6 * f64::from(n)).collect();
        let came = of_gaps(&Watched {
            lasted_ns: 2e8,
            pairs: on.iter().map(pair).collect(),
        });
        assert_eq!((middle(&came), came[0].explained), (4e6, 1.0));
    }
}
