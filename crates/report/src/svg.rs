//! Figures as SVG, through plotters: files for papers, and the static half of
//! the page.

use crate::ReportError;
use crate::card::Card;
use crate::drawing::{self, Foot};
use crate::figure::{self, Colour, Figure};
use analysis::{RunView, in_parallel, whole_signed};
use maud::PreEscaped;
use plotters::coord::Shift;
use plotters::prelude::*;
use std::path::{Path, PathBuf};

/// Drawing units per CSS pixel: plotters places in whole units, and quarters
/// of a pixel keep curves smooth.
const UNITS_PER_PX: f64 = 4.0;

/// A figure as a complete SVG file: white paper, title inside, under it where it comes from.
///
/// # Errors
/// [`ReportError::Draw`] when plotters refuses to draw.
pub fn file(figure: &Figure, foot: &Foot) -> Result<String, ReportError> {
    sheet(drawing::sheet_px(figure, foot), |root, units| {
        drawing::draw_sheet(root, units, figure, foot)
    })
    .map_err(refused(&figure.id))
}

/// The card of a run as a complete SVG file, 1200 x 630.
///
/// # Errors
/// [`ReportError::Draw`] when plotters refuses to draw.
pub fn card(card: &Card) -> Result<String, ReportError> {
    let paint =
        |root: &DrawingArea<SVGBackend<'_>, Shift>, units| drawing::draw_card(root, units, card);
    sheet(drawing::card::SIZE_PX, paint).map_err(refused("card"))
}

/// A drawing as a complete SVG file on white paper.
fn sheet(
    size_px: (f64, f64),
    paint: impl FnOnce(&DrawingArea<SVGBackend<'_>, Shift>, f64) -> Result<(), String>,
) -> Result<String, String> {
    let drawn = traced(size_px, |root| paint(root, UNITS_PER_PX))?;
    Ok(format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{w}\" height=\"{h}\" viewBox=\"0 0 {vw} \
         {vh}\" font-family=\"sans-serif\">\n<rect width=\"100%\" height=\"100%\" \
         fill=\"{paper}\"/>\n{}</svg>\n",
        drawn.body,
        w = drawn.width_px,
        h = drawn.height_px,
        vw = drawn.width_px * UNITS_PER_PX,
        vh = drawn.height_px * UNITS_PER_PX,
        paper = Colour::Paper.hex(),
    ))
}

/// A figure as an SVG element for the page: its colours are CSS variables, the
/// title is left to the page.
///
/// # Errors
/// [`ReportError::Draw`] when plotters refuses to draw.
pub fn inline(figure: &Figure) -> Result<PreEscaped<String>, ReportError> {
    let drawn = traced(drawing::size_px(figure, false), |root| {
        drawing::draw(root, UNITS_PER_PX, figure, false)
    });
    let drawn = drawn.map_err(refused(&figure.id))?;
    let label = maud::html! { (figure.title) ". " (figure.verdict.sentence()) }.into_string();
    Ok(element(drawn, &label, &titles(figure)))
}

/// Two runs side by side as an SVG element for the page.
///
/// # Errors
/// [`ReportError::Draw`] when plotters refuses to draw.
pub(crate) fn rows(
    rows: &drawing::under_load::Rows<'_>,
    label: &str,
) -> Result<Inline, ReportError> {
    let drawn = traced(rows.size_px(), |root| {
        drawing::draw_rows(root, UNITS_PER_PX, rows)
    });
    let drawn = drawn.map_err(refused(label))?;
    let label = maud::html! { (label) }.into_string();
    Ok(element(drawn, &label, ""))
}

type Inline = PreEscaped<String>;

/// For the page: colours as CSS variables, nothing that SVG takes for granted.
fn element(drawn: Drawn, escaped_label: &str, above: &str) -> Inline {
    let mut body = drawn.body;
    for colour in Colour::all() {
        body = body.replace(&colour.hex(), &format!("var(--{})", colour.variable()));
    }
    // Defaults of SVG that plotters spells out on every element.
    for noise in [" opacity=\"1\"", " stroke-width=\"1\""] {
        body = body.replace(noise, "");
    }
    body = body.replace(" font-family=\"sans-serif\"", "");
    body.push_str(above);
    PreEscaped(format!(
        "<svg class=\"plot\" role=\"img\" aria-label=\"{}\" viewBox=\"0 0 {} {}\">{body}</svg>",
        escaped_label.replace('"', "&quot;"),
        drawn.width_px * UNITS_PER_PX,
        drawn.height_px * UNITS_PER_PX,
    ))
}

