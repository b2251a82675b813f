//! The same, slow and plain: by coordinates, sums over the whole mask each time,
//! exponentials for the integers of the others, sets where they have planes. Nothing is
//! shared with them but the picture and what a corner is.

use super::corners::Corner;
use super::picture::Picture;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

/// Column, then row.
type Place = (i64, i64);
/// What has a response, and how strong.
type Responses = BTreeMap<Place, i64>;

/// 100 exp(-(i / scale)^power), rounded, for i of 0 to 255.
type Exponential = LazyLock<Vec<i64>>;

fn exponential(scale: f64, power: i32) -> Vec<i64> {
    let value = |i: i32| 100.0 * (-(f64::from(i) / scale).powi(power)).exp();
    (0..256).map(|i| value(i).round() as i64).collect()
}

static SOFT: Exponential = LazyLock::new(|| exponential(20.0, 2));
static STEEP: Exponential = LazyLock::new(|| exponential(20.0, 6));
/// By the square of a distance.
static NEAR: Exponential = LazyLock::new(|| exponential(32.0, 1));

fn similarity(table: &Exponential, a: i64, b: i64) -> i64 {
    table[a.abs_diff(b) as usize]
}

/// Pixels beyond the picture are those next to them.
fn brightness(picture: &Picture, (x, y): Place) -> i64 {
    let x = x.clamp(0, picture.width as i64 - 1) as usize;
    let y = y.clamp(0, picture.height as i64 - 1) as usize;
    i64::from(picture.pixels[y * picture.width + x])
}

fn places(picture: &Picture) -> impl Iterator<Item = Place> + use<> {
    let (width, height) = (picture.width as i64, picture.height as i64);
    (0..height).flat_map(move |y| (0..width).map(move |x| (x, y)))
}

fn square(radius: i64) -> impl Iterator<Item = Place> {
    (-radius..=radius).flat_map(move |dy| (-radius..=radius).map(move |dx| (dx, dy)))
}

/// The smoothed picture, computed pixel by pixel.
pub fn smoothed(picture: &Picture) -> Vec<u8> {
    let smoothed = |(x, y): Place| {
        let own = brightness(picture, (x, y));
        let (mut sum, mut total) = (0, 0);
        for (dx, dy) in square(7).filter(|at| *at != (0, 0)) {
            let other = brightness(picture, (x + dx, y + dy));
            let distance = NEAR[(dx * dx + dy * dy) as usize];
            let weight = distance * similarity(&SOFT, own, other);
            sum += weight * other;
            total += weight;
        }
        if total == 0 {
            return median(picture, (x, y));
        }
        ((sum + total / 2) / total) as u8
    };
    places(picture).map(smoothed).collect()
}

fn median(picture: &Picture, (x, y): Place) -> u8 {
    let near = square(1).filter(|at| *at != (0, 0));
    let mut near: Vec<i64> = near
        .map(|(dx, dy)| brightness(picture, (x + dx, y + dy)))
        .collect();
    near.sort_unstable();
    ((near[3] + near[4]) / 2) as u8
}

/// The pixels within 3.4 of the middle.
fn disc() -> impl Iterator<Item = Place> {
    square(4).filter(|(dx, dy)| ((dx * dx + dy * dy) as f64) < 3.4 * 3.4)
}

/// Sum of `term` times similarity over the mask.
fn moment(picture: &Picture, (x, y): Place, term: impl Fn(i64, i64) -> i64) -> i64 {
    let own = brightness(picture, (x, y));
    disc()
        .map(|(dx, dy)| {
            term(dx, dy) * similarity(&STEEP, own, brightness(picture, (x + dx, y + dy)))
        })
        .sum()
}

fn area(picture: &Picture, at: Place) -> i64 {
    moment(picture, at, |_, _| 1)
}

fn responses(picture: &Picture, threshold: i64) -> Responses {
    let (width, height) = (picture.width as i64, picture.height as i64);
    places(picture)
        .filter(|(x, y)| (3..width - 3).contains(x) && (3..height - 3).contains(y))
        .map(|at| (at, threshold - area(picture, at)))
        .filter(|(_, response)| *response > 0)
        .collect()
}

fn off_centre(picture: &Picture, at: Place) -> bool {
    let (x, y) = (
        moment(picture, at, |dx, _| dx),
        moment(picture, at, |_, dy| dy),
    );
    x * x + y * y > area(picture, at).pow(2)
}

