//! Numbers as people read them: one place decides digits and units.

use analysis::{ExperimentTable, Interval, PointView, Summary};
use analysis::{singles, whole, whole_signed};
use record::Unit;
use record::axis::human_bytes;
use std::fmt::Display;

/// Printed where there is no number.
pub const ABSENT: &str = "-";

/// `value` with `digits` significant digits, without an exponent.
pub fn significant(value: f64, digits: u32) -> String {
    if !value.is_finite() {
        return ABSENT.to_owned();
    }
    if value == 0.0 {
        return "0".to_owned();
    }
    let magnitude = whole_signed(value.abs().log10().floor());
    let decimals = (digits as i32 - 1 - magnitude).clamp(0, 9) as usize;
    let text = format!("{value:.decimals$}");
    // 9.996 at three digits prints as 10.00: one digit too many.
    let rounded: f64 = text.parse().unwrap_or(value);
    if decimals > 0 && whole_signed(rounded.abs().log10().floor()) > magnitude {
        return format!("{value:.0$}", decimals - 1);
    }
    text
}

/// A time given in ns, in the unit that keeps it short: `117.1 ns`, `2.05 ms`.
pub fn time_ns(ns: f64, digits: u32) -> String {
    if !ns.is_finite() {
        return ABSENT.to_owned();
    }
    let (scale, unit) = time_scale(ns);
    format!("{} {unit}", significant(ns / scale, digits))
}

/// Divisor and unit that suit a time in ns.
pub(crate) fn time_scale(ns: f64) -> (f64, &'static str) {
    match ns.abs() {
        a if a >= 0.9995e9 => (1e9, "s"),
        a if a >= 0.9995e6 => (1e6, "ms"),
        a if a >= 0.9995e3 => (1e3, "µs"),
        _ => (1.0, "ns"),
    }
}

/// A value with its unit.
pub fn quantity(value: f64, unit: Unit, digits: u32) -> String {
    if !value.is_finite() {
        return ABSENT.to_owned();
    }
    match unit {
        Unit::Nanoseconds => time_ns(value, digits),
        Unit::Bytes if value >= 0.0 => human_bytes(whole(value.round())),
        Unit::Count | Unit::Word if value.fract() == 0.0 => format!("{value:.0}"),
        Unit::Count | Unit::Word | Unit::Ratio => significant(value, digits),
        _ => format!("{} {}", significant(value, digits), unit.symbol()),
    }
}

/// A share as a percentage: `0.6 %`, `12 %`, `>1000 %`.
pub fn percent(share: f64) -> String {
    if !share.is_finite() {
        return ABSENT.to_owned();
    }
    match share.abs() * 100.0 {
        0.0 => "0 %".to_owned(),
        p if p < 0.05 => "<0.1 %".to_owned(),
        p if p < 9.95 => format!("{p:.1} %"),
        // Beyond that the number says "unknown" and no more.
        p if p > 1000.0 => ">1000 %".to_owned(),
        p => format!("{p:.0} %"),
    }
}

/// Half-width of the interval, the wider side, relative to the median.
pub fn relative_half_width(value: &Interval) -> Option<f64> {
    let half = (value.high - value.center).max(value.center - value.low);
    (value.center != 0.0 && half.is_finite()).then(|| half / value.center.abs())
}

/// `±0.6 %`, or nothing that could be mistaken for certainty.
pub fn plus_minus(value: &Interval) -> String {
    if value.is_none() {
        return "no interval".to_owned();
    }
    let share = relative_half_width(value).map(percent);
    format!("±{}", share.as_deref().unwrap_or(" unknown"))
}

/// `60 samples are worth 3 independent ones`; None where their interval is given.
pub fn too_dependent(summary: &Summary) -> Option<String> {
    let text = || {
        let worth = summary.effective.floor();
        format!(
            "{} samples are worth {worth} independent ones",
            summary.samples
        )
    };
    summary.median.is_none().then(text)
}

/// `two modes: 70 % at 31.0 ns, 30 % at 62.1 ns`; None where the distribution
/// has one mode.
pub fn modes(summary: &Summary, unit: Unit) -> Option<String> {
    if summary.modes.len() < 2 {
        return None;
    }
    let count = match summary.modes.len() {
        2 => "two".to_owned(),
        3 => "three".to_owned(),
        n => n.to_string(),
    };
    let modes = summary.modes.iter();
    let list = modes.map(|m| (100.0 * m.share, quantity(m.center, unit, 3)));
    let list: Vec<String> = list
        .map(|(share, at)| format!("{share:.0} % at {at}"))
        .collect();
    Some(format!("{count} modes: {}", list.join(", ")))
}

