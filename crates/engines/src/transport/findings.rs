//! Findings of a sweep over the message size: its knees, explained by known thresholds
//! and by what was counted there; and the cost of waking.

use super::advise;
use super::claims::{alike_but, metric};
use super::figures::number;
use analysis::compared::{curve, ratio};
use analysis::conclusion::Conclusion;
use analysis::knees::{Evidence, Facts, Sweep, WhatIf, explain, thresholds};
use analysis::sentence::time;
use analysis::{ExperimentTable, PointView};
use catalogue::only;
use record::axis::human_bytes;
use record::{Finding, MachineCard, Setting, Unit};
use stats::{CurvePoint, KneeOptions};

/// Fewest sizes for which knees are reported.
const FEWEST_SIZES: usize = 8;

/// What a transport knows of its own thresholds, from the notes of a point.
pub type FactsOf = fn(&PointView) -> Facts;

/// Findings of a transport.
pub fn findings(table: &ExperimentTable, card: &MachineCard, facts: FactsOf) -> Vec<Finding> {
    let places = places(table);
    let knees = places
        .iter()
        .flat_map(|place| knees(table, card, place, facts));
    knees.chain(waking(table)).collect()
}

/// One stream: everything but the size.
#[derive(Debug, Clone, PartialEq)]
struct Place {
    mode: String,
    placement: String,
    buffer: i64,
    /// None in runs from before there was this axis.
    total: Option<i64>,
}

impl Place {
    fn of(point: &PointView) -> Option<Place> {
        (point.word("pattern") == "stream").then(|| Place {
            mode: point.word("mode").to_owned(),
            placement: point.word("placement").to_owned(),
            buffer: point.int("buffer").unwrap_or(0),
            total: point.int("total"),
        })
    }

    fn settings(&self) -> Vec<Setting> {
        let mut all = only(&[
            ("pattern", "stream"),
            ("mode", &self.mode),
            ("placement", &self.placement),
        ]);
        all.push(number("buffer", self.buffer));
        all.extend(self.total.map(|total| number("total", total)));
        all
    }

    fn phrase(&self) -> String {
        let between = match self.mode.as_str() {
            "1thread" => "in one thread",
            "2threads" => "between threads",
            _ => "between processes",
        };
        let place = advise::said(&(self.placement.clone(), self.buffer, self.total.unwrap_or(0)));
        format!("{between} {place}")
    }

    fn key(&self) -> String {
        let place = format!("{}_{}_{}", self.mode, self.placement, self.buffer);
        match self.total {
            None | Some(0) => place,
            Some(total) => format!("{place}_{total}"),
        }
    }
}

fn places(table: &ExperimentTable) -> Vec<Place> {
    let mut found: Vec<Place> = Vec::new();
    for place in table.points.iter().filter_map(Place::of) {
        if !found.contains(&place) {
            found.push(place);
        }
    }
    found
}

fn points<'a>(table: &'a ExperimentTable, place: &Place) -> Vec<&'a PointView> {
    let here = |p: &&PointView| Place::of(p).as_ref() == Some(place) && p.median_ns().is_some();
    let mut found: Vec<&PointView> = table.points.iter().filter(here).collect();
    found.sort_by_key(|p| p.int("size"));
    found
}

/// GB/s over bytes of a message.
fn bandwidths(points: &[&PointView]) -> Vec<CurvePoint> {
    let times = curve(points.iter().copied(), "size", 0);
    let rate = |p: CurvePoint| p.map(|ns| p.x / ns);
    times.into_iter().map(rate).collect()
}

fn knees(
    table: &ExperimentTable,
    card: &MachineCard,
    place: &Place,
    facts: FactsOf,
) -> Vec<Finding> {
    let here = points(table, place);
    let rates = bandwidths(&here);
    let Some(first) = here.first().filter(|_| rates.len() >= FEWEST_SIZES) else {
        return Vec::new();
    };
    let Ok(knees) = stats::log_log_knees(&rates, KneeOptions::default()) else {
        return Vec::new();
    };
    let facts = Facts {
        pipe_what_if: larger_pipe(table, place),
        ..facts(first)
    };
    let only = place.settings();
    let sweep = Sweep {
        axis: "size",
        axis_unit: Unit::Bytes,
        metric: "bandwidth",
        unit: Unit::GigabytesPerSecond,
        higher_is_better: true,
        key: &place.key(),
        conditions: &place.phrase(),
        only: &only,
        curve: &rates,
        knees: &knees,
    };
    explain(&sweep, &thresholds(card, &facts), &evidence(table, &here))
}

