//! `pontage report LIGHT --under-load HEAVY`: one plan under two loads.

use crate::arguments;
use crate::failure::{Failure, NOTHING_RUNS, Outcome};
use crate::flags::{Format, TableFormat};
use crate::{output, runs};
use ::report::document::Document;
use analysis::under_load::{Measured, Misfit, Taken, UnderLoad};
use std::path::{Path, PathBuf};

/// Shows two runs side by side. Exit status 77 when no point was measured in
/// both.
///
/// # Errors
/// A run that cannot be read, two that do not belong together, a page that
/// cannot be written.
pub fn run(arguments: &arguments::Report, light: &Path, heavy: &Path) -> Outcome {
    let format = readable(arguments.format)?;
    let under_load = laid(light, heavy)?;
    let page = match (&arguments.html, arguments.open) {
        (Some(file), _) => Some(file.clone()),
        (None, open) => open.then(|| page_of(heavy)),
    };
    if let Some(file) = &page {
        write_page(&under_load, file)?;
    }
    if arguments.open {
        output::open_in_browser(page.as_deref().unwrap_or(heavy))?;
    }
    if format == Format::Json {
        output::json(&under_load)?;
    } else if page.is_none() {
        output::shown(format, &document(&under_load))?;
    }
    Ok(status(&under_load))
}

/// The page that belongs to a run under load and the light one.
pub fn page_of(heavy: &Path) -> PathBuf {
    heavy.join("under-load.html")
}

/// Shows two runs that were just measured, and writes their page.
///
/// # Errors
/// As `run`.
pub fn show_measured(light: &Path, heavy: &Path, format: Format) -> Outcome {
    let under_load = laid(light, heavy)?;
    if format == Format::Text {
        output::data("\n")?;
    }
    output::study(format, || document(&under_load), || &under_load)?;
    let page = page_of(heavy);
    write_page(&under_load, &page)?;
    match format {
        Format::Text => {
            output::data(&format!("\nside by side: {}\n", page.display()))?;
        }
        _ => harness::message!("side by side: {}", page.display()),
    }
    Ok(status(&under_load))
}

/// # Errors
/// For CSV: two runs under two loads are several tables.
pub fn readable(format: TableFormat) -> Result<Format, Failure> {
    format.without_table().ok_or_else(|| {
        Failure::new("cannot print two runs side by side as csv: they are several tables")
            .hint("use --format json, or export each run: pontage export RUN --format csv")
    })
}

fn laid(light: &Path, heavy: &Path) -> Result<UnderLoad, Failure> {
    let (light_run, light_view) = runs::open(light)?;
    let (heavy_run, heavy_view) = runs::open(heavy)?;
    let of_light = Taken::read(&light_run, &light_view)?;
    let of_heavy = Taken::read(&heavy_run, &heavy_view)?;
    let measured = |view, taken| Measured { view, taken };
    let found = analysis::under_load::compare(
        measured(&light_view, &of_light),
        measured(&heavy_view, &of_heavy),
    );
    found.map_err(|misfit| refused(&misfit, light, heavy))
}

fn refused(misfit: &Misfit, light: &Path, heavy: &Path) -> Failure {
    let (light, heavy) = (light.display(), heavy.display());
    let failure = Failure::new(format!("cannot compare {heavy} with {light}: {misfit}"));
    failure.hint(match misfit {
        Misfit::Swapped => {
            format!("swap them: pontage report {heavy} --under-load {light}")
        }
        Misfit::Differ(_) => {
            "measure both on one machine with: pontage run --load both; to compare two machines: \
             pontage compare"
                .to_owned()
        }
        Misfit::SameLoad(_) | Misfit::Idle(_) => {
            "measure both with: pontage run --load both".to_owned()
        }
    })
}

fn document(under_load: &UnderLoad) -> Document {
    ::report::terminal::under_load::document(under_load, output::width())
}

fn write_page(under_load: &UnderLoad, file: &Path) -> Result<(), Failure> {
    let page = ::report::html::under_load::page(under_load).map_err(Failure::new)?;
    let hint = "name another file with: pontage report LIGHT --under-load HEAVY --html FILE";
    output::page(file, &page, hint)
}

fn status(under_load: &UnderLoad) -> u8 {
    if under_load.paths().next().is_some() {
        return crate::failure::DONE;
    }
    harness::message!(
        "pontage: SKIP: nothing to compare: no point was measured in both runs\nhint: measure one \
         plan twice with: pontage run --load both"
    );
    NOTHING_RUNS
}