/// A step across the edge, rightwards or else downwards.
fn across(picture: &Picture, at: Place) -> Place {
    let sum = |term: fn(i64, i64) -> i64| moment(picture, at, term);
    if area(picture, at) > 700 && off_centre(picture, at) {
        let (x, y) = (sum(|dx, _| dx), sum(|_, dy| dy));
        return match (12 * y.abs() < 5 * x.abs(), 12 * x.abs() < 5 * y.abs()) {
            (true, _) => (1, 0),
            (_, true) => (0, 1),
            _ if x * y > 0 => (1, 1),
            _ => (1, -1),
        };
    }
    let (xx, yy) = (sum(|dx, _| dx * dx), sum(|_, dy| dy * dy));
    match (yy > 3 * xx, xx > 3 * yy) {
        (true, _) => (1, 0),
        (_, true) => (0, 1),
        _ if sum(|dx, dy| dx * dy) > 0 => (1, -1),
        _ => (1, 1),
    }
}

/// 1 where there is an edge.
pub fn edges(picture: &Picture) -> Vec<u8> {
    let responses = responses(picture, 2775);
    let strength = |at: Place| responses.get(&at).copied().unwrap_or(0);
    let is_largest = |at: &Place| {
        let (dx, dy) = across(picture, *at);
        let sides = [(at.0 + dx, at.1 + dy), (at.0 - dx, at.1 - dy)];
        sides.into_iter().all(|side| {
            // Of equals the one that is read first stays.
            let is_first = (at.1, at.0) < (side.1, side.0);
            strength(*at) > strength(side) || is_first && strength(*at) == strength(side)
        })
    };
    let edge = |at| strength(at) > 0 && is_largest(&at);
    let mut lines = Lines {
        responses: &responses,
        width: picture.width,
        edges: places(picture).map(edge).collect(),
        continued: BTreeMap::new(),
        changed: BTreeSet::new(),
    };
    lines.thin(picture.width as i64, picture.height as i64);
    lines.edges.into_iter().map(u8::from).collect()
}

/// Clockwise from above.
const AROUND: [Place; 8] = [
    (0, -1),
    (1, -1),
    (1, 0),
    (1, 1),
    (0, 1),
    (-1, 1),
    (-1, 0),
    (-1, -1),
];

struct Lines<'a> {
    responses: &'a Responses,
    width: usize,
    edges: Vec<bool>,
    /// How many pixels a line has been continued by, at its end.
    continued: BTreeMap<Place, u32>,
    changed: BTreeSet<Place>,
}

