//! `pontage report`: a recorded run on the terminal, as a page, as pictures.

use crate::failure::{Failure, Outcome};
use crate::{arguments, output, runs};
use ::report::ReportError;
use analysis::RunView;
use std::fs::Permissions;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Shows a run.
///
/// # Errors
/// A run that cannot be read, a file that cannot be written.
pub fn run(arguments: &arguments::Report) -> Outcome {
    let folder = runs::given_or_newest(arguments.run.as_ref())?;
    let (_, view) = runs::open(&folder)?;
    if let Some(file) = &arguments.html {
        write_page(&view, file)?;
    }
    if let Some(folder) = &arguments.svg {
        pictures(::report::svg::write_all(&view, folder))?;
    }
    if let Some(folder) = &arguments.png {
        pictures(::report::png::write_all(&view, folder))?;
    }
    if arguments.open {
        let page = arguments.html.clone().unwrap_or_else(|| page_of(&folder));
        if arguments.html.is_none() {
            write_page(&view, &page)?;
        }
        open_in_browser(&page)?;
    }
    if arguments.html.is_some() || arguments.svg.is_some() || arguments.png.is_some() {
        return Ok(crate::failure::DONE);
    }
    output::data(&::report::terminal::render(
        &view,
        output::width(),
        output::colour(),
    ))
}

/// The page that belongs to a run's folder.
#[must_use]
pub fn page_of(folder: &Path) -> PathBuf {
    folder.join("report.html")
}

/// Writes the self-contained page of a run: whole, or not at all.
///
/// # Errors
/// When the file cannot be written.
pub fn write_page(view: &RunView, file: &Path) -> Result<(), Failure> {
    let folder = file
        .parent()
        .filter(|f| !f.as_os_str().is_empty())
        .unwrap_or(Path::new("."));
    let written = tempfile::Builder::new()
        .prefix(".report-")
        .tempfile_in(folder)
        .and_then(|mut page| {
            page.write_all(::report::html::render(view).as_bytes())?;
            page.as_file()
                .set_permissions(Permissions::from_mode(0o644))?;
            page.persist(file).map_err(|e| e.error)?;
            Ok(())
        });
    written.map_err(|e| {
        Failure::new(format!("cannot write {}: {e}", file.display()))
            .hint("name another file with: pontage report RUN --html FILE")
    })
}

fn pictures<T>(result: Result<T, ReportError>) -> Result<(), Failure> {
    result.map(drop).map_err(Failure::new)
}

fn open_in_browser(page: &Path) -> Result<(), Failure> {
    Command::new("xdg-open")
        .arg(page)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .map(drop)
        .map_err(|e| {
            Failure::new(format!("cannot open {}: xdg-open: {e}", page.display()))
                .hint("open the file in a browser; it needs no network")
        })
}
