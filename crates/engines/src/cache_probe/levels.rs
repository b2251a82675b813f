//! Estimates which share of a set is still in the caches nearest to its CPU. The clock's
//! tick is longer than the difference of one load, so single loads cannot be judged; the
//! fraction of loads that take one tick more can.

use crate::memory::{Mapping, Pages};
use harness::{Context, SetupError};
use record::MachineCard;

/// Size of the evicting memory, in near caches.
const TIMES: usize = 4;
/// Passes through it that evict a set completely.
const TURNS: usize = 2;
/// Shares of late loads that differ by less than this cannot be separated.
const LEAST_APART: f64 = 0.2;

/// Bytes of the caches below the last level; none where there is but one level.
pub fn near_bytes(card: &MachineCard) -> Option<usize> {
    let caches = card.data_caches();
    let below = caches.len().checked_sub(2)?;
    usize::try_from(caches[below].size_bytes).ok()
}

/// Drives a set out of the near caches and leaves it in the last level.
#[derive(Debug)]
pub struct Displacer {
    displacing: Mapping,
    line: usize,
}

impl Displacer {
    /// # Errors
    /// `Skip` where there is no memory.
    pub fn new(near_bytes: usize, line: usize, context: &Context) -> Result<Displacer, SetupError> {
        let displacing = Mapping::new(TIMES * near_bytes, Pages::Base, context)?;
        Ok(Displacer { displacing, line })
    }

    /// Reads the evicting memory, which replaces what the near caches held.
    pub fn displace(&self) {
        for _ in 0..TURNS {
            for at in (0..self.displacing.len()).step_by(self.line) {
                // SAFETY: inside the mapping, which is never written.
                unsafe { self.displacing.base().as_ptr().add(at).read_volatile() };
            }
        }
    }
}

/// How many loads are late that found their line near, and in the last level.
///
/// The mean time would not do: a busy last level answers later although no more lines
/// are displaced.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Levels {
    /// Loads of more ticks are late.
    pub split_ticks: u32,
    /// Shares of late loads on sets known to be near, and known not to be.
    pub near_late: f64,
    pub last_late: f64,
    /// How far off the share is on such sets.
    pub error: f64,
}

impl Levels {
    /// From turns of loads on sets that were near, and that were displaced. Even turns
    /// give the shares, odd turns test them; the median of each counts. None where the
    /// shares are too close.
    pub fn of(near: &[Vec<u32>], displaced: &[Vec<u32>], gone_ticks: u32) -> Option<Levels> {
        let split_ticks = split(near, displaced, gone_ticks)?;
        let late = |turns| middle(turns, 0, |turn| late_share(turn, split_ticks, gone_ticks));
        let mut levels = Levels {
            split_ticks,
            near_late: late(near)?,
            last_late: late(displaced)?,
            error: 0.0,
        };
        if levels.last_late < levels.near_late + LEAST_APART {
            return None;
        }
        let share = |turn: &[u32]| Some(levels.displaced(turn, gone_ticks));
        let tried = |turns| middle(turns, 1, share);
        let off = |turns, truth: f64| tried(turns).map_or(0.0, |seen| (seen - truth).abs());
        levels.error = off(near, 0.0).max(off(displaced, 1.0));
        Some(levels)
    }

    /// Share of the loads whose line was not near. Because of noise it may fall below 0
    /// or exceed 1.
    pub fn displaced(&self, times: &[u32], gone_ticks: u32) -> f64 {
        let gone = times.iter().filter(|t| **t > gone_ticks).count() as f64;
        let gone = gone / times.len().max(1) as f64;
        let Some(late) = late_share(times, self.split_ticks, gone_ticks) else {
            return gone;
        };
        let last = (late - self.near_late) / (self.last_late - self.near_late);
        gone + (1.0 - gone) * last
    }
}

