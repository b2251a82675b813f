//! The figures as PNG: the SVG drawing, rasterised.

use crate::{ReportError, figure, svg};
use analysis::RunView;
use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree, fontdb::Database};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Pixels to a unit of the drawing: sharp on dense screens and in print.
const SCALE: f32 = 2.0;

/// Writes every figure of a run into `dir` (made when missing) as
/// `<experiment>-<n>.png`, and returns the paths.
///
/// # Errors
/// `Write` with the path that could not be written; `Draw` when a figure
/// cannot be drawn, also for want of any font.
pub fn write_all(view: &RunView, dir: &Path) -> Result<Vec<PathBuf>, ReportError> {
    let failed = |path: &Path| {
        let path = path.to_owned();
        move |source| ReportError::Write { path, source }
    };
    std::fs::create_dir_all(dir).map_err(failed(dir))?;
    let options = options();
    let mut written = Vec::new();
    for figure in figure::all(view) {
        let path = dir.join(format!("{}.png", svg::file_stem(&figure.id)));
        let bytes = rasterised(&figure.id, &svg::file(&figure)?, &options)?;
        std::fs::write(&path, bytes).map_err(failed(&path))?;
        written.push(path);
    }
    Ok(written)
}

/// The fonts of this machine; loading them once serves all figures.
fn options() -> Options<'static> {
    let mut fonts = Database::new();
    fonts.load_system_fonts();
    // A drawing asks for "sans-serif"; what that is differs by machine.
    let first = fonts.faces().next().map(|face| face.families[0].0.clone());
    let sans = ["DejaVu Sans", "Noto Sans", "Liberation Sans"]
        .into_iter()
        .find(|name| {
            fonts
                .faces()
                .any(|face| face.families.iter().any(|(f, _)| f == name))
        })
        .map(str::to_owned)
        .or(first);
    if let Some(family) = sans {
        fonts.set_sans_serif_family(family);
    }
    Options {
        fontdb: Arc::new(fonts),
        ..Options::default()
    }
}

fn rasterised(id: &str, drawing: &str, options: &Options<'_>) -> Result<Vec<u8>, ReportError> {
    let failed = |cause: String| ReportError::Draw {
        figure: id.to_owned(),
        cause,
    };
    if options.fontdb.is_empty() {
        return Err(failed(
            "no font is installed (apt-get install fonts-dejavu-core; --svg needs none)".to_owned(),
        ));
    }
    let tree = Tree::from_str(drawing, options).map_err(|e| failed(e.to_string()))?;
    let size = tree.size().to_int_size().scale_by(SCALE);
    let size = size.ok_or_else(|| failed("it has no size".to_owned()))?;
    let mut pixels = Pixmap::new(size.width(), size.height())
        .ok_or_else(|| failed(format!("{} x {} pixels", size.width(), size.height())))?;
    // Slides and mails have no background of their own.
    pixels.fill(resvg::tiny_skia::Color::WHITE);
    resvg::render(
        &tree,
        Transform::from_scale(SCALE, SCALE),
        &mut pixels.as_mut(),
    );
    pixels.encode_png().map_err(|e| failed(e.to_string()))
}
