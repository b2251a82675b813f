//! A cache whose sets are filled at random: how many lines are in sets that overflow, and
//! the capacity that fits a measured rise.
//!
//! Base pages, and hashes of the address, place lines on sets at random. Of N pages over k
//! groups of sets a given page shares its group with Bin(N - 1, 1 / k) others. A group of a
//! ways that is walked round and round under least recently used replacement misses on all of
//! its lines once more than a pages are in it; under random replacement only on some, and what
//! processors have lies between the two, so that the capacities which either leaves open are
//! all possible. The way to read a size off this distribution is that of Servet
//! (Gonzalez-Dominguez and others, 2010), which knows the first replacement only.

use crate::curve::CurvePoint;

/// Numbers of ways that are tried.
const WAYS: [u32; 8] = [2, 4, 6, 8, 11, 12, 16, 20];
/// Capacities that are tried in each octave.
const AN_OCTAVE: i32 = 16;
/// Fewest points of a rise.
const FEWEST: usize = 5;
/// A capacity is believed where it misfits at most so many times the best, for each point
/// that is left after the three parameters: about 95 % of an F distribution.
const MISFIT: f64 = 4.0;
/// Misfits of this size (natural logarithm) are not held against a capacity: no processor's
/// replacement is quite one of the two.
const UNEVEN: f64 = 0.04;

/// Which line of a full set is evicted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Evicts {
    LeastRecentlyUsed,
    Any,
}

/// A fitted capacity.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Overflow {
    /// The middle of those that fit.
    pub capacity_bytes: f64,
    /// Capacities that fit nearly as well as the best.
    pub low_bytes: f64,
    pub high_bytes: f64,
    /// Level before and behind the rise.
    pub before: f64,
    pub behind: f64,
    /// Root mean square of the misfit, natural logarithm.
    pub misfit: f64,
    /// How much of a misfit the draw of few pieces makes by itself: root mean square of its standard
    /// deviation, natural logarithm.
    pub drawn: f64,
}

/// Share of the lines of a set of `bytes` that miss a cache of such a capacity under least
/// recently used replacement, placed at random in pieces of `piece_bytes`.
pub fn overflowing(bytes: f64, piece_bytes: f64, capacity_bytes: f64, ways: u32) -> f64 {
    Cache::new(capacity_bytes, ways, Evicts::LeastRecentlyUsed).missing(bytes, piece_bytes)
}

/// A cache that is tried.
#[derive(Clone)]
struct Cache {
    capacity_bytes: f64,
    ways: u32,
    /// Share of loads that miss in a set with so many lines more than ways.
    misses: Vec<f64>,
}

/// Lines beyond the ways of a set up to which random replacement is followed; beyond, all miss.
const FOLLOWED: u32 = 100;

impl Cache {
    fn new(capacity_bytes: f64, ways: u32, evicts: Evicts) -> Cache {
        let misses = match evicts {
            Evicts::LeastRecentlyUsed => Vec::new(),
            Evicts::Any => (1..=FOLLOWED)
                .map(|more| by_chance(ways + more, ways))
                .collect(),
        };
        Cache {
            capacity_bytes,
            ways,
            misses,
        }
    }

    fn missing(&self, bytes: f64, piece_bytes: f64) -> f64 {
        let groups = self.capacity_bytes / (f64::from(self.ways) * piece_bytes);
        let pieces = bytes / piece_bytes;
        if groups <= 1.0 {
            let lines = bytes / self.capacity_bytes * f64::from(self.ways);
            return self.of_lines(lines);
        }
        let others = (pieces - 1.0).max(0.0);
        let chances = binomial(others, 1.0 / groups, self.ways + FOLLOWED);
        let (fit, more) = chances.split_at(chances.len().min(self.ways as usize));
        let few: f64 = fit.iter().sum();
        let kept = more
            .iter()
            .zip(&self.misses)
            .map(|(p, miss)| p * (1.0 - miss));
        (1.0 - few - kept.sum::<f64>()).clamp(0.0, 1.0)
    }

