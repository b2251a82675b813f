//! Numbers as people read them: one place decides digits and units.

use record::Unit;
use record::axis::human_bytes;
use stats::{Interval, whole, whole_signed};
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

/// `162 to 255 ns`, `990 ns to 1.20 µs`.
pub fn time_range(low_ns: f64, high_ns: f64, digits: u32) -> String {
    let (low, high) = (time_ns(low_ns, digits), time_ns(high_ns, digits));
    match (low.split_once(' '), high.split_once(' ')) {
        (Some((number, a)), Some((_, b))) if a == b => format!("{number} to {high}"),
        _ => format!("{low} to {high}"),
    }
}

/// Divisor and unit that suit a time in ns.
pub fn time_scale(ns: f64) -> (f64, &'static str) {
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
        Unit::Bytes if value >= 0.0 => size(value, digits),
        Unit::Count | Unit::Word if value.fract() == 0.0 => format!("{value:.0}"),
        Unit::Count | Unit::Word | Unit::Ratio => significant(value, digits),
        _ => format!("{} {}", significant(value, digits), unit.symbol()),
    }
}

/// A size: whole where it is a whole number of its unit, else with so many digits.
fn size(bytes: f64, digits: u32) -> String {
    let text = human_bytes(whole(bytes.round()));
    match text.split_once(' ') {
        Some((number, unit)) if number.contains('.') => {
            let scale = bytes / number.parse::<f64>().unwrap_or(1.0);
            // The unit's own scale: the number in front of it was rounded.
            let scale = 2f64.powi(10 * whole_signed((scale.log2() / 10.0).round()));
            format!("{} {unit}", significant(bytes / scale, digits))
        }
        _ => text,
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

/// `1 point`, `3 points`.
pub fn counted(n: impl Display + PartialEq + From<u8>, one: &str, many: &str) -> String {
    match n == 1.into() {
        true => format!("1 {one}"),
        false => format!("{n} {many}"),
    }
}

#[cfg(test)]
mod tests {
    use super::{percent, plus_minus, significant, time_ns};
    use stats::Interval;

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
}
