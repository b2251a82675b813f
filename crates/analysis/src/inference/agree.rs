//! Which methods agree, and what becomes of the others.

use super::forms::{Agreement, Answer, Fooler, Kind, Makes, Method, Quantity, Says};
use record::{MethodSays, Stand};
use std::collections::BTreeSet;

/// A method that gave an answer.
#[derive(Clone, Copy)]
struct Spoke {
    method: &'static Method,
    /// Place among the quantity's methods.
    rank: usize,
    value: f64,
    low: f64,
    high: f64,
}

/// Finds the answer that most kinds of methods share. It stands where they are two or more,
/// and where whatever else was said is explained by what misleads the method that said it.
pub fn agree(quantity: &Quantity, answers: &[&Answer]) -> Agreement {
    let spoke = spoke(quantity, answers);
    let camp = camp(quantity, &spoke);
    let of_camp = |s: &Spoke| camp.iter().any(|c| c.rank == s.rank);
    let [center, low, high] = shared(&camp, quantity.widest).map_or([None; 3], |all| all.map(Some));
    let stands: Vec<(Spoke, Stand)> = spoke
        .iter()
        .map(|s| (*s, stand(s, of_camp(s), center)))
        .collect();
    let explained = stands.iter().all(|(_, s)| *s != Stand::Contradicts);
    let alike = center.is_some_and(|center| err_alike(&camp, &stands, center));
    let enough = kinds(&camp) >= 2 && explained && !alike;
    let value = center.filter(|_| enough);
    Agreement {
        value,
        low: low.unwrap_or(f64::NAN),
        high: high.unwrap_or(f64::NAN),
        methods: methods(quantity, answers, &stands, center),
        pattern: value.map(|_| pattern(&stands, center)),
    }
}

/// The answer between its bounds: that of one which is exact, the first of several. Else what
/// all of them leave open, where each leaves open what every other takes for likeliest; where one
/// does not, the bounds are all that any of them leaves open. Where these are wider than an
/// answer may be, they are what the sharp methods say: those whose own bounds are not too wide. A
/// method that is not sharp confirms them, and moves nothing. Where all are sharp, the bounds are
/// what all leave open together with what each takes for likeliest.
fn shared(camp: &[Spoke], widest: f64) -> Option<[f64; 3]> {
    if let Some(exact) = camp.iter().find(|c| c.low == c.high) {
        return Some([exact.value, exact.low, exact.high]);
    }
    let end = |of: fn(&Spoke) -> f64, pick: fn(f64, f64) -> f64| camp.iter().map(of).reduce(pick);
    let inner = [end(|c| c.low, f64::max)?, end(|c| c.high, f64::min)?];
    let outer = [end(|c| c.low, f64::min)?, end(|c| c.high, f64::max)?];
    let likeliest = [end(|c| c.value, f64::min)?, end(|c| c.value, f64::max)?];
    let leaves_open = |c: &Spoke| camp.iter().all(|o| (c.low..=c.high).contains(&o.value));
    let (sharp, vague): (Vec<Spoke>, Vec<Spoke>) =
        camp.iter().partition(|c| c.high <= widest * c.low);
    let [low, high] = if camp.iter().all(leaves_open) {
        inner
    } else if outer[1] <= widest * outer[0] {
        outer
    } else if vague.is_empty() {
        // Where they leave nothing open in common, its ends have changed places.
        let [one, other] = inner;
        [
            one.min(other).min(likeliest[0]),
            one.max(other).max(likeliest[1]),
        ]
    } else if vague.iter().all(|c| confirms(c, &sharp, widest)) {
        return shared(&sharp, widest);
    } else {
        outer
    };
    let center = match camp {
        [one] => one.value,
        _ => (inner[0] * inner[1]).sqrt(),
    };
    Some([center, low, high])
}

/// Whether a method that is not sharp leaves open what each sharp one takes for likeliest, within
/// bounds that are twice as far apart as an answer may be, on a logarithmic scale.
fn confirms(vague: &Spoke, sharp: &[Spoke], widest: f64) -> bool {
    let leaves_open = |s: &Spoke| (vague.low..=vague.high).contains(&s.value);
    let little = vague.high <= widest * widest * vague.low;
    little && !sharp.is_empty() && sharp.iter().all(leaves_open)
}

fn spoke(quantity: &Quantity, answers: &[&Answer]) -> Vec<Spoke> {
    let spoke = |(rank, method): (usize, &'static Method)| {
        let mine = answers.iter().find(|r| r.method == method.name)?;
        let Says::Value { value, low, high } = mine.says else {
            return None;
        };
        Some(Spoke {
            method,
            rank,
            value,
            low,
            high,
        })
    };
    quantity
        .methods
        .iter()
        .enumerate()
        .filter_map(spoke)
        .collect()
}

fn kinds(spoke: &[Spoke]) -> usize {
    let kinds: BTreeSet<Kind> = spoke.iter().map(|s| s.method.kind).collect();
    kinds.len()
}

