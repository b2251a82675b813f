//! Which period gaps come in, where others come in between.
//!
//! Gaps are folded onto each rate that kernels are built with: those of the tick fall on one
//! phase. A rate is found where nearly all ticks that are due while the loop looks have a gap,
//! and chance would give few of them one. Every multiple of such a rate is asked as well: a
//! tick of 400 Hz has a gap wherever one of 200 Hz is due.

use harness::looks::Look;
use trace::analyse::ticks::RATES;

/// A tick comes so much too early or too late at most, ns, and as a share of its period.
const OFF_NS: f64 = 50_000.0;
const OFF: f64 = 0.03;
/// Shortest gaps that are taken, ns: where a hypervisor or another thread of the core disturbs
/// every few looks, the tick stands out among longer ones only.
const SHORTEST_NS: [f64; 5] = [500.0, 1_000.0, 2_000.0, 4_000.0, 8_000.0];
/// Ticks that are due, at least.
const LEAST_DUE: usize = 12;
/// Of them have a gap, at least.
const MOST: f64 = 0.8;
/// Of them would have one by chance, at most.
const BY_CHANCE: f64 = 0.25;
/// By so many standard deviations more than by chance.
const STANDS_OUT: f64 = 6.0;
/// No tick is faster, Hz.
const FASTEST: u32 = 3_000;

/// Time in which the loop did not look, ns.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Gap {
    pub(super) began_ns: f64,
    pub(super) lasted_ns: f64,
}

impl Gap {
    pub(super) fn of([before, now]: &[Look; 2]) -> Gap {
        Gap {
            began_ns: before.at_ns,
            lasted_ns: now.at_ns - before.at_ns,
        }
    }

    /// Whether a moment lies in it, or so near its begin.
    fn has(&self, at_ns: f64, off_ns: f64) -> bool {
        let after_ns = at_ns - self.began_ns;
        (-off_ns..=off_ns.max(self.lasted_ns)).contains(&after_ns)
    }
}

/// Gaps that come in a period.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Fold {
    pub(super) hz: u32,
    /// Of the ticks that were due while it looked, as many have a gap.
    pub(super) share: f64,
    /// From each of their gaps to the next, by period, ns.
    pub(super) periods_ns: Vec<f64>,
}

/// The rate at which the gaps of a loop come that looked so long: none, or one that no kernel
/// is built with, is None.
pub(super) fn fold(gaps: &[Gap], looked_ns: f64) -> Option<Fold> {
    let of = |shortest_ns: f64| {
        let long = gaps.iter().filter(|g| g.lasted_ns >= shortest_ns);
        let long: Vec<Gap> = long.copied().collect();
        fastest(&long, looked_ns)
    };
    let found = SHORTEST_NS.into_iter().filter_map(of);
    // Of which only some stand out among long gaps come less often there.
    let fold = found.max_by_key(|fold| fold.hz)?;
    RATES.contains(&fold.hz).then_some(fold)
}

/// By the fastest rate that explains them: all that it is a multiple of explain a part.
fn fastest(gaps: &[Gap], looked_ns: f64) -> Option<Fold> {
    let multiples = |rate: u32| (1..=FASTEST / rate).map(move |n| n * rate);
    let mut rates: Vec<u32> = RATES.into_iter().flat_map(multiples).collect();
    rates.sort_unstable_by_key(|hz| std::cmp::Reverse(*hz));
    rates.dedup();
    rates.iter().find_map(|hz| onto(gaps, looked_ns, *hz))
}

