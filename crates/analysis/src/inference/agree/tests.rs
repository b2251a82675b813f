//! Methods that agree, differ, and are misled.

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
        let answer = |(name, value): &(&'static str, f64)| Answer::exactly("size", name, *value);
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
