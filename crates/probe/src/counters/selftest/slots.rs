//! Which places of a group count, by its size.

use super::expect::{INSTRUCTIONS, expected};
use super::verdict::{Measured, Verdict, judge};
use super::{Bench, TIMES, TRIES, tried};
use crate::counters::layer::{Layer, Target};
use crate::counters::members::Members;
use crate::counters::reading::{Count, Times};
use crate::counters::table::Event;
use crate::perf_attr::Scope;
use serde::{Deserialize, Serialize};

/// What counts in groups of this many events.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SizeTest {
    pub size: usize,
    /// By place, from the leader on.
    pub places: Vec<Verdict>,
}

/// A layout with as many places as there can be that count.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Largest {
    /// Events that it counts at the same time.
    pub events: usize,
    /// Events of the group, placeholders included.
    pub size: usize,
    /// For a share of the time only.
    pub shared: bool,
}

/// More than any processor has: general and fixed counters together.
const MOST: usize = 16;

type Code = (u32, u64, u64);

/// Tests groups of one event to the largest that opens: instructions turned through all
/// places between the others, then in all places at once.
pub fn test<L: Layer>(
    instructions: &Event,
    events: &[Event],
    by_call: bool,
    bench: &mut Bench<'_, L>,
) -> Vec<SizeTest> {
    let Some(code) = codes_of(instructions).next() else {
        return Vec::new();
    };
    let mut others: Vec<Code> = Vec::new();
    for other in events.iter().flat_map(codes_of) {
        if other != code && !others.contains(&other) && opens(&[other], bench) {
            others.push(other);
        }
    }
    let mut sizes = Vec::new();
    for size in 1..=MOST {
        // Others may need one and the same counter: those are left out.
        let Some(others) = fillers(code, &others, size - 1, bench) else {
            break;
        };
        let of = |place: usize| {
            let mut codes = others.clone();
            codes.insert(place, code);
            tried(|| of_place(instructions, &codes, place, by_call, bench))
        };
        let places = (0..size).map(of).collect();
        sizes.push(SizeTest { size, places });
    }
    for size in &mut sizes {
        twins(instructions, size, by_call, bench);
    }
    sizes
}

fn codes_of(event: &Event) -> impl Iterator<Item = Code> {
    let kind = event.kind;
    event.codes.iter().map(move |code| code.of(kind))
}

/// So many others that open in one group with the first.
fn fillers<L: Layer>(
    first: Code,
    others: &[Code],
    wanted: usize,
    bench: &mut Bench<'_, L>,
) -> Option<Vec<Code>> {
    let mut group = vec![first];
    for other in others {
        if group.len() > wanted {
            break;
        }
        group.push(*other);
        if !opens(&group, bench) {
            group.pop();
        }
    }
    // Too few other events for a group of this size: any of them again.
    for other in others {
        if group.len() > wanted {
            break;
        }
        group.push(*other);
        if !opens(&group, bench) {
            group.pop();
        }
    }
    group.remove(0);
    (group.len() == wanted).then_some(group)
}

fn opens<L: Layer>(codes: &[Code], bench: &mut Bench<'_, L>) -> bool {
    open(codes, bench).is_some()
}

fn open<L: Layer>(codes: &[Code], bench: &mut Bench<'_, L>) -> Option<Members<L>> {
    let mut members = Members::new((bench.layer)(), Target::ThisThread);
    for code in codes {
        members.push(*code, Scope::User).ok()?;
    }
    Some(members)
}

/// Instructions at one place, with other events at the others: where two counters hold each
/// other's number, it is another one.
fn of_place<L: Layer>(
    instructions: &Event,
    codes: &[Code],
    place: usize,
    by_call: bool,
    bench: &mut Bench<'_, L>,
) -> Verdict {
    let verdicts = over_known_work(instructions, codes, by_call, bench);
    let verdict = verdicts.and_then(|all| all.into_iter().nth(place));
    verdict.map_or_else(
        || Verdict::NotTested {
            why: "a group of this size does not open in this order".to_owned(),
        },
        |(verdict, _)| verdict,
    )
}

/// What each member counts of the work of instructions, as if it were instructions.
fn over_known_work<L: Layer>(
    instructions: &Event,
    codes: &[Code],
    by_call: bool,
    bench: &mut Bench<'_, L>,
) -> Option<Vec<(Verdict, f64)>> {
    let expected = expected(instructions).ok()?;
    let mut members = open(codes, bench)?;
    if by_call {
        members.by_call();
    }
    members.start().ok()?;
    let turns = expected.work.turns();
    let mut over = |turns: u64| -> Option<Vec<Measured>> {
        let [mut empty, mut before, mut after] = [const { Vec::<Times>::new() }; 3];
        members.read(&mut empty).ok()?;
        members.read(&mut before).ok()?;
        bench.work.run(expected.work, turns);
        members.read(&mut after).ok()?;
        let all = empty.into_iter().zip(before).zip(after);
        let count = |((empty, before), after)| {
            let reading = Count::between(empty, before);
            Measured::of(turns, reading, Count::between(before, after))
        };
        Some(all.map(count).collect())
    };
    let (few, many) = (over(turns)?, over(TIMES * turns)?);
    let both = few.into_iter().zip(many);
    let judged = |(few, many): (Measured, Measured)| {
        (
            judge(&expected, few, many),
            many.count.known().unwrap_or(0.0),
        )
    };
    Some(both.map(judged).collect())
}