fn onto(gaps: &[Gap], looked_ns: f64, hz: u32) -> Option<Fold> {
    let period_ns = 1e9 / f64::from(hz);
    let off_ns = OFF_NS.min(OFF * period_ns);
    let chance = chance(gaps, looked_ns, off_ns);
    if chance > BY_CHANCE {
        return None;
    }
    let phase_ns = phase(gaps, period_ns, off_ns)?;
    let ticks = (0..)
        .map(|n| phase_ns + f64::from(n) * period_ns)
        .take_while(|at| *at < looked_ns);
    let (mut due, mut hits) = (0usize, Vec::new());
    for at_ns in ticks {
        let near = nearest(gaps, at_ns);
        match near.filter(|gap| gap.has(at_ns, off_ns)) {
            // It came while others had the CPU: whether it did is not seen.
            Some(gap) if gap.lasted_ns > 2.0 * off_ns => {}
            Some(gap) => {
                due += 1;
                hits.push(gap.began_ns);
            }
            None => due += 1,
        }
    }
    let share = hits.len() as f64 / due.max(1) as f64;
    let expected = due as f64 * chance;
    let spread = (expected * (1.0 - chance)).sqrt().max(1.0);
    let found =
        due >= LEAST_DUE && share >= MOST && hits.len() as f64 - expected >= STANDS_OUT * spread;
    found.then(|| Fold {
        hz,
        share,
        periods_ns: periods(&hits, period_ns),
    })
}

/// The phase that most gaps have, to within what a tick may be off.
fn phase(gaps: &[Gap], period_ns: f64, off_ns: f64) -> Option<f64> {
    let mut phases: Vec<f64> = gaps.iter().map(|g| g.began_ns % period_ns).collect();
    phases.sort_by(f64::total_cmp);
    // Once more behind the end: phases are on a circle.
    let round: Vec<f64> = phases.iter().map(|p| p + period_ns).collect();
    phases.extend(round);
    let within = |from: usize| phases.partition_point(|p| *p <= phases[from] + 2.0 * off_ns) - from;
    let first = (0..gaps.len()).max_by_key(|from| within(*from))?;
    let most = &phases[first..first + within(first)];
    Some(most[most.len() / 2] % period_ns)
}

/// The gap that begins next to a moment, or in which it lies.
fn nearest(gaps: &[Gap], at_ns: f64) -> Option<&Gap> {
    let behind = gaps.partition_point(|g| g.began_ns < at_ns);
    let before = behind.checked_sub(1).and_then(|n| gaps.get(n));
    let off = |gap: &&Gap| match gap.has(at_ns, 0.0) {
        true => 0.0,
        false => (gap.began_ns - at_ns).abs(),
    };
    let both = [before, gaps.get(behind)].into_iter().flatten();
    both.min_by(|a, b| off(a).total_cmp(&off(b)))
}

/// How often a moment while it looks has a gap by chance.
fn chance(gaps: &[Gap], looked_ns: f64, off_ns: f64) -> f64 {
    let long = gaps.iter().filter(|g| g.lasted_ns > 2.0 * off_ns);
    let away_ns: f64 = long.map(|g| g.lasted_ns).sum();
    let short = gaps.iter().filter(|g| g.lasted_ns <= 2.0 * off_ns).count();
    let density = short as f64 / (looked_ns - away_ns).max(1.0);
    1.0 - (-2.0 * off_ns * density).exp()
}