    /// Standard deviation of that share between draws. Groups are taken as independent, less what
    /// follows from the number of all pieces, which is no chance: the regression of what misses a group
    /// on what is in it.
    fn deviation(&self, bytes: f64, piece_bytes: f64) -> f64 {
        let groups = self.capacity_bytes / (f64::from(self.ways) * piece_bytes);
        let pieces = bytes / piece_bytes;
        if groups <= 1.0 {
            return 0.0;
        }
        let chances = binomial(pieces, 1.0 / groups, self.ways + FOLLOWED);
        // Of the pieces in a group and of those that miss: means, squares and their product.
        let [mut x, mut xx, mut m, mut mm, mut xm] = [0.0; 5];
        for (n, p) in (0..).map(f64::from).zip(chances) {
            let missing = n * self.of_lines(n);
            x += p * n;
            xx += p * n * n;
            m += p * missing;
            mm += p * missing * missing;
            xm += p * n * missing;
        }
        let follows = (xm - x * m).powi(2) / (xx - x * x);
        (groups * (mm - m * m - follows).max(0.0)).sqrt() / pieces
    }

    /// All sets have so many lines.
    fn of_lines(&self, lines: f64) -> f64 {
        let more = (lines - f64::from(self.ways)).ceil();
        if more <= 0.0 {
            return 0.0;
        }
        let at = usize::try_from(crate::whole(more)).unwrap_or(usize::MAX);
        self.misses.get(at - 1).copied().unwrap_or(1.0)
    }
}

/// Share of misses of a set of so many ways that any line may be evicted from, walked over so
/// many lines in turn: a line is met again if none of the misses in between evicted it.
fn by_chance(lines: u32, ways: u32) -> f64 {
    let survives = 1.0 - 1.0 / f64::from(ways);
    let step = |miss: f64| 1.0 - survives.powf(f64::from(lines - 1) * miss);
    (0..100).fold(1.0, |miss, _| step(miss))
}

/// P[Bin(n, p) = i] for i below `most`; n may be large, or not whole.
fn binomial(n: f64, p: f64, most: u32) -> Vec<f64> {
    let odds = p / (1.0 - p);
    let mut log = n * (1.0 - p).ln();
    let mut all = Vec::new();
    for i in 0..most {
        all.push(log.exp());
        let i = f64::from(i);
        if n <= i {
            break;
        }
        log += ((n - i) / (i + 1.0) * odds).ln();
    }
    all
}

/// The capacity whose overflow fits a rise from one level to the next best; `points` are of
/// the two levels and the rise between them, x in bytes. None where they are too few, or
/// where no capacity fits better than a flat line.
pub fn fit_overflow(points: &[CurvePoint], piece_bytes: f64) -> Option<Overflow> {
    if points.len() < FEWEST {
        return None;
    }
    let (first, last) = (points.first()?.x, points.last()?.x);
    let octaves = (last / first).log2();
    let steps = (octaves * f64::from(AN_OCTAVE)).ceil();
    let tried = (0..).map(f64::from).take_while(move |i| *i <= steps);
    let tried = tried.map(|i| first * (i / f64::from(AN_OCTAVE)).exp2());
    let tried: Vec<f64> = tried.collect();
    let mut all = Vec::new();
    for ways in WAYS {
        for evicts in [Evicts::LeastRecentlyUsed, Evicts::Any] {
            let mut cache = Cache::new(first, ways, evicts);
            for capacity in &tried {
                cache.capacity_bytes = *capacity;
                let fit = fit(points, piece_bytes, &cache);
                all.extend(fit.map(|fit| (fit, cache.clone())));
            }
        }
    }
    let best = all
        .iter()
        .min_by(|a, b| a.0.misfit.total_cmp(&b.0.misfit))?;
    let drawn = drawn(points, piece_bytes, best);
    let limit = limit(best.0.misfit.max(UNEVEN.hypot(drawn)), points.len());
    let good = all.iter().filter(|(fit, _)| fit.misfit <= limit);
    let good: Vec<f64> = good.map(|(fit, _)| fit.capacity_bytes).collect();
    let half_step = (0.5 / f64::from(AN_OCTAVE)).exp2();
    let low_bytes = good.iter().copied().fold(f64::INFINITY, f64::min) / half_step;
    let high_bytes = good.iter().copied().fold(0.0, f64::max) * half_step;
    Some(Overflow {
        capacity_bytes: (low_bytes * high_bytes).sqrt(),
        low_bytes,
        high_bytes,
        drawn,
        ..best.0
    })
}

