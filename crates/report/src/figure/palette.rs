//! Colours by role. A back end turns a role into ink: the SVG file into fixed
//! light colours, the page into CSS variables that follow dark and light.
//!
//! Unordered series take hues of Okabe and Ito (2008), which stay apart under
//! the common colour deficiencies; ordered ones steps of viridis without its
//! yellow end, which also stay in order in grey.

/// Role of a colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Colour {
    /// Unordered series.
    Hue(u8),
    /// Ordered series, dark to light.
    Step(u8),
    Ink,
    Muted,
    Grid,
    Paper,
    Knee,
    /// The cheapest, in ink and behind it.
    Good,
    Tint,
    /// What contradicts.
    Bad,
    /// A cache as far as it serves for sure, and as far as it may.
    Level,
    LevelSoft,
    /// Behind a grade that calls for caution, and its ink.
    Caution,
    CautionInk,
}

/// Number of colours for series.
pub const HUES: u8 = 8;
/// Number of colours for a series in an order.
pub const STEPS: u8 = 12;

const HUE_RGB: [(u8, u8, u8); HUES as usize] = [
    (0, 114, 178),
    (213, 94, 0),
    (0, 140, 103),
    (184, 86, 143),
    (179, 124, 0),
    (58, 150, 200),
    (77, 77, 77),
    (125, 112, 0),
];

const STEP_RGB: [(u8, u8, u8); STEPS as usize] = [
    (68, 1, 84),
    (72, 24, 106),
    (71, 45, 123),
    (66, 64, 134),
    (59, 82, 139),
    (51, 99, 141),
    (44, 114, 142),
    (38, 130, 142),
    (33, 145, 140),
    (31, 160, 136),
    (63, 175, 108),
    (101, 185, 60),
];

impl Colour {
    /// Red, green, blue on white paper. Every role has its own value, so that
    /// the page can tell them apart again.
    pub fn rgb(self) -> (u8, u8, u8) {
        match self {
            Colour::Hue(i) => HUE_RGB[usize::from(i % HUES)],
            Colour::Step(i) => STEP_RGB[usize::from(i.min(STEPS - 1))],
            Colour::Ink => (28, 30, 34),
            Colour::Muted => (92, 98, 106),
            Colour::Grid => (226, 229, 233),
            Colour::Paper => (255, 255, 255),
            Colour::Knee => (178, 24, 43),
            Colour::Good => (0, 102, 77),
            Colour::Tint => (217, 240, 231),
            Colour::Bad => (168, 50, 0),
            Colour::Level => (195, 214, 230),
            Colour::LevelSoft => (226, 235, 243),
            Colour::Caution => (255, 241, 208),
            Colour::CautionInk => (90, 60, 0),
        }
    }

    /// Name of the CSS variable, without the dashes: `c0`, `q11`, `ink`.
    pub fn variable(self) -> String {
        match self {
            Colour::Hue(i) => format!("c{}", i % HUES),
            Colour::Step(i) => format!("q{}", i.min(STEPS - 1)),
            Colour::Ink => "ink".to_owned(),
            Colour::Muted => "muted".to_owned(),
            Colour::Grid => "grid".to_owned(),
            Colour::Paper => "paper".to_owned(),
            Colour::Knee => "knee".to_owned(),
            Colour::Good => "good".to_owned(),
            Colour::Tint => "ok-tint".to_owned(),
            Colour::Bad => "bad".to_owned(),
            Colour::Level => "level".to_owned(),
            Colour::LevelSoft => "level-soft".to_owned(),
            Colour::Caution => "caution".to_owned(),
            Colour::CautionInk => "caution-ink".to_owned(),
        }
    }

    /// `#0072B2`, as plotters writes it.
    pub fn hex(self) -> String {
        let (r, g, b) = self.rgb();
        format!("#{r:02X}{g:02X}{b:02X}")
    }

    /// Every role.
    pub fn all() -> impl Iterator<Item = Colour> {
        (0..HUES)
            .map(Colour::Hue)
            .chain((0..STEPS).map(Colour::Step))
            .chain([
                Colour::Ink,
                Colour::Muted,
                Colour::Grid,
                Colour::Paper,
                Colour::Knee,
                Colour::Good,
                Colour::Tint,
                Colour::Bad,
                Colour::Level,
                Colour::LevelSoft,
                Colour::Caution,
                Colour::CautionInk,
            ])
    }
}

/// Colour of series `index` of `count`.
#[expect(
    clippy::cast_possible_truncation,
    reason = "fewer than 256 hues and steps"
)]
pub fn series_colour(index: usize, count: usize, ordered: bool) -> Colour {
    if (ordered && count > 2) || count > usize::from(HUES) {
        let last = count.saturating_sub(1).max(1) as f64;
        let step = (index as f64 / last * f64::from(STEPS - 1)).round();
        Colour::Step(step as u8)
    } else {
        Colour::Hue(index as u8)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_role_has_its_own_ink() {
        let mut seen: Vec<String> = Colour::all().map(Colour::hex).collect();
        let count = seen.len();
        seen.sort();
        seen.dedup();
        assert_eq!(seen.len(), count);
    }

    #[test]
    fn ordered_series_span_the_steps() {
        assert_eq!(series_colour(0, 9, true), Colour::Step(0));
        assert_eq!(series_colour(8, 9, true), Colour::Step(STEPS - 1));
        assert_eq!(series_colour(1, 3, false), Colour::Hue(1));
        assert_eq!(series_colour(20, 21, false), Colour::Step(STEPS - 1));
    }
}
