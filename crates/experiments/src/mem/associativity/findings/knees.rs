//! How many lines fit at each distance, and what the numbers of all distances say together.

use super::Curve;
use analysis::Interval;
use record::axis::human_bytes;
use stats::CurvePoint;

/// Two levels differ by this factor at least.
const APART: f64 = 1.3;
/// A curve begins to rise where it is this share of the way to the next level. One line too
/// many of 16 costs 6 % of the way where any line may be evicted, and all of it where the one
/// that was used longest ago is.
const BEGINS: f64 = 0.04;
/// The next larger number stays up there, and so does this share of all larger ones: now and then
/// a chain that comes back is foreseen.
const MOST: f64 = 0.75;
/// Further on it comes so far. It need not stay there: where a chain that comes back is
/// foreseen, more lines may be faster.
const ARRIVES: f64 = 0.5;
/// But not where no more lines were measured than so many times those that do not fit.
const SOON: f64 = 1.5;
/// So many lines at `SECOND_LEVEL` overflow every first cache (128 KiB hold 32), and no
/// second one (256 KiB hold 64).
const MANY: f64 = 40.0;
const SECOND_LEVEL: f64 = 4096.0;
/// What they span, which every second cache holds.
const MANY_BYTES: f64 = (MANY + 1.0) * SECOND_LEVEL;
/// Twice as many fit, as far as numbers of lines are measured.
const LEAST_DOUBLE: f64 = 1.75;
const MOST_DOUBLE: f64 = 2.25;
/// Points that show a level.
const FEWEST: usize = 5;
/// From this distance on so many lines overflow every second cache (up to 10 MiB).
const BEHIND_SECOND: f64 = (256 << 10) as f64;
/// So few lines fit in any first cache.
const FEW: f64 = 2.0;

/// Times of a hit in the first cache, in the second, and behind it, ns.
pub struct Levels {
    at: Vec<Interval>,
}

impl Levels {
    /// Read off where lines must hit each of them.
    ///
    /// # Errors
    /// Why the first two cannot be distinguished.
    pub fn of(curves: &[Curve]) -> Result<Levels, String> {
        let level = |of: &dyn Fn(&Curve) -> bool, lines: &dyn Fn(f64) -> bool| {
            let chosen = curves.iter().filter(|c| of(c));
            let points = chosen.flat_map(|c| c.points.iter().filter(|p| lines(p.x)));
            middle(&points.copied().collect::<Vec<_>>())
        };
        let first = level(&|_| true, &|lines| lines <= FEW);
        let second = level(&|c| c.stride_bytes == SECOND_LEVEL, &|lines| lines >= MANY);
        let (Some(first), Some(second)) = (first, second) else {
            return Err("the points that it needs were not measured".to_owned());
        };
        if second.center < APART * first.center {
            return Err("up to 41 lines of one set cost no more than spread ones".to_owned());
        }
        // Of the distances at which the second cache overflows the fastest: at large ones a third
        // may overflow too.
        let far = curves.iter().map(|c| c.stride_bytes);
        let far = far.filter(|stride| *stride >= BEHIND_SECOND);
        let behind = far
            .filter_map(|stride| level(&|c| c.stride_bytes == stride, &|lines| lines >= MANY))
            .filter(|behind| behind.center >= APART * second.center)
            .min_by(|a, b| a.center.total_cmp(&b.center));
        let mut found = Levels {
            at: [first, second].into_iter().chain(behind).collect(),
        };
        found.at[1] = found.second_at_rest(curves).unwrap_or(second);
        Ok(found)
    }

    /// The time of the second cache: the median over all points whose lines are twice as many as
    /// fit the first, and span no more than every second cache holds. Pages that fall on the same sets
    /// of it move only a few of these points. None where they are too few.
    fn second_at_rest(&self, curves: &[Curve]) -> Option<Interval> {
        let on = |c: &Curve| {
            let fits = self.knee(0, c)?.too_many;
            let most = MANY_BYTES / c.stride_bytes;
            let all = c.points.iter().filter(|p| p.x >= 2.0 * fits && p.x <= most);
            Some(all.copied().collect::<Vec<_>>())
        };
        let all: Vec<CurvePoint> = curves.iter().filter_map(on).flatten().collect();
        (all.len() >= FEWEST).then(|| middle(&all))?
    }

    /// Each level with its number, from 0.
    pub fn times(&self) -> Vec<(usize, Interval)> {
        self.at.iter().copied().enumerate().collect()
    }

    /// Where a curve leaves a level. None where it does so too early or never, or where the
    /// next level is not known.
    pub fn knee(&self, level: usize, curve: &Curve) -> Option<Knee> {
        let (low, high) = (self.at.get(level)?.center, self.at.get(level + 1)?.center);
        let share = |p: &CurvePoint| (p.y.center - low) / (high - low);
        let risen = curve.points.iter().position(|p| share(p) >= BEGINS)?;
        let last = curve.points.get(risen.checked_sub(1)?)?;
        let beyond = &curve.points[risen..];
        let up = beyond.iter().filter(|p| share(p) >= BEGINS).count();
        let next = beyond.get(1).is_none_or(|p| share(p) >= BEGINS);
        let lasts = next && up as f64 >= MOST * beyond.len() as f64;
        let arrives = beyond.iter().any(|p| share(p) >= ARRIVES);
        let ends_soon = beyond.last()?.x <= SOON * beyond[0].x;
        Some(Knee {
            stride_bytes: curve.stride_bytes,
            fit: last.x,
            too_many: curve.points[risen].x,
            clear: lasts && (arrives || ends_soon),
        })
    }

