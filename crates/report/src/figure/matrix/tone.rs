//! The ink of a cell. Most quantities have one hue, thin for small values and thick
//! for large ones. Ratios have two, one below 1 and one above, each the thicker the
//! farther away: orange and blue stay apart for people who see few colours, and in
//! grey the number tells the side.

use super::super::Figure;
use crate::figure::DataPoint;
use record::Unit;

/// Of 1, and of quantities that have one hue.
const BELOW: u8 = 0;
const ABOVE: u8 = 1;

/// Hue and strength of the colour of a cell.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tone {
    /// Number of the hue in the palette.
    pub hue: u8,
    /// 0..=1.
    pub strength: f64,
}

/// Whether 1 is in the middle: no effect.
pub fn is_diverging(figure: &Figure) -> bool {
    figure.y.unit == Unit::Ratio && figure.y.range.0 > 0.0
}

/// The tone of a value in this figure.
pub fn tone(figure: &Figure, value: f64) -> Tone {
    if !is_diverging(figure) {
        return Tone {
            hue: BELOW,
            strength: super::share(figure, value),
        };
    }
    let (low, high) = figure.y.range;
    let farthest = high.ln().max(-low.ln());
    Tone {
        hue: if value < 1.0 { BELOW } else { ABOVE },
        // The root: a tenth more must be visible next to ten times as much.
        strength: (value.ln().abs() / farthest).clamp(0.0, 1.0).sqrt(),
    }
}

/// Whether a ratio's interval leaves open on which side of 1 it is.
pub fn is_open(figure: &Figure, point: &DataPoint) -> bool {
    let sure = point.y.low > 1.0 || point.y.high < 1.0;
    is_diverging(figure) && !sure
}

/// The value in the middle of a step of the legend's scale, which goes from the
/// smallest value (0) to the largest (1) in even steps of strength.
pub fn value_at(figure: &Figure, share: f64) -> f64 {
    let (low, high) = figure.y.range;
    if !is_diverging(figure) {
        return match figure.y.scale.is_log() {
            true => low * (high / low).powf(share),
            false => low + (high - low) * share,
        };
    }
    let farthest = high.ln().max(-low.ln());
    let signed = |v: f64| v.ln().signum() * (v.ln().abs() / farthest).sqrt();
    let at = signed(low) + (signed(high) - signed(low)) * share;
    (at * at.abs() * farthest).exp()
}

/// Where 1 is on that scale; None where there is one hue.
pub fn middle(figure: &Figure) -> Option<f64> {
    let (low, high) = figure.y.range;
    let (below, above) = ((-low.ln()).sqrt(), high.ln().sqrt());
    is_diverging(figure).then(|| below / (below + above))
}
