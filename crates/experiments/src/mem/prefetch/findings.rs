//! What the load after a run says of prefetching.

use super::{AGAIN, KEPT, LONG, RANDOM, SCATTERED, UP, USUAL_LINE};
use crate::quantities::prefetch::{LINES, SPARED, replayed, spared};
use analysis::claims::{Outcome, Quoted, all};
use analysis::conclusion::Conclusion;
use analysis::inference::Answer;
use analysis::staircase::Reading;
use analysis::{ExperimentTable, PointView};
use catalogue::Claim;
use record::{Finding, MachineCard, Unit};
use stats::Interval;

/// Claims of `mem/prefetch`.
pub const CLAIMS: &[Claim] = &[Claim {
    text: "a load after a run in order takes no longer than after one at random",
    check: order_never_hurts,
}];

/// Share by which a time may differ without contradicting a claim.
const ALLOWED: f64 = 0.1;

/// Whether a random order that comes back is foreseen.
pub fn findings(table: &ExperimentTable, _: &MachineCard) -> Vec<Finding> {
    coming_back(table).into_iter().map(again).collect()
}

fn again([again, fresh, kept]: [Interval; 3]) -> Finding {
    let [share, low, high] = share(again, fresh, kept);
    let times = format!(
        "the load after {LONG} takes {:.0} ns in an order that comes back, {:.0} in a new one",
        again.center, fresh.center
    );
    let order = "a random order of loads that comes back";
    let said = match () {
        () if low > SPARED => format!("{order} is foreseen"),
        () if high < SPARED => format!("{order} is not foreseen"),
        () => {
            let why = format!("whether {order} is foreseen is not clear: {times}");
            return Conclusion::undecided("replayed", Unit::Ratio, why);
        }
    };
    Conclusion::on("replayed")
        .redrawn_value(Unit::Ratio, 0.95, Interval::resampled(share, low, high))
        .say(format!("{said}: {times}"))
}

/// In a random order that comes back, in a new one, and with the line in a cache.
fn coming_back(table: &ExperimentTable) -> Option<[Interval; 3]> {
    let of = |order| after_the_longest(table, USUAL_LINE, order);
    Some([of(AGAIN)?, of(SCATTERED)?, of(KEPT)?])
}

/// Which share of a miss the load after the longest run is spared, at each distance that lines
/// may have, and by an order that comes back.
pub fn answers(table: &ExperimentTable, _: &MachineCard) -> Vec<Answer> {
    let of = |stride: &i64| {
        let [up, random, kept] =
            [UP, RANDOM, KEPT].map(|order| after_the_longest(table, *stride, order));
        spared(*stride as f64, share(up?, random?, kept?))
    };
    let foreseen = coming_back(table).map(|[again, fresh, kept]| share(again, fresh, kept));
    let in_order = LINES.iter().filter_map(of);
    in_order.chain(foreseen.map(replayed)).collect()
}

/// 0: as slow as at random; 1: as fast as one whose line was there.
fn share(up: Interval, random: Interval, kept: Interval) -> [f64; 3] {
    let most = (random.high - kept.low).max(f64::MIN_POSITIVE);
    let whole = (random.center - kept.center).max(f64::MIN_POSITIVE);
    [
        (random.center - up.center) / whole,
        (random.low - up.high) / most,
        (random.high - up.low) / (random.low - kept.high).max(whole / 2.0),
    ]
}

fn after_the_longest(table: &ExperimentTable, stride: i64, order: &str) -> Option<Interval> {
    let mut of_order = table.measured([("order", order)]);
    let at = |axis, value| move |p: &&PointView| p.int(axis) == Some(value);
    let point = of_order.find(|p| at("stride", stride)(p) && at("run", LONG)(p))?;
    Some(Reading::Median.of(LONG as f64, point.primary()?).y)
}

fn order_never_hurts(table: &ExperimentTable) -> Option<Outcome> {
    let up = table.measured([("order", UP)]);
    all(up.filter_map(|up| {
        let mut others = table.measured([("order", RANDOM)]);
        let at = |axis| up.int(axis);
        let random =
            others.find(|p| ["stride", "run"].iter().all(|axis| p.int(axis) == at(axis)))?;
        let named = |what: &str| format!("{what}, {} apart ", up.bytes("stride"));
        let in_order = Quoted::latency(up)?.named(named("in order"));
        let random = Quoted::latency(random)?.named(named("at random"));
        Some(in_order.at_most(random).allowing(ALLOWED))
    }))
}
