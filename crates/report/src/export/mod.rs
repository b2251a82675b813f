//! Exports: a run in the formats of other tools.
//!
//! Nothing here measures or judges: samples come from the record, summaries
//! from the view.

mod bmf;
pub mod cftu;
mod csv;
mod json;
mod parquet;
mod prometheus;

use analysis::RunView;
use record::{RecordError, Run};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// A format of another tool, or of data alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Every sample, one line each.
    Csv,
    /// Summaries with intervals, findings, machine card.
    Json,
    /// Every sample, one Parquet file for each experiment.
    Parquet,
    /// Bencher Metric Format.
    Bmf,
    /// Text for node_exporter's textfile collector.
    Prometheus,
}

impl Format {
    /// In the order in which they are named.
    pub const ALL: [Format; 5] = [
        Format::Csv,
        Format::Json,
        Format::Parquet,
        Format::Bmf,
        Format::Prometheus,
    ];

    /// As written behind `--format`.
    pub fn name(self) -> &'static str {
        match self {
            Format::Csv => "csv",
            Format::Json => "json",
            Format::Parquet => "parquet",
            Format::Bmf => "bmf",
            Format::Prometheus => "prometheus",
        }
    }
}

/// Where an export goes.
pub enum Target<'a> {
    /// One stream, such as standard output.
    Stream(&'a mut dyn Write),
    /// A folder, made if need be: one file for each experiment where the format
    /// holds samples, one file in all where it holds summaries. Files of the
    /// same names are replaced.
    Folder(&'a Path),
}

/// Why nothing was exported.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    #[error("cannot export {} to one stream: it is one file per experiment", .0.name())]
    NeedsFolder(Format),
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

/// Write `run` to `target`; the files written, none for a stream.
///
/// # Errors
/// See [`ExportError`]. Files appear whole or not at all.
pub fn export(
    run: &Run,
    view: &RunView,
    format: Format,
    target: Target<'_>,
) -> Result<Vec<PathBuf>, ExportError> {
    match target {
        Target::Stream(out) => {
            let text = match format {
                Format::Csv => return csv::write_all(run, out).map(|()| Vec::new()),
                Format::Parquet => return Err(ExportError::NeedsFolder(format)),
                Format::Json => json::text(view),
                Format::Bmf => bmf::text(view),
                Format::Prometheus => prometheus::text(view),
            };
            out.write_all(text.as_bytes())
                .and_then(|()| out.flush())
                .map_err(ExportError::Stream)?;
            Ok(Vec::new())
        }
        Target::Folder(folder) => {
            files::output::folder(folder).map_err(file(folder))?;
            match format {
                Format::Csv => csv::write_files(run, folder),
                Format::Parquet => parquet::write_files(run, folder),
                Format::Json => write_one(folder, "summary.json", &json::text(view)),
                Format::Bmf => write_one(folder, "bmf.json", &bmf::text(view)),
                Format::Prometheus => write_one(folder, "pontage.prom", &prometheus::text(view)),
            }
        }
    }
}

fn write_one(folder: &Path, name: &str, text: &str) -> Result<Vec<PathBuf>, ExportError> {
    Ok(vec![write_file(&folder.join(name), text.as_bytes())?])
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