    /// Ways of the first cache, where they are known.
    pub fn first_ways(&self, curves: &[Curve]) -> Option<u32> {
        let knees: Vec<Knee> = curves.iter().filter_map(|c| self.knee(0, c)).collect();
        Fits::of(&knees).ways().ok().map(|(ways, _)| ways)
    }
}

/// The middle of some points, with the middles of their bounds.
fn middle(points: &[CurvePoint]) -> Option<Interval> {
    let of = |end: fn(&CurvePoint) -> f64| {
        let all: Vec<f64> = points.iter().map(end).collect();
        stats::median(&all).ok()
    };
    let (center, low, high) = (of(|p| p.y.center)?, of(|p| p.y.low)?, of(|p| p.y.high)?);
    Some(Interval::resampled(center, low, high))
}

/// Where a curve leaves a level.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Knee {
    pub stride_bytes: f64,
    /// Lines that fit, and the next number that was measured.
    pub fit: f64,
    pub too_many: f64,
    /// From there on it rises, to the next level.
    pub clear: bool,
}

/// Distances at which the number that fits is known exactly, the smallest first.
pub struct Fits {
    known: Vec<(f64, f64)>,
    /// All that are clear: what fits, and what no longer does.
    clear: Vec<Knee>,
    unclear: usize,
}

impl Fits {
    /// Of the knees of one level.
    pub fn of(knees: &[Knee]) -> Fits {
        let exact = |k: &&Knee| k.clear && k.too_many == k.fit + 1.0;
        let known = knees.iter().filter(exact).map(|k| (k.stride_bytes, k.fit));
        Fits {
            known: known.collect(),
            clear: knees.iter().filter(|k| k.clear).copied().collect(),
            unclear: knees.iter().filter(|k| !k.clear).count(),
        }
    }

    fn none(&self) -> String {
        match self.unclear {
            0 => "no two distances show where lines no longer fit".to_owned(),
            _ => "with more lines than fit the time does not stay up, so the number that fits is \
                  not clear (others use the sets, or sets are not where the address says)"
                .to_owned(),
        }
    }

    /// Neighbouring distances, one twice the other.
    fn doubled(&self) -> impl Iterator<Item = ((f64, f64), (f64, f64))> + '_ {
        let pairs = self.known.windows(2).map(|w| (w[0], w[1]));
        pairs.filter(|(a, b)| b.0 == 2.0 * a.0)
    }

    /// What fits times the distance, where doubling the distance halves what fits.
    ///
    /// # Errors
    /// Why it is not known.
    pub fn capacity_bytes(&self) -> Result<f64, String> {
        let halved = self.doubled().filter(|(a, b)| a.1 == 2.0 * b.1);
        let mut products: Vec<f64> = halved.map(|(a, _)| a.0 * a.1).collect();
        products.dedup();
        match products.as_slice() {
            [] => Err(self.none()),
            [one] => Ok(*one),
            several => Err(format!(
                "different distances give {} and {}",
                human_bytes(stats::whole(several[0])),
                human_bytes(stats::whole(several[1]))
            )),
        }
    }

    /// The number that fits where it no longer halves, and the first such distance.
    ///
    /// # Errors
    /// Why it is not known.
    pub fn ways(&self) -> Result<(u32, f64), String> {
        let stays = self.doubled().find(|(a, b)| a.1 == b.1);
        let Some(((stride, ways), _)) = stays else {
            return Err(self.none());
        };
        let beyond = self.known.iter().filter(|(s, _)| *s >= stride);
        if beyond.into_iter().any(|(_, fit)| *fit != ways) {
            return Err("at larger distances other numbers fit".to_owned());
        }
        // One line too many of 33 may not show where victims are drawn at random.
        let before = self.clear.iter().find(|k| k.stride_bytes == stride / 2.0);
        match before.map(|k| k.fit / ways) {
            Some(ratio) if (LEAST_DOUBLE..=MOST_DOUBLE).contains(&ratio) => Ok((
                u32::try_from(stats::whole(ways)).unwrap_or(u32::MAX),
                stride,
            )),
            _ => Err("at half the distance not twice as many fit".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Fits, Knee};

    fn knees(all: &[(f64, f64)]) -> Vec<Knee> {
        let knee = |(stride_bytes, fit): &(f64, f64)| Knee {
            stride_bytes: *stride_bytes,
            fit: *fit,
            too_many: fit + 1.0,
            clear: true,
        };
        all.iter().map(knee).collect()
    }

    #[test]
    fn what_fits_halves_until_it_is_the_ways() {
        let of = knees(&[(1024.0, 32.0), (2048.0, 16.0), (4096.0, 8.0), (8192.0, 8.0)]);
        let fits = Fits::of(&of);
        assert_eq!(fits.capacity_bytes(), Ok(32768.0));
        assert_eq!(fits.ways(), Ok((8, 4096.0)));
    }

    #[test]
    fn what_is_not_measured_or_contradicts_itself_is_not_said() {
        let of = |all: &[(f64, f64)]| Fits::of(&knees(all));
        assert!(of(&[(4096.0, 8.0)]).ways().is_err());
        assert!(of(&[(4096.0, 8.0), (8192.0, 8.0)]).ways().is_err());
        assert!(
            of(&[(4096.0, 8.0), (8192.0, 8.0)])
                .capacity_bytes()
                .is_err()
        );
        let odd = [
            (1024.0, 32.0),
            (2048.0, 16.0),
            (4096.0, 10.0),
            (8192.0, 5.0),
        ];
        assert!(of(&odd).capacity_bytes().unwrap_err().contains("different"));
        let ramp = Knee {
            clear: false,
            ..knees(&[(4096.0, 8.0)])[0]
        };
        assert!(
            Fits::of(&[ramp, ramp])
                .ways()
                .unwrap_err()
                .contains("not clear")
        );
    }
}
