//! What is made of runs whose times are known.

use super::findings::{CLAIMS, answers, findings};
use super::runs::{Order, PRELUDE, places};
use super::{AGAIN, KEPT, PAGE, RANDOM, SCATTERED, UP};
use crate::testing::table;
use analysis::PointView;
use analysis::claims::Holds;
use analysis::inference::Says;
use record::{MachineCard, Verdict};
use stats::Rng;
use std::collections::BTreeSet;
use testbed::{int, measured, word};

const ID: &str = "mem/prefetch";

fn after(run: i64, order: &str, stride: i64, ns: f64) -> PointView {
    let settings = [int("stride", stride), int("run", run), word("order", order)];
    measured(ID, &settings, &[ns])
}

fn longest(stride: i64, [up, random, kept]: [f64; 3]) -> Vec<PointView> {
    let times = [(UP, up), (RANDOM, random), (KEPT, kept)];
    times
        .map(|(order, ns)| after(15, order, stride, ns))
        .to_vec()
}

/// The share that is spared at each stride.
fn spared(points: Vec<PointView>) -> Vec<(&'static str, f64)> {
    let all = answers(&table(ID, points), &MachineCard::default());
    let value = |says: &Says| match says {
        Says::Value { value, low, high } => {
            assert!(low <= value && value <= high, "{low} {value} {high}");
            *value
        }
        Says::Nothing(why) => panic!("{why}"),
    };
    all.iter().map(|a| (a.quantity, value(&a.says))).collect()
}

#[test]
fn a_run_lies_in_one_page_in_its_order() {
    let mut rng = Rng::new(1);
    for (stride, loads) in [(64, 16), (256, 16), (1024, 2), (8, 3)] {
        for order in [Order::Up, Order::Down, Order::Random, Order::Kept] {
            let all = places(stride, loads, order, &mut rng);
            let own = &all[PRELUDE..];
            assert_eq!(own.len(), loads);
            let pages: BTreeSet<usize> = own.iter().map(|at| at / PAGE).collect();
            let each: BTreeSet<usize> = all.iter().copied().collect();
            assert_eq!((pages.len(), each.len()), (1, all.len()), "{order:?}");
            assert!(
                all[..PRELUDE]
                    .iter()
                    .all(|at| !pages.contains(&(at / PAGE)))
            );
            let steps: BTreeSet<i64> = own.windows(2).map(|w| w[1] as i64 - w[0] as i64).collect();
            let one = match order {
                Order::Up | Order::Kept => stride as i64,
                Order::Down => -(stride as i64),
                Order::Random if loads < 16 || stride == 256 => continue,
                Order::Random => {
                    assert!(steps.len() > 2, "{steps:?}");
                    continue;
                }
            };
            assert_eq!(steps, BTreeSet::from([one]), "{order:?}");
        }
    }
}

#[test]
fn what_is_spared_lies_between_a_miss_and_a_hit() {
    let mut points = longest(64, [21.0, 121.0, 21.0]);
    points.extend(longest(128, [96.0, 121.0, 21.0]));
    points.extend(longest(32, [121.0, 121.0, 21.0]));
    points.push(after(3, UP, 64, 121.0));
    let all = spared(points);
    let wanted = [
        ("spared_at_32", 0.0),
        ("spared_at_64", 1.0),
        ("spared_at_128", 0.25),
    ];
    assert_eq!(all.len(), wanted.len());
    for ((key, share), (name, value)) in all.into_iter().zip(wanted) {
        assert_eq!(key, name);
        assert!((share - value).abs() < 0.01, "{key}: {share}");
    }
    let short = vec![after(3, UP, 64, 21.0), after(3, RANDOM, 64, 121.0)];
    assert!(spared(short).is_empty(), "only the longest run says it");
}

#[test]
fn a_run_in_order_that_is_slower_breaks_the_claim() {
    let holds = |up| {
        let points = longest(64, [up, 121.0, 21.0]);
        (CLAIMS[0].check)(&table(ID, points)).map(|o| o.holds)
    };
    assert_eq!(holds(60.0), Some(Holds::Held));
    assert_eq!(holds(180.0), Some(Holds::Broken));
}

#[test]
fn an_order_that_comes_back_is_held_against_a_new_one() {
    let of = |again| {
        let mut points = longest(64, [21.0, 121.0, 21.0]);
        points.push(after(15, SCATTERED, 64, 131.0));
        points.push(after(15, AGAIN, 64, again));
        table(ID, points)
    };
    let machine = MachineCard::default();
    for (ns, share, text) in [
        (21.0, 1.0, "comes back is foreseen"),
        (131.0, 0.0, "comes back is not foreseen"),
    ] {
        let table = of(ns);
        let all = answers(&table, &machine);
        let found = all.iter().find(|a| a.quantity == "replayed");
        match &found.expect("an answer").says {
            Says::Value { value, .. } => assert!((value - share).abs() < 0.01, "{value}"),
            Says::Nothing(why) => panic!("{why}"),
        }
        let [finding] = findings(&table, &machine).try_into().expect("one finding");
        assert!(finding.sentence.contains(text), "{}", finding.sentence);
    }
    let [unclear] = findings(&of(98.0), &machine).try_into().expect("one");
    assert_eq!(unclear.verdict, Verdict::Undecided, "{}", unclear.sentence);
    let without = table(ID, longest(64, [21.0, 121.0, 21.0]));
    assert!(findings(&without, &machine).is_empty());
}
