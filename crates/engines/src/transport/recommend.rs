//! Which way to take, which others are as good, and what a wrong choice costs.

use super::advise::{Time, Way};
use super::semantics::Promise;
use serde::Serialize;
use stats::Interval;

/// The floor under all transports is none: nothing receives there.
const FLOOR: &str = "ipc/memcpy";
/// What is taken where nothing was measured.
const USUAL: &str = "ipc/pipe";

/// The cheapest way that keeps what is demanded.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Recommendation {
    pub keep: Vec<Promise>,
    /// None where no measured way keeps it all.
    pub take: Option<Chosen>,
    /// Ways that keep it too and whose intervals overlap with the cheapest: no cheaper or costlier
    /// as far as this run can say.
    pub indistinguishable: Vec<Chosen>,
    /// What it costs to take another way.
    pub instead: Vec<Instead>,
    /// Experiments of ways that do not keep what is demanded, each once.
    pub left_out: Vec<String>,
}

/// A way by its name.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Chosen {
    pub experiment: String,
    pub conditions: String,
    #[serde(flatten, with = "Time")]
    pub time_ns: Interval,
}

/// Another way than the one recommended.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Instead {
    pub choice: Choice,
    #[serde(flatten)]
    pub way: Chosen,
    /// Its time over the recommended one's.
    pub factor: f64,
    /// For each message, ns.
    pub more_ns: f64,
}

/// Why it might be taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Choice {
    /// The cheapest that can be distinguished.
    Next,
    /// A pipe.
    Usual,
}

/// What to take of `ways`, which are in the order of their times.
pub fn recommend(ways: &[Way], keep: &[Promise]) -> Recommendation {
    let transports = || ways.iter().filter(|w| w.experiment != FLOOR);
    let fits: Vec<&Way> = transports().filter(|w| keeps(w, keep)).collect();
    let mut left_out: Vec<String> = Vec::new();
    for way in transports().filter(|w| !keeps(w, keep)) {
        if !left_out.contains(&way.experiment) {
            left_out.push(way.experiment.clone());
        }
    }
    let best = fits.first().copied();
    let overlaps = |w: &&&Way| best.is_some_and(|best| w.time_ns.low <= best.time_ns.high);
    let others = fits.get(1..).unwrap_or_default();
    let next = others.iter().find(|w| !overlaps(w));
    let instead = best.map(|best| {
        let next = next.map(|way| instead(best, way, Choice::Next));
        let usual = usual(best, others).map(|way| instead(best, way, Choice::Usual));
        let usual = usual.filter(|u| next.as_ref().is_none_or(|n| n.way != u.way));
        next.into_iter().chain(usual).collect()
    });
    Recommendation {
        keep: keep.to_vec(),
        take: best.map(chosen),
        indistinguishable: others.iter().filter(overlaps).map(|w| chosen(w)).collect(),
        instead: instead.unwrap_or_default(),
        left_out,
    }
}

fn keeps(way: &Way, wanted: &[Promise]) -> bool {
    let kept = way.semantics.map_or(&[][..], |s| s.keeps);
    wanted.iter().all(|promise| kept.contains(promise))
}

/// A pipe in the place of the best way, else the cheapest one; none where the best is one, or no
/// pipe is costlier than it by more than the intervals.
fn usual<'a>(best: &Way, others: &[&'a Way]) -> Option<&'a Way> {
    let distinct = |w: &&&Way| w.time_ns.low > best.time_ns.high;
    let pipes = || {
        let pipes = others.iter().filter(|w| w.experiment == USUAL);
        pipes.filter(distinct).copied()
    };
    let here = pipes().find(|w| w.conditions == best.conditions);
    here.or_else(|| pipes().next())
        .filter(|_| best.experiment != USUAL)
}

fn chosen(way: &Way) -> Chosen {
    Chosen {
        experiment: way.experiment.clone(),
        conditions: way.conditions.clone(),
        time_ns: way.time_ns,
    }
}

fn instead(best: &Way, way: &Way, choice: Choice) -> Instead {
    Instead {
        choice,
        way: chosen(way),
        factor: way.time_ns.center / best.time_ns.center,
        more_ns: way.time_ns.center - best.time_ns.center,
    }
}

#[cfg(test)]
mod tests {
    use super::super::semantics;
    use super::*;

    fn way(name: &str, ns: f64, half: f64) -> Way {
        let experiment = format!("ipc/{name}");
        Way {
            semantics: semantics::of(&experiment),
            experiment,
            conditions: "on one CPU".to_owned(),
            time_ns: Interval::resampled(ns, ns - half, ns + half),
            measured: true,
            curve: Vec::new(),
        }
    }

    /// Cheapest first, as they are handed over.
    fn ways() -> Vec<Way> {
        vec![
            way("memcpy", 50.0, 1.0),
            way("shm_ring", 100.0, 5.0),
            way("futex", 108.0, 5.0),
            way("unix_seqpacket", 150.0, 1.0),
            way("pipe", 200.0, 1.0),
            way("udp", 300.0, 1.0),
        ]
    }

    fn names(chosen: &[Chosen]) -> Vec<&str> {
        chosen.iter().map(|c| c.experiment.as_str()).collect()
    }

    #[test]
    fn the_cheapest_is_taken_and_what_overlaps_is_as_good() {
        let found = recommend(&ways(), &[]);
        assert_eq!(found.take.unwrap().experiment, "ipc/shm_ring");
        assert_eq!(names(&found.indistinguishable), ["ipc/futex"]);
        let costs: Vec<_> = found
            .instead
            .iter()
            .map(|i| (i.choice, i.factor, i.more_ns))
            .collect();
        assert_eq!(
            costs,
            [(Choice::Next, 1.5, 50.0), (Choice::Usual, 2.0, 100.0)]
        );
        assert!(found.left_out.is_empty(), "the floor is no way");
    }

    #[test]
    fn what_does_not_keep_the_promises_is_left_out() {
        let found = recommend(&ways(), &[Promise::Isolation]);
        assert_eq!(found.take.unwrap().experiment, "ipc/unix_seqpacket");
        assert_eq!(found.left_out, ["ipc/shm_ring", "ipc/futex"]);
        // The next one is the usual one: it is said once.
        assert_eq!(found.instead.len(), 1);
        let found = recommend(&ways(), &[Promise::Network, Promise::Order]);
        assert_eq!(found.take, None);
        assert!(found.instead.is_empty() && found.left_out.len() == 5);
        let found = recommend(&ways(), &[Promise::Boundaries, Promise::Isolation]);
        assert!(found.left_out.contains(&"ipc/pipe".to_owned()));
        assert!(found.instead.iter().all(|i| i.choice == Choice::Next));
    }

    #[test]
    fn a_pipe_is_not_held_against_itself() {
        let found = recommend(&[way("pipe", 200.0, 1.0), way("tcp", 400.0, 1.0)], &[]);
        let choices: Vec<Choice> = found.instead.iter().map(|i| i.choice).collect();
        assert_eq!(choices, [Choice::Next]);
        assert_eq!(recommend(&[], &[]).take, None);
    }
}
