//! Figures as PNG, through plotters: white paper, title inside, two pixels to a
//! CSS pixel.
//!
//! Plotters' bitmaps have hard edges, so a figure is drawn twice as large as it
//! will be and each pixel is the mean of four. Text is set in DejaVu Sans,
//! which comes with the program: servers have no fonts.

use crate::card::Card;
use crate::drawing::Foot;
use crate::figure::{Colour, Figure};
use crate::svg::Written;
use crate::{ReportError, drawing, svg};
use analysis::RunView;
use analysis::whole_index;
use plotters::coord::Shift;
use plotters::prelude::{BitMapBackend, DrawingArea, IntoDrawingArea, RGBColor};
use plotters::style::{FontStyle, register_font};
use std::path::Path;
use std::sync::Once;

/// Pixels of the file to a CSS pixel: sharp on dense screens and in print.
const SCALE: f64 = 2.0;
/// Pixels drawn for one of the file, in each direction.
const OVERSAMPLED: usize = 2;
/// Samples of a pixel: `OVERSAMPLED` squared.
const SQUARE: u16 = 4;
const CHANNELS: usize = 3;
/// Bytes of the pixels drawn for one, in one row.
const PAIR: usize = OVERSAMPLED * CHANNELS;

/// Writes every figure of a run that has data into `dir` (made when missing) as
/// `<experiment>-<n>.png`.
///
/// # Errors
/// `Write` with the path that could not be written, `Draw` when a figure cannot
/// be drawn.
pub fn write_all(view: &RunView, dir: &Path) -> Result<Written, ReportError> {
    load_fonts();
    svg::write_each(view, dir, "png", |figure, foot| {
        let drawn =
            draw(figure, foot).and_then(|picture| encoded(&picture).map_err(|e| e.to_string()));
        drawn.map_err(svg::refused(&figure.id))
    })
}

fn encoded(picture: &Picture) -> Result<Vec<u8>, png::EncodingError> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, picture.width, picture.height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    // Lines on flat paper: a row is not like a shift of the one above.
    encoder.set_filter(png::Filter::NoFilter);
    encoder.set_pixel_dims(Some(print_size()));
    let mut writer = encoder.write_header()?;
    writer.write_image_data(&picture.rgb)?;
    writer.finish()?;
    Ok(bytes)
}

/// A CSS pixel is the 96th part of an inch, on paper as in the SVG.
fn print_size() -> png::PixelDimensions {
    let per_metre = whole_index((SCALE * 96.0 / 0.0254).round());
    png::PixelDimensions {
        xppu: pixels(per_metre),
        yppu: pixels(per_metre),
        unit: png::Unit::Meter,
    }
}

/// Rows of pixels from the top, three bytes each.
struct Picture {
    width: u32,
    height: u32,
    rgb: Vec<u8>,
}

fn draw(figure: &Figure, foot: &Foot) -> Result<Picture, String> {
    painted(drawing::sheet_px(figure, foot), |root, units| {
        drawing::draw_sheet(root, units, figure, foot)
    })
}

/// The card of a run as a complete PNG file, two pixels to one of the SVG.
///
/// # Errors
/// [`ReportError::Draw`] when plotters refuses to draw.
pub fn card(card: &Card) -> Result<Vec<u8>, ReportError> {
    load_fonts();
    let paint = |root: &Area<'_>, units| drawing::draw_card(root, units, card);
    let picture = painted(drawing::card::SIZE_PX, paint);
    let bytes = picture.and_then(|picture| encoded(&picture).map_err(|e| e.to_string()));
    bytes.map_err(svg::refused("card"))
}

type Area<'a> = DrawingArea<BitMapBackend<'a>, Shift>;

fn painted(
    (width_px, height_px): (f64, f64),
    paint: impl FnOnce(&Area<'_>, f64) -> Result<(), String>,
) -> Result<Picture, String> {
    let size = |px: f64| whole_index((px * SCALE).round());
    let (width, height) = (size(width_px), size(height_px));
    let large = (width * OVERSAMPLED, height * OVERSAMPLED);
    let mut drawn = vec![0; large.0 * large.1 * CHANNELS];
    {
        let extent = (pixels(large.0), pixels(large.1));
        let root = BitMapBackend::with_buffer(&mut drawn, extent).into_drawing_area();
        let (r, g, b) = Colour::Paper.rgb();
        root.fill(&RGBColor(r, g, b)).map_err(|e| e.to_string())?;
        paint(&root, SCALE * OVERSAMPLED as f64)?;
    }
    Ok(Picture {
        width: pixels(width),
        height: pixels(height),
        rgb: reduced(&drawn, width, height),
    })
}

fn pixels(side: usize) -> u32 {
    u32::try_from(side).unwrap_or(u32::MAX)
}

/// The mean of each square of `OVERSAMPLED` x `OVERSAMPLED` pixels.
fn reduced(drawn: &[u8], width: usize, height: usize) -> Vec<u8> {
    let stride = width * OVERSAMPLED * CHANNELS;
    let mut rgb = vec![0; width * height * CHANNELS];
    let rows = rgb.chunks_exact_mut(width * CHANNELS);
    for (row, drawn) in rows.zip(drawn.chunks_exact(stride * OVERSAMPLED)) {
        let (upper, lower) = drawn.split_at(stride);
        let (upper, lower) = (upper.as_chunks().0, lower.as_chunks().0);
        let pixels = row.as_chunks_mut().0.iter_mut();
        for ((pixel, upper), lower) in pixels.zip(upper).zip(lower) {
            *pixel = mean(*upper, *lower);
        }
    }
    rgb
}

/// Of two pixels and the two under them.
fn mean(upper: [u8; PAIR], lower: [u8; PAIR]) -> [u8; CHANNELS] {
    std::array::from_fn(|channel| {
        let next = channel + CHANNELS;
        let four = [upper[channel], upper[next], lower[channel], lower[next]];
        let sum: u16 = four.into_iter().map(u16::from).sum();
        ((sum + SQUARE / 2) / SQUARE).try_into().unwrap_or(u8::MAX)
    })
}

/// What it holds: data/README.md.
const FONT: &[u8] = include_bytes!("../data/DejaVuSans-subset.ttf");

fn load_fonts() {
    static LOADED: Once = Once::new();
    LOADED.call_once(|| {
        // One font serves for titles, too.
        for style in [FontStyle::Normal, FontStyle::Bold] {
            // Refused only if it were no font; text then is an error of its own.
            let _ = register_font("sans-serif", style, FONT);
        }
    });
}

#[cfg(test)]
mod tests {
    use super::reduced;

    #[test]
    fn four_pixels_become_their_mean() {
        let (black, white) = ([0u8; 3], [255u8; 3]);
        let row = |a: [u8; 3], b: [u8; 3]| [a, a, a, b].concat();
        let drawn = [row(black, white), row(black, white)].concat();
        assert_eq!(reduced(&drawn, 2, 1), [0, 0, 0, 128, 128, 128]);
    }
}
