//! Exports: a run in the formats of other tools.
//!
//! Nothing here measures or judges: samples come from the record, summaries
//! from the view.

mod bmf;
pub mod cftu;
mod json;
mod parquet;
mod prometheus;
mod samples;
mod selection;
mod summary;

use analysis::RunView;
use prometheus::Extent;
use record::{RecordError, Run};
pub use selection::Selection;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// A format of another tool, or of data alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// A line for each metric of each point.
    Csv,
    /// Every sample, one line each.
    Samples,
    /// A table for a page of a repository, a row for each point.
    Markdown,
    /// Summaries with intervals, findings, machine card.
    Json,
    /// Every sample, one Parquet file for each experiment.
    Parquet,
    /// Bencher Metric Format.
    Bmf,
    /// Text for node_exporter's textfile collector: a bounded number of series, or what is
    /// selected.
    Prometheus,
    /// The same with everything.
    PrometheusAll,
}

impl Format {
    /// In the order in which they are named.
    pub const ALL: [Format; 8] = [
        Format::Csv,
        Format::Samples,
        Format::Markdown,
        Format::Json,
        Format::Parquet,
        Format::Bmf,
        Format::Prometheus,
        Format::PrometheusAll,
    ];

    /// As written behind `--format`.
    pub fn name(self) -> &'static str {
        match self {
            Format::Csv | Format::Samples => "csv",
            Format::Markdown => "markdown",
            Format::Json => "json",
            Format::Parquet => "parquet",
            Format::Bmf => "bmf",
            Format::Prometheus | Format::PrometheusAll => "prometheus",
        }
    }
}

/// What an export wrote.
#[derive(Debug, Default)]
pub struct Exported {
    /// None for a stream.
    pub files: Vec<PathBuf>,
    /// What to say of it: how much there is, what was left out.
    pub notes: Vec<String>,
}

/// Where an export goes.
pub enum Target<'a> {
    /// One stream, such as standard output.
    Stream(&'a mut dyn Write),
    /// A folder, made if need be: one file for each experiment where the format
    /// holds samples, one file where it holds summaries. Files of the
    /// same names are replaced.
    Folder(&'a Path),
}

/// Why nothing was exported.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    #[error("cannot export {} to one stream: it is one file per experiment", .0.name())]
    NeedsFolder(Format),
    #[error("cannot select metrics for {}: a table has the samples of all of them", .0.name())]
    AllMetrics(Format),
    /// A closed pipe arrives here with kind `BrokenPipe`.
    #[error("cannot write export: {0}")]
    Stream(#[source] io::Error),
    #[error("cannot write {}: {source}", path.display())]
    File { path: PathBuf, source: io::Error },
    #[error(transparent)]
    Record(#[from] RecordError),
}

impl ExportError {
    /// What the user can do, where something can be done.
    pub fn hint(&self) -> Option<String> {
        match self {
            ExportError::NeedsFolder(_) => Some("name a folder with --out DIR".into()),
            ExportError::AllMetrics(_) => {
                Some("leave --metric out, or use: --format csv --samples".into())
            }
            ExportError::File { path, .. } => {
                let folder = files::output::folder_of(path).display();
                Some(format!(
                    "see df -h {folder} and ls -ld {folder}, or use another --out DIR"
                ))
            }
            ExportError::Record(cause) => cause.hint(),
            ExportError::Stream(_) => None,
        }
    }
}

/// Write the selected part of `run` to `target`.
///
/// # Errors
/// See [`ExportError`]. Files appear whole or not at all.
pub fn export(
    run: &Run,
    view: &RunView,
    (format, selection): (Format, &Selection),
    target: Target<'_>,
) -> Result<Exported, ExportError> {
    let part = &*selection.of(view);
    if let Target::Folder(folder) = target {
        files::output::folder(folder).map_err(file(folder))?;
    }
    let files = match format {
        Format::Samples => all_samples(run, (part, selection), target)?,
        Format::Parquet => tables(run, (part, selection), target)?,
        Format::Csv => one_file(target, "summary.csv", &summary::csv(part, selection))?,
        Format::Markdown => one_file(target, "summary.md", &summary::markdown(part, selection))?,
        Format::Json => one_file(target, "summary.json", &json::text(part))?,
        Format::Bmf => one_file(target, "bmf.json", &bmf::text(part, selection))?,
        Format::Prometheus | Format::PrometheusAll => {
            let extent = match format {
                Format::Prometheus if selection.is_all() => Extent::Bounded,
                _ => Extent::Everything,
            };
            let (text, notes) = prometheus::text(part, selection, extent);
            let files = one_file(target, "pontage.prom", &text)?;
            return Ok(Exported { files, notes });
        }
    };
    let notes = Vec::new();
    Ok(Exported { files, notes })
}

fn all_samples(
    run: &Run,
    part: (&RunView, &Selection),
    target: Target<'_>,
) -> Result<Vec<PathBuf>, ExportError> {
    match target {
        Target::Stream(out) => samples::write_all(run, part, out).map(|()| Vec::new()),
        Target::Folder(folder) => samples::write_files(run, part, folder),
    }
}

fn tables(
    run: &Run,
    (view, selection): (&RunView, &Selection),
    target: Target<'_>,
) -> Result<Vec<PathBuf>, ExportError> {
    match target {
        _ if selection.metrics.is_some() => Err(ExportError::AllMetrics(Format::Parquet)),
        Target::Stream(_) => Err(ExportError::NeedsFolder(Format::Parquet)),
        Target::Folder(folder) => parquet::write_files(run, view, folder),
    }
}

/// Formats of summaries are one text.
fn one_file(target: Target<'_>, name: &str, text: &str) -> Result<Vec<PathBuf>, ExportError> {
    match target {
        Target::Stream(out) => {
            let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
            written.map_err(ExportError::Stream)?;
            Ok(Vec::new())
        }
        Target::Folder(folder) => {
            let path = folder.join(name);
            Ok(vec![write_file(&path, text.as_bytes())?])
        }
    }
}

/// A collector that polls the folder never sees half a file.
fn write_file(path: &Path, bytes: &[u8]) -> Result<PathBuf, ExportError> {
    files::output::write(path, bytes).map_err(file(path))?;
    Ok(path.to_owned())
}

/// What the path has to do with a failure.
fn file(path: &Path) -> impl FnOnce(io::Error) -> ExportError {
    let path = path.to_owned();
    |source| ExportError::File { path, source }
}
