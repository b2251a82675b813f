//! Several scenarios, as many at once as asked for.

use crate::outcome::Outcome;
use crate::up::Lab;
use std::cmp::Reverse;
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::{Mutex, PoisonError, mpsc};
use std::thread;

/// What came of several scenarios.
#[derive(Debug, Default)]
pub struct Outcomes {
    /// In the order in which they were named.
    pub each: Vec<Outcome>,
    /// The user interrupted: the rest of them did not run to the end.
    pub interrupted: bool,
}

impl Lab<'_> {
    /// Boots `names`, `jobs` guests at once, and calls `ended` with each as it
    /// ends. The ones with the longest deadline begin, so that no long one is
    /// left over at the end.
    pub fn all(
        &self,
        names: &[String],
        out: &Path,
        jobs: NonZeroUsize,
        mut ended: impl FnMut(&Outcome),
    ) -> Outcomes {
        let waiting = Mutex::new(self.longest_last(names));
        let next = || {
            let mut waiting = waiting.lock().unwrap_or_else(PoisonError::into_inner);
            waiting.pop()
        };
        let (done, arriving) = mpsc::channel();
        let mut slots: Vec<Option<Outcome>> = names.iter().map(|_| None).collect();
        let work = |done: mpsc::Sender<(usize, Outcome)>| {
            while let Some(at) = next() {
                let Ok(outcome) = self.up(&names[at], out) else {
                    return;
                };
                if done.send((at, outcome)).is_err() {
                    return;
                }
            }
        };
        thread::scope(|scope| {
            for number in 0..jobs.get().min(names.len()) {
                let (its, work) = (done.clone(), &work);
                let started = thread::Builder::new().spawn_scoped(scope, move || work(its));
                // Refused by a limit: fewer guests at once, if need be one by one.
                match started {
                    Ok(_) => {}
                    Err(_) if number == 0 => work(done.clone()),
                    Err(_) => break,
                }
            }
            // What is received below ends when the last thread lets go of its own.
            drop(done);
            for (at, outcome) in arriving {
                ended(&outcome);
                slots[at] = Some(outcome);
            }
        });
        Outcomes {
            interrupted: slots.iter().any(Option::is_none),
            each: slots.into_iter().flatten().collect(),
        }
    }

    /// Places in `names`; to be taken from the end.
    fn longest_last(&self, names: &[String]) -> Vec<usize> {
        let deadline_s = |at: &usize| {
            let scenario = self.data().scenarios.get(&names[*at]);
            scenario.map_or(0, |s| s.deadline_s)
        };
        let mut places: Vec<usize> = (0..names.len()).collect();
        places.sort_by_key(|at| (deadline_s(at), Reverse(*at)));
        places
    }
}

#[cfg(test)]
mod tests {
    use crate::cache::Cache;
    use crate::{Lab, Verdict};
    use std::num::NonZeroUsize;
    use std::path::{Path, PathBuf};
    use std::sync::atomic::AtomicBool;

    fn names(of: &[&str]) -> Vec<String> {
        of.iter().map(|name| (*name).to_owned()).collect()
    }

    fn with_lab<T>(interrupted: bool, use_it: impl FnOnce(&Lab, &Path) -> T) -> T {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let home = tempfile::tempdir().unwrap();
        let stop = AtomicBool::new(interrupted);
        let cache = Cache::at(home.path().join("cache"));
        let lab = Lab::open(&root, cache, PathBuf::from("none"), &|_| {}, &stop).unwrap();
        use_it(&lab, &home.path().join("out"))
    }

    #[test]
    fn the_longest_begin_and_equals_keep_their_order() {
        with_lab(false, |lab, _| {
            let order = lab.longest_last(&names(&[
                "selftest",
                "cftu-6.1",
                "selftest-hang",
                "selftest-warn",
            ]));
            assert_eq!(order, [2, 3, 0, 1]);
        });
    }

    #[test]
    fn outcomes_come_in_the_order_of_the_names() {
        // No such scenarios: each is an outcome all the same.
        let wanted = names(&["c", "a", "b"]);
        let two = NonZeroUsize::new(2).unwrap();
        with_lab(false, |lab, out| {
            let mut ended = 0;
            let outcomes = lab.all(&wanted, out, two, |_| ended += 1);
            let got: Vec<&str> = outcomes.each.iter().map(|o| o.scenario.as_str()).collect();
            assert_eq!(got, ["c", "a", "b"]);
            assert_eq!(ended, 3);
            assert!(!outcomes.interrupted);
            assert!(outcomes.each.iter().all(|o| o.verdict == Verdict::Failed));
        });
    }
}
