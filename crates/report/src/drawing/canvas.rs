//! Few drawing words over plotters, in pixels and colour roles.

use crate::figure::Colour;
use analysis::whole_signed;
use plotters::coord::Shift;
use plotters::element::{Drawable, PointCollection};
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{FontDesc, FontFamily, FontStyle, FontTransform};

/// Size of most texts, and of the smallest. Plotters sets letters in the 1.24th part of it, which
/// are 7.3 points on paper, where a pixel is three quarters of a point.
pub const FONT_PX: f64 = 12.0;

/// Where a text stands relative to its point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Anchor {
    Left,
    Middle,
    Right,
}

impl Anchor {
    fn hpos(self) -> HPos {
        match self {
            Anchor::Left => HPos::Left,
            Anchor::Middle => HPos::Center,
            Anchor::Right => HPos::Right,
        }
    }
}

/// How steep names stand that have no room to lie. Plotters knows right angles
/// only: it writes them upright, and the SVG leans them.
pub const SLANT_DEGREES: f64 = 50.0;

/// What every backend of plotters can, in CSS pixels.
trait Surface {
    fn line(&self, points: &[(f64, f64)], colour: Colour, width_px: f64) -> Drawing;
    fn area(&self, outline: &[(f64, f64)], colour: Colour, opacity: f64) -> Drawing;
    /// Filled, or a line so wide.
    fn circle(&self, center: (f64, f64), radius_px: f64, ink: (Colour, Option<f64>)) -> Drawing;
    fn words(&self, text: &str, at: (f64, f64), font: FontDesc<'_>, ink: (HPos, Colour))
    -> Drawing;
}

/// A drawing area measured in CSS pixels.
pub struct Canvas<'a>(Box<dyn Surface + 'a>);

/// The end of drawing: what plotters says when it refuses.
pub type Drawing = Result<(), String>;

/// Width of a text of a size, estimated: the report is drawn without font files.
pub fn sized_width_px(text: &str, size_px: f64) -> f64 {
    text.chars().count() as f64 * size_px * 0.53
}

/// Width of a text.
pub fn text_width_px(text: &str) -> f64 {
    sized_width_px(text, FONT_PX)
}

/// Width of the widest text.
pub fn widest_px<T: AsRef<str>>(texts: impl IntoIterator<Item = T>) -> f64 {
    let widths = texts.into_iter().map(|text| text_width_px(text.as_ref()));
    widths.fold(0.0, f64::max)
}

/// The corners of a rectangle from its left upper one, its width and height.
pub fn rectangle((x, y, w, h): (f64, f64, f64, f64)) -> [(f64, f64); 4] {
    [(x, y), (x + w, y), (x + w, y + h), (x, y + h)]
}

impl<'a> Canvas<'a> {
    /// On this area, where a pixel has so many units.
    pub fn new<DB: DrawingBackend>(root: &'a DrawingArea<DB, Shift>, units_per_px: f64) -> Self {
        Canvas(Box::new(Scaled { root, units_per_px }))
    }

    /// Joins the points.
    pub fn line(&self, points: &[(f64, f64)], colour: Colour, width_px: f64) -> Drawing {
        self.0.line(points, colour, width_px)
    }

    /// A filled area with a transparency.
    pub fn area(&self, outline: &[(f64, f64)], colour: Colour, opacity: f64) -> Drawing {
        self.0.area(outline, colour, opacity)
    }

    /// A filled circle.
    pub fn dot(&self, center: (f64, f64), radius_px: f64, colour: Colour) -> Drawing {
        self.0.circle(center, radius_px, (colour, None))
    }

    /// An empty circle.
    pub fn ring(&self, center: (f64, f64), radius_px: f64, colour: Colour) -> Drawing {
        self.dot(center, radius_px, Colour::Paper)?;
        self.0.circle(center, radius_px, (colour, Some(1.25)))
    }

    /// Two crossed lines.
    pub fn cross(&self, (x, y): (f64, f64), radius_px: f64, colour: Colour) -> Drawing {
        let r = radius_px;
        self.line(&[(x - r, y - r), (x + r, y + r)], colour, 1.5)?;
        self.line(&[(x - r, y + r), (x + r, y - r)], colour, 1.5)
    }

    /// Text whose middle line runs through the point.
    pub fn text(&self, text: &str, at: (f64, f64), anchor: Anchor, colour: Colour) -> Drawing {
        self.sized(text, at, anchor, (FONT_PX, colour))
    }

