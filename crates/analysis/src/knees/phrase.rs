//! Numbers and clauses of the sentences.

use super::Sweep;
use record::Unit;
use record::axis::human_bytes;
use stats::whole;
use stats::{Knee, LogSegment};

/// Slopes within this of 0 or 1 are called flat or proportional.
const PLAIN_SLOPE: f64 = 0.2;

/// A place on the axis: `64 KiB`, `12`.
pub fn place(x: f64, unit: Unit) -> String {
    match unit {
        Unit::Bytes => human_bytes(whole(x.round())),
        _ => format!("{} {}", number(x), unit.symbol())
            .trim_end()
            .to_owned(),
    }
}

/// Three digits, without an exponent between 0.001 and 10^6.
#[expect(
    clippy::cast_possible_truncation,
    reason = "a decimal exponent is small"
)]
pub fn number(v: f64) -> String {
    if v == 0.0 || !v.is_finite() {
        return format!("{v}");
    }
    let magnitude = v.abs().log10().floor() as i32;
    if !(-4..7).contains(&magnitude) {
        return format!("{v:.1e}");
    }
    let decimals = usize::try_from(2 - magnitude).unwrap_or(0);
    let text = format!("{v:.decimals$}");
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    }
}

/// Whether a knee is a cliff or a leap; the lines of a bend meet.
pub fn jumps(knee: &Knee) -> bool {
    !(0.95..=1.05).contains(&knee.jump)
}

/// What the curve does at a knee: `bandwidth falls to 0.24 of the line before`.
pub fn change(sweep: &Sweep<'_>, knee: &Knee) -> String {
    let metric = sweep.metric;
    if jumps(knee) && knee.jump < 1.0 {
        return format!(
            "{metric} falls to {} of the previous line",
            number(knee.jump)
        );
    }
    if jumps(knee) {
        return format!("{metric} jumps by a factor of {}", number(knee.jump));
    }
    let (before, after) = (knee.slope_before, knee.slope_after);
    let how = if after < -PLAIN_SLOPE {
        "declines"
    } else if after.abs() <= PLAIN_SLOPE {
        "turns flat"
    } else if after < before {
        "grows more slowly"
    } else {
        "grows faster"
    };
    format!("{metric} {how} (slope {before:.2} -> {after:.2})")
}

/// Short name of a piece, to stand inside a figure.
pub fn region(sweep: &Sweep<'_>, segment: &LogSegment) -> String {
    let level = format!("{} {}", number(segment.level), sweep.unit.symbol());
    let level = level.trim_end();
    let slope = segment.slope.center;
    if slope.abs() <= PLAIN_SLOPE {
        let what = if sweep.higher_is_better {
            "plateau"
        } else {
            "fixed cost"
        };
        return format!("{what}, {level}");
    }
    let proportional = (slope - 1.0).abs() <= PLAIN_SLOPE;
    match (slope > 0.0, proportional, sweep.higher_is_better) {
        (true, true, true) => "fixed cost".to_owned(),
        (true, true, false) => "cost per byte".to_owned(),
        (true, false, _) => "rising".to_owned(),
        (false, ..) => "falling".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stats::Interval;
    use stats::Knees;

    #[test]
    fn numbers_have_three_digits() {
        for (v, text) in [
            (0.0, "0"),
            (1.0, "1"),
            (0.123_45, "0.123"),
            (12.345, "12.3"),
            (123.45, "123"),
            (100.0, "100"),
            (1234.0, "1234"),
            (-2.50, "-2.5"),
            (9_999_999.0, "9999999"),
            (10_000_000.0, "1.0e7"),
            (0.000_123_4, "0.000123"),
            (0.000_012_3, "1.2e-5"),
            (f64::INFINITY, "inf"),
        ] {
            assert_eq!(number(v), text);
        }
    }

    #[test]
    fn places_have_the_unit_of_the_axis() {
        assert_eq!(place(65536.4, Unit::Bytes), "64 KiB");
        assert_eq!(place(-3.0, Unit::Bytes), place(0.0, Unit::Bytes));
        assert_eq!(place(12.0, Unit::Count), "12");
    }

    fn knee(jump: f64, slope_before: f64, slope_after: f64) -> Knee {
        Knee {
            at: Interval::resampled(1.0, 1.0, 1.0),
            before_x: 1.0,
            after_x: 1.0,
            confidence: 1.0,
            slope_before,
            slope_after,
            jump,
        }
    }

    fn segment(slope: f64) -> LogSegment {
        LogSegment {
            from_x: 1.0,
            to_x: 2.0,
            slope: Interval::resampled(slope, slope, slope),
            level: 2.0,
        }
    }

    fn with<T>(higher_is_better: bool, then: impl Fn(&Sweep<'_>) -> T) -> T {
        let knees = Knees {
            segments: Vec::new(),
            breaks: Vec::new(),
            confidence: 1.0,
        };
        then(&Sweep {
            axis: "size",
            axis_unit: Unit::Bytes,
            metric: "speed",
            unit: Unit::GigabytesPerSecond,
            higher_is_better,
            key: "k",
            conditions: "",
            only: &[],
            curve: &[],
            knees: &knees,
        })
    }

    #[test]
    fn a_step_of_five_percent_is_a_bend() {
        for bend in [0.95, 1.0, 1.05] {
            assert!(!jumps(&knee(bend, 1.0, 0.0)), "{bend}");
        }
        for jump in [0.949, 1.051] {
            assert!(jumps(&knee(jump, 1.0, 0.0)), "{jump}");
        }
        let said = |jump| with(true, |sweep| change(sweep, &knee(jump, 1.0, 0.0)));
        assert_eq!(said(0.5), "speed falls to 0.5 of the previous line");
        assert_eq!(said(2.0), "speed jumps by a factor of 2");
        assert_eq!(said(1.0), "speed turns flat (slope 1.00 -> 0.00)");
    }

    #[test]
    fn a_bend_is_named_by_the_slopes_on_both_sides() {
        let said = |before, after| {
            let text = with(true, |sweep| change(sweep, &knee(1.0, before, after)));
            text.split(" (").next().unwrap_or_default().to_owned()
        };
        assert_eq!(said(1.0, 0.2), "speed turns flat");
        assert_eq!(said(1.0, -0.2), "speed turns flat");
        assert_eq!(said(1.0, -0.21), "speed declines");
        assert_eq!(said(1.0, 0.21), "speed grows more slowly");
        assert_eq!(said(0.3, 0.9), "speed grows faster");
    }

    #[test]
    fn regions_are_named_by_their_slope() {
        let named = |slope, better| with(better, |sweep| region(sweep, &segment(slope)));
        assert_eq!(named(0.2, true), "plateau, 2 GB/s");
        assert_eq!(named(-0.2, false), "fixed cost, 2 GB/s");
        assert_eq!(named(0.21, true), "rising");
        assert_eq!(named(0.79, true), "rising");
        assert_eq!(named(0.81, true), "fixed cost");
        assert_eq!(named(1.19, false), "cost per byte");
        assert_eq!(named(1.21, false), "rising");
        assert_eq!(named(-0.21, true), "falling");
        assert_eq!(named(-1.0, false), "falling");
    }
}
