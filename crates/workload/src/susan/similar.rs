//! How alike two brightnesses are, of 100: the paper's exponentials, rounded.
//!
//! From the paper: the forms exp(-(d/t)^6) for edges and corners (its equation 4,
//! which it derives as the best) and exp(-(d/t)^2) for smoothing, both from tables, and
//! 100 as the scale. t is 20 grey levels. Integers stand here, not calls of `exp`, so
//! that results are the same with every mathematical library.

/// What equal brightnesses have.
pub const EQUAL: u32 = 100;

/// 100 exp(-(d/20)^6) for d of 0 to 26; nothing beyond.
const STEEP: [u8; 27] = [
    100, 100, 100, 100, 100, 100, 100, 100, 100, 99, 98, 97, 95, 93, 89, 84, 77, 69, 59, 48, 37,
    26, 17, 10, 5, 2, 1,
];

/// By 256 + difference, so that a nucleus has its own table within.
static BY_DIFFERENCE: [u8; 512] = {
    let mut table = [0; 512];
    let mut d = 0;
    while d < STEEP.len() {
        table[256 + d] = STEEP[d];
        table[256 - d] = STEEP[d];
        d += 1;
    }
    table
};

/// For edges and corners: the table of a nucleus, by the other's brightness.
#[inline(always)]
pub fn to(nucleus: u8) -> &'static [u8; 256] {
    let from = 256 - usize::from(nucleus);
    BY_DIFFERENCE[from..]
        .first_chunk()
        .expect("256 of 512 from 1 to 256")
}

/// For smoothing: 100 exp(-(d/20)^2), rounded, in arithmetic that is done for a vector
/// of pixels at once, where a table is read for one.
///
/// With 65536 as one: 1 - x (a - b x), where x is d squared times 29, is near
/// exp(-(d/20)^2/16); four squarings make it the 16th power, of which 512 parts are one.
/// Numbers were searched until each of the 256 values was the exponential's.
#[inline(always)]
pub fn softly(difference: u8) -> u16 {
    // Nothing is alike from 47 on; it is where x just fits.
    let d = u16::from(difference.min(47));
    let x = d * d * 29;
    let root = 64_524 - high(x, 22_654 - high(x, 3478));
    let mut power = root;
    for _ in 0..4 {
        power = high(power, power);
    }
    (power + 259) >> 9
}

/// The upper half of a product; an instruction of its own on vectors.
#[inline(always)]
fn high(a: u16, b: u16) -> u16 {
    ((u32::from(a) * u32::from(b)) >> 16) as u16
}

#[cfg(test)]
mod tests {
    use super::{softly, to};

    fn exponential(difference: u8, power: i32) -> u32 {
        let exact = 100.0 * (-(f64::from(difference) / 20.0).powi(power)).exp();
        // A library's error must not decide.
        assert!((exact.fract() - 0.5).abs() > 1e-3, "{difference}: {exact}");
        exact.round() as u32
    }

    #[test]
    fn both_are_the_rounded_exponential_everywhere() {
        for a in 0..=255u8 {
            assert_eq!(u32::from(softly(a)), exponential(a, 2), "{a}");
            for b in 0..=255u8 {
                let found = u32::from(to(a)[usize::from(b)]);
                assert_eq!(found, exponential(a.abs_diff(b), 6), "{a} {b}");
            }
        }
    }
}