impl Lines<'_> {
    /// Every pixel in the order of reading; back by two after a change.
    fn thin(&mut self, width: i64, height: i64) {
        let (mut x, mut y) = (3, 3);
        while y < height - 3 {
            while x < width - 3 {
                if self.is_edge((x, y)) && self.visit((x, y)) {
                    (x, y) = ((x - 2).max(3), (y - 2).max(3));
                } else {
                    x += 1;
                }
            }
            (x, y) = (3, y + 1);
        }
    }

    fn index(&self, (x, y): Place) -> usize {
        y as usize * self.width + x as usize
    }

    fn is_edge(&self, at: Place) -> bool {
        self.edges[self.index(at)]
    }

    fn set_edge(&mut self, at: Place, is_edge: bool) -> bool {
        let index = self.index(at);
        self.edges[index] = is_edge;
        self.changed.insert(at);
        true
    }

    fn neighbours(&self, (x, y): Place) -> Vec<Place> {
        let all = AROUND.map(|(dx, dy)| (x + dx, y + dy));
        let edges = all.into_iter().filter(|at| self.is_edge(*at));
        edges.collect()
    }

    fn response(&self, at: Place) -> i64 {
        self.responses.get(&at).copied().unwrap_or(0)
    }

    fn may_come(&self, at: Place) -> bool {
        !self.is_edge(at) && !self.changed.contains(&at)
    }

    fn take_off(&mut self, at: Place) -> bool {
        self.set_edge(at, false)
    }

    fn put(&mut self, at: Place, continued: u32) -> bool {
        self.continued.insert(at, continued);
        self.set_edge(at, true)
    }

    fn visit(&mut self, at: Place) -> bool {
        let near = self.neighbours(at);
        match near.as_slice() {
            [] => self.take_off(at),
            [behind] => self.go_on(at, *behind),
            [one, other] => self.straighten(at, *one, *other),
            _ => self.choose(at),
        }
    }

    /// Ahead are the three that are farthest from the one behind.
    fn go_on(&mut self, at: Place, behind: Place) -> bool {
        let continued = self.continued.get(&at).copied().unwrap_or(0);
        if continued == 3 {
            return false;
        }
        let came = (at.0 - behind.0, at.1 - behind.1);
        let way = AROUND.iter().position(|step| *step == came).unwrap();
        let ahead = [(0, 5), (7, 4), (1, 4)].map(|(turn, factor)| {
            let (dx, dy) = AROUND[(way + turn) % 8];
            let next = (at.0 + dx, at.1 + dy);
            (self.response(next) * factor, next)
        });
        let free = ahead
            .into_iter()
            .filter(|(strength, next)| *strength > 0 && self.may_come(*next));
        // The last of equals is taken: the first one must come last.
        let best = free.rev().max_by_key(|(strength, _)| *strength);
        best.is_some_and(|(_, next)| self.put(next, continued + 1))
    }

    fn straighten(&mut self, at: Place, one: Place, other: Place) -> bool {
        let middle = ((one.0 + other.0) / 2, (one.1 + other.1) / 2);
        let touch_at_corners = (one.0 - other.0).abs() == 1 && (one.1 - other.1).abs() == 1;
        if touch_at_corners {
            return self.take_off(at);
        }
        let row = one.1 == other.1 && one.1 != at.1;
        let column = one.0 == other.0 && one.0 != at.0;
        let sticks_out = (row || column) && middle != one && middle != other;
        let strong = self.response(middle) * 10 > self.response(at) * 7;
        if !sticks_out || !strong || !self.may_come(middle) {
            return false;
        }
        let continued = self.continued.get(&at).copied().unwrap_or(0);
        self.put(middle, continued);
        self.take_off(at)
    }

    fn choose(&mut self, at: Place) -> bool {
        if !self.is_spare(at) {
            return false;
        }
        let sides = [0, 2, 4, 6].map(|side| (at.0 + AROUND[side].0, at.1 + AROUND[side].1));
        let others = sides
            .into_iter()
            .filter(|side| self.is_edge(*side) && self.is_spare(*side));
        let least = std::iter::once(at)
            .chain(others)
            .min_by_key(|candidate| self.response(*candidate));
        least.is_some_and(|least| self.take_off(least))
    }

    /// More than two neighbours, all in one piece without it, and no hole where it was.
    fn is_spare(&self, at: Place) -> bool {
        let near = self.neighbours(at);
        let apart = |a: &Place, b: &Place| (a.0 - b.0).abs() + (a.1 - b.1).abs();
        if near.len() < 3 || near.iter().filter(|other| apart(other, &at) == 1).count() == 4 {
            return false;
        }
        let mut piece = vec![near[0]];
        let mut looked_at = 0;
        while looked_at < piece.len() {
            let from = piece[looked_at];
            for other in &near {
                let touch = (from.0 - other.0).abs() <= 1 && (from.1 - other.1).abs() <= 1;
                if touch && !piece.contains(other) {
                    piece.push(*other);
                }
            }
            looked_at += 1;
        }
        piece.len() == near.len()
    }
}

/// The corners, in the order of rows.
pub fn corners(picture: &Picture) -> Vec<Corner> {
    let mut responses = responses(picture, 1850);
    responses.retain(|at, _| off_centre(picture, *at) && contiguous(picture, *at));
    let is_largest = |(x, y): Place, own: i64| {
        square(3).all(|(dx, dy)| {
            let rival = responses.get(&(x + dx, y + dy)).copied().unwrap_or(0);
            own > rival || own == rival && (dy, dx) >= (0, 0)
        })
    };
    let mut found: Vec<Corner> = responses
        .iter()
        .filter(|(at, response)| is_largest(**at, **response))
        .map(|((x, y), response)| Corner {
            x: *x as u32,
            y: *y as u32,
            response: *response as u16,
        })
        .collect();
    found.sort_by_key(|corner| (corner.y, corner.x));
    found
}

/// Whether all from the nucleus towards the centre of gravity are alike.
fn contiguous(picture: &Picture, at: Place) -> bool {
    let (x, y) = (
        moment(picture, at, |dx, _| dx),
        moment(picture, at, |_, dy| dy),
    );
    let longer = x.abs().max(y.abs()) as f64;
    let own = brightness(picture, at);
    let towards = (1..=3).map(|step| {
        let nearest = |part: i64| (f64::from(step) * part as f64 / longer).round() as i64;
        (nearest(x), nearest(y))
    });
    towards
        .filter(|step| disc().any(|in_mask| in_mask == *step))
        .all(|(dx, dy)| similarity(&STEEP, own, brightness(picture, (at.0 + dx, at.1 + dy))) >= 50)
}
