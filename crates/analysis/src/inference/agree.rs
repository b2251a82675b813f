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
pub(super) mod tests {
    use super::agree;
    use crate::inference::{Agreement, Answer, Fooler, Kind, Makes, Method, Quantity};
    use record::{Stand, Unit};

    /// A method that neighbours mislead to less.
    pub const fn method(name: &'static str, kind: Kind) -> Method {
        Method {
            name,
            kind,
            experiment: "mem/latency",
            how: "",
            fooled_by: &[Fooler {
                by: "a neighbour",
                makes: Makes::Smaller,
            }],
        }
    }

    const fn prefetched(name: &'static str, kind: Kind) -> Method {
        Method {
            fooled_by: &[Fooler {
                by: "a prefetcher",
                makes: Makes::Larger,
            }],
            ..method(name, kind)
        }
    }

    #[test]
    fn those_that_one_thing_misleads_outvote_no_other() {
        const LINE: Quantity = Quantity {
            methods: &[
                method("flush", Kind::Flush),
                prefetched("pair", Kind::Neighbours),
                prefetched("walk", Kind::Sweep),
            ],
            ..SIZE
        };
        let said = |all: &[(&'static str, f64)]| {
            let answer =
                |(name, value): &(&'static str, f64)| Answer::exactly("size", name, *value);
            let answers: Vec<Answer> = all.iter().map(answer).collect();
            agree(&LINE, &answers.iter().collect::<Vec<_>>()).value
        };
        let both = [("pair", 256.0), ("walk", 256.0)];
        assert_eq!(said(&both), Some(256.0), "nothing speaks against them");
        assert_eq!(said(&[("flush", 64.0), both[0], both[1]]), None);
        assert_eq!(
            said(&[("flush", 64.0), ("pair", 64.0), both[1]]),
            Some(64.0)
        );
    }

    #[test]
    fn what_misleads_all_of_them_either_way_does_not_keep_some_from_agreeing() {
        const MOVED: Fooler = Fooler {
            by: "a CPU that was moved",
            makes: Makes::Either,
        };
        const fn moved(name: &'static str, kind: Kind) -> Method {
            Method {
                fooled_by: &[MOVED],
                ..method(name, kind)
            }
        }
        const CORE: Quantity = Quantity {
            methods: &[
                moved("contended", Kind::Coherence),
                moved("registers", Kind::Corun),
                moved("handed", Kind::Handover),
            ],
            ..SIZE
        };
        const OTHER: Quantity = Quantity {
            methods: &[
                CORE.methods[0],
                CORE.methods[1],
                prefetched("handed", Kind::Handover),
            ],
            ..SIZE
        };
        let said = [("contended", 2.0), ("registers", 2.0), ("handed", 5.0)];
        let said = said.map(|(name, value)| Answer::exactly("size", name, value));
        let of = |quantity: &Quantity| agree(quantity, &said.each_ref()).value;
        assert_eq!(of(&CORE), Some(2.0));
        assert_eq!(of(&OTHER), None, "the third was not misled by a move");
    }

    /// A size that three methods of different kinds measure.
    pub const SIZE: Quantity = Quantity {
        key: "size",
        name: "size",
        unit: Unit::Bytes,
        within: 0.1,
        widest: 2.5,
        methods: &[
            method("chase", Kind::Sweep),
            method("placement", Kind::Placement),
            method("conflict", Kind::Conflict),
        ],
        say: |_| String::new(),
        card: |_| None,
        differs: |_, _| "",
    };

    fn agreed(said: &[(&'static str, [f64; 3])]) -> Agreement {
        let answer = |(name, [low, value, high]): &(&'static str, [f64; 3])| {
            Answer::between("size", name, *value, *low, *high)
        };
        let answers: Vec<Answer> = said.iter().map(answer).collect();
        agree(&SIZE, &answers.iter().collect::<Vec<_>>())
    }

    #[test]
    fn what_each_leaves_open_to_the_other_is_shared() {
        let of = agreed(&[("chase", [1.0, 1.9, 2.6]), ("placement", [1.6, 2.0, 2.7])]);
        assert_eq!((of.low, of.high), (1.6, 2.6));
        assert!(of.value.is_some_and(|v| (1.6..2.6).contains(&v)));
        assert_eq!(of.pattern.as_deref(), Some("chase+placement"));
    }

    #[test]
    fn where_one_excludes_what_the_other_takes_for_likeliest_all_stays_open() {
        let of = agreed(&[("chase", [1.0, 1.5, 1.9]), ("placement", [1.6, 2.0, 2.4])]);
        assert_eq!((of.low, of.high), (1.0, 2.4));
        assert!(of.value.is_some());
    }

    #[test]
    fn one_that_is_not_sharp_confirms_a_sharp_one_and_moves_nothing() {
        // Bounds are 2.5 apart at most.
        let sharp = ("chase", [1.0, 1.3, 1.6]);
        let of = agreed(&[sharp, ("placement", [1.1, 1.8, 3.4])]);
        assert_eq!((of.value, of.low, of.high), (Some(1.3), 1.0, 1.6));
        assert_eq!(of.pattern.as_deref(), Some("chase+placement"));
        // What it excludes stays open, and so does all where it says hardly anything.
        let of = agreed(&[sharp, ("placement", [1.4, 1.8, 3.8])]);
        assert_eq!((of.low, of.high), (1.0, 3.8));
        let of = agreed(&[sharp, ("placement", [1.1, 1.8, 6.9])]);
        assert_eq!((of.low, of.high), (1.0, 6.9));
        let of = agreed(&[
            ("chase", [1.2, 1.3, 1.4]),
            ("placement", [0.001, 0.05, 3.7]),
        ]);
        assert_eq!((of.low, of.high), (0.001, 3.7));
    }

    #[test]
    fn answers_that_only_touch_leave_open_what_each_takes_for_likeliest() {
        let of = agreed(&[("chase", [8.0, 11.0, 19.0]), ("placement", [4.0, 6.5, 8.0])]);
        assert_eq!((of.low, of.high), (6.5, 11.0));
        // Not where all that they leave open is little enough anyway.
        let of = agreed(&[("chase", [8.0, 9.0, 10.0]), ("placement", [5.0, 6.5, 8.0])]);
        assert_eq!((of.low, of.high), (5.0, 10.0));
    }

    #[test]
    fn an_exact_answer_is_taken_and_one_that_differs_is_explained_or_leaves_it_open() {
        let exact = ("conflict", [2.0, 2.0, 2.0]);
        let of = agreed(&[("chase", [1.0, 1.9, 2.6]), exact]);
        assert_eq!((of.value, of.low, of.high), (Some(2.0), 2.0, 2.0));
        let smaller = ("placement", [0.5, 0.6, 0.7]);
        let of = agreed(&[("chase", [1.0, 1.9, 2.6]), smaller, exact]);
        assert_eq!(
            of.pattern.as_deref(),
            Some("chase+conflict, placement smaller")
        );
        let larger = ("placement", [5.0, 6.0, 7.0]);
        let of = agreed(&[("chase", [1.0, 1.9, 2.6]), larger, exact]);
        assert_eq!(of.value, None, "nothing makes it larger");
        assert!(of.methods.iter().any(|m| m.stand == Stand::Contradicts));
        assert_eq!(agreed(&[exact]).value, None, "one method alone");
    }
}
