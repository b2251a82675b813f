//! Everything against the standard library's sort, and against inputs that quicksorts
//! are known to be slow at.

use super::quick::sort;
use super::{points, words};
use proptest::prelude::*;
use std::cell::Cell;

fn word(record: &words::Record) -> &[u8] {
    record.0.split(|byte| *byte == 0).next().unwrap()
}

#[test]
fn the_known_words_are_those_of_another_sort() {
    let mut records = words::unsorted();
    records.sort_by(|a, b| word(a).cmp(word(b)));
    let digest = words::digest(&records);
    assert_eq!(words::KNOWN, digest, "{digest:#x}");
}

#[test]
fn the_known_points_are_those_of_another_sort() {
    let from = points::unsorted();
    let mut measured = from.clone();
    points::measure(&from, &mut measured);
    measured.sort_by(|a, b| a.distance.total_cmp(&b.distance));
    let digest = points::digest(&measured);
    assert_eq!(points::KNOWN, digest, "{digest:#x}");
    // The distance by wide integers.
    for point in &measured {
        let square = |at: i32| i64::from(at) * i64::from(at);
        let squared = square(point.x) + square(point.y) + square(point.z);
        assert_eq!(point.distance, (squared as f64).sqrt());
    }
}

#[test]
fn words_are_as_long_as_they_should_be_and_often_the_same() {
    let mut records = words::unsorted();
    let letters: usize = records.iter().map(|record| word(record).len()).sum();
    let mean = letters as f64 / words::COUNT as f64;
    assert!((4.2..4.4).contains(&mean), "{mean}");
    let longest = records.iter().map(|record| word(record).len()).max();
    assert!(longest <= Some(16), "the digest sees 16 letters");
    records.sort_by(|a, b| word(a).cmp(word(b)));
    records.dedup();
    let different = words::COUNT / 5..words::COUNT * 4 / 5;
    assert!(different.contains(&records.len()), "{}", records.len());
}

#[test]
fn the_order_of_words_is_that_of_strcmp() {
    let record = |word: &[u8]| {
        let mut bytes = [0; 128];
        bytes[..word.len()].copy_from_slice(word);
        words::Record(bytes)
    };
    let ascending = [b"".as_slice(), b"a", b"aa", b"ab", b"b", b"\xff"];
    for (i, a) in ascending.iter().enumerate() {
        for (j, b) in ascending.iter().enumerate() {
            assert_eq!(record(a).is_less(&record(b)), i < j, "{a:?} {b:?}");
        }
    }
    let mut behind = record(b"a");
    behind.0[5] = b'z';
    assert!(!behind.is_less(&record(b"a")) && !record(b"a").is_less(&behind));
}

#[test]
fn a_digest_sees_a_lost_point_and_a_wrong_order() {
    let from = points::unsorted();
    let mut measured = from.clone();
    points::measure(&from, &mut measured);
    let right = points::digest(&measured);
    measured.swap(0, 1);
    assert_ne!(points::digest(&measured), right);
    measured.swap(0, 1);
    measured[0].x = -measured[0].x;
    assert_ne!(points::digest(&measured), right);
}

/// Sorts, holds it against the standard library, returns the number of comparisons.
fn comparisons(mut items: Vec<u32>) -> usize {
    let mut expected = items.clone();
    expected.sort_unstable();
    let count = Cell::new(0);
    sort(&mut items, |a, b| {
        count.set(count.get() + 1);
        a < b
    });
    assert!(items == expected);
    count.get()
}

/// Musser's: the median of three is always nearly the least.
fn killer(n: u32) -> Vec<u32> {
    let half = n / 2;
    let front = (0..half).map(|i| if i % 2 == 0 { i + 1 } else { half + i + i % 2 });
    front.chain((1..=half).map(|i| 2 * i)).collect()
}

#[test]
fn no_input_takes_long() {
    let n = 1 << 14;
    let ramp: Vec<u32> = (0..n).collect();
    let organ_pipe = ramp.iter().map(|i| *i.min(&(n - 1 - i))).collect();
    let inputs: [(&str, Vec<u32>); 8] = [
        ("ascending", ramp.clone()),
        ("descending", ramp.iter().rev().copied().collect()),
        ("equal", vec![7; n as usize]),
        ("two values", ramp.iter().map(|i| i % 2).collect()),
        ("organ pipe", organ_pipe),
        ("valley", ramp.iter().map(|i| i.abs_diff(n / 2)).collect()),
        ("saw", ramp.iter().map(|i| i % 100).collect()),
        ("killer of medians", killer(n)),
    ];
    // Of a heap sort after all splits: 2 n log2(n) of each.
    let limit = 4 * (n * n.ilog2()) as usize;
    for (name, input) in inputs {
        let count = comparisons(input);
        assert!(count < limit, "{name}: {count} of {limit}");
    }
}

#[test]
fn nothing_and_little_are_sorted() {
    for length in 0..40 {
        comparisons((0..length).rev().collect());
    }
}

proptest! {
    #[test]
    fn any_numbers_are_sorted(items in proptest::collection::vec(0u32..1000, 0..600)) {
        comparisons(items);
    }
}
