//! Numbers and clauses of the sentences.

use super::Sweep;
use record::Unit;
use record::axis::human_bytes;
use stats::{Knee, LogSegment};

/// Slopes within this of 0 or 1 are called flat or proportional.
const PLAIN_SLOPE: f64 = 0.2;

/// A place on the axis: `64 KiB`, `12`.
pub fn place(x: f64, unit: Unit) -> String {
    match unit {
        Unit::Bytes => human_bytes(x.round().max(0.0) as u64),
        _ => format!("{} {}", number(x), unit.symbol())
            .trim_end()
            .to_owned(),
    }
}

/// Three digits, without an exponent between 0.001 and 10^6.
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
        return format!("{metric} falls to {} of the line before", number(knee.jump));
    }
    if jumps(knee) {
        return format!("{metric} leaps by a factor {}", number(knee.jump));
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
    let slope = segment.slope;
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
