use super::{Digest, FREQUENT, KNOWN, LINE, RARE, Work, occurrences, of_bytes};
use std::collections::BTreeMap;

fn rewritten(word: &str, count: u32) -> String {
    let (first, others) = word.split_at(1);
    match count {
        count if count > FREQUENT => first.to_uppercase() + others,
        count if count < RARE => word.chars().rev().collect(),
        _ => word.to_owned(),
    }
}

/// With a sorted map and strings, one step after the other.
fn joined(text: &str) -> String {
    let letters = |c: char| !c.is_ascii_alphabetic();
    let words = || text.split(letters).filter(|word| !word.is_empty());
    let mut counts: BTreeMap<String, u32> = BTreeMap::new();
    for word in words() {
        *counts.entry(word.to_lowercase()).or_default() += 1;
    }
    let mut seen = BTreeMap::new();
    let mut pieces = Vec::new();
    for word in words() {
        let count = counts[&word.to_lowercase()];
        let first = seen.insert(word.to_lowercase(), ()).is_none();
        let count_text = if first {
            format!(":{count}")
        } else {
            String::new()
        };
        pieces.push(rewritten(word, count) + &count_text);
    }
    let lines: Vec<String> = pieces.chunks(LINE).map(|line| line.join(" ")).collect();
    lines.join("\n")
}

fn plain_occurrences(text: &[u8], needle: &[u8]) -> u64 {
    text.windows(needle.len())
        .filter(|window| *window == needle)
        .count() as u64
}

#[test]
fn the_text_comes_to_what_maps_and_strings_make_of_it() {
    let mut work = Work::new();
    let text = String::from_utf8(work.text.to_vec()).unwrap();
    let output = joined(&text);
    let mut digest = Digest::default().with(of_bytes(output.as_bytes()));
    for needle in &work.needles {
        digest = digest.with(plain_occurrences(text.as_bytes(), needle));
    }
    assert_eq!(digest.value(), KNOWN, "{:#x}", digest.value());
    assert_eq!(work.process(), KNOWN);
    assert!(work.output == output.as_bytes());
}

#[test]
fn words_are_frequent_rare_and_between_and_share_slots() {
    let mut work = Work::new();
    work.process();
    let counts = || {
        work.table
            .iter()
            .map(|slot| slot.count)
            .filter(|count| *count > 0)
    };
    let used = counts().count();
    assert!((1000..super::SLOTS / 2).contains(&used), "{used}");
    assert!(counts().filter(|count| *count > FREQUENT).count() > 100);
    assert!(counts().filter(|count| *count < RARE).count() > 100);
    let home = |slot: &super::Slot| slot.hash as usize % super::SLOTS;
    let moved = work
        .table
        .iter()
        .enumerate()
        .filter(|(at, slot)| slot.count > 0 && home(slot) != *at);
    assert!(moved.count() > 50);
}

#[test]
fn needles_that_overlap_are_all_found() {
    for needle in ["aa", "aba", "b", "abab"] {
        let text = b"abababaaaabbaba";
        let found = occurrences(text, needle.as_bytes());
        assert_eq!(
            found,
            plain_occurrences(text, needle.as_bytes()),
            "{needle}"
        );
    }
}
