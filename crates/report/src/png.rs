//! The figures as PNG: the SVG drawing, rasterised by librsvg's converter.
//! A rasteriser of our own would be a quarter of the build.

use crate::{ReportError, figure, svg};
use analysis::RunView;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const CONVERTER: &str = "rsvg-convert";
/// Pixels to a unit of the drawing: sharp on dense screens and in print.
const SCALE: &str = "2";

/// Writes every figure of a run into `dir` (made when missing) as
/// `<experiment>-<n>.png`, and returns the paths.
///
/// # Errors
/// `Missing` without the converter, `Write` with the path that could not be
/// written, `Draw` when a figure cannot be drawn.
pub fn write_all(view: &RunView, dir: &Path) -> Result<Vec<PathBuf>, ReportError> {
    std::fs::create_dir_all(dir).map_err(|source| ReportError::Write {
        path: dir.to_owned(),
        source,
    })?;
    let mut written = Vec::new();
    for figure in figure::all(view) {
        let path = dir.join(format!("{}.png", svg::file_stem(&figure.id)));
        convert(&figure.id, &svg::file(&figure)?, &path)?;
        written.push(path);
    }
    Ok(written)
}

fn convert(id: &str, drawing: &str, path: &Path) -> Result<(), ReportError> {
    let failed = |cause: String| ReportError::Draw {
        figure: id.to_owned(),
        cause,
    };
    let mut converter = Command::new(CONVERTER)
        .args(["--zoom", SCALE, "--background-color", "white", "--output"])
        .arg(path)
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|e| match e.kind() {
            ErrorKind::NotFound => ReportError::Missing { tool: CONVERTER },
            _ => failed(format!("{CONVERTER}: {e}")),
        })?;
    if let Some(mut input) = converter.stdin.take() {
        // A converter that refuses the drawing says so in its status.
        let _ = input.write_all(drawing.as_bytes());
    }
    let ended = converter
        .wait_with_output()
        .map_err(|e| failed(e.to_string()))?;
    if ended.status.success() {
        return Ok(());
    }
    Err(failed(
        String::from_utf8_lossy(&ended.stderr).trim().to_owned(),
    ))
}
