//! The end of a run: conclusions, tables, the page, and what is shown.

use super::Show;
use crate::failure::{DONE, Failure, NOTHING_RUNS, Outcome, USAGE};
use crate::flags::{Format, TableFormat};
use crate::{export, output, report, runs};
use ::report::export::Format as Export;
use ::report::terminal::brief;
use analysis::RunView;
use record::{PointState, Run, RunHead, RunState, RunWriter};
use std::path::{Path, PathBuf};

/// Draws conclusions from what was measured and closes the record.
///
/// # Errors
/// When the record cannot be read back or written; the samples stay.
pub fn close(writer: &mut RunWriter, mut head: RunHead) -> Result<RunView, Failure> {
    // Read back as it lies on disk: conclusions rest on the record alone.
    let run = Run::open(writer.folder())?;
    let mut view = analysis::load(&run)?;
    head.points.clone_from(&view.head.points);
    (head.findings, head.claims) = catalogue::conclude(experiments::all(), &view);
    writer.write_summary(&analysis::rows(&view))?;
    writer.close(head)?;
    view.head = writer.head().clone();
    Ok(view)
}

/// Closes a record whose points are all there.
///
/// # Errors
/// As `close`.
pub fn completed(mut writer: RunWriter) -> Result<(RunWriter, RunView), Failure> {
    let head = RunHead {
        state: RunState::Complete,
        ..writer.head().clone()
    };
    let view = close(&mut writer, head)?;
    Ok((writer, view))
}

/// Writes the page and shows the run. The exit status says how it ended.
///
/// # Errors
/// When the page or standard output cannot be written.
pub fn show(view: &RunView, folder: &Path) -> Outcome {
    // What is shown names the page; neither waits for the other to succeed.
    let page = write_page(view, folder);
    let path = page.as_ref().ok().map(|page| page.display().to_string());
    let document = brief::document(view, output::width(), path.as_deref());
    let shown = output::document(&document);
    page?;
    shown?;
    ended(view, folder)
}

/// Writes the page and shows a line for each experiment.
///
/// # Errors
/// As `show`.
pub fn show_quietly(view: &RunView, folder: &Path) -> Outcome {
    let page = write_page(view, folder);
    output::document(&brief::quiet(view))?;
    page?;
    ended(view, folder)
}

/// What shows a run in this format. All but text is for another program: then nothing else goes to
/// standard output.
pub fn shown_as(format: TableFormat) -> Show {
    match format {
        TableFormat::Text => show,
        TableFormat::Markdown => show_markdown,
        TableFormat::Json => show_json,
        TableFormat::Csv => show_csv,
    }
}

/// Shows the run as Markdown.
///
/// # Errors
/// As `show`.
pub fn show_markdown(view: &RunView, folder: &Path) -> Outcome {
    let document = brief::document(view, output::width(), None);
    then_page(output::shown(Format::Markdown, &document), view, folder)
}

fn show_json(view: &RunView, folder: &Path) -> Outcome {
    then_page(exported(view, folder, Export::Json), view, folder)
}

fn show_csv(view: &RunView, folder: &Path) -> Outcome {
    then_page(exported(view, folder, Export::Csv), view, folder)
}

fn exported(view: &RunView, folder: &Path, format: Export) -> Outcome {
    export::printed(&Run::open(folder)?, view, format)
}

/// Neither waits for the other to succeed.
fn then_page(shown: Outcome, view: &RunView, folder: &Path) -> Outcome {
    let ended = page_written(view, folder);
    shown?;
    ended
}

/// Writes the page and says on standard error where it lies.
///
/// # Errors
/// As `show`.
pub fn page_written(view: &RunView, folder: &Path) -> Outcome {
    let page = write_page(view, folder)?;
    harness::message!("report: {}", page.display());
    ended(view, folder)
}

/// Writes the page and says where it lies, no more.
///
/// # Errors
/// As `show`.
pub fn show_path(view: &RunView, folder: &Path) -> Outcome {
    let page = write_page(view, folder)?;
    path_shown(view, folder, &page)
}

fn path_shown(view: &RunView, folder: &Path, page: &Path) -> Outcome {
    output::data(&format!("\nreport: {}\n", page.display()))?;
    ended(view, folder)
}

/// Writes the page into the run's folder.
///
/// # Errors
/// When it cannot be written.
pub fn write_page(view: &RunView, folder: &Path) -> Result<PathBuf, Failure> {
    let page = report::page_of(folder);
    report::write_page(view, folder, &page)?;
    Ok(page)
}

/// The exit status of a run.
///
/// # Errors
/// An incomplete one, with how to finish it.
pub fn ended(view: &RunView, folder: &Path) -> Outcome {
    if let RunState::Incomplete { reason } = &view.head.state {
        let folder = folder.display();
        return Err(
            Failure::new(format!("run {} is incomplete: {reason}", view.head.id))
                .hint(format!("finish it with: pontage run --resume {folder}")),
        );
    }
    Ok(status(view))
}

fn status(view: &RunView) -> u8 {
    let count = |wanted: fn(&PointState) -> bool| {
        view.head.points.iter().filter(|p| wanted(&p.state)).count()
    };
    if count(|s| matches!(s, PointState::Failed { .. })) > 0 {
        USAGE
    } else if count(|s| *s == PointState::Done) == 0 {
        NOTHING_RUNS
    } else {
        DONE
    }
}

/// The run in `folder` as it stands, for resuming. Nothing is written before `allowed`
/// has let its head pass.
///
/// # Errors
/// When it is complete, or no run; what `allowed` says.
pub fn reopen(
    folder: &Path,
    allowed: impl Fn(&RunHead) -> Result<(), Failure>,
) -> Result<RunWriter, Failure> {
    let (run, _) = runs::open(folder)?;
    if run.head().state == RunState::Complete {
        let folder = folder.display();
        return Err(
            Failure::new(format!("cannot resume {folder}: it is complete"))
                .hint(format!("show it with: pontage report {folder}")),
        );
    }
    allowed(run.head())?;
    let writer = RunWriter::resume(run.folder())?;
    // Read anew: whoever may write there may have changed it in between.
    allowed(writer.head())?;
    Ok(writer)
}