/// The same stream with the largest buffer that was measured.
fn larger_pipe(table: &ExperimentTable, place: &Place) -> Option<WhatIf> {
    let others = places(table).into_iter().filter(|other| {
        (&other.mode, &other.placement) == (&place.mode, &place.placement)
            && other.buffer > place.buffer.max(64 << 10)
    });
    let largest = others.max_by_key(|other| other.buffer)?;
    let curve = bandwidths(&points(table, &largest));
    (!curve.is_empty()).then(|| WhatIf {
        change: format!(
            "raising it to {}",
            human_bytes(largest.buffer.unsigned_abs())
        ),
        curve,
    })
}

/// What both sides did for each message.
fn evidence(table: &ExperimentTable, points: &[&PointView]) -> Vec<Evidence> {
    let wanted = [
        (
            "voluntary_switches",
            "voluntary switches per message",
            Some("every message waits"),
        ),
        ("sender_calls", "calls of the sender per message", None),
        ("receiver_calls", "calls of the receiver per message", None),
    ];
    wanted
        .into_iter()
        .filter_map(|(name, phrase, means)| {
            let metric = metric(table, name)?;
            let pair =
                |p: &&PointView| Some((p.int("size")? as f64, p.summary(metric)?.median.center));
            Some(Evidence {
                name: phrase.to_owned(),
                rise_means: means.map(str::to_owned),
                points: points.iter().filter_map(pair).collect(),
            })
        })
        .collect()
}

/// Round trips to another CPU with the partner awake, on a busy CPU and idle: in
/// the place where most of the three were measured, of the smallest message.
fn three_states(table: &ExperimentTable) -> Option<[Option<&PointView>; 3]> {
    let away = |p: &&PointView| {
        p.word("pattern") != "stream"
            && p.word("placement") != "same_cpu"
            && p.median_ns().is_some()
    };
    let mut trips: Vec<&PointView> = table.points.iter().filter(away).collect();
    trips.sort_by_key(|p| p.int("size"));
    let with = |base: &PointView, partner: &str| {
        let same = |p: &&PointView| {
            p.word("partner") == partner
                && (std::ptr::eq(*p, base) || alike_but("partner", p, base))
        };
        trips.iter().copied().find(same)
    };
    let of = |base: &&PointView| ["awake", "busy", "idle"].map(|state| with(base, state));
    // Of several with as many states the last is taken: the smallest and nearest.
    let all = trips.iter().rev().map(of);
    all.max_by_key(|three| three.iter().flatten().count())
}

const AWAKE: &str = "an awake partner";
const ON_BUSY: &str = "one that sleeps on a busy CPU";
const ON_IDLE: &str = "one that sleeps on an idle CPU";

/// How many times as long a round trip takes because the partner slept, and because
/// its CPU slept too.
pub fn waking(table: &ExperimentTable) -> Vec<Finding> {
    let Some([awake, busy, idle]) = three_states(table) else {
        return Vec::new();
    };
    let difference = |from: Option<&PointView>,
                      to: Option<&PointView>,
                      key: &str,
                      [before, after]: [&str; 2]| {
        let (from, to) = (from?, to?);
        let times = ratio(from, to)?;
        let text = format!(
            "Round trip to another CPU: {} to {before}, {} to {after} ({:.1}x, {:.1} to {:.1})",
            time(from.median_ns()?),
            time(to.median_ns()?),
            times.center,
            times.low,
            times.high
        );
        Some(Conclusion::on(key).estimate(Unit::Ratio, times).say(text))
    };
    let on_busy = difference(awake, busy, "waking", [AWAKE, ON_BUSY]);
    let on_idle = difference(busy, idle, "waking_idle", [ON_BUSY, ON_IDLE]);
    on_busy.into_iter().chain(on_idle).collect()
}

#[cfg(test)]
mod tests {
    use super::super::axes::TALLIES;
    use super::{bandwidths, findings};
    use crate::transport::testing::measured_by;
    use analysis::PointView;
    use analysis::knees::Facts;
    use record::{Finding, MachineCard};
    use testbed::{int, measured, word};

