//! Kills the program at random moments, and looks at what is left: after the kill,
//! and after the next start (`pontage restore`, then a run).
//!
//! In a quarter of the rounds the coordinator and its caretaker are killed at once.
//! The moments come from a seed; what stands there is the machine's own.

mod left;
mod round;
mod victim;

use left::Left;
use round::{Ground, Outcome};
use std::collections::BTreeMap;
use std::path::Path;
use victim::VICTIMS;

const USAGE: &str =
    "usage: cargo xtask kills [--rounds N] [--seed N] [--only VICTIM] [--program PATH]";

/// What was asked for.
struct Asked {
    rounds: u32,
    seed: u64,
    only: Option<String>,
    /// Another one than the debug build.
    program: Option<String>,
}

/// # Errors
/// Arguments that are none, or anything left after the next start.
pub fn run(program: &Path, arguments: &[&str]) -> Result<String, String> {
    let asked = asked(arguments)?;
    let ground = Ground::new(asked.program.as_deref().map_or(program, Path::new))?;
    let mut random = Random(asked.seed);
    let mut sums: BTreeMap<&str, Sum> = BTreeMap::new();
    let victims: Vec<_> = VICTIMS
        .iter()
        .filter(|v| asked.only.as_deref().is_none_or(|only| v.name == only))
        .collect();
    if victims.is_empty() {
        return Err(USAGE.to_owned());
    }
    println!("seed {}, {} rounds", asked.seed, asked.rounds);
    for number in 0..asked.rounds {
        let victim = victims[number as usize % victims.len()];
        let moment_ms = random.below(victim.longest_ms);
        let both = random.below(4) == 0;
        let outcome = ground.round(victim, moment_ms, both)?;
        let sum = sums.entry(victim.name).or_default();
        sum.add(&outcome);
        if outcome.is_bad() {
            println!(
                "round {number}, {} killed{} after {moment_ms} ms: left {}; {}",
                victim.name,
                if both { " with its caretaker" } else { "" },
                outcome.after_start,
                outcome.faults.join("; ")
            );
        }
        if (number + 1).is_multiple_of(50) {
            eprintln!("{} of {} rounds", number + 1, asked.rounds);
        }
    }
    let bad: u32 = sums.values().map(|s| s.bad).sum();
    let table_text = table(&sums);
    if bad > 0 {
        return Err(format!("{table_text}{bad} rounds left something"));
    }
    // A victim that ends by itself, or never began, shows nothing.
    match sums.iter().find(|(_, sum)| sum.killed * 2 < sum.rounds) {
        Some((name, sum)) => Err(format!(
            "{table_text}{name} was alive at the kill in {} of {} rounds only: look how it ends",
            sum.killed, sum.rounds
        )),
        None => Ok(format!("{table_text}nothing was left after the next start")),
    }
}

fn asked(arguments: &[&str]) -> Result<Asked, String> {
    let mut asked = Asked {
        rounds: 1000,
        seed: 1,
        only: None,
        program: None,
    };
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        let value = words.next().ok_or(USAGE)?;
        match *word {
            "--rounds" => asked.rounds = value.parse().map_err(|_| USAGE)?,
            "--seed" => asked.seed = value.parse().map_err(|_| USAGE)?,
            "--only" => asked.only = Some((*value).to_owned()),
            "--program" => asked.program = Some((*value).to_owned()),
            _ => return Err(USAGE.to_owned()),
        }
    }
    Ok(asked)
}

/// SplitMix64 (Steele, Lea and Flood, 2014): the same moments for the same seed.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % limit.max(1)
    }
}

/// Of one victim's rounds.
#[derive(Default)]
struct Sum {
    rounds: u32,
    /// Killed before it had ended by itself.
    killed: u32,
    with_caretaker: u32,
    after_kill: Left,
    after_start: Left,
    records: u32,
    recovered: u32,
    with_events: u32,
    bad: u32,
}

impl Sum {
    fn add(&mut self, outcome: &Outcome) {
        self.rounds += 1;
        self.killed += u32::from(outcome.killed);
        self.with_caretaker += u32::from(outcome.with_caretaker);
        self.after_kill.add(&outcome.after_kill);
        self.after_start.add(&outcome.after_start);
        self.records += outcome.records;
        self.recovered += u32::from(outcome.recovered_events.is_some());
        self.with_events += u32::from(outcome.recovered_events.is_some_and(|n| n > 0));
        self.bad += u32::from(outcome.is_bad());
    }
}

fn table(sums: &BTreeMap<&str, Sum>) -> String {
    let mut text = format!(
        "victim    rounds killed with caretaker  left    {}\n",
        Left::heads()
    );
    for (name, sum) in sums {
        let first = format!(
            "{name:9} {:>6} {:>6} {:>14}",
            sum.rounds, sum.killed, sum.with_caretaker
        );
        text += &format!("{first}  killed  {}\n", sum.after_kill.row());
        text += &format!("{:38}  started {}\n", "", sum.after_start.row());
        if sum.records > 0 {
            text += &format!("{:38}  {} records, every one opens\n", "", sum.records);
        }
        if sum.recovered > 0 {
            text += &format!(
                "{:38}  {} recordings recovered, {} with events\n",
                "", sum.recovered, sum.with_events
            );
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_kills_at_the_same_moments() {
        let moments = |seed| {
            let mut random = Random(seed);
            (0..20).map(|_| random.below(1000)).collect::<Vec<_>>()
        };
        assert_eq!(moments(1), moments(1));
        assert_ne!(moments(1), moments(2));
        assert!(moments(3).iter().all(|m| *m < 1000));
    }

    #[test]
    fn arguments_are_numbers_and_known() {
        let asked_for = asked(&["--rounds", "7", "--seed", "9", "--only", "run"]).unwrap();
        assert_eq!((asked_for.rounds, asked_for.seed), (7, 9));
        assert_eq!(asked_for.only.as_deref(), Some("run"));
        assert!(asked(&["--rounds"]).is_err());
        assert!(asked(&["--rounds", "many"]).is_err());
        assert!(asked(&["--more", "1"]).is_err());
    }
}
