//! Which mutants are tried. A change elsewhere in the crate changes the sample as
//! little as can be: whether a mutant is in it depends on its own name, without
//! line and column, and on the seed.

use std::collections::BTreeMap;

/// `most` of them, or all.
pub fn sample(names: &[String], seed: u64, most: usize) -> Vec<&str> {
    let mut seen: BTreeMap<(&str, &str), u64> = BTreeMap::new();
    let mut keyed: Vec<(u64, &str)> = names
        .iter()
        .map(|name| {
            let (file, change) = parts(name);
            let same = seen.entry((file, change)).or_default();
            *same += 1;
            let words = [
                file.as_bytes(),
                b"\n",
                change.as_bytes(),
                &same.to_le_bytes(),
            ];
            (hash(seed, words.concat().as_slice()), name.as_str())
        })
        .collect();
    keyed.sort_unstable();
    keyed.truncate(most);
    keyed.into_iter().map(|(_, name)| name).collect()
}

/// `FILE:LINE:COLUMN: CHANGE`.
fn parts(name: &str) -> (&str, &str) {
    let (place, change) = name.split_once(": ").unwrap_or((name, ""));
    (place.split(':').next().unwrap_or(place), change)
}

/// FNV-1a, then the end of splitmix64, so that near texts lie far apart.
fn hash(seed: u64, bytes: &[u8]) -> u64 {
    let mut state = 0xcbf2_9ce4_8422_2325 ^ seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    for byte in bytes {
        state = (state ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    }
    state = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    state = (state ^ (state >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    state ^ (state >> 31)
}

#[cfg(test)]
mod tests {
    use super::sample;
    use std::collections::BTreeSet;

    fn names(first_line: u32) -> Vec<String> {
        let line = |n: u32| {
            format!(
                "src/a.rs:{}:5: replace + with - in f{}",
                first_line + n,
                n / 3
            )
        };
        (0..300).map(line).collect()
    }

    #[test]
    fn the_sample_is_the_seeds_and_not_the_lines() {
        let (all, moved) = (names(1), names(4000));
        let chosen = sample(&all, 16, 40);
        let distinct: BTreeSet<&&str> = chosen.iter().collect();
        assert_eq!(distinct.len(), 40);
        let at = |names: &[String], name: &str| names.iter().position(|n| n == name);
        let places = |names: &[String], seed| -> Vec<Option<usize>> {
            let chosen = sample(names, seed, 40);
            chosen.iter().map(|name| at(names, name)).collect()
        };
        assert_eq!(places(&all, 16), places(&moved, 16));
        assert_ne!(places(&all, 16), places(&all, 17));
        assert_eq!(sample(&all, 16, 1000).len(), 300);
    }
}
