//! What experiments take on other machines, and from these what they may take here.
//!
//! Set-up is work of the CPU, waiting, and memory that is touched for the first time. The last
//! differs most: by nearly twenty times between two guests. A cost is therefore taken as a + b * touch, so
//! that a machine between two known ones takes what lies between theirs.

use super::learned::{Kept, Learned, PLAIN};

/// Made by `cargo xtask estimates --keep`, one entry a machine. By hand: of the slower machine what
/// fresh memory costs (25 us a page, noted when it was at hand), and pollute/victim with its largest
/// budget (50 minutes, as its guide had it); of the faster one pollute/* with large budgets, from
/// one run of each recipe, whose counters were absent.
const MACHINES: &str = include_str!("../../../data/pace.json");

/// The machines that came with the program.
pub fn machines() -> Vec<Learned> {
    let all: Vec<Kept> = serde_json::from_str(MACHINES).unwrap_or_default();
    all.into_iter()
        .filter_map(|mut kept| kept.remove(PLAIN))
        .collect()
}

/// What a machine takes where fresh memory costs so much. What only some of the machines know
/// is taken from them, at the ratio of the rest.
pub fn at(mut machines: Vec<Learned>, touch_ns_per_mib: f64) -> Learned {
    machines.sort_by(|a, b| a.touch_ns_per_mib().total_cmp(&b.touch_ns_per_mib()));
    let slower = machines.partition_point(|m| m.touch_ns_per_mib() < touch_ns_per_mib);
    let mut usual = match (machines[..slower].last(), machines.get(slower)) {
        (Some(low), Some(high)) => {
            let from_ns = low.touch_ns_per_mib();
            let share = (touch_ns_per_mib - from_ns) / (high.touch_ns_per_mib() - from_ns);
            between(low, high, share)
        }
        // Beyond all that is known nothing is extrapolated.
        (one, other) => one.or(other).cloned().unwrap_or_default(),
    };
    let apart = |m: &Learned| (m.touch_ns_per_mib() / touch_ns_per_mib).ln().abs();
    machines.sort_by(|a, b| apart(a).total_cmp(&apart(b)));
    for machine in &machines {
        let factor = slowness(&usual, machine);
        for (id, theirs) in &machine.experiments {
            let own = usual.experiments.entry(id.clone()).or_default();
            own.fill(theirs, factor);
        }
    }
    usual
}

/// How much longer set-ups take in one than in the other: the median over what both know.
pub fn slowness(one: &Learned, other: &Learned) -> f64 {
    let known = one.experiments.iter();
    let both = known.filter_map(|(id, own)| Some(own.ratios(other.experiments.get(id)?)));
    median(both.flatten()).unwrap_or(1.0)
}

/// What both know, `share` of the way from one to the other.
fn between(low: &Learned, high: &Learned, share: f64) -> Learned {
    let both = low.experiments.iter().filter_map(|(id, by_budget)| {
        let other = high.experiments.get(id)?;
        Some((id.clone(), by_budget.between(other, share)))
    });
    let run = low.run.zip(high.run);
    Learned {
        run: run.map(|(low, high)| low.toward(high, share)),
        experiments: both.collect(),
    }
}

fn median(numbers: impl Iterator<Item = f64>) -> Option<f64> {
    let mut numbers: Vec<f64> = numbers.collect();
    numbers.sort_by(f64::total_cmp);
    numbers.get(numbers.len() / 2).copied()
}
