//! A machine next to others: each value with the ratio to theirs.

use crate::entry::{Entry, Value, ValueUnit};
use serde::Serialize;

/// A machine next to others, the nearest first.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Placed {
    pub here: Entry,
    pub next: Vec<Next>,
}

/// One of the others.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Next {
    pub entry: Entry,
    /// Values that both have and neither doubts.
    pub shared: usize,
    /// The middle of their ratios, this machine's time over the other's; None without shared times.
    pub time_ratio: Option<f64>,
    /// The middle half of those ratios.
    pub time_ratio_low: Option<f64>,
    pub time_ratio_high: Option<f64>,
    /// How unlike the times are: the middle of their ratios' logarithms without sign, so that what is
    /// faster does not make up for what is slower. The nearest machine has the least.
    pub distance: Option<f64>,
}

/// One value of this machine, and what each of the others has for it.
#[derive(Debug, Clone, PartialEq)]
pub struct Row<'a> {
    pub here: &'a Value,
    pub others: Vec<Option<(&'a Value, Side)>>,
}

/// How a value of this machine stands to another's.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Side {
    /// The ratio here / there, intervals apart, and this machine is ahead.
    Ahead(f64),
    /// As before, and it is behind.
    Behind(f64),
    /// The ratio; intervals overlap, or one of the values has none.
    Level(f64),
    /// One of the two is doubtful, or neither end is better.
    NotJudged,
}

impl Placed {
    /// The machine next to all others that are not itself.
    pub fn among(here: Entry, others: &[Entry]) -> Placed {
        let mut next: Vec<Next> = others
            .iter()
            .filter(|other| other.values != here.values)
            .map(|other| Next::of(&here, other))
            .collect();
        let distance = |n: &Next| n.distance.unwrap_or(f64::INFINITY);
        next.sort_by(|a, b| distance(a).total_cmp(&distance(b)));
        Placed { here, next }
    }

    /// A row for each value of this machine that any of the first `columns` others has.
    pub fn rows(&self, columns: usize) -> Vec<Row<'_>> {
        let others: Vec<&Next> = self.next.iter().take(columns).collect();
        let row = |here| Row {
            here,
            others: others
                .iter()
                .map(|next| {
                    let there = next.entry.value(&here.id)?;
                    let side = match are_comparable(&self.here, &next.entry) {
                        true => Side::of(here, there),
                        false => Side::NotJudged,
                    };
                    Some((there, side))
                })
                .collect(),
        };
        let rows = self.here.values.iter().map(row);
        rows.filter(|row| row.others.iter().any(Option::is_some))
            .collect()
    }
}

/// Times of an emulated processor mean nothing on another machine.
fn are_comparable(here: &Entry, other: &Entry) -> bool {
    !here.machine.emulated && !other.machine.emulated
}

impl Next {
    fn of(here: &Entry, other: &Entry) -> Next {
        let pairs = here.values.iter().filter_map(|value| {
            let there = other.value(&value.id)?;
            (!value.doubtful && !there.doubtful && value.unit == there.unit)
                .then_some((value, there))
        });
        let pairs: Vec<(&Value, &Value)> = pairs.collect();
        let times = pairs
            .iter()
            .filter(|(value, _)| value.unit == ValueUnit::Ns && are_comparable(here, other));
        let mut ratios: Vec<f64> = times.map(|(a, b)| a.value / b.value).collect();
        ratios.sort_by(f64::total_cmp);
        let mut distances: Vec<f64> = ratios.iter().map(|ratio| ratio.ln().abs()).collect();
        distances.sort_by(f64::total_cmp);
        let at = |share| quantile(&ratios, share);
        Next {
            entry: other.clone(),
            shared: pairs.len(),
            time_ratio: at(0.5),
            time_ratio_low: at(0.25),
            time_ratio_high: at(0.75),
            distance: quantile(&distances, 0.5),
        }
    }
}

/// Of sorted values, the nearest one; None where there are none.
fn quantile(sorted: &[f64], share: f64) -> Option<f64> {
    let last = sorted.len().checked_sub(1)?;
    sorted.get((share * last as f64).round() as usize).copied()
}

