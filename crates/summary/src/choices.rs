//! What the toll map says of the choice between ways: the cheapest by size, and where two of them
//! change places.

use crate::ranked::{Class, Ranked, Trust, sure_part};
use crate::toll::{COLUMNS_BYTES, Standing, Toll, TollMap, TollRow};
use analysis::numbers::significant;
use record::TollGroup;
use record::axis::human_bytes;

/// Less is no reason to choose: as a ratio of two times.
const WORTH: f64 = 1.2;

/// For each set of ways that compete: the cheapest, and the pair that changes places most.
pub fn of(map: &TollMap) -> Vec<Ranked> {
    let mut sets: Vec<Vec<&TollRow>> = Vec::new();
    for row in map.rows.iter().filter(|row| row.is_measured()) {
        match sets.iter_mut().find(|set| set[0].competes_with(row)) {
            Some(set) => set.push(row),
            None => sets.push(vec![row]),
        }
    }
    let sets = sets.iter().filter(|set| set.len() > 1);
    sets.flat_map(|set| cheapest(set).into_iter().chain(change_places(set)))
        .collect()
}

/// `between two tasks`.
pub fn crossing(group: TollGroup) -> &'static str {
    match group {
        TollGroup::Process => "within a process",
        TollGroup::Read => "out of the kernel",
        TollGroup::Write => "into the kernel",
        TollGroup::Tasks => "between two tasks",
        TollGroup::Line => "to another core's cache",
        TollGroup::Persistence => "back to memory",
        TollGroup::Engine => "by an engine",
    }
}

/// `Cheapest between two tasks: ring to 64 KiB, futex from 1 MiB on; pipe takes 5.7x at 64 B`.
fn cheapest(set: &[&TollRow]) -> Option<Ranked> {
    let group = set[0].group?;
    let best = |column: usize| {
        let is_best = |row: &&&TollRow| {
            let toll = row.cells[column].toll();
            toll.is_some_and(|t| t.standing == Standing::Cheapest)
        };
        set.iter().find(is_best).copied()
    };
    let mut stretches: Vec<(&TollRow, u64, u64)> = Vec::new();
    for (column, bytes) in COLUMNS_BYTES.into_iter().enumerate() {
        let Some(row) = best(column) else { continue };
        match stretches.last_mut() {
            Some((same, _, to)) if same.way == row.way => *to = bytes,
            _ => stretches.push((row, bytes, bytes)),
        }
    }
    let usual = set.iter().filter(|row| row.usual);
    let lost = usual.filter_map(|row| loss(row));
    let lost = lost.max_by(|a, b| a.sure.total_cmp(&b.sure));
    let only = stretches.len() == 1;
    let text: Vec<String> = stretches
        .iter()
        .map(|(row, from, to)| match (only, from == to) {
            (true, _) => format!("{} at every size", row.way),
            (_, true) => format!("{} at {}", row.way, human_bytes(*from)),
            _ => format!("{} to {}", row.way, human_bytes(*to)),
        })
        .collect();
    let (first, _, _) = stretches.first()?;
    // Always the same, and nothing in use is clearly worse: there is nothing to choose.
    if only && lost.is_none() {
        return None;
    }
    let cost = lost.as_ref().map(|lost| {
        let (times, at) = (significant(lost.ratio, 2), human_bytes(lost.bytes));
        format!("; {} takes {times}x at {at}", lost.way)
    });
    Some(Ranked {
        class: Class::Choice,
        sentence: format!(
            "Cheapest {}: {}{}",
            crossing(group),
            text.join(", "),
            cost.unwrap_or_default()
        ),
        trust: Trust::of(lost.as_ref().map_or(1.0, |lost| lost.half_width), 0.95),
        experiment: first.experiment.clone(),
        effect: lost.map_or(0.0, |lost| lost.sure),
        ways: set.len(),
    })
}

/// What a way costs over the cheapest of its column, where that is surest.
struct Loss<'a> {
    way: &'a str,
    bytes: u64,
    ratio: f64,
    /// As a logarithm.
    sure: f64,
    half_width: f64,
}

fn loss(row: &TollRow) -> Option<Loss<'_>> {
    let cells = row.cells.iter().zip(COLUMNS_BYTES);
    let losses = cells.filter_map(|(cell, bytes)| {
        let toll = cell.toll().filter(|t| t.standing == Standing::Costlier)?;
        let ratio = toll.ratio?;
        // The interval of the cheapest is not at hand here: its own tells how wide it is.
        let half = half_width(toll)?;
        Some(Loss {
            way: &row.way,
            bytes,
            ratio,
            sure: (ratio.ln() - half).max(0.0),
            half_width: half,
        })
    });
    losses
        .filter(|loss| loss.sure > WORTH.ln())
        .max_by(|a, b| a.sure.total_cmp(&b.sure))
}