/// The methods that share the answer which most kinds share; the first of the list where
/// several answers have as many.
fn camp(quantity: &Quantity, spoke: &[Spoke]) -> Vec<Spoke> {
    let around = |s: &Spoke| -> Vec<Spoke> {
        let mut camp: Vec<Spoke> = vec![*s];
        let others = spoke.iter().filter(|o| o.rank != s.rank);
        camp.extend(others.filter(|o| same(s, o, quantity.within)));
        camp.sort_by_key(|c| c.rank);
        camp
    };
    let camps = spoke.iter().map(around);
    let best = camps.max_by_key(|camp| {
        let first = camp.first().map_or(usize::MAX, |c| c.rank);
        (kinds(camp), std::cmp::Reverse(first))
    });
    best.unwrap_or_default()
}

/// Whether two answers are one: their intervals, stretched by half of what may lie
/// between them, meet.
fn same(a: &Spoke, b: &Spoke, within: f64) -> bool {
    let half = (1.0 + within).sqrt();
    a.low / half <= b.high * half && b.low / half <= a.high * half
}

fn stand(s: &Spoke, of_camp: bool, center: Option<f64>) -> Stand {
    match center {
        _ if of_camp => Stand::Supports,
        Some(center) if fooler(s, center).is_some() => Stand::Misled,
        _ => Stand::Contradicts,
    }
}

/// Whether one thing misleads all of the camp away from an answer that differs: then it is as
/// likely that this one is right. What misleads that method as well, in whatever direction,
/// speaks for neither side.
fn err_alike(camp: &[Spoke], stands: &[(Spoke, Stand)], center: f64) -> bool {
    let mut others = stands.iter().filter(|(_, stand)| *stand == Stand::Misled);
    others.any(|(other, _)| {
        let by = |c: &Spoke| -> BTreeSet<&str> {
            let makes = if center > other.value {
                Makes::Larger
            } else {
                Makes::Smaller
            };
            let fooled_by = c.method.fooled_by.iter();
            let fits = fooled_by.filter(|f| f.makes == makes || f.makes == Makes::Either);
            fits.map(|f| f.by).collect()
        };
        let either = |f: &&Fooler| f.makes == Makes::Either;
        let own = other.method.fooled_by.iter().filter(either);
        let own: BTreeSet<&str> = own.map(|f| f.by).collect();
        let shared = camp.iter().map(by).reduce(|all, next| &all & &next);
        shared.is_some_and(|shared| !shared.is_subset(&own))
    })
}

/// What may have made this answer differ from `center` as it does.
fn fooler(s: &Spoke, center: f64) -> Option<&'static str> {
    let seen = match s.value > center {
        true => Makes::Larger,
        false => Makes::Smaller,
    };
    let fits = |makes: Makes| makes == seen || makes == Makes::Either;
    let found = s.method.fooled_by.iter().find(|f| fits(f.makes));
    found.map(|f| f.by)
}

fn methods(
    quantity: &Quantity,
    answers: &[&Answer],
    stands: &[(Spoke, Stand)],
    center: Option<f64>,
) -> Vec<MethodSays> {
    let says = |answer: &&Answer| {
        let of = quantity.method(answer.method)?;
        let silent = |why: &str| MethodSays {
            method: of.name.to_owned(),
            experiment: of.experiment.to_owned(),
            value: None,
            low: None,
            high: None,
            stand: Stand::Silent,
            why: why.to_owned(),
        };
        if let Says::Nothing(why) = &answer.says {
            return Some(silent(why));
        }
        let (spoke, stand) = stands.iter().find(|(s, _)| s.method.name == of.name)?;
        let why = match (stand, center) {
            (Stand::Misled, Some(center)) => fooler(spoke, center).map_or(String::new(), |by| {
                let shown = (quantity.say)(&Agreement::of(spoke.value));
                format!("by {} {shown}, as {by} would make it", of.name)
            }),
            _ => String::new(),
        };
        Some(MethodSays {
            value: Some(spoke.value),
            low: Some(spoke.low),
            high: Some(spoke.high),
            stand: *stand,
            ..silent(&why)
        })
    };
    answers.iter().filter_map(says).collect()
}

/// Names of those that agree, then of those that differ and how.
fn pattern(stands: &[(Spoke, Stand)], center: Option<f64>) -> String {
    let of = |wanted: Stand| stands.iter().filter(move |(_, stand)| *stand == wanted);
    let mut agreeing: Vec<&str> = of(Stand::Supports).map(|(s, _)| s.method.name).collect();
    agreeing.sort_unstable();
    let mut text = agreeing.join("+");
    for (s, _) in of(Stand::Misled) {
        let larger = center.is_some_and(|c| s.value > c);
        let how = if larger { "larger" } else { "smaller" };
        text += &format!(", {} {how}", s.method.name);
    }
    text
}

#[cfg(test)]
pub(super) mod tests;