impl Side {
    fn of(here: &Value, there: &Value) -> Side {
        if here.doubtful || there.doubtful || here.unit != there.unit {
            return Side::NotJudged;
        }
        let less_is_better = match here.unit {
            ValueUnit::Ns => true,
            ValueUnit::GbPerS | ValueUnit::Ghz => false,
            ValueUnit::Bytes | ValueUnit::Cycles => return Side::NotJudged,
        };
        let ratio = here.value / there.value;
        let apart = match (here.low.zip(here.high), there.low.zip(there.high)) {
            (Some((low, high)), Some((a, b))) => high < a || b < low,
            _ => false,
        };
        match (apart, (ratio < 1.0) == less_is_better) {
            (false, _) => Side::Level(ratio),
            (true, true) => Side::Ahead(ratio),
            (true, false) => Side::Behind(ratio),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entry::{FORMAT, Machine, Measured};

    fn value(id: &str, unit: ValueUnit, low: f64, value: f64, high: f64) -> Value {
        Value {
            id: id.to_owned(),
            label: id.to_owned(),
            unit,
            value,
            low: Some(low),
            high: Some(high),
            doubtful: false,
        }
    }

    fn entry(name: &str, values: Vec<Value>) -> Entry {
        Entry {
            format: FORMAT.to_owned(),
            name: name.to_owned(),
            about: String::new(),
            machine: Machine::default(),
            measured: Measured::default(),
            values,
        }
    }

    #[test]
    fn the_nearest_is_first_and_a_machine_is_not_next_to_itself() {
        let with = |name: &str, ns: f64| entry(name, vec![value("a", ValueUnit::Ns, ns, ns, ns)]);
        let others = [with("far", 10.0), with("self", 2.0), with("near", 1.9)];
        let placed = Placed::among(with("here", 2.0), &others);
        let names: Vec<&str> = placed.next.iter().map(|n| n.entry.name.as_str()).collect();
        assert_eq!(names, ["near", "far"]);
        assert_eq!(placed.next[1].time_ratio, Some(0.2));
    }

    #[test]
    fn what_is_faster_does_not_make_up_for_what_is_slower() {
        let with = |name: &str, times: [f64; 3]| {
            let value = |(id, ns): (&str, f64)| value(id, ValueUnit::Ns, ns, ns, ns);
            entry(
                name,
                ["a", "b", "c"].into_iter().zip(times).map(value).collect(),
            )
        };
        let others = [
            with("crossed", [10.0, 1.0, 0.1]),
            with("slower", [1.2, 1.2, 1.2]),
        ];
        let placed = Placed::among(with("here", [1.0, 1.0, 1.0]), &others);
        assert_eq!(placed.next[0].entry.name, "slower");
        assert_eq!(placed.next[1].time_ratio, Some(1.0));
    }

    #[test]
    fn an_emulated_machine_is_not_compared() {
        let with = |name: &str, ns: f64| entry(name, vec![value("a", ValueUnit::Ns, ns, ns, ns)]);
        let mut emulated = with("emulated", 2.0);
        emulated.machine.emulated = true;
        let placed = Placed::among(with("here", 1.0), &[emulated]);
        assert_eq!(placed.next[0].time_ratio, None);
        let rows = placed.rows(1);
        assert_eq!(
            rows[0].others[0].map(|(_, side)| side),
            Some(Side::NotJudged)
        );
    }

    #[test]
    fn only_intervals_that_part_put_a_machine_ahead() {
        let time = |low, center, high| value("t", ValueUnit::Ns, low, center, high);
        let rate = |low, center, high| value("r", ValueUnit::GbPerS, low, center, high);
        let side = Side::of;
        assert_eq!(
            side(&time(0.9, 1.0, 1.1), &time(1.9, 2.0, 2.1)),
            Side::Ahead(0.5)
        );
        assert_eq!(
            side(&time(0.9, 1.0, 1.1), &time(1.0, 2.0, 3.0)),
            Side::Level(0.5)
        );
        assert_eq!(
            side(&rate(0.9, 1.0, 1.1), &rate(1.9, 2.0, 2.1)),
            Side::Behind(0.5)
        );
        let size = value("s", ValueUnit::Bytes, 1.0, 1.0, 1.0);
        assert_eq!(side(&size, &size), Side::NotJudged);
        let doubtful = Value {
            doubtful: true,
            ..time(1.9, 2.0, 2.1)
        };
        assert_eq!(side(&time(0.9, 1.0, 1.1), &doubtful), Side::NotJudged);
    }
}