/// Instructions in all places at once: those that differ from the middle one by more than
/// 1 %, try after try, are dead. Where instructions have a fixed counter this alone tests the
/// general ones: wherever it stands in a group, a single event of theirs gets the fixed one.
/// Nothing is said where a group of this size cannot have the event in all places.
fn twins<L: Layer>(
    instructions: &Event,
    size: &mut SizeTest,
    by_call: bool,
    bench: &mut Bench<'_, L>,
) {
    let code = codes_of(instructions).next();
    let codes: Vec<Code> = code.into_iter().cycle().take(size.size).collect();
    let apart = in_every_try(|| {
        let all = over_known_work(instructions, &codes, by_call, bench)?;
        Some(apart(all))
    });
    for (at, verdict) in apart {
        if let Some(place) = size.places.get_mut(at).filter(|p| **p == Verdict::Counts) {
            *place = match verdict.counts() {
                true => Verdict::Dead {
                    why: "differs from its neighbours, which count the same event".to_owned(),
                },
                false => verdict,
            };
        }
    }
}

type At = (usize, Verdict);

/// The places that differ from the middle one, with what is said of them.
fn apart(all: Vec<(Verdict, f64)>) -> Vec<At> {
    let mut counted: Vec<f64> = all.iter().map(|(_, count)| *count).collect();
    counted.sort_unstable_by(f64::total_cmp);
    let middle = counted.get(counted.len() / 2).copied().unwrap_or(0.0);
    let all = all.into_iter().enumerate();
    all.filter(|(_, (_, count))| (count - middle).abs() > INSTRUCTIONS * middle)
        .map(|(at, (verdict, _))| (at, verdict))
        .collect()
}

/// The places that every try finds: another user may have had a counter in one of them.
fn in_every_try(mut once: impl FnMut() -> Option<Vec<At>>) -> Vec<At> {
    let mut found = once().unwrap_or_default();
    for _ in 1..TRIES {
        if found.is_empty() {
            break;
        }
        let again = once().unwrap_or_default();
        found.retain(|(at, _)| again.iter().any(|(other, _)| other == at));
    }
    found
}

/// Of the sizes the one with most places that count, and of those the smallest; sizes that
/// count all the time before those that count for a share of it.
fn best(sizes: &[SizeTest], enough: impl Fn(usize) -> bool) -> Option<(&SizeTest, Largest)> {
    let found = sizes.iter().filter_map(|size| {
        let counting = size.places.iter().filter(|p| p.counts());
        let events = counting.clone().count();
        let shared = counting.clone().any(|p| *p != Verdict::Counts);
        let largest = Largest {
            events,
            size: size.size,
            shared,
        };
        (events > 0 && enough(events)).then_some((size, largest))
    });
    let all: Vec<_> = found.collect();
    let steady = all.iter().any(|(_, l)| !l.shared);
    all.into_iter()
        .filter(|(_, l)| !steady || !l.shared)
        .reduce(
            |a, b| match (b.1.events, a.1.size) > (a.1.events, b.1.size) {
                true => b,
                false => a,
            },
        )
}

/// As [`super::SelfTest::largest`].
pub fn largest(sizes: &[SizeTest]) -> Option<Largest> {
    Some(best(sizes, |_| true)?.1)
}

/// The places to leave out in the smallest layout with so many that count.
pub fn idle(sizes: &[SizeTest], codes: usize) -> Option<Vec<usize>> {
    let steady = sizes.iter().filter(|s| {
        s.places
            .iter()
            .all(|p| !matches!(p, Verdict::Shared { .. }))
    });
    let counting = |s: &&SizeTest| s.places.iter().filter(|p| p.counts()).count() >= codes;
    let size = steady
        .clone()
        .find(counting)
        .or_else(|| sizes.iter().find(counting))?;
    let dead = size.places.iter().enumerate().filter(|(_, p)| !p.counts());
    Some(dead.map(|(place, _)| place).collect())
}

#[cfg(test)]
mod tests {
    use super::{At, Verdict, in_every_try};

    #[test]
    fn a_place_is_apart_where_every_try_says_so() {
        let dead = |places: &[usize]| -> Option<Vec<At>> {
            let at = |place: &usize| (*place, Verdict::Counts);
            Some(places.iter().map(at).collect())
        };
        let of = |tries: [Option<Vec<At>>; 3]| {
            let mut tries = tries.into_iter();
            let found = in_every_try(|| tries.next().flatten());
            found.into_iter().map(|(at, _)| at).collect::<Vec<_>>()
        };
        assert_eq!(of([dead(&[1, 4]), dead(&[4, 5]), dead(&[2, 4])]), [4]);
        assert_eq!(of([dead(&[4]), dead(&[]), dead(&[4])]), [0; 0]);
        assert_eq!(of([None, dead(&[4]), dead(&[4])]), [0; 0]);
    }
}