fn limit(misfit: f64, points: usize) -> f64 {
    let free = points.saturating_sub(3).max(1) as f64;
    misfit * (1.0 + MISFIT / free).sqrt()
}

/// Levels by least squares on relative errors, for one capacity and number of ways.
fn fit(points: &[CurvePoint], piece_bytes: f64, cache: &Cache) -> Option<Overflow> {
    // y = before (1 - s) + behind s, each point weighted by 1 / y.
    let (mut aa, mut ab, mut bb, mut a, mut b) = (0.0, 0.0, 0.0, 0.0, 0.0);
    let shares: Vec<f64> = points
        .iter()
        .map(|p| cache.missing(p.x, piece_bytes))
        .collect();
    for (p, s) in points.iter().zip(&shares) {
        let (u, v) = ((1.0 - s) / p.y.center, s / p.y.center);
        aa += u * u;
        ab += u * v;
        bb += v * v;
        a += u;
        b += v;
    }
    let determinant = aa * bb - ab * ab;
    if determinant.abs() < 1e-12 * aa * bb || determinant == 0.0 {
        return None;
    }
    let before = (a * bb - b * ab) / determinant;
    let behind = (b * aa - a * ab) / determinant;
    if before <= 0.0 || behind <= before {
        return None;
    }
    let squares = points.iter().zip(&shares).map(|(p, s)| {
        ((before * (1.0 - s) + behind * s) / p.y.center)
            .ln()
            .powi(2)
    });
    Some(Overflow {
        capacity_bytes: cache.capacity_bytes,
        low_bytes: cache.capacity_bytes,
        high_bytes: cache.capacity_bytes,
        before,
        behind,
        misfit: (squares.sum::<f64>() / points.len() as f64).sqrt(),
        drawn: 0.0,
    })
}

/// What the draw makes of the times on the curve that fits best: root mean square over its points.
fn drawn(points: &[CurvePoint], piece_bytes: f64, (best, cache): &(Overflow, Cache)) -> f64 {
    let of = |p: &CurvePoint| {
        let share = cache.missing(p.x, piece_bytes);
        let ns = best.before + (best.behind - best.before) * share;
        (cache.deviation(p.x, piece_bytes) * (best.behind - best.before) / ns).powi(2)
    };
    (points.iter().map(of).sum::<f64>() / points.len() as f64).sqrt()
}

#[cfg(test)]
mod tests {
    use super::{Cache, Evicts, Overflow, binomial, by_chance, fit_overflow, overflowing};
    use crate::curve::CurvePoint;
    use crate::rng::Rng;

    const PAGE: f64 = 4096.0;
    const MIB: f64 = 1024.0 * 1024.0;

