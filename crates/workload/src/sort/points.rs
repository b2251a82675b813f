//! 50000 points in space, by their distance from the origin, which is computed first.

use super::quick::sort;
use crate::Workload;
use crate::digest::Digest;
use crate::random::Random;
use crate::unit::{Unit, program};

/// Points in a sort.
pub const COUNT: usize = 50_000;
/// Coordinates are less, either way: sums of squares then are exact.
const EDGE: i32 = 1 << 20;

/// What the sorted points come out as; `tests` finds it with the standard library's sort.
pub const KNOWN: u64 = 0xa189_d274_7904_58c4;

/// A point in space and its distance from the origin.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[repr(C)]
pub struct Point {
    pub x: i32,
    pub y: i32,
    pub z: i32,
    pub distance: f64,
}

impl Point {
    /// Where it is, with its distance: a square root is the same on every machine.
    fn measured(&self) -> Point {
        let square = |at: i32| f64::from(at) * f64::from(at);
        let distance = (square(self.x) + square(self.y) + square(self.z)).sqrt();
        Point { distance, ..*self }
    }

    /// Whether it is nearer to the origin.
    pub fn is_nearer(&self, other: &Point) -> bool {
        self.distance < other.distance
    }
}

/// Without distances.
pub fn unsorted() -> Vec<Point> {
    let mut random = Random::new(5);
    let mut draw = || random.below(2 * EDGE as u32) as i32 - EDGE;
    let point = |_| Point {
        x: draw(),
        y: draw(),
        z: draw(),
        distance: 0.0,
    };
    (0..COUNT).map(point).collect()
}

/// Copies the points, with their distances.
pub fn measure(from: &[Point], to: &mut [Point]) {
    for (point, measured) in from.iter().zip(to) {
        *measured = point.measured();
    }
}

/// The distances in order, and all points in any: of equally distant ones either may
/// come first.
pub fn digest(points: &[Point]) -> u64 {
    let whole = |point: &Point| {
        let coordinates = [point.x, point.y, point.z].map(|at| u64::from(at as u32));
        let digest = coordinates
            .into_iter()
            .fold(Digest::default(), Digest::with);
        digest.with(point.distance.to_bits()).value()
    };
    let mut digest = Digest::default();
    let mut all = 0u64;
    for point in points {
        digest = digest.with(point.distance.to_bits());
        all = all.wrapping_add(whole(point));
    }
    digest.with(all).value()
}

#[derive(Debug)]
struct Points {
    unsorted: Vec<Point>,
    points: Vec<Point>,
}

/// Makes it ready to run; the list of all programs states its unit.
pub fn build() -> Box<dyn Workload> {
    let unsorted = unsorted();
    let points = unsorted.clone();
    program(Points { unsorted, points }, KNOWN)
}

impl Unit for Points {
    fn once(&mut self) -> u64 {
        measure(&self.unsorted, &mut self.points);
        sort(&mut self.points, Point::is_nearer);
        digest(&self.points)
    }

    fn bytes(&self) -> u64 {
        2 * size_of_val(&*self.points) as u64
    }
}