    fn stream(size: i64, ns: f64, switches: f64) -> PointView {
        let settings = [
            int("size", size),
            word("pattern", "stream"),
            word("mode", "2threads"),
            word("placement", "same_cache"),
            word("partner", "idle"),
            int("buffer", 0),
        ];
        measured(
            "ipc/pipe",
            &settings,
            &[ns, 1.0, size as f64 / 65536.0 + 1.0, switches],
        )
    }

    fn round_trip(partner: &str, ns: f64) -> PointView {
        trip("same_cache", partner, ns)
    }

    fn trip(placement: &str, partner: &str, ns: f64) -> PointView {
        let settings = [
            int("size", 64),
            word("pattern", "round_trip"),
            word("mode", "2threads"),
            word("placement", placement),
            word("partner", partner),
            int("buffer", 0),
        ];
        measured("ipc/pipe", &settings, &[ns])
    }

    /// A pipe: 300 ns a message and 10 GB/s below 64 KiB; from there on two
    /// switches and 35 us for each 64 KiB.
    fn pipe() -> Vec<PointView> {
        (0..=24)
            .map(|power| {
                let size = 1i64 << power;
                let fills = (size / 65536) as f64;
                let ns = 300.0 + size as f64 / 10.0 + 35_000.0 * fills;
                stream(size, ns, 0.01 + 2.0 * fills)
            })
            .collect()
    }

    fn all(points: Vec<PointView>) -> Vec<Finding> {
        let table = measured_by("ipc/pipe", points);
        let facts = |_: &PointView| Facts {
            pipe_bytes: Some(65536),
            ..Facts::default()
        };
        findings(&table, &MachineCard::default(), facts)
    }

    #[test]
    fn the_cliff_of_a_pipe_is_explained_by_its_capacity_and_its_switches() {
        for name in ["voluntary_switches", "sender_calls", "receiver_calls"] {
            assert!(TALLIES.iter().any(|t| t.name == name), "{name}");
        }
        let found = all(pipe());
        let cliff = found
            .iter()
            .find(|f| f.sentence.contains("pipe capacity"))
            .unwrap_or_else(|| panic!("{found:#?}"));
        assert!(
            cliff.sentence.contains("every message waits"),
            "{}",
            cliff.sentence
        );
        assert!(cliff.sentence.contains("64 KiB"), "{}", cliff.sentence);
    }

    #[test]
    fn rates_turn_intervals_round() {
        let points = [stream(1000, 500.0, 0.0)];
        let rates = bandwidths(&points.iter().collect::<Vec<_>>());
        assert!((rates[0].y.center - 2.0).abs() < 1e-9);
        assert!(rates[0].y.low < 2.0 && rates[0].y.high > 2.0);
    }

    #[test]
    fn waking_is_a_quantity_of_its_own() {
        let found = all(vec![
            round_trip("awake", 1000.0),
            round_trip("busy", 10_000.0),
            round_trip("idle", 60_000.0),
        ]);
        let sentences: Vec<&str> = found.iter().map(|f| f.sentence.as_str()).collect();
        assert_eq!(sentences.len(), 2, "{sentences:?}");
        assert!(
            sentences[0].contains("10.0x") && sentences[1].contains("6.0x"),
            "{sentences:?}"
        );
        assert!(all(vec![round_trip("idle", 1.0)]).is_empty());
    }

    #[test]
    fn waking_is_found_for_one_place() {
        let found = all(vec![
            round_trip("busy", 10_000.0),
            round_trip("idle", 20_000.0),
            trip("other_socket", "awake", 1000.0),
            trip("other_socket", "busy", 40_000.0),
            trip("other_socket", "idle", 80_000.0),
        ]);
        let values: Vec<f64> = found.iter().filter_map(|f| f.value).collect();
        let expected = [40.0, 2.0];
        assert!(
            values
                .iter()
                .zip(expected)
                .all(|(v, e)| (v - e).abs() < 1e-9)
        );
        assert_eq!(values.len(), 2);
    }

    #[test]
    fn of_places_that_know_as_much_the_nearest_is_taken() {
        let found = all(vec![
            round_trip("awake", 1000.0),
            round_trip("busy", 10_000.0),
            trip("other_socket", "awake", 1000.0),
            trip("other_socket", "busy", 40_000.0),
        ]);
        assert!((found[0].value.unwrap() - 10.0).abs() < 1e-9);
    }
}