fn periods(at_ns: &[f64], period_ns: f64) -> Vec<f64> {
    let of = |two: &[f64]| {
        let apart_ns = two[1] - two[0];
        apart_ns / (apart_ns / period_ns).round().max(1.0)
    };
    at_ns.windows(2).map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::{Fold, Gap, fold};
    use stats::Rng;
    use stats::quantile::median;

    const LOOKED_NS: f64 = 2e8;

    /// Gaps of some microseconds at this rate, each up to 10 us late.
    fn ticks(rng: &mut Rng, hz: f64) -> Vec<Gap> {
        let period_ns = 1e9 / hz;
        let first_ns = period_ns * rng.uniform();
        let count = (LOOKED_NS / period_ns) as usize;
        let tick = |n| Gap {
            began_ns: first_ns + n as f64 * period_ns + 1e4 * rng.uniform(),
            lasted_ns: 2_000.0 + 3_000.0 * rng.uniform(),
        };
        (0..count).map(tick).collect()
    }

    /// Gaps at random, so many a second, of `lasted_ns` or up to twice as long.
    fn others(rng: &mut Rng, hz: f64, lasted_ns: f64) -> Vec<Gap> {
        let count = (hz * LOOKED_NS / 1e9) as usize;
        let other = |_| Gap {
            began_ns: LOOKED_NS * rng.uniform(),
            lasted_ns: lasted_ns * (1.0 + rng.uniform()),
        };
        (0..count).map(other).collect()
    }

    /// As a loop sees them: one that begins in another is a part of it.
    fn seen(all: &[&[Gap]]) -> Option<Fold> {
        let mut gaps: Vec<Gap> = all.concat();
        gaps.sort_by(|a, b| a.began_ns.total_cmp(&b.began_ns));
        let mut apart: Vec<Gap> = Vec::new();
        for gap in gaps {
            match apart.last_mut() {
                Some(last) if gap.began_ns <= last.began_ns + last.lasted_ns => {
                    last.lasted_ns += gap.lasted_ns;
                }
                _ => apart.push(gap),
            }
        }
        fold(&apart, LOOKED_NS)
    }

    #[test]
    fn each_rate_is_found_and_no_multiple_or_part_of_it() {
        let mut rng = Rng::new(1);
        for hz in [100, 128, 250, 256, 300, 500, 1000, 1200] {
            for _ in 0..5 {
                let found = seen(&[&ticks(&mut rng, f64::from(hz))]).expect("a rate");
                assert_eq!(found.hz, hz);
                let middle = median(&found.periods_ns).unwrap() * f64::from(hz);
                assert!((middle / 1e9 - 1.0).abs() < 0.01, "{hz}: {middle}");
            }
        }
    }

    #[test]
    fn other_interrupts_and_stolen_time_hide_no_rate() {
        let mut rng = Rng::new(2);
        for hz in [100, 250, 300, 1000] {
            let mut right = 0;
            for _ in 0..20 {
                let on = ticks(&mut rng, f64::from(hz));
                let devices = others(&mut rng, 400.0, 2_000.0);
                let thefts = others(&mut rng, 300.0, 300_000.0);
                let found = seen(&[&on, &devices, &thefts]).map(|f| f.hz);
                assert!(found.is_none_or(|found| found == hz), "{hz}: {found:?}");
                right += usize::from(found == Some(hz));
            }
            assert!(right >= 18, "{hz}: {right}");
        }
    }

    #[test]
    fn short_gaps_without_number_hide_the_tick_from_none_that_is_longer() {
        let mut rng = Rng::new(3);
        let all: Vec<Gap> = others(&mut rng, 20_000.0, 800.0);
        let found = seen(&[&all, &ticks(&mut rng, 250.0)]);
        assert_eq!(found.map(|f| f.hz), Some(250));
    }

    #[test]
    fn ticks_that_are_never_late_are_found_at_every_phase() {
        for hz in [100u32, 300] {
            let period_ns = 1e9 / f64::from(hz);
            for eighth in 0..8 {
                let first_ns = period_ns * f64::from(eighth) / 8.0;
                let ticks = (0..).map(|n| first_ns + period_ns * f64::from(n));
                let gap = |began_ns| Gap {
                    began_ns,
                    lasted_ns: 2_020.0,
                };
                let gaps: Vec<Gap> = ticks.take_while(|t| *t < LOOKED_NS).map(gap).collect();
                let found = fold(&gaps, LOOKED_NS).map(|f| f.hz);
                assert_eq!(found, Some(hz), "{eighth}");
            }
        }
    }

    #[test]
    fn gaps_at_random_and_rates_of_no_kernel_give_none() {
        let mut rng = Rng::new(4);
        for _ in 0..10 {
            for hz in [30.0, 400.0, 1000.0, 10_000.0] {
                assert_eq!(seen(&[&others(&mut rng, hz, 2_000.0)]), None);
            }
            for hz in [233.0, 400.0, 730.0, 2000.0] {
                assert_eq!(seen(&[&ticks(&mut rng, hz)]), None, "{hz}");
            }
        }
        assert_eq!(fold(&[], LOOKED_NS), None);
    }

    #[test]
    fn a_second_timer_that_is_faster_is_taken_for_the_tick() {
        let mut rng = Rng::new(5);
        let both = [ticks(&mut rng, 250.0), ticks(&mut rng, 1000.0)];
        assert_eq!(seen(&[&both[0], &both[1]]).map(|f| f.hz), Some(1000));
    }
}
