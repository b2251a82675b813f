//! Everything against the plain implementation, and against what a picture shows.

use super::picture::Picture;
use super::{Corner, CornerFinder, EdgeFinder, Size, Smoother, Task};
use super::{known, of_bytes, of_corners, plain};
use proptest::prelude::*;

fn smoothed(picture: &Picture) -> Vec<u8> {
    let mut smoother = Smoother::new(picture.width, picture.height);
    smoother.smooth(picture);
    smoother.out
}

fn edges(picture: &Picture) -> Vec<u8> {
    let mut finder = EdgeFinder::new(picture.width, picture.height);
    finder.find(picture);
    finder.edges
}

fn corners(picture: &Picture) -> Vec<Corner> {
    let mut finder = CornerFinder::new(picture.width, picture.height);
    finder.find(picture);
    finder.corners
}

fn drawn(width: usize, height: usize, shade: impl Fn(usize, usize) -> u8) -> Picture {
    let pixels = (0..width * height).map(|at| shade(at % width, at / width));
    Picture {
        width,
        height,
        pixels: pixels.collect(),
    }
}

/// Places of what is 1.
fn places(width: usize, marks: &[u8]) -> Vec<(usize, usize)> {
    let set = marks.iter().enumerate().filter(|(_, mark)| **mark == 1);
    set.map(|(at, _)| (at % width, at / width)).collect()
}

#[test]
fn the_known_digests_are_the_plain_ones() {
    for size in Size::ALL {
        let board = Picture::board(size);
        let found = [
            (Task::Smooth, of_bytes(&plain::smoothed(&board))),
            (Task::Edges, of_bytes(&plain::edges(&board))),
            (Task::Corners, of_corners(&plain::corners(&board))),
        ];
        for (task, digest) in found {
            assert_eq!(known(task, size), digest, "{task:?} {size:?}: {digest:#x}");
        }
    }
}

#[test]
fn the_boards_have_edges_and_corners_in_number() {
    let board = Picture::board(Size::Large);
    let count = places(board.width, &edges(&board)).len();
    // Lines every 17 columns and every 13 rows.
    let lines = board.pixels.len() / 17 + board.pixels.len() / 13;
    assert!(
        (lines / 2..lines * 3 / 2).contains(&count),
        "{count} of {lines}"
    );
    let crossings = (384 / 17) * (288 / 13);
    let found = corners(&board).len();
    assert!(
        (crossings / 2..crossings * 3).contains(&found),
        "{found} of {crossings}"
    );
}

#[test]
fn one_shade_stays_and_has_nothing() {
    let flat = drawn(40, 30, |_, _| 77);
    assert_eq!(smoothed(&flat), flat.pixels);
    assert_eq!(places(40, &edges(&flat)), []);
    assert_eq!(corners(&flat), []);
}

#[test]
fn a_step_is_not_smoothed_away_and_is_one_line_where_it_is() {
    let upright = drawn(40, 30, |x, _| if x < 20 { 30 } else { 200 });
    assert_eq!(smoothed(&upright), upright.pixels);
    let line: Vec<(usize, usize)> = (3..27).map(|y| (19, y)).collect();
    assert_eq!(places(40, &edges(&upright)), line);
    assert_eq!(corners(&upright), []);
    let level = drawn(30, 40, |_, y| if y < 20 { 200 } else { 30 });
    let line: Vec<(usize, usize)> = (3..27).map(|x| (x, 19)).collect();
    assert_eq!(places(30, &edges(&level)), line);
}

#[test]
fn a_thin_line_is_found_on_itself() {
    let upright = drawn(40, 30, |x, _| if x == 20 { 200 } else { 30 });
    let found = places(40, &edges(&upright));
    let line: Vec<(usize, usize)> = (3..27).map(|y| (20, y)).collect();
    assert_eq!(found, line);
    let slant = drawn(40, 40, |x, y| if x == y { 200 } else { 30 });
    let found = places(40, &edges(&slant));
    let line: Vec<(usize, usize)> = (3..37).map(|at| (at, at)).collect();
    assert_eq!(found, line);
}

