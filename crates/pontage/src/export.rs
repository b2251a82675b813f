//! `pontage export`: a run in the formats of other tools.

mod cftu;

use crate::failure::{DONE, Failure, Outcome};
use crate::{arguments, output, runs};
use analysis::RunView;
use record::Run;
use report::export::{ExportError, Format, Target, export};
use std::path::PathBuf;

/// Writes a run in another format.
///
/// # Errors
/// A run that cannot be read, a target that cannot be written.
pub fn run(arguments: &arguments::Export) -> Outcome {
    let (run, view) = runs::open(&runs::given_or_newest(arguments.run.as_ref())?)?;
    if let Some(folder) = &arguments.out {
        let head = folder.join(record::layout::HEAD);
        if record::layout::is_of_record(&head) {
            return Err(Failure::new(format!(
                "cannot export into {}: it is the folder of a record, and files of the same names \
                 would replace its own",
                folder.display()
            ))
            .hint("name another folder with --out DIR"));
        }
    }
    let format = match arguments.format {
        arguments::ExportFormat::Csv => Format::Csv,
        arguments::ExportFormat::Json => Format::Json,
        arguments::ExportFormat::Parquet => Format::Parquet,
        arguments::ExportFormat::Bmf => Format::Bmf,
        arguments::ExportFormat::Prometheus => Format::Prometheus,
        arguments::ExportFormat::Cftu => return cftu::run(arguments, &run),
    };
    let mut standard_output = std::io::stdout().lock();
    let target = match &arguments.out {
        Some(folder) => Target::Folder(folder),
        None => Target::Stream(&mut standard_output),
    };
    written(export(&run, &view, format, target))
}

fn written(exported: Result<Vec<PathBuf>, ExportError>) -> Outcome {
    match exported {
        Ok(files) => {
            for file in files {
                harness::message!("wrote {}", file.display());
            }
            Ok(DONE)
        }
        Err(ExportError::Stream(e)) => output::ended(Err(e)),
        Err(error) => Err(failure(&error)),
    }
}

/// Summaries, findings and claims of a run as JSON on standard output.
///
/// # Errors
/// When it cannot be written.
pub fn summary(run: &Run, view: &RunView) -> Outcome {
    let mut out = std::io::stdout().lock();
    written(export(run, view, Format::Json, Target::Stream(&mut out)))
}

fn failure(error: &ExportError) -> Failure {
    Failure::new(error).hinted(error.hint())
}
