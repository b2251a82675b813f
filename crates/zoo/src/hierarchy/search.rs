//! Searches of short arrays without a branch for each element: where a line lies in its set
//! is chance, and a branch that goes by chance costs a host more than the whole search.

use super::narrow::index;

const LANES: usize = 4;
const STEP: u32 = 4;

/// Where the value stands; it stands once at most.
#[inline]
pub fn position(values: &[u32], value: u32) -> Option<usize> {
    // The place counted from 1, or 0, in whichever lane it is.
    let mut found = [0_u32; LANES];
    let mut places = [1, 2, 3, 4];
    let (chunks, rest) = values.as_chunks::<LANES>();
    for chunk in chunks {
        for lane in 0..LANES {
            found[lane] |= if chunk[lane] == value {
                places[lane]
            } else {
                0
            };
            places[lane] += STEP;
        }
    }
    let mut place = found.iter().fold(0, |all, lane| all | lane);
    for (lane, held) in rest.iter().enumerate() {
        place |= if *held == value { places[lane] } else { 0 };
    }
    place.checked_sub(1).map(|place| index(u64::from(place)))
}

/// The mark that was set longest ago, where marks are readings of a counter that wraps.
#[inline]
pub fn longest_ago(marks: &[u32], now: u32) -> usize {
    let since = marks.iter().map(|mark| now.wrapping_sub(*mark));
    let most = since.max().unwrap_or(0);
    let oldest = now.wrapping_sub(most);
    marks.iter().position(|m| *m == oldest).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_place_is_found() {
        let values: Vec<u32> = (10..33).collect();
        for (place, value) in values.iter().enumerate() {
            assert_eq!(position(&values, *value), Some(place));
        }
        assert_eq!(position(&values, 9), None);
        assert_eq!(position(&[], 9), None);
    }

    #[test]
    fn the_counter_may_have_wrapped() {
        assert_eq!(longest_ago(&[1, u32::MAX, 3], 4), 1);
        assert_eq!(longest_ago(&[7, 5, 6], 8), 1);
    }
}
