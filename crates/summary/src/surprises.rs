//! What contradicts and is in no finding of the record: an open capacity, a failed self-check, a
//! median that no sample had.

use crate::portrait::{CapacityStand, Level, Portrait};
use crate::ranked::{Class, Ranked, Trust};
use crate::toll::{COLUMNS_BYTES, Toll, TollMap};
use analysis::RunView;
use analysis::numbers::{counted, time_ns};
use record::axis::human_bytes;
use record::{ClaimOutcome, ClaimState, Finding, Stand};

/// Modes count as two speeds from this ratio of the slowest to the fastest on.
const TWO_SPEEDS: f64 = 1.5;
/// A median nearer to a mode than this ratio is that mode.
const NEAR: f64 = 1.1;
/// A method says something else than is stated from this factor on.
const ELSEWHERE: f64 = 1.25;
/// Effect of a failed self-check, as a logarithm: as one of a ratio of 2.7.
const FAILED: f64 = 1.0;

/// Contradictions in the record, in no order.
pub fn of(view: &RunView, map: &TollMap, portrait: &Portrait) -> Vec<Ranked> {
    let claims = view.head.claims.iter();
    let broken = claims.filter(|claim| claim.state() == ClaimState::Broken);
    let mut found: Vec<Ranked> = broken.map(failed).collect();
    found.extend(portrait.levels.iter().filter_map(open_capacity));
    found.extend(two_speeds(map));
    found
}

fn failed(claim: &ClaimOutcome) -> Ranked {
    let text = claim.claim.trim_end_matches('.');
    Ranked {
        class: Class::Contradicts,
        sentence: format!("Self-check of {} failed: {text}", claim.experiment),
        trust: Trust::Medium,
        experiment: claim.experiment.clone(),
        effect: FAILED,
        ways: 1,
    }
}

/// A capacity of which methods decide nothing, while the one that speaks is far from what is
/// stated.
fn open_capacity(level: &Level) -> Option<Ranked> {
    let capacity = level.capacity.as_ref()?;
    let stated = level.stated_bytes? as f64;
    let bytes = capacity.bytes;
    let away = bytes.high * ELSEWHERE < stated || bytes.low > stated * ELSEWHERE;
    (capacity.stand == CapacityStand::Open && away).then(|| Ranked {
        class: Class::Contradicts,
        sentence: format!(
            "{} is open: one method says {}, {} stated",
            level.name,
            bytes.sizes(),
            level.stated()
        ),
        trust: Trust::Low,
        experiment: "mem/latency".to_owned(),
        // Half of what it would be if it were decided.
        effect: (bytes.center / stated).ln().abs() / 2.0,
        ways: 1,
    })
}

/// Cells of the map whose median lies between two speeds and is neither: one finding over all.
fn two_speeds(map: &TollMap) -> Option<Ranked> {
    let cells = map.rows.iter().flat_map(|row| {
        let sized = row.cells.iter().zip(COLUMNS_BYTES);
        sized.filter_map(move |(cell, bytes)| Some((row, bytes, cell.toll()?)))
    });
    let cells: Vec<_> = cells.collect();
    let split = cells
        .iter()
        .filter_map(|(row, bytes, toll)| Some((between_speeds(toll)?, row, bytes, toll)));
    let mut split: Vec<_> = split.collect();
    split.sort_by(|a, b| b.0.total_cmp(&a.0));
    let (ratio, row, bytes, toll) = split.first()?;
    let (fast, slow) = ends(toll)?;
    let others = match split.len() - 1 {
        0 => String::new(),
        n => format!(" (and {})", counted(n, "more value", "more values")),
    };
    // One value of a way that is neither in use nor the best misleads few.
    let misleads = split.len() > 1 || row.usual || row.is_cheapest_somewhere();
    Some(Ranked {
        class: match misleads {
            true => Class::Contradicts,
            false => Class::Figure,
        },
        sentence: format!(
            "Two speeds: {}, {}: {} or {}{others}",
            row.way,
            human_bytes(**bytes),
            time_ns(fast, 3),
            time_ns(slow, 3),
        ),
        trust: Trust::Medium,
        experiment: row.experiment.clone(),
        effect: ratio.ln() / 2.0,
        ways: split.len(),
    })
}

fn ends(toll: &Toll) -> Option<(f64, f64)> {
    let fast = toll.modes_ns.iter().copied().reduce(f64::min)?;
    let slow = toll.modes_ns.iter().copied().reduce(f64::max)?;
    (fast > 0.0).then_some((fast, slow))
}

/// Ratio of its modes, where the median is near none of them.
fn between_speeds(toll: &Toll) -> Option<f64> {
    let (fast, slow) = ends(toll)?;
    let near = |mode: &f64| {
        let ratio = toll.ns.center / mode;
        ratio.max(1.0 / ratio) < NEAR
    };
    let neither = !toll.modes_ns.iter().any(near);
    (neither && slow / fast >= TWO_SPEEDS && toll.is_ranked()).then_some(slow / fast)
}

/// Whether methods say different things, and nothing explains it.
pub fn is_conflict(finding: &Finding) -> bool {
    let mut methods = finding.methods.iter();
    methods.any(|m| m.stand == Stand::Contradicts)
}
