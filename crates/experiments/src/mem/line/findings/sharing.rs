//! What additions of two CPUs to one word, and a word that one hands to the other, say of what
//! they share.

use crate::quantities::sharing::{CONTENDED, HANDED, ONE_CACHE, ONE_CORE};
use analysis::inference::Answer;
use stats::{CurvePoint, Interval};

/// An addition to a word that two cores add to takes so many times one in the own cache ...
const CORES: f64 = 4.0;
/// ... and so many times at most where two threads of a core do.
pub const THREADS: f64 = 2.5;
/// What a load takes more than a hit of the first cache, as a share of what memory takes
/// more: less than the first is no more, more than the second is another cache.
const HIT: [f64; 2] = [0.01, 0.03];
/// The same of a word that comes from memory itself, or from a cache before it.
const MEMORY: [f64; 2] = [0.7, 0.9];
/// The same of an addition to a word that goes to and fro.
const TO_AND_FRO: [f64; 2] = [0.7, 1.2];

/// The curves that tell it: additions of two CPUs, words handed over, single loads.
pub struct Curves<'a> {
    pub contended: &'a [CurvePoint],
    pub handed: &'a [CurvePoint],
    pub brought: &'a [CurvePoint],
}

/// What they say of a core and a cache in common.
pub fn answers(curves: &Curves<'_>) -> Vec<Answer> {
    let (Some(hit), Some(miss)) = (near(curves.brought), far(curves.brought)) else {
        return contended_core(curves).into_iter().collect();
    };
    let memory = less(&miss, &hit);
    let mut all: Vec<Answer> = contended_core(curves).into_iter().collect();
    if let Some(addition) = near(curves.contended) {
        let to_and_fro = share(whole(&addition), memory);
        all.push(either(ONE_CACHE.key, CONTENDED, to_and_fro, TO_AND_FRO));
    }
    if let (Some(handed), Some(not)) = (near(curves.handed), far(curves.handed)) {
        let more = less(&handed, &hit);
        let core = share(more, memory);
        all.push(either(ONE_CORE.key, HANDED, core, HIT));
        let cache = share(more, less(&not, &hit));
        all.push(either(ONE_CACHE.key, HANDED, cache, MEMORY));
    }
    all
}

fn near(points: &[CurvePoint]) -> Option<Interval> {
    points.first().map(|p| p.y)
}

fn far(points: &[CurvePoint]) -> Option<Interval> {
    points.last().map(|p| p.y)
}

/// A figure between its ends.
type Figure = [f64; 3];

/// What one takes more than the other.
fn less(a: &Interval, b: &Interval) -> Figure {
    [a.low - b.high, a.center - b.center, a.high - b.low]
}

fn whole(of: &Interval) -> Figure {
    [of.low, of.center, of.high]
}

/// One as a share of the other.
fn share([low, center, high]: Figure, of: Figure) -> Figure {
    let [least, middle, most] = of.map(|figure| figure.max(f64::MIN_POSITIVE));
    [low / most, center / middle, high / least]
}

/// Yes where the figure lies below the first border and no end of it above the second; no the
/// other way round.
fn either(
    quantity: &'static str,
    method: &'static str,
    [low, center, high]: Figure,
    [yes, no]: [f64; 2],
) -> Answer {
    match () {
        () if center < yes && high < no => Answer::exactly(quantity, method, 1.0),
        () if center > no && low > yes => Answer::exactly(quantity, method, 0.0),
        () => {
            let why = format!(
                "it takes {:.0} to {:.0} % of what it is held against, neither clearly below \
                 {:.0} % nor clearly above {:.0} %",
                100.0 * low,
                100.0 * high,
                100.0 * yes,
                100.0 * no
            );
            Answer::nothing(quantity, method, why)
        }
    }
}

fn contended_core(curves: &Curves<'_>) -> Option<Answer> {
    let (one, two) = (near(curves.contended)?, far(curves.contended)?);
    let times = share(whole(&one), whole(&two));
    Some(either(ONE_CORE.key, CONTENDED, times, [THREADS, CORES]))
}

#[cfg(test)]
mod tests {
    use super::{Curves, answers};
    use analysis::inference::{Answer, Says};
    use stats::CurvePoint;

    fn two(near: f64, far: f64) -> [CurvePoint; 2] {
        [(8.0, near), (512.0, far)].map(|(x, y)| CurvePoint::new(x, y, y / 1.01, y * 1.01))
    }

    /// What is said of the core and of the cache by each method: 1, 0, or nothing.
    fn said(contended: [f64; 2], handed: [f64; 2]) -> Vec<(String, Option<f64>)> {
        let of = |[near, far]: [f64; 2]| two(near, far);
        let curves = Curves {
            contended: &of(contended),
            handed: &of(handed),
            brought: &two(15.0, 165.0),
        };
        let value = |a: &Answer| match a.says {
            Says::Value { value, .. } => Some(value),
            Says::Nothing(_) => None,
        };
        let name = |a: &Answer| format!("{} {}", a.quantity, a.method);
        answers(&curves)
            .iter()
            .map(|a| (name(a), value(a)))
            .collect()
    }

    fn of(said: &[(String, Option<f64>)], name: &str) -> Option<f64> {
        said.iter().find(|(n, _)| n == name).expect("said").1
    }

    #[test]
    fn cores_on_one_cache_threads_of_a_core_and_distant_cores_are_told_apart() {
        let near = said([41.0, 4.4], [60.0, 165.0]);
        assert_eq!(of(&near, "one_core contended"), Some(0.0));
        assert_eq!(of(&near, "one_core handed"), Some(0.0));
        assert_eq!(of(&near, "one_cache contended"), Some(1.0));
        assert_eq!(of(&near, "one_cache handed"), Some(1.0));
        let threads = said([9.0, 4.4], [15.0, 165.0]);
        assert_eq!(of(&threads, "one_core contended"), Some(1.0));
        assert_eq!(of(&threads, "one_core handed"), Some(1.0));
        let distant = said([230.0, 4.4], [166.0, 165.0]);
        assert_eq!(of(&distant, "one_core contended"), Some(0.0));
        assert_eq!(of(&distant, "one_cache contended"), Some(0.0));
        assert_eq!(of(&distant, "one_cache handed"), Some(0.0));
    }

    #[test]
    fn a_partner_that_is_away_now_and_then_hides_nothing() {
        // Its middle is clear, and no end of it on the other side.
        let additions = [
            CurvePoint::new(8.0, 41.0, 15.0, 44.0),
            CurvePoint::new(512.0, 4.4, 4.3, 4.5),
        ];
        let curves = Curves {
            contended: &additions,
            handed: &two(60.0, 165.0),
            brought: &two(15.0, 165.0),
        };
        let all = answers(&curves);
        let core = all.iter().find(|a| a.quantity == "one_core").expect("said");
        assert_eq!(*core, Answer::exactly("one_core", "contended", 0.0));
    }

    #[test]
    fn what_lies_between_is_not_answered() {
        let between = said([14.0, 4.4], [135.0, 165.0]);
        assert_eq!(of(&between, "one_core contended"), None);
        assert_eq!(of(&between, "one_cache handed"), None);
    }
}