    /// Text of another size.
    pub fn sized(
        &self,
        text: &str,
        at: (f64, f64),
        anchor: Anchor,
        (size_px, colour): (f64, Colour),
    ) -> Drawing {
        let font = font(size_px, FontStyle::Normal);
        self.0.words(text, at, font, (anchor.hpos(), colour))
    }

    /// Bold text of another size.
    pub fn strong(
        &self,
        text: &str,
        at: (f64, f64),
        anchor: Anchor,
        (size_px, colour): (f64, Colour),
    ) -> Drawing {
        self.0.words(
            text,
            at,
            font(size_px, FontStyle::Bold),
            (anchor.hpos(), colour),
        )
    }

    /// Text of a title, flush left.
    pub fn title(&self, text: &str, at: (f64, f64)) -> Drawing {
        self.0.words(
            text,
            at,
            font(14.0, FontStyle::Bold),
            (HPos::Left, Colour::Ink),
        )
    }

    /// Text that rises from the point: see [`SLANT_DEGREES`].
    pub fn slanted(&self, text: &str, at: (f64, f64), colour: Colour) -> Drawing {
        let risen = font(FONT_PX, FontStyle::Normal).transform(FontTransform::Rotate270);
        self.0.words(text, at, risen, (HPos::Left, colour))
    }
}

fn font(size_px: f64, weight: FontStyle) -> FontDesc<'static> {
    FontDesc::new(FontFamily::SansSerif, size_px, weight)
}

/// A backend of plotters, with so many of its units to a CSS pixel.
struct Scaled<'a, DB: DrawingBackend> {
    root: &'a DrawingArea<DB, Shift>,
    units_per_px: f64,
}

impl<DB: DrawingBackend> Scaled<'_, DB> {
    fn at(&self, (x, y): (f64, f64)) -> (i32, i32) {
        let unit = |v: f64| whole_signed((v * self.units_per_px).round().clamp(-1e6, 1e6));
        (unit(x), unit(y))
    }

    fn width(&self, px: f64) -> u32 {
        whole_signed((px * self.units_per_px).round())
            .max(1)
            .unsigned_abs()
    }

    fn draw<'e, E>(&self, element: &'e E) -> Drawing
    where
        &'e E: PointCollection<'e, (i32, i32)>,
        E: Drawable<DB>,
    {
        self.root.draw(element).map_err(|e| e.to_string())
    }
}

impl<DB: DrawingBackend> Surface for Scaled<'_, DB> {
    fn line(&self, points: &[(f64, f64)], colour: Colour, width_px: f64) -> Drawing {
        let path: Vec<_> = points.iter().map(|p| self.at(*p)).collect();
        let style = ink(colour, 1.0).stroke_width(self.width(width_px));
        self.draw(&PathElement::new(path, style))
    }

    fn area(&self, outline: &[(f64, f64)], colour: Colour, opacity: f64) -> Drawing {
        let path: Vec<_> = outline.iter().map(|p| self.at(*p)).collect();
        self.draw(&Polygon::new(path, ink(colour, opacity).filled()))
    }

    fn circle(
        &self,
        center: (f64, f64),
        radius_px: f64,
        (colour, line_px): (Colour, Option<f64>),
    ) -> Drawing {
        let style = match line_px {
            None => ink(colour, 1.0).filled(),
            Some(px) => ink(colour, 1.0).stroke_width(self.width(px)),
        };
        let radius = self.width(radius_px) as i32;
        self.draw(&Circle::new(self.at(center), radius, style))
    }

    fn words(
        &self,
        text: &str,
        at: (f64, f64),
        font: FontDesc<'_>,
        (hpos, colour): (HPos, Colour),
    ) -> Drawing {
        let (r, g, b) = colour.rgb();
        let font = font.resize(font.get_size() * self.units_per_px);
        let rgb = RGBColor(r, g, b);
        let style = TextStyle::from(font)
            .color(&rgb)
            .pos(Pos::new(hpos, VPos::Center));
        let text = escape::xml(text).into_owned();
        self.draw(&Text::new(text, self.at(at), style))
    }
}

fn ink(colour: Colour, opacity: f64) -> ShapeStyle {
    let (r, g, b) = colour.rgb();
    ShapeStyle::from(RGBColor(r, g, b).mix(opacity))
}
