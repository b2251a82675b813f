//! From which size on DMA beats the CPU. A crossing is a finding of its own; ways
//! that never cross, or always have, share a sentence.

use super::super::{CPU_TIME, LATENCY};
use super::{Dma, by_cpu, by_dma, ways};
use analysis::ExperimentTable;
use analysis::compared::curve;
use analysis::conclusion::Conclusion;
use analysis::sentence::{estimated, list};
use record::axis::human_bytes;
use record::{Finding, Unit, Verdict};
use stats::{Crossover, CurvePoint};

/// What is compared, in words.
struct Race<'a> {
    /// `copy_to_user, with flushed caches,`.
    who: String,
    key: String,
    wins: &'a str,
    never: &'a str,
}

/// Outcomes without a size: the ways that share one, in one sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Never,
    Always,
    Unclear,
}

/// Size from which DMA takes less time than the CPU; one finding for each way to pin.
pub fn of_time(table: &ExperimentTable, direction: &str, cache: &str) -> Vec<Finding> {
    let caches = match cache {
        "warm" => "with warm caches",
        _ => "with flushed caches",
    };
    let race = Race {
        who: format!("copy_{direction} {caches}"),
        key: format!("break_even_{direction}_{cache}"),
        wins: "is faster by DMA than by the CPU",
        never: "is never faster by DMA than by the CPU",
    };
    let cpu = curve(by_cpu(table, direction, cache), "size", LATENCY);
    let engine = |dma: &Dma<'_>| curve(by_dma(table, dma, cache), "size", LATENCY);
    run(&race, direction, &cpu, engine)
}

/// The pass for CPU time is never flushed.
pub fn of_cpu_time(table: &ExperimentTable, direction: &str) -> Vec<Finding> {
    let race = Race {
        who: format!("copy_{direction}"),
        key: format!("break_even_cpu_time_{direction}"),
        wins: "takes less of the caller's CPU time by DMA than by the CPU",
        never: "never takes less of the caller's CPU time by DMA than by the CPU",
    };
    let cpu = curve(by_cpu(table, direction, "warm"), "size", CPU_TIME);
    let engine = |dma: &Dma<'_>| curve(by_dma(table, dma, "warm"), "size", CPU_TIME);
    run(&race, direction, &cpu, engine)
}

fn run(
    race: &Race<'_>,
    direction: &str,
    cpu: &[CurvePoint],
    engine: impl Fn(&Dma<'_>) -> Vec<CurvePoint>,
) -> Vec<Finding> {
    let mut all = Vec::new();
    let mut without: Vec<(Outcome, String, [f64; 2])> = Vec::new();
    for dma in ways(direction) {
        let engine = engine(&dma);
        let Some(sizes) = shared_sizes(cpu, &engine) else {
            continue;
        };
        let outcome = match stats::crossover(cpu, &engine) {
            Err(_) => continue,
            Ok(Crossover::AlwaysA) => Outcome::Never,
            Ok(Crossover::AlwaysB) => Outcome::Always,
            Ok(Crossover::Unclear) => Outcome::Unclear,
            Ok(crossing) => {
                all.extend(crosses(race, &dma, crossing));
                continue;
            }
        };
        without.push((outcome, dma.way(), sizes));
    }
    for outcome in [Outcome::Never, Outcome::Always, Outcome::Unclear] {
        let same: Vec<_> = without.iter().filter(|(o, ..)| *o == outcome).collect();
        all.extend(in_one_sentence(race, outcome, &same));
    }
    all
}

/// The smallest and the largest size that both have.
fn shared_sizes(cpu: &[CurvePoint], engine: &[CurvePoint]) -> Option<[f64; 2]> {
    let shared = |p: &&CurvePoint| cpu.iter().any(|c| c.x == p.x);
    let sizes = || engine.iter().filter(shared).map(|p| p.x);
    Some([sizes().reduce(f64::min)?, sizes().reduce(f64::max)?])
}

fn bytes(x: f64) -> String {
    human_bytes(stats::whole(x.round()))
}

fn crosses(race: &Race<'_>, dma: &Dma<'_>, crossing: Crossover) -> Option<Finding> {
    let Crossover::BFrom { at, .. } = crossing else {
        return None;
    };
    let [from, low, high] = [at.center, at.low, at.high].map(bytes);
    let (Race { who, wins, key, .. }, way) = (race, dma.way());
    let text = format!("{who} {wins} from {from} on ({low} to {high}): {way}");
    let key = format!("{key}_{}_{}", dma.policy, dma.pages);
    Some(estimated(key, Unit::Bytes, at, text))
}

fn in_one_sentence(
    race: &Race<'_>,
    outcome: Outcome,
    same: &[&(Outcome, String, [f64; 2])],
) -> Option<Finding> {
    let lows = same.iter().map(|(_, _, [low, _])| *low);
    let highs = same.iter().map(|(_, _, [_, high])| *high);
    let (least, most) = (
        bytes(lows.reduce(f64::min)?),
        bytes(highs.reduce(f64::max)?),
    );
    let (who, wins, never) = (&race.who, race.wins, race.never);
    let (word, text, verdict) = match outcome {
        Outcome::Never => (
            "never",
            format!("{who} {never}, from {least} up to {most}"),
            Verdict::Stated,
        ),
        Outcome::Always => (
            "always",
            format!("{who} {wins} at every size measured, {least} to {most}"),
            Verdict::Stated,
        ),
        Outcome::Unclear => (
            "unclear",
            format!("whether {who} {wins} from some size on cannot be separated from noise"),
            Verdict::Undecided,
        ),
    };
    let ways = list(same.iter().map(|(_, way, _)| way), "; ");
    let text = format!("{text}: {ways}");
    let outcome = Conclusion::on(format!("{}_{word}", race.key)).break_even();
    Some(outcome.sure(0.95).verdict(verdict).say(text))
}