/// `single operations: two modes: 89 % at 310 ns, 11 % at 960 ns; a batch averages them`; None
/// where they are of one kind or were not timed one by one.
pub fn within_batches(table: &ExperimentTable, point: &PointView) -> Option<String> {
    let kinds = singles::kinds(table, point)?;
    let modes = modes(kinds.singles, Unit::Nanoseconds)?;
    let times = significant(kinds.times_batched, 2);
    let meaning = match kinds.agree() {
        true => "a batch averages them".to_owned(),
        false => format!("{times} times a batch's time: timing them apart may make the modes"),
    };
    Some(format!("single operations: {modes}; {meaning}"))
}

/// A value of an axis with its unit: `4 KiB`, `avx2`, `8`.
pub fn axis_value(value: &record::AxisValue, unit: Unit) -> String {
    match value {
        record::AxisValue::Word(w) => w.clone(),
        record::AxisValue::Int(v) => match unit {
            Unit::Bytes if *v >= 0 => human_bytes(v.unsigned_abs()),
            Unit::Count | Unit::Word | Unit::Ratio | Unit::Bytes => v.to_string(),
            _ => format!("{v} {}", unit.symbol()),
        },
    }
}

/// `1 point`, `3 points`.
pub fn counted(n: impl Display + PartialEq + From<u8>, one: &str, many: &str) -> String {
    match n == 1.into() {
        true => format!("1 {one}"),
        false => format!("{n} {many}"),
    }
}

/// Bytes of a file, in powers of ten: `17 B`, `4.2 kB`, `73.8 MB`.
pub fn decimal_bytes(bytes: u64) -> String {
    const UNITS: [&str; 4] = ["kB", "MB", "GB", "TB"];
    if bytes < 1000 {
        return format!("{bytes} B");
    }
    let mut value = bytes as f64 / 1000.0;
    let mut unit = 0;
    while value >= 1000.0 && unit + 1 < UNITS.len() {
        value /= 1000.0;
        unit += 1;
    }
    format!("{value:.1} {}", UNITS[unit])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn significant_digits_do_not_grow_by_rounding() {
        assert_eq!(significant(117.14, 4), "117.1");
        assert_eq!(significant(9.996, 3), "10.0");
        assert_eq!(significant(0.4123, 3), "0.412");
        assert_eq!(significant(2594.0, 3), "2594");
        assert_eq!(significant(f64::NAN, 3), "-");
        assert_eq!(significant(0.0, 3), "0");
    }

    #[test]
    fn times_choose_their_unit_after_rounding() {
        assert_eq!(time_ns(117.14, 4), "117.1 ns");
        assert_eq!(time_ns(999.9, 3), "1.00 µs");
        assert_eq!(time_ns(2_050_000.0, 3), "2.05 ms");
        assert_eq!(time_ns(-1500.0, 3), "-1.50 µs");
        assert_eq!(time_ns(f64::INFINITY, 3), "-");
    }

    #[test]
    fn uncertainty_takes_the_wider_side() {
        assert_eq!(
            plus_minus(&Interval::resampled(100.0, 99.5, 102.0)),
            "±2.0 %"
        );
        assert_eq!(plus_minus(&Interval::resampled(0.0, 0.0, 1.0)), "± unknown");
        assert_eq!(plus_minus(&Interval::resampled(1.0, 1e-9, 1e5)), "±>1000 %");
        assert_eq!(
            plus_minus(&Interval::resampled(100.0, f64::NAN, 101.0)),
            "±1.0 %"
        );
        assert_eq!(percent(0.0001), "<0.1 %");
        assert_eq!(percent(0.1234), "12 %");
    }

    #[test]
    fn files_have_sizes_in_powers_of_ten() {
        assert_eq!(decimal_bytes(999), "999 B");
        assert_eq!(decimal_bytes(4_200), "4.2 kB");
        assert_eq!(decimal_bytes(73_830_000), "73.8 MB");
        assert_eq!(decimal_bytes(5_000_000_000_000_000), "5000.0 TB");
    }
}
