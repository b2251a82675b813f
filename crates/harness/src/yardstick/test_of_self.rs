//! What a yardstick is worth on this machine.

use super::gauge::{Gauge, Registers};
use crate::clock::Clock;
use record::YardstickHead;
use stats::quantile::MAD_TO_SIGMA;

/// Readings one behind the other: about a millisecond.
const READINGS: usize = 200;

/// The yardstick's readings, cost and noise on the calling CPU; None where this instruction
/// set has none.
pub fn test(clock: &dyn Clock, resolution_ns: f64) -> Option<YardstickHead> {
    let mut gauge = Registers::fit(clock, resolution_ns)?;
    let (mut links, mut bursts, mut cycles) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..READINGS {
        let reading = gauge.read(clock);
        links.push(reading.link_ns);
        bursts.push(reading.burst_ns);
        // In turn: the core may change its clock meanwhile.
        cycles.push(gauge.product_ns(clock) / reading.link_ns);
    }
    let median = |values: &[f64]| stats::median(values).unwrap_or(f64::NAN);
    let link_ns = median(&links);
    let deviation = stats::median_absolute_deviation(&links).unwrap_or(f64::NAN);
    // Two readings of the clock, each rounded to its step: a triangle of twice that width.
    let rounding_ns = gauge.step_of_link_ns(resolution_ns) / 6f64.sqrt();
    Some(YardstickHead {
        link_ns,
        burst_ns: median(&bursts),
        product_ns: median(&cycles) * link_ns,
        cost_ns: gauge.cost_ns(),
        noise_share: (MAD_TO_SIGMA * deviation).hypot(rounding_ns) / link_ns,
    })
}
