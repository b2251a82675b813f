//! `pontage export`: a run in the formats of other tools.

mod cftu;
pub mod gallery;
mod selection;

use crate::arguments::{self, ExportFormat};
use crate::failure::{DONE, Failure, Outcome};
use crate::{output, runs};
use analysis::RunView;
use record::Run;
use report::export::{ExportError, Exported, Format, Selection, Target, export};

/// Writes a run in another format.
///
/// # Errors
/// A run that cannot be read, a selection that it does not hold, a target that cannot be written.
pub fn run(arguments: &arguments::Export) -> Outcome {
    fits(arguments)?;
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
        ExportFormat::Csv if arguments.samples => Format::Samples,
        ExportFormat::Csv => Format::Csv,
        ExportFormat::Markdown => Format::Markdown,
        ExportFormat::Json => Format::Json,
        ExportFormat::Parquet => Format::Parquet,
        ExportFormat::Bmf => Format::Bmf,
        ExportFormat::Prometheus if arguments.all => Format::PrometheusAll,
        ExportFormat::Prometheus => Format::Prometheus,
        ExportFormat::Cftu => return cftu::run(arguments, &run),
        ExportFormat::Gallery => return gallery::run(arguments, &view),
    };
    let selection = selection::of(&view, &arguments.experiment, &arguments.metric)?;
    let mut standard_output = std::io::stdout().lock();
    let target = match &arguments.out {
        Some(folder) => Target::Folder(folder),
        None => Target::Stream(&mut standard_output),
    };
    written(export(&run, &view, (format, &selection), target))
}

/// Flags of one format are no flags of another.
fn fits(arguments: &arguments::Export) -> Result<(), Failure> {
    let format = arguments.format;
    let word = format.word();
    let wrong = |flag: &str, cause: &str, hint: &str| {
        let message = format!("cannot export {word} with {flag}: {cause}");
        Err(Failure::new(message).hint(hint))
    };
    if arguments.samples && format != ExportFormat::Csv {
        return wrong("--samples", "only csv has it", "--format csv --samples");
    }
    if arguments.all && format != ExportFormat::Prometheus {
        let cause = "it is for prometheus; other formats hold everything";
        return wrong("--all", cause, "leave --all out");
    }
    let selects = !arguments.experiment.is_empty() || !arguments.metric.is_empty();
    if selects && matches!(format, ExportFormat::Cftu | ExportFormat::Gallery) {
        let cause = "what it holds is fixed";
        return wrong("--experiment or --metric", cause, "leave them out");
    }
    Ok(())
}

fn written(exported: Result<Exported, ExportError>) -> Outcome {
    match exported {
        Ok(exported) => {
            for note in exported.notes {
                harness::message!("{note}");
            }
            for file in exported.files {
                harness::message!("wrote {}", file.display());
            }
            Ok(DONE)
        }
        Err(ExportError::Stream(e)) => output::ended(Err(e)),
        Err(error) => Err(failure(&error)),
    }
}

/// A run as it is exported, on standard output.
///
/// # Errors
/// When it cannot be written.
pub fn printed(run: &Run, view: &RunView, format: Format) -> Outcome {
    let mut out = std::io::stdout().lock();
    let all = Selection::default();
    written(export(run, view, (format, &all), Target::Stream(&mut out)))
}

fn failure(error: &ExportError) -> Failure {
    Failure::new(error).hinted(error.hint())
}
