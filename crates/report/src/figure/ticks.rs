//! Where an axis is labelled, and with what.

use super::{Axis, Scale};
use crate::format::{significant, time_scale};
use analysis::{whole, whole_signed};
use record::Unit;
use record::axis::human_bytes;

/// A grid line; minor ones carry no label.
#[derive(Debug, Clone, PartialEq)]
pub struct Tick {
    pub value: f64,
    pub label: Option<String>,
}

/// Ticks of an axis with about `target` labels.
pub fn ticks(axis: &Axis, target: usize) -> Vec<Tick> {
    let (low, high) = axis.range;
    match &axis.scale {
        Scale::Categories(words) => {
            let words = words.iter().enumerate();
            words
                .map(|(i, w)| tick(i as f64, Some(w.clone())))
                .collect()
        }
        Scale::Linear => labelled(linear(low, high, target), axis.unit),
        Scale::Log2 => log2(low, high, target, axis.unit),
        Scale::Log10 => log10(low, high, target, axis.unit),
    }
}

fn labelled(values: Vec<f64>, unit: Unit) -> Vec<Tick> {
    let values = values.into_iter();
    values
        .map(|value| tick(value, Some(label(value, unit))))
        .collect()
}

fn tick(value: f64, label: Option<String>) -> Tick {
    Tick { value, label }
}

/// A bound for axes whose ends are nonsense.
const MOST_TICKS: f64 = 100.0;

/// Multiples of 1, 2 or 5 times a power of ten.
fn linear(low: f64, high: f64, target: usize) -> Vec<f64> {
    let span = high - low;
    if !span.is_finite() || span <= 0.0 {
        return vec![low];
    }
    let rough = span / target.max(1) as f64;
    let decade = 10f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0]
        .into_iter()
        .map(|m| m * decade)
        .find(|s| *s >= rough * 0.999)
        .unwrap_or(10.0 * decade);
    let first = (low / step - 1e-9).ceil();
    let last = (high / step + 1e-9).floor();
    // Far from zero a step may be lost in rounding: never more than asked for.
    let count = whole_signed((last - first).clamp(0.0, MOST_TICKS));
    (0..=count).map(|i| (first + f64::from(i)) * step).collect()
}

fn log2(low: f64, high: f64, target: usize, unit: Unit) -> Vec<Tick> {
    let first = whole_signed((low.log2() - 1e-9).ceil());
    let last = whole_signed((high.log2() + 1e-9).floor()).min(first.saturating_add(2100));
    let count = last.saturating_sub(first).saturating_add(1).max(1);
    let every = (count as usize).div_ceil(target.max(1)).max(1);
    let every = i32::try_from(every).unwrap_or(i32::MAX);
    (first..=last)
        .map(|power| {
            let value = 2f64.powi(power);
            // Counted from 2^0, so that labels fall on the same sizes in every figure.
            let named = power.rem_euclid(every) == 0;
            tick(value, named.then(|| label(value, unit)))
        })
        .collect()
}

fn log10(low: f64, high: f64, target: usize, unit: Unit) -> Vec<Tick> {
    let decades = (high / low).log10();
    if decades < 0.7 {
        return labelled(linear(low, high, target), unit);
    }
    let first = whole_signed(low.log10().floor());
    // f64 spans some 630 decades at most.
    let last = whole_signed(high.log10().ceil()).min(first.saturating_add(640));
    let labelled_digits: &[u32] = match decades {
        d if d < 1.6 => &[1, 2, 3, 5, 7],
        d if d < 3.2 => &[1, 2, 5],
        _ => &[1],
    };
    let every = whole_signed((f64::from(last - first) / target.max(1) as f64).ceil()).max(1);
    let mut found = Vec::new();
    for power in first..=last {
        for digit in 1..10u32 {
            let value = f64::from(digit) * 10f64.powi(power);
            if value < low * 0.9999 || value > high * 1.0001 {
                continue;
            }
            // Over many decades the lines between them are only grey.
            if decades >= 3.2 && digit != 1 {
                continue;
            }
            let named = labelled_digits.contains(&digit) && power.rem_euclid(every) == 0;
            found.push(tick(value, named.then(|| label(value, unit))));
        }
    }
    found
}

/// Short label of a tick: `4 KiB`, `200 ns`, `2.5`.
pub fn label(value: f64, unit: Unit) -> String {
    match unit {
        Unit::Bytes if value >= 0.0 => human_bytes(whole(value.round())),
        Unit::Nanoseconds => {
            let (scale, name) = time_scale(value);
            format!("{} {name}", trimmed(value / scale))
        }
        _ => trimmed(value),
    }
}

fn trimmed(value: f64) -> String {
    let text = significant(value, 4);
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    }
}

/// The axis label with its unit where the ticks do not carry it.
pub fn axis_label(axis: &Axis) -> String {
    match axis.unit {
        Unit::Bytes | Unit::Nanoseconds => axis.label.clone(),
        unit if unit.symbol().is_empty() => axis.label.clone(),
        unit => format!("{}, {}", axis.label, unit.symbol()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn axis(scale: Scale, unit: Unit, range: (f64, f64)) -> Axis {
        Axis {
            label: String::new(),
            unit,
            scale,
            range,
        }
    }

    fn labels(axis: &Axis, target: usize) -> Vec<String> {
        ticks(axis, target)
            .into_iter()
            .filter_map(|t| t.label)
            .collect()
    }

    #[test]
    fn sizes_are_labelled_at_powers_of_two() {
        let a = axis(Scale::Log2, Unit::Bytes, (1024.0, 65536.0));
        assert_eq!(
            labels(&a, 10),
            [
                "1 KiB", "2 KiB", "4 KiB", "8 KiB", "16 KiB", "32 KiB", "64 KiB"
            ]
        );
        assert_eq!(labels(&a, 4), ["1 KiB", "4 KiB", "16 KiB", "64 KiB"]);
    }

    #[test]
    fn times_change_unit_along_the_axis() {
        let a = axis(Scale::Log10, Unit::Nanoseconds, (1.0, 1e7));
        assert_eq!(labels(&a, 10)[..4], ["1 ns", "10 ns", "100 ns", "1 µs"]);
    }

    #[test]
    fn narrow_log_axes_still_have_labels() {
        let a = axis(Scale::Log10, Unit::Nanoseconds, (110.0, 130.0));
        assert!(labels(&a, 5).len() >= 3);
        let b = axis(Scale::Linear, Unit::Count, (3.0, 3.0));
        assert_eq!(labels(&b, 5), ["3"]);
    }
}
