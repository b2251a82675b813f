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
use std::str::FromStr;

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

impl FromStr for Format {
    type Err = ExportError;

    fn from_str(name: &str) -> Result<Self, ExportError> {
        let found = Format::ALL.into_iter().find(|f| f.name() == name);
        found.ok_or_else(|| ExportError::UnknownFormat(name.to_owned()))
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

#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    #[error("cannot export as {0:?}: no such format")]
    UnknownFormat(String),
    #[error("cannot export {} to one stream: it is a file for each experiment", .0.name())]
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
            ExportError::UnknownFormat(_) => {
                let names: Vec<&str> = Format::ALL.iter().map(|f| f.name()).collect();
                Some(format!("formats: {}", names.join(", ")))
            }
            ExportError::NeedsFolder(_) => Some("name a folder with --out DIR".into()),
            ExportError::File { path, .. } => {
                let folder = files::output::folder_of(path).display();
                Some(format!(
                    "see df -h {folder} and ls -ld {folder}, or choose another --out DIR"
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
            let source_of = |source| ExportError::File {
                path: folder.to_owned(),
                source,
            };
            files::output::folder(folder).map_err(source_of)?;
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
    files::output::write(path, bytes).map_err(|source| ExportError::File {
        path: path.to_owned(),
        source,
    })?;
    Ok(path.to_owned())
}