    #[test]
    fn the_binomial_is_summed_rightly() {
        // Bin(10, 0.3): P[X < 3] = 0.3827827864 (tables).
        let sum = |n, p, most| binomial(n, p, most).iter().sum::<f64>();
        assert!((sum(10.0, 0.3, 3) - 0.382_782_786_4).abs() < 1e-9);
        assert!((sum(5.0, 0.5, 6) - 1.0).abs() < 1e-12);
        assert!((sum(0.0, 0.5, 1) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn random_replacement_loses_some_lines_only() {
        // 1 - (1 - 1/16)^(31 m) = m at 0.80.
        assert!(
            (by_chance(32, 16) - 0.80).abs() < 0.01,
            "{}",
            by_chance(32, 16)
        );
        assert!(by_chance(17, 16) < 0.15);
    }

    #[test]
    fn half_of_the_lines_miss_at_about_the_capacity() {
        let at = |bytes| overflowing(bytes, PAGE, MIB, 16);
        assert!(at(0.5 * MIB) < 0.02);
        assert!((0.35..0.65).contains(&at(MIB)), "{}", at(MIB));
        assert!(at(2.0 * MIB) > 0.98);
        // A piece as large as a way fills all sets alike.
        assert_eq!(overflowing(0.9 * MIB, MIB / 8.0, MIB, 8), 0.0);
        assert_eq!(overflowing(1.1 * MIB, MIB / 8.0, MIB, 8), 1.0);
    }

    #[test]
    fn a_planted_capacity_is_found() {
        for (capacity, ways) in [(0.5 * MIB, 8), (1.25 * MIB, 20), (2.0 * MIB, 16)] {
            let curve: Vec<CurvePoint> = (0..13)
                .map(|i| 0.125 * MIB * (f64::from(i) / 2.0).exp2())
                .map(|x| {
                    let ns = 4.0 + 11.0 * overflowing(x, PAGE, capacity, ways);
                    CurvePoint::new(x, ns, ns * 0.99, ns * 1.01)
                })
                .collect();
            let found = fit_overflow(&curve, PAGE).expect("a rise");
            let off = found.capacity_bytes / capacity;
            assert!((0.75..1.33).contains(&off), "{found:?}");
            assert!(
                found.low_bytes <= capacity && capacity <= found.high_bytes,
                "{found:?}"
            );
        }
    }

    /// Share of the lines that miss in one draw: each page falls on a group, and a group with more
    /// pages than ways misses on all of its own.
    fn one_draw(pages: usize, groups: usize, ways: usize, random: &mut Rng) -> f64 {
        let mut on = vec![0; groups];
        (0..pages).for_each(|_| on[random.below(groups)] += 1);
        let missing: usize = on.iter().filter(|n| **n > ways).sum();
        missing as f64 / pages as f64
    }

    #[test]
    fn draws_of_few_pages_differ_as_much_as_is_said() {
        let mut random = Rng::new(7);
        for (pages, groups, ways) in [(56, 8, 8), (200, 16, 16), (2000, 128, 16)] {
            let all: Vec<f64> = (0..4000)
                .map(|_| one_draw(pages, groups, ways, &mut random))
                .collect();
            let mean = all.iter().sum::<f64>() / 4000.0;
            let squares = all.iter().map(|s| (s - mean).powi(2)).sum::<f64>();
            let seen = (squares / 4000.0).sqrt();
            let bytes = PAGE * (groups * ways) as f64;
            let cache = Cache::new(bytes, ways as u32, Evicts::LeastRecentlyUsed);
            let said = cache.deviation(PAGE * pages as f64, PAGE);
            assert!((0.9..1.1).contains(&(said / seen)), "{said} {seen}");
        }
    }

    #[test]
    fn a_draw_of_few_pages_misfits_and_is_no_less_a_rise_of_overflow() {
        let mut random = Rng::new(3);
        let mut drawn = |groups: usize, ways: usize| {
            let full = groups * ways;
            let curve: Vec<CurvePoint> = (0..13)
                .map(|i| (full as f64 / 4.0 * (f64::from(i) / 3.0).exp2()).round())
                .map(|pages| {
                    let pages_whole = crate::whole(pages) as usize;
                    let ns = 8.0 + 140.0 * one_draw(pages_whole, groups, ways, &mut random);
                    CurvePoint::new(pages * PAGE, ns, ns * 0.99, ns * 1.01)
                })
                .collect();
            fit_overflow(&curve, PAGE).expect("a rise")
        };
        let of = |fits: &[Overflow], pages: f64| {
            let far = fits.iter().filter(|f| f.misfit > 0.1).count();
            let too_far = fits
                .iter()
                .filter(|f| f.misfit > 0.1f64.hypot(f.drawn))
                .count();
            let open = |f: &&Overflow| (f.low_bytes..=f.high_bytes).contains(&(pages * PAGE));
            [far, too_far, fits.iter().filter(open).count()]
        };
        let few: Vec<Overflow> = (0..40).map(|_| drawn(8, 8)).collect();
        // Without what the draw makes 6 of 40 would pass, and 17 of the bounds hold the capacity.
        let [far, too_far, open] = of(&few, 64.0);
        assert!(
            far >= 30 && too_far <= 10 && open >= 28,
            "{far} {too_far} {open}"
        );
        let many: Vec<Overflow> = (0..10).map(|_| drawn(512, 16)).collect();
        assert_eq!(of(&many, 8192.0), [0, 0, 10]);
    }

    #[test]
    fn a_flat_curve_and_too_few_points_have_none() {
        let flat: Vec<CurvePoint> = (1..9)
            .map(|i| CurvePoint::new(f64::from(i), 4.0, 3.9, 4.1))
            .collect();
        let found = fit_overflow(&flat, 1.0 / 4096.0);
        assert!(
            found.is_none_or(|f| f.behind < 1.01 * f.before),
            "{found:?}"
        );
        assert_eq!(fit_overflow(&flat[..3], PAGE), None);
    }
}