fn half_width(toll: &Toll) -> Option<f64> {
    let (low, high) = (toll.ns.low, toll.ns.high);
    (low > 0.0 && high.is_finite()).then(|| (high / low).ln() / 2.0)
}

/// `pipe beats UNIX stream 3.5x at 4 KiB and loses 2.9x at 1 MiB`.
fn change_places(set: &[&TollRow]) -> Option<Ranked> {
    let candidates: Vec<&TollRow> = set.iter().copied().filter(|row| row.usual).collect();
    let pairs = candidates.iter().enumerate().flat_map(|(at, a)| {
        let others = candidates[at + 1..].iter();
        others.filter_map(move |b| reversal(a, b))
    });
    let best = pairs.max_by(|a, b| a.effect().total_cmp(&b.effect()))?;
    Some(Ranked {
        class: Class::Choice,
        sentence: format!(
            "{} beats {} {}x at {}, and loses {}x at {}",
            capitalised(&best.winner.way),
            best.loser.way,
            significant(best.wins.ratio, 2),
            human_bytes(best.wins.bytes),
            significant(best.loses.ratio, 2),
            human_bytes(best.loses.bytes),
        ),
        trust: Trust::of(best.wins.half.max(best.loses.half), 0.95),
        experiment: best.winner.experiment.clone(),
        effect: best.effect(),
        ways: 2,
    })
}

/// Two rows that change places.
struct Reversal<'a> {
    /// The one that wins at small sizes.
    winner: &'a TollRow,
    loser: &'a TollRow,
    wins: Gap,
    loses: Gap,
}

/// A difference of two cells whose intervals part.
#[derive(Clone, Copy)]
struct Gap {
    bytes: u64,
    ratio: f64,
    sure: f64,
    half: f64,
}

impl Reversal<'_> {
    /// The smaller of both sure parts: a reversal needs both.
    fn effect(&self) -> f64 {
        self.wins.sure.min(self.loses.sure)
    }
}

fn reversal<'a>(a: &'a TollRow, b: &'a TollRow) -> Option<Reversal<'a>> {
    let columns = COLUMNS_BYTES.into_iter().enumerate();
    let gaps: Vec<(bool, Gap)> = columns
        .filter_map(|(at, bytes)| gap(a, b, at, bytes))
        .collect();
    // Of equal ones the smaller size.
    let largest = |a_wins: bool| {
        let of = gaps.iter().filter(|(wins, _)| *wins == a_wins);
        let of = of.map(|(_, gap)| *gap);
        of.reduce(|best, gap| if gap.sure > best.sure { gap } else { best })
    };
    let (for_a, for_b) = (largest(true)?, largest(false)?);
    Some(match for_a.bytes < for_b.bytes {
        true => Reversal {
            winner: a,
            loser: b,
            wins: for_a,
            loses: for_b,
        },
        false => Reversal {
            winner: b,
            loser: a,
            wins: for_b,
            loses: for_a,
        },
    })
}

/// Whether `a` is the cheaper one in this column, and by how much.
fn gap(a: &TollRow, b: &TollRow, column: usize, bytes: u64) -> Option<(bool, Gap)> {
    let ranked = |row: &TollRow| row.cells[column].toll().filter(|t| t.is_ranked()).cloned();
    let (a, b) = (ranked(a)?, ranked(b)?);
    let ratio = |value: f64, to: f64| (value > 0.0 && to > 0.0).then(|| (value / to).ln());
    let low = ratio(b.ns.low, a.ns.high)?;
    let high = ratio(b.ns.high, a.ns.low)?;
    let sure = sure_part(low, high);
    let center = ratio(b.ns.center, a.ns.center)?;
    (sure > WORTH.ln()).then(|| {
        let gap = Gap {
            bytes,
            ratio: center.abs().exp(),
            sure,
            half: (high - low) / 2.0,
        };
        (center > 0.0, gap)
    })
}

fn capitalised(text: &str) -> String {
    let mut rest = text.chars();
    let first = rest.next().into_iter().flat_map(char::to_uppercase);
    first.chain(rest).collect()
}
