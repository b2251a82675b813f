use super::{HEIGHT, KNOWN, Planes, THRESHOLD, WIDTH, picture};
use crate::digest::of_bytes;
use crate::vector;

/// A pixel of the blurred frame by the definition: a sum over 5 x 5 neighbours.
fn blurred(frame: &dyn Fn(usize, usize) -> i64, x: usize, y: usize) -> i64 {
    const BINOMIAL: [i64; 5] = [1, 4, 6, 4, 1];
    let sum: i64 = (0..25)
        .map(|at| BINOMIAL[at / 5] * BINOMIAL[at % 5] * frame(x + at % 5, y + at / 5))
        .sum();
    (sum + 128) / 256
}

/// The edges with Sobel's two masks, in another order and in wide integers.
fn plain() -> Vec<u8> {
    const SOBEL: [[i64; 3]; 3] = [[-1, 0, 1], [-2, 0, 2], [-1, 0, 1]];
    let picture = picture();
    let frame = |x: usize, y: usize| i64::from(picture[y].0[x]);
    let across = WIDTH + 2;
    let soft: Vec<i64> = (0..across * (HEIGHT + 2))
        .map(|at| blurred(&frame, at % across, at / across))
        .collect();
    let edge = |x: usize, y: usize| {
        let cells = || (0..3).flat_map(|dy| (0..3).map(move |dx| (dx, dy)));
        let at = |dx: usize, dy: usize| soft[(y + dy) * across + x + dx];
        let right: i64 = cells().map(|(dx, dy)| SOBEL[dy][dx] * at(dx, dy)).sum();
        let down: i64 = cells().map(|(dx, dy)| SOBEL[dx][dy] * at(dx, dy)).sum();
        let steep = right.abs() + down.abs();
        if steep > i64::from(THRESHOLD) {
            steep / 8
        } else {
            0
        }
    };
    (0..WIDTH * HEIGHT)
        .map(|at| edge(at % WIDTH, at / WIDTH) as u8)
        .collect()
}

/// A column's sum written out: the row from the bottom is the power of three.
fn digest(edges: &[u8]) -> u64 {
    let sum = |x: usize| {
        let (sum, _) = (0..HEIGHT).rev().fold((0u16, 1u16), |(sum, weight), y| {
            let pixel = u16::from(edges[y * WIDTH + x]);
            (
                sum.wrapping_add(weight.wrapping_mul(pixel)),
                weight.wrapping_mul(3),
            )
        });
        sum.to_le_bytes()
    };
    of_bytes(&(0..WIDTH).flat_map(sum).collect::<Vec<u8>>())
}

#[test]
fn every_set_of_instructions_gives_the_plain_result() {
    let plain = plain();
    assert_eq!(digest(&plain), KNOWN, "{:#x}", digest(&plain));
    for set in vector::sets() {
        let mut planes = Planes::new();
        planes.compute(set);
        let edges: Vec<u8> = planes.edges.iter().flat_map(|row| row.0).collect();
        assert!(edges == plain, "{} differs", set.name());
        assert_eq!(planes.digest(), KNOWN, "{}", set.name());
    }
}

#[test]
fn a_part_of_the_frame_is_edges() {
    let count = plain().iter().filter(|pixel| **pixel > 0).count();
    let part = WIDTH * HEIGHT / 20..WIDTH * HEIGHT / 2;
    assert!(part.contains(&count), "{count}");
}

#[test]
fn the_widest_set_is_used_and_named() {
    let named = super::build().vectors();
    assert_eq!(named, vector::sets().next().map(vector::Set::name));
    assert!(["AVX-512", "AVX2", "SSE2", "NEON", "plain"].contains(&named.unwrap()));
}
