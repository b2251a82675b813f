//! Few drawing words over plotters, in pixels and colour roles.

use crate::figure::Colour;
use plotters::coord::Shift;
use plotters::element::{Drawable, PointCollection};
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{FontDesc, FontFamily, FontStyle, FontTransform};

/// Where a text stands relative to its point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Anchor {
    Left,
    Middle,
    Right,
}

/// How steep names stand that have no room to lie. Plotters knows right angles
/// only: it writes them upright, and the SVG leans them.
pub const SLANT_DEGREES: f64 = 50.0;

/// A drawing area measured in CSS pixels.
pub struct Canvas<'a, DB: DrawingBackend> {
    root: &'a DrawingArea<DB, Shift>,
    units_per_px: f64,
}

pub type Drawing = Result<(), String>;

/// Width of a text, estimated: the report is drawn without font files.
pub fn text_width_px(text: &str, size_px: f64) -> f64 {
    text.chars().count() as f64 * size_px * 0.56
}

impl<'a, DB: DrawingBackend> Canvas<'a, DB> {
    pub fn new(root: &'a DrawingArea<DB, Shift>, units_per_px: f64) -> Self {
        Canvas { root, units_per_px }
    }

    fn at(&self, (x, y): (f64, f64)) -> (i32, i32) {
        let unit = |v: f64| (v * self.units_per_px).round().clamp(-1e6, 1e6) as i32;
        (unit(x), unit(y))
    }

    fn width(&self, px: f64) -> u32 {
        ((px * self.units_per_px).round() as u32).max(1)
    }

    pub fn line(&self, points: &[(f64, f64)], colour: Colour, width_px: f64) -> Drawing {
        let path: Vec<_> = points.iter().map(|p| self.at(*p)).collect();
        let style = ink(colour, 1.0).stroke_width(self.width(width_px));
        self.draw(&PathElement::new(path, style))
    }

    /// A filled area with a transparency.
    pub fn area(&self, outline: &[(f64, f64)], colour: Colour, opacity: f64) -> Drawing {
        let path: Vec<_> = outline.iter().map(|p| self.at(*p)).collect();
        self.draw(&Polygon::new(path, ink(colour, opacity).filled()))
    }

    pub fn dot(&self, center: (f64, f64), radius_px: f64, colour: Colour) -> Drawing {
        let radius = self.width(radius_px) as i32;
        self.draw(&Circle::new(
            self.at(center),
            radius,
            ink(colour, 1.0).filled(),
        ))
    }

    pub fn ring(&self, center: (f64, f64), radius_px: f64, colour: Colour) -> Drawing {
        self.dot(center, radius_px, Colour::Paper)?;
        let radius = self.width(radius_px) as i32;
        let style = ink(colour, 1.0).stroke_width(self.width(1.25));
        self.draw(&Circle::new(self.at(center), radius, style))
    }

    pub fn cross(&self, (x, y): (f64, f64), radius_px: f64, colour: Colour) -> Drawing {
        let r = radius_px;
        self.line(&[(x - r, y - r), (x + r, y + r)], colour, 1.5)?;
        self.line(&[(x - r, y + r), (x + r, y - r)], colour, 1.5)
    }

    /// Text whose middle line runs through the point.
    pub fn text(
        &self,
        text: &str,
        at: (f64, f64),
        anchor: Anchor,
        size_px: f64,
        colour: Colour,
    ) -> Drawing {
        self.styled_text(text, at, anchor, size_px, colour, FontStyle::Normal)
    }

    pub fn title(&self, text: &str, at: (f64, f64), size_px: f64) -> Drawing {
        self.styled_text(
            text,
            at,
            Anchor::Left,
            size_px,
            Colour::Ink,
            FontStyle::Bold,
        )
    }

    /// Text that rises from the point: see [`SLANT_DEGREES`].
    pub fn slanted(&self, text: &str, at: (f64, f64), size_px: f64, colour: Colour) -> Drawing {
        let font = self.font(size_px, FontStyle::Normal);
        let risen = font.transform(FontTransform::Rotate270);
        self.words(text, at, risen, (HPos::Left, colour))
    }

    fn styled_text(
        &self,
        text: &str,
        at: (f64, f64),
        anchor: Anchor,
        size_px: f64,
        colour: Colour,
        weight: FontStyle,
    ) -> Drawing {
        let hpos = match anchor {
            Anchor::Left => HPos::Left,
            Anchor::Middle => HPos::Center,
            Anchor::Right => HPos::Right,
        };
        self.words(text, at, self.font(size_px, weight), (hpos, colour))
    }

    fn font(&self, size_px: f64, weight: FontStyle) -> FontDesc<'static> {
        FontDesc::new(FontFamily::SansSerif, size_px * self.units_per_px, weight)
    }

    fn words(
        &self,
        text: &str,
        at: (f64, f64),
        font: FontDesc<'_>,
        (hpos, colour): (HPos, Colour),
    ) -> Drawing {
        let (r, g, b) = colour.rgb();
        let rgb = RGBColor(r, g, b);
        let style = TextStyle::from(font)
            .color(&rgb)
            .pos(Pos::new(hpos, VPos::Center));
        let text = escape::xml(text).into_owned();
        self.draw(&Text::new(text, self.at(at), style))
    }

    fn draw<'e, E>(&self, element: &'e E) -> Drawing
    where
        &'e E: PointCollection<'e, (i32, i32)>,
        E: Drawable<DB>,
    {
        self.root.draw(element).map_err(|e| e.to_string())
    }
}

fn ink(colour: Colour, opacity: f64) -> ShapeStyle {
    let (r, g, b) = colour.rgb();
    ShapeStyle::from(RGBColor(r, g, b).mix(opacity))
}
