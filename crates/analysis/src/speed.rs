//! Whether the CPU was as fast as usual while a sample was taken.
//!
//! What is usual is what the run met most: the median, over its points, of what the yardstick
//! read of a CPU. Not the fastest: a core that runs faster for the first seconds would
//! condemn the rest of the run.

use record::{Sample, Yardstick};
use serde::{Deserialize, Serialize};
use stats::quantile::MAD_TO_SIGMA;
use std::collections::BTreeMap;

/// A cycle that differs by so much from the usual one is named ...
pub const PACE_TOLERATED: f64 = 0.03;
/// ... and by so many standard deviations of the reading.
const SIGMAS: f64 = 5.0;
/// Speeds of two runs that differ by less are the same: the yardstick resolves no less.
pub const RESOLVED: f64 = 0.01;
/// Another thread takes a tenth of the core's adders and more, or it is not there.
pub const BURST_TOLERATED: f64 = 0.10;

/// The speed of one CPU over a run.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct CpuSpeed {
    pub cpu: u16,
    /// Usual time of one addition in a chain, ns: a cycle.
    pub link_ns: f64,
    /// Usual time of one of many additions, ns.
    pub burst_ns: f64,
    /// Standard deviation of a reading, as a share of it.
    pub noise_share: f64,
    /// Share of the samples in which the CPU ran slower or faster than usual, or another
    /// thread had a part of it, 0..=1.
    pub unusual_share: f64,
    /// Samples with a reading.
    pub samples: u64,
}

/// How fast a CPU was, against what is usual.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Pace {
    Usual,
    /// By this share longer is a cycle.
    Slower(f64),
    Faster(f64),
    /// By this share longer takes a burst, measured in cycles.
    Shared(f64),
}

/// What is usual of each CPU of a run.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Usual(BTreeMap<u16, CpuSpeed>);

/// What the yardstick read around the samples of one point, by CPU, in order.
pub type Readings = BTreeMap<u16, Vec<Yardstick>>;

/// The readings of one point.
pub fn readings(point: &[Sample]) -> Readings {
    let mut found = Readings::new();
    for sample in point.iter().filter(|s| s.metric == 0) {
        if let Some(reading) = sample.yardstick {
            found.entry(sample.cpu).or_default().push(reading);
        }
    }
    found
}

impl Usual {
    /// Of the samples of each point.
    pub fn of<'a>(points: impl Iterator<Item = &'a [Sample]>) -> Usual {
        Usual::of_readings(&points.map(readings).collect::<Vec<_>>())
    }

    /// Of the readings of each point.
    pub fn of_readings(points: &[Readings]) -> Usual {
        let mut medians: BTreeMap<u16, Vec<Yardstick>> = BTreeMap::new();
        for (cpu, readings) in points.iter().flatten() {
            medians.entry(*cpu).or_default().push(median(readings));
        }
        let speed = |(cpu, of_points): (u16, Vec<Yardstick>)| {
            let usual = median(&of_points);
            let speed = CpuSpeed {
                cpu,
                link_ns: usual.link_ns,
                burst_ns: usual.burst_ns,
                noise_share: noise(points, cpu),
                unusual_share: 0.0,
                samples: 0,
            };
            (cpu, speed)
        };
        let mut usual = Usual(medians.into_iter().map(speed).collect());
        usual.count(points);
        usual
    }

    /// Of each CPU that has a reading.
    pub fn speeds(&self) -> impl Iterator<Item = &CpuSpeed> {
        self.0.values()
    }

    /// How fast the CPU was around a sample; None without a reading.
    pub fn pace(&self, sample: &Sample) -> Option<Pace> {
        self.pace_of(sample.cpu, sample.yardstick?)
    }

    fn pace_of(&self, cpu: u16, reading: Yardstick) -> Option<Pace> {
        let usual = self.0.get(&cpu)?;
        let tolerated = PACE_TOLERATED.max(SIGMAS * usual.noise_share);
        let longer = reading.link_ns / usual.link_ns - 1.0;
        let in_cycles = reading.burst_ns / reading.link_ns;
        let shared = in_cycles / (usual.burst_ns / usual.link_ns) - 1.0;
        // Another thread slows a chain as well, by less; a slow clock leaves their ratio alone.
        let pace = match longer {
            by if by.is_finite() && shared > BURST_TOLERATED => Pace::Shared(shared),
            by if by > tolerated => Pace::Slower(by),
            by if by < -tolerated => Pace::Faster(-by),
            by if by.is_finite() => Pace::Usual,
            _ => return None,
        };
        Some(pace)
    }

    fn count(&mut self, points: &[Readings]) {
        let mut counts: BTreeMap<u16, (u64, u64)> = BTreeMap::new();
        for (cpu, readings) in points.iter().flatten() {
            for pace in readings.iter().filter_map(|r| self.pace_of(*cpu, *r)) {
                let (unusual, all) = counts.entry(*cpu).or_default();
                *unusual += u64::from(pace != Pace::Usual);
                *all += 1;
            }
        }
        for (cpu, (unusual, all)) in counts {
            if let Some(speed) = self.0.get_mut(&cpu) {
                speed.samples = all;
                speed.unusual_share = unusual as f64 / all as f64;
            }
        }
    }
}

fn median(readings: &[Yardstick]) -> Yardstick {
    let of = |field: fn(&Yardstick) -> f64| {
        stats::median(&readings.iter().map(field).collect::<Vec<_>>()).unwrap_or(f64::NAN)
    };
    Yardstick {
        link_ns: of(|r| r.link_ns),
        burst_ns: of(|r| r.burst_ns),
    }
}

/// Of one reading: from the differences of one to the next, which no drift and no step is in.
fn noise(points: &[Readings], cpu: u16) -> f64 {
    let mut steps = Vec::new();
    for readings in points.iter().filter_map(|point| point.get(&cpu)) {
        let pairs = readings.windows(2);
        steps.extend(pairs.map(|pair| pair[1].link_ns / pair[0].link_ns - 1.0));
    }
    let deviation = stats::median_absolute_deviation(&steps).unwrap_or(0.0);
    MAD_TO_SIGMA * deviation / std::f64::consts::SQRT_2
}