/// What each cell of a matrix says when it is pointed at. Plotters has no
/// words for that.
fn titles(figure: &Figure) -> String {
    let Some(matrix) = figure.matrix.as_ref().filter(|_| !figure.is_empty()) else {
        return String::new();
    };
    let layout = drawing::matrix::Layout::of(matrix, false);
    let units = |px: f64| (px * UNITS_PER_PX).round();
    let cells = maud::html! {
        g fill-opacity="0" {
            @for (row, column, cell) in matrix.placed() {
                @let (x, y, w, h) = layout.cell_px(row, column);
                rect x=(units(x)) y=(units(y)) width=(units(w)) height=(units(h)) {
                    title { (matrix.sentence(row, column, cell, figure.y.unit)) }
                }
            }
        }
    };
    cells.into_string()
}

/// What was written of a run's figures.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Written {
    pub files: Vec<PathBuf>,
    /// Figures that have no data, and no file.
    pub empty: usize,
}

/// Writes every figure of a run that has data into `dir` (made when missing) as
/// `<experiment>-<n>.svg`.
///
/// # Errors
/// [`ReportError::Write`] with the path that could not be written,
/// [`ReportError::Draw`] as [`file()`].
pub fn write_all(view: &RunView, dir: &Path) -> Result<Written, ReportError> {
    write_each(view, dir, "svg", |figure, foot| {
        file(figure, foot).map(String::into_bytes)
    })
}

/// Writes every figure of a run that has data into `dir` (made when missing) as
/// `<experiment>-<n>.<ending>`, on all CPUs.
pub(crate) fn write_each(
    view: &RunView,
    dir: &Path,
    ending: &str,
    drawn: impl Fn(&Figure, &Foot) -> Result<Vec<u8>, ReportError> + Sync,
) -> Result<Written, ReportError> {
    let failed = |path: &Path| {
        let path = path.to_owned();
        move |source| ReportError::Write { path, source }
    };
    files::output::folder(dir).map_err(failed(dir))?;
    let foot = Foot::of(&view.head);
    let all = figure::all(view);
    let figures: Vec<&Figure> = all.iter().filter(|figure| !figure.is_empty()).collect();
    let written = in_parallel(&figures, |figure| {
        let path = dir.join(format!("{}.{ending}", file_stem(&figure.id)));
        files::output::write(&path, &drawn(figure, &foot)?).map_err(failed(&path))?;
        Ok(path)
    });
    Ok(Written {
        empty: all.len() - figures.len(),
        files: written.into_iter().collect::<Result<_, ReportError>>()?,
    })
}

/// The id of a figure without anything a file name should not hold: records
/// come from other people.
pub fn file_stem(id: &str) -> String {
    let kept = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    id.chars().map(|c| if kept(c) { c } else { '_' }).collect()
}

struct Drawn {
    body: String,
    width_px: f64,
    height_px: f64,
}

/// What plotters says of a figure.
pub(crate) fn refused(figure: &str) -> impl FnOnce(String) -> ReportError {
    let figure = figure.to_owned();
    |cause| ReportError::Draw { figure, cause }
}

fn traced(
    (width_px, height_px): (f64, f64),
    paint: impl FnOnce(&DrawingArea<SVGBackend<'_>, Shift>) -> Result<(), String>,
) -> Result<Drawn, String> {
    let size = (
        whole_signed(width_px * UNITS_PER_PX).unsigned_abs(),
        whole_signed(height_px * UNITS_PER_PX).unsigned_abs(),
    );
    let mut text = String::new();
    let root = SVGBackend::with_string(&mut text, size).into_drawing_area();
    paint(&root)?;
    // The text is whole when the backend lets go of it.
    drop(root);
    Ok(Drawn {
        body: body_of(&text),
        width_px,
        height_px,
    })
}

/// What stands between the root tags.
fn body_of(svg: &str) -> String {
    let start = svg
        .find("<svg")
        .and_then(|at| svg[at..].find('>').map(|end| at + end + 1))
        .unwrap_or(0);
    let end = svg.rfind("</svg>").unwrap_or(svg.len());
    let slanted = format!("rotate({}, ", -drawing::SLANT_DEGREES);
    svg[start..end]
        .trim_start()
        .replace("rotate(270, ", &slanted)
}
