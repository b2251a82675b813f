//! What a yardstick is worth on this machine.

use super::gauge::{Gauge, Registers};
use crate::clock::Clock;
use record::YardstickHead;
use stats::quantile::MAD_TO_SIGMA;

/// Readings one behind the other: under a millisecond.
const READINGS: usize = 200;

/// The yardstick's readings, cost and noise on the calling CPU; None where this instruction
/// set has none.
pub fn test(clock: &dyn Clock, resolution_ns: f64) -> Option<YardstickHead> {
    let mut gauge = Registers::fit(clock, resolution_ns)?;
    let readings: Vec<_> = (0..READINGS).map(|_| gauge.read(clock)).collect();
    let links: Vec<f64> = readings.iter().map(|r| r.link_ns).collect();
    let bursts: Vec<f64> = readings.iter().map(|r| r.burst_ns).collect();
    let link_ns = stats::median(&links).unwrap_or(f64::NAN);
    let deviation = stats::median_absolute_deviation(&links).unwrap_or(f64::NAN);
    Some(YardstickHead {
        link_ns,
        burst_ns: stats::median(&bursts).unwrap_or(f64::NAN),
        product_ns: gauge.product_ns(clock),
        cost_ns: gauge.cost_ns(),
        noise_share: MAD_TO_SIGMA * deviation / link_ns,
    })
}
