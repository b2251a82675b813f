//! Which experiments a further process measures, where the run has a limit of time.
//!
//! The first process of each measures everything, in the order of the plan, until the limit is
//! reached. What it took says what further ones will take. The second measures everything as
//! well where there is time for it: one process knows nothing of how others differ. Each one after
//! that is given its share of the time that is left, and spends it on the experiments that take
//! least, so that most points have many processes. So the costliest experiments have the fewest.
//! A part of the time is kept for points that are worth measuring again (`again`).

use std::time::Duration;

/// The time of a run and what it was spent on.
#[derive(Debug, Clone)]
pub struct Schedule {
    /// None: every process measures everything.
    limit: Option<Duration>,
    rounds: u16,
    experiments: Vec<Spent>,
    /// Kept of the limit.
    kept: Duration,
}

/// One part in so many is kept.
const KEPT: u32 = 12;

#[derive(Debug, Clone, Copy, Default)]
struct Spent {
    rounds: u16,
    all: Duration,
}

impl Spent {
    /// What the next process will take.
    fn next(self) -> Duration {
        self.all / u32::from(self.rounds.max(1))
    }
}

impl Schedule {
    /// Of so many processes of so many experiments; `again`: with time kept for what is
    /// measured again.
    pub fn new(limit: Option<Duration>, rounds: u16, experiments: usize, again: bool) -> Schedule {
        Schedule {
            limit,
            rounds,
            experiments: vec![Spent::default(); experiments],
            kept: limit.filter(|_| again).unwrap_or_default() / KEPT,
        }
    }

    /// Which experiments the process `round` measures, of a run that has lasted for `passed`.
    pub fn chosen(&self, round: u16, passed: Duration) -> Vec<bool> {
        let Some(limit) = self.limit.filter(|_| round > 0) else {
            return vec![true; self.experiments.len()];
        };
        let rest = limit.saturating_sub(passed);
        let share = match round {
            1 => rest,
            later => {
                rest.saturating_sub(self.kept) / u32::from(self.rounds.saturating_sub(later).max(1))
            }
        };
        let mut cheapest: Vec<usize> = (0..self.experiments.len()).collect();
        cheapest.sort_by_key(|at| self.experiments[*at].next());
        let mut chosen = vec![false; self.experiments.len()];
        let mut sum = Duration::ZERO;
        for at in cheapest {
            sum += self.experiments[at].next();
            chosen[at] = sum <= share;
        }
        chosen
    }

    /// Whether another process of an experiment ends within the limit.
    pub fn fits(&self, at: usize, passed: Duration) -> bool {
        let end = passed + self.takes(at);
        let kept = match self.experiments[at].rounds {
            ..2 => Duration::ZERO,
            _ => self.kept,
        };
        self.limit.is_none_or(|limit| end + kept <= limit)
    }

    /// What another process of an experiment takes.
    pub fn takes(&self, at: usize) -> Duration {
        self.experiments[at].next()
    }

    /// A process of an experiment took so long.
    pub fn took(&mut self, at: usize, time: Duration) {
        let spent = &mut self.experiments[at];
        spent.rounds += 1;
        spent.all += time;
    }

    /// What is left until the limit.
    pub fn left(&self, passed: Duration) -> Option<Duration> {
        self.limit.map(|limit| limit.saturating_sub(passed))
    }

    /// Processes of each experiment so far.
    pub fn processes(&self) -> impl Iterator<Item = u16> {
        self.experiments.iter().map(|spent| spent.rounds)
    }
}

/// How many processes measured what, where that differs: `up to 5 processes
/// measured an experiment, fewer the costliest (2: mem/bandwidth, ipc/io_uring)`. None where all have the same number.
pub fn said<'a>(ids: impl Iterator<Item = &'a str>, processes: &Schedule) -> Option<String> {
    let counts: Vec<(u16, &str)> = processes.processes().zip(ids).collect();
    let most = counts.iter().map(|(count, _)| *count).max()?;
    let fewer = |count: u16| -> Vec<&str> {
        let of = counts.iter().filter(|(n, _)| *n == count);
        of.map(|(_, id)| *id).collect()
    };
    let parts: Vec<String> = (1..most)
        .rev()
        .filter_map(|count| {
            let ids = fewer(count);
            (!ids.is_empty()).then(|| format!("{count}: {}", ids.join(", ")))
        })
        .collect();
    (!parts.is_empty()).then(|| {
        format!(
            "time was short: up to {most} processes measured an experiment, fewer the costliest ({})",
            parts.join("; ")
        )
    })
}

#[cfg(test)]
mod tests {
    use super::{Schedule, said};
    use std::time::Duration;

    fn seconds(s: u64) -> Duration {
        Duration::from_secs(s)
    }

    /// Plays a run whose experiments take these seconds a process; how many each had, and how
    /// long it lasted.
    fn played(limit: Option<u64>, rounds: u16, costs: &[u64]) -> (Vec<u16>, u64) {
        let mut schedule = Schedule::new(limit.map(seconds), rounds, costs.len(), false);
        let mut passed = Duration::ZERO;
        for round in 0..rounds {
            let chosen = schedule.chosen(round, passed);
            for (at, cost) in costs.iter().enumerate() {
                if chosen[at] && schedule.fits(at, passed) {
                    passed += seconds(*cost);
                    schedule.took(at, seconds(*cost));
                }
            }
        }
        (schedule.processes().collect(), passed.as_secs())
    }

    #[test]
    fn without_a_limit_every_process_measures_everything() {
        assert_eq!(played(None, 5, &[3, 1, 9]), (vec![5, 5, 5], 65));
    }

    #[test]
    fn time_that_is_left_is_spent_on_what_takes_least() {
        let (processes, lasted) = played(Some(70), 5, &[10, 1, 1, 8, 2, 1]);
        assert_eq!(processes, [2, 5, 5, 3, 5, 5]);
        assert!(lasted <= 70, "{lasted}");
    }

    #[test]
    fn the_first_process_goes_on_until_the_limit() {
        // Nothing is known of a first process: the last may end behind it.
        assert_eq!(played(Some(10), 5, &[6, 6, 6]), (vec![1, 1, 0], 12));
        assert_eq!(played(Some(20), 3, &[6, 6, 6]), (vec![1, 1, 1], 18));
    }

    #[test]
    fn a_second_process_of_everything_comes_before_a_third_of_anything() {
        assert_eq!(played(Some(40), 5, &[10, 5, 5]).0, [2, 2, 2]);
        assert_eq!(played(Some(32), 5, &[10, 5, 5]).0, [1, 2, 2]);
    }

    #[test]
    fn what_had_fewer_processes_is_named() {
        let mut schedule = Schedule::new(None, 5, 3, false);
        (0..5).for_each(|_| schedule.took(1, seconds(1)));
        for at in [0, 2] {
            schedule.took(at, seconds(9));
            schedule.took(at, seconds(9));
        }
        let text = said(["a/b", "c/d", "e/f"].into_iter(), &schedule).expect("they differ");
        assert!(text.ends_with("(2: a/b, e/f)"), "{text}");
        assert_eq!(
            said(["a/b"].into_iter(), &Schedule::new(None, 5, 1, false)),
            None
        );
    }
}
