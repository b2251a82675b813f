//! At most ten findings, ranked by how much they should change what the reader does.
//!
//! Three classes, in this order: what contradicts (a stated value, a self-check, itself), choices
//! (break-even points, the cheapest way), figures. Within a class by the *sure part* of the effect:
//! the end of the interval that is nearest to no effect, as a logarithm of the ratio. Sentences that
//! differ in the way or the size only become one, with the range over all of them.

use crate::grade::Grade;
use crate::merged::{Family, families};
use crate::portrait::{KEYS, Portrait};
use crate::ranked::{Class, Ranked, Trust, sure_part};
use crate::toll::TollMap;
use crate::{choices, surprises};
use analysis::RunView;
use record::{Finding, FindingClass, Unit, Verdict};

/// Most findings that are shown first.
pub const MOST: usize = 10;
/// Most of one area among them, as long as others have something to say.
const OF_ONE_AREA: usize = 3;
/// Most choices among them, as long as there are figures.
const MOST_CHOICES: usize = 5;

/// All findings of a run in their order, not more of a class or an area than leaves room for the
/// others. The first [`MOST`] are those to show.
pub fn ranked(view: &RunView, map: &TollMap, portrait: &Portrait, grade: &Grade) -> Vec<Ranked> {
    let mut all = surprises::of(view, map, portrait);
    all.extend(choices::of(map));
    all.extend(
        families(&view.head.findings)
            .iter()
            .filter_map(ranked_family),
    );
    for finding in &mut all {
        finding.trust = finding.trust.capped_by(grade);
    }
    all.sort_by(|a, b| {
        let by_effect = b.effect.total_cmp(&a.effect);
        (a.class.cmp(&b.class))
            .then(by_effect)
            .then(b.ways.cmp(&a.ways))
    });
    with_room_for_others(all)
}

/// Puts behind the rest what would crowd out other areas, or figures.
fn with_room_for_others(all: Vec<Ranked>) -> Vec<Ranked> {
    let (mut first, mut rest): (Vec<Ranked>, Vec<Ranked>) = (Vec::new(), Vec::new());
    for finding in all {
        let of_area =
            |other: &&Ranked| area(other) == area(&finding) && other.class == finding.class;
        let choices = |other: &&Ranked| other.class == Class::Choice;
        let crowded = first.iter().filter(of_area).count() >= OF_ONE_AREA
            || finding.class == Class::Choice
                && first.iter().filter(choices).count() >= MOST_CHOICES;
        match crowded {
            true => rest.push(finding),
            false => first.push(finding),
        }
    }
    let room = MOST.saturating_sub(first.len()).min(rest.len());
    let mut filled: Vec<Ranked> = first;
    filled.extend(rest.drain(..room));
    filled.sort_by_key(|finding| finding.class);
    filled.extend(rest);
    filled
}

fn area(finding: &Ranked) -> &str {
    finding.experiment.split('/').next().unwrap_or_default()
}

/// A family of findings in its place; None where it changes nothing for its reader.
fn ranked_family(family: &Family<'_>) -> Option<Ranked> {
    let finding = family.spokesman();
    let class = class(finding)?;
    let in_portrait = KEYS.contains(&finding.key.as_str());
    if in_portrait && class != Class::Contradicts {
        return None;
    }
    let (low, high) = logarithms(finding)?;
    let effect = match class {
        Class::Contradicts => contradiction(finding),
        _ if finding.unit == Unit::Ratio => sure_part(low, high),
        // A point on an axis, a time: how sure it is, no more.
        _ => -(high - low) / 2.0,
    };
    let share = finding.confidence.share;
    let share = if share.is_finite() { share } else { 0.8 };
    if finding.unit == Unit::Ratio && effect <= 0.0 && class != Class::Contradicts {
        // The interval contains 1: no difference shown.
        return None;
    }
    Some(Ranked {
        class,
        sentence: family.sentence(),
        trust: Trust::of((high - low) / 2.0, share),
        experiment: finding.experiment.clone(),
        effect,
        ways: family.members.len(),
    })
}

fn class(finding: &Finding) -> Option<Class> {
    match (finding.verdict, finding.class) {
        (Verdict::Disagree, _) => Some(Class::Contradicts),
        (Verdict::Undecided, _) => surprises::is_conflict(finding).then_some(Class::Contradicts),
        // It is as it was stated to be.
        (Verdict::Agree, _) => None,
        (Verdict::Stated, Some(FindingClass::Surprise)) => Some(Class::Contradicts),
        (Verdict::Stated, Some(FindingClass::BreakEven)) => Some(Class::Choice),
        (Verdict::Stated, None) if finding.value.is_none() => None,
        (Verdict::Stated, None) => Some(Class::Figure),
    }
}

/// Logarithms of both ends; of what is no positive number: as good as nothing known.
fn logarithms(finding: &Finding) -> Option<(f64, f64)> {
    let Some(value) = finding.value else {
        return Some((0.0, 0.0));
    };
    let low = finding.low.unwrap_or(value);
    let high = finding.high.unwrap_or(value);
    match low > 0.0 && high.is_finite() {
        true => Some((low.ln(), high.ln())),
        false if finding.verdict == Verdict::Stated => None,
        false => Some((0.0, 1.0)),
    }
}

/// How far a value is from what it contradicts.
fn contradiction(finding: &Finding) -> f64 {
    let far = |value: f64, reference: f64| match value > 0.0 && reference > 0.0 {
        true => (value / reference).ln().abs(),
        false => 0.1,
    };
    match (finding.value, finding.reference) {
        (Some(value), Some(reference)) => far(value, reference),
        _ => 0.1,
    }
}