#[test]
fn a_square_has_four_corners_and_its_outline() {
    let inside = |at: usize| (12..28).contains(&at);
    let square = drawn(40, 40, |x, y| if inside(x) && inside(y) { 220 } else { 40 });
    let found: Vec<(u32, u32)> = corners(&square).iter().map(|c| (c.x, c.y)).collect();
    assert_eq!(found, [(12, 12), (27, 12), (12, 27), (27, 27)]);
    let near = |at: usize| at.abs_diff(12) <= 1 || at.abs_diff(27) <= 1;
    let outline = places(40, &edges(&square));
    assert!(
        outline.iter().all(|(x, y)| near(*x) || near(*y)),
        "{outline:?}"
    );
    // Each middle row and column is crossed twice.
    for at in 15..25 {
        assert_eq!(outline.iter().filter(|(x, _)| *x == at).count(), 2, "{at}");
        assert_eq!(outline.iter().filter(|(_, y)| *y == at).count(), 2, "{at}");
    }
}

#[test]
fn a_lone_pixel_is_no_corner_and_is_smoothed_away() {
    let lone = drawn(20, 20, |x, y| if (x, y) == (9, 9) { 255 } else { 10 });
    assert_eq!(smoothed(&lone), [10; 400]);
    assert_eq!(corners(&lone), []);
}

#[test]
fn a_pixel_like_no_other_becomes_the_mean_of_the_middle_two_around_it() {
    let around = [[30, 10, 22], [12, 255, 31], [32, 17, 14]];
    let lone = drawn(20, 20, |x, y| {
        match (x.wrapping_sub(8), y.wrapping_sub(8)) {
            (column @ 0..3, row @ 0..3) => around[row][column],
            _ => 60,
        }
    });
    let found = smoothed(&lone);
    assert_eq!(found[9 * 20 + 9], u8::midpoint(17, 22));
    assert_eq!(found, plain::smoothed(&lone));
}

#[test]
fn smoothing_takes_noise_away() {
    let board = Picture::board(Size::Large);
    let rough = |pixels: &[u8]| -> u64 {
        let cell = pixels.chunks(384).take(13).map(|row| &row[..17]);
        let steps = cell.flat_map(|row| row.windows(2).map(|two| two[0].abs_diff(two[1])));
        steps.map(u64::from).sum()
    };
    let (before, after) = (rough(&board.pixels), rough(&smoothed(&board)));
    assert!(after * 5 < before, "{before} {after}");
}

/// Noise between patches of a few shades: steps, corners, lines and equal neighbours.
fn pictures() -> impl Strategy<Value = Picture> {
    let shades = prop_oneof![
        proptest::collection::vec(any::<u8>(), 1..4),
        Just(vec![0, 255]),
        Just(vec![100, 119, 120, 140]),
        proptest::collection::vec(any::<u8>(), 64),
    ];
    (
        1usize..40,
        1usize..40,
        shades,
        1usize..6,
        any::<u64>(),
        0u32..30,
    )
        .prop_map(|(width, height, shades, patch, seed, noise)| {
            let mut random = crate::random::Random::new(seed);
            let draws: Vec<u32> = (0..width * height)
                .map(|_| random.below(shades.len() as u32))
                .collect();
            let mut picture = drawn(width, height, |x, y| {
                let at = (y - y % patch) * width + x - x % patch;
                shades[draws[at] as usize]
            });
            for pixel in &mut picture.pixels {
                *pixel = pixel.saturating_add(random.below(noise + 1) as u8);
            }
            picture
        })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn any_picture_comes_out_as_in_the_plain_way(picture in pictures()) {
        prop_assert_eq!(smoothed(&picture), plain::smoothed(&picture));
        prop_assert_eq!(edges(&picture), plain::edges(&picture));
        prop_assert_eq!(corners(&picture), plain::corners(&picture));
    }
}
