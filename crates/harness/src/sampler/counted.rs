//! What was counted around the batches of a point, and what counting did to their time.

use super::Bench;
use super::cell::{Cell, Raw};
use super::row::Taker;
use crate::counters::{Counted, Judged};
use record::{ON_COUNTERS, Sample};

/// Batches of each kind in a block A B B A.
const OF_BLOCK: usize = 2;

/// What the batches of a point's primary part counted, behind metric `first`, and what is to be
/// said of it. Counts have no times of their own; a batch in which an event was not counted
/// has no sample of it.
pub fn taken(
    primary: &Cell,
    first: u16,
    bench: &Bench<'_>,
    taker: &Taker<'_>,
) -> (Vec<Sample>, Vec<String>) {
    let Some(counters) = &bench.counters else {
        return Default::default();
    };
    // Counters that cost nothing count along with the times.
    let along = primary.raws.iter();
    let along = along.filter(|raw| !raw.counted.values.is_empty());
    let raws: Vec<&Raw> = primary.counted.iter().chain(along).collect();
    let batches: Vec<(u64, &Counted)> = raws.iter().map(|raw| (raw.ops, &raw.counted)).collect();
    let judged = counters.judge(&batches);
    let of = |raw: &&Raw| counts(raw, first, &judged, taker);
    let mut samples: Vec<Sample> = raws.iter().flat_map(of).collect();
    let mut notes: Vec<String> = partly_counted(&raws).into_iter().collect();
    notes.extend(judged.notes.iter().cloned());
    if let Some([effect, time]) = judged.times {
        let place = |at: usize| first.saturating_add(u16::try_from(at).unwrap_or(u16::MAX));
        let times = primary.counted.iter();
        samples.extend(times.map(|raw| taker.sample(place(time), raw)));
        samples.extend(effects(primary, place(effect), taker));
    }
    (samples, notes)
}

fn counts(raw: &Raw, first: u16, judged: &Judged, taker: &Taker<'_>) -> Vec<Sample> {
    let values = (first..).zip(raw.counted.values.iter().enumerate());
    let given = values.filter(|(_, (place, _))| !judged.withheld.contains(place));
    given
        .filter_map(|(metric, (_, value))| Some(taker.counted(metric, raw, (*value)?)))
        .collect()
}

/// Time with counters over time without, a value for each block A B B A: linear drift falls
/// on both alike. None where a time is not above 0.
fn effects(primary: &Cell, metric: u16, taker: &Taker<'_>) -> Vec<Sample> {
    let without = primary.raws.chunks_exact(OF_BLOCK);
    let blocks = without.zip(primary.counted.chunks_exact(OF_BLOCK));
    let of = |(without, with): (&[Raw], &[Raw])| {
        // The difference of the logarithms: the ratio that a linear drift leaves alone.
        let log = |raws: &[Raw]| -> f64 { raws.iter().map(|raw| raw.value().ln()).sum() };
        let value = ((log(with) - log(without)) / OF_BLOCK as f64).exp();
        let last = &with[OF_BLOCK - 1];
        value
            .is_finite()
            .then(|| taker.counted(metric, last, value))
    };
    blocks.filter_map(of).collect()
}

/// Says in how many batches the group was not on the counters all the time.
fn partly_counted(raws: &[&Raw]) -> Option<String> {
    let shares = raws.iter().filter_map(|r| r.counted.share);
    let partly: Vec<f64> = shares.filter(|s| *s < 1.0).collect();
    let least = partly.iter().copied().filter(|s| *s > 0.0);
    let scaled = least.clone().count();
    let never = partly.len() - scaled;
    let all = raws.len();
    let mut notes = Vec::new();
    if scaled > 0 {
        notes.push(format!(
            "scaled up in {scaled} of {all} samples (counted for at least {:.0} % of the time)",
            least.fold(1.0, f64::min) * 100.0
        ));
    }
    if never > 0 {
        notes.push(format!(
            "not counted in {never} of {all} samples (another process holds the counters; the NMI \
             watchdog: sudo sysctl kernel.nmi_watchdog=0)"
        ));
    }
    (!notes.is_empty()).then(|| format!("{ON_COUNTERS}of the processor: {}", notes.join(", ")))
}