/// The time that separates near loads from displaced ones best.
fn split(near: &[Vec<u32>], displaced: &[Vec<u32>], gone_ticks: u32) -> Option<u32> {
    let found = |turns: &[Vec<u32>]| {
        let even = turns.iter().step_by(2).flatten().copied();
        let mut all: Vec<u32> = even.filter(|t| *t <= gone_ticks).collect();
        all.sort_unstable();
        all
    };
    let (near, displaced) = (found(near), found(displaced));
    let early =
        |all: &[u32], ticks| all.partition_point(|t| *t <= ticks) as f64 / all.len().max(1) as f64;
    let apart = |ticks: &u32| early(&near, *ticks) - early(&displaced, *ticks);
    let candidates = near.iter().chain(&displaced).copied();
    candidates.max_by(|a, b| apart(a).total_cmp(&apart(b)))
}

/// The median of every second turn, from this one on.
fn middle(turns: &[Vec<u32>], from: usize, of: impl Fn(&[u32]) -> Option<f64>) -> Option<f64> {
    let chosen = turns.iter().skip(from).step_by(2);
    let each: Vec<f64> = chosen.filter_map(|turn| of(turn)).collect();
    stats::median(&each).ok()
}

/// Share of late ones among the loads that found their line in any cache.
fn late_share(times: &[u32], split_ticks: u32, gone_ticks: u32) -> Option<f64> {
    let found = times.iter().filter(|t| **t <= gone_ticks);
    let (all, late) = found.fold((0u32, 0u32), |(all, late), t| {
        (all + 1, late + u32::from(*t > split_ticks))
    });
    (all > 0).then(|| f64::from(late) / f64::from(all))
}

#[cfg(test)]
mod tests {
    use super::{Levels, near_bytes};
    use record::MachineCard;
    use testbed::turn::card;

    const GONE: u32 = 200;

    /// A clock of 26 ticks reads one or the other of two steps.
    fn turn(ticks: [u32; 2], upper: usize) -> Vec<u32> {
        (0..100).map(|i| ticks[usize::from(i < upper)]).collect()
    }

    fn levels() -> Levels {
        let near = vec![turn([52, 78], 60), turn([52, 78], 60)];
        let displaced = vec![turn([78, 104], 50), turn([78, 104], 50)];
        Levels::of(&near, &displaced, GONE).unwrap()
    }

    #[test]
    fn the_number_of_late_loads_tells_the_share() {
        let levels = levels();
        assert!(levels.error < 1e-9, "{levels:?}");
        let share = |times: &[u32]| levels.displaced(times, GONE);
        assert!(share(&turn([52, 78], 60)).abs() < 1e-9);
        assert!((share(&turn([78, 104], 50)) - 1.0).abs() < 1e-9);
        let both = [turn([52, 78], 60), turn([78, 104], 50)].concat();
        assert!((share(&both) - 0.5).abs() < 1e-9);
        // What is gone from all caches is displaced, and does not count as late.
        let third = [both, vec![400; 100]].concat();
        assert!((share(&third) - 2.0 / 3.0).abs() < 1e-9);
        assert!((share(&[400; 10]) - 1.0).abs() < 1e-9);
    }

    #[test]
    fn a_busy_last_level_displaces_no_more() {
        let share = levels().displaced(&turn([104, 182], 70), GONE);
        let alike = levels().displaced(&turn([104, 130], 70), GONE);
        assert!((share - alike).abs() < 1e-9, "{share} {alike}");
    }

    #[test]
    fn the_other_half_of_the_turns_tries_the_shares() {
        let near = vec![turn([52, 78], 60), turn([52, 104], 10)];
        let displaced = vec![turn([78, 104], 50), turn([78, 104], 50)];
        let levels = Levels::of(&near, &displaced, GONE).unwrap();
        assert!((levels.error - 0.2).abs() < 1e-9, "{levels:?}");
    }

    #[test]
    fn levels_that_take_the_same_time_are_none() {
        let same = vec![turn([52, 78], 50); 2];
        assert_eq!(Levels::of(&same, &same, GONE), None);
        assert_eq!(Levels::of(&[], &same, GONE), None);
    }

    #[test]
    fn the_near_caches_are_those_below_the_last() {
        let mut card: MachineCard = card("x86_64", 2);
        let all = card.data_caches();
        let expected = all[all.len() - 2].size_bytes;
        assert_eq!(near_bytes(&card), usize::try_from(expected).ok());
        card.caches.clear();
        assert_eq!(near_bytes(&card), None);
    }
}
