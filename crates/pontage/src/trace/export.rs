//! `pontage trace export`: a trace in the format of another program.

use super::arguments::{Export, TraceFormat};
use super::{cut, stream};
use crate::failure::{DONE, Failure, Outcome};
use ::trace::export::{chrome, perfetto};
use ::trace::text::Style;
use ::trace::{Capture, Selection, TraceError};
use files::output::Output;
use std::io::BufWriter;
use std::path::Path;

/// # Errors
/// A file that cannot be read or written; a range that is none.
pub fn run(arguments: &Export) -> Outcome {
    let capture = arguments.trace.open()?;
    let selection = arguments
        .range
        .selection(&capture, arguments.cpu.as_deref())?;
    if let Some(out) = &arguments.out {
        cut::refuse_same(&arguments.trace.file, out, "--out")?;
    }
    match (arguments.format, &arguments.out) {
        (TraceFormat::Json, out) => lines(&capture, selection, Style::Json, out.as_deref()),
        (TraceFormat::Csv, out) => lines(&capture, selection, Style::Csv, out.as_deref()),
        (TraceFormat::TraceDat, Some(out)) => cut::write(&capture, &selection, out),
        (TraceFormat::Chrome, Some(out)) => whole(out, |file, damaged| {
            chrome::write(&capture, &selection, file, damaged)
        }),
        (TraceFormat::Perfetto, Some(out)) => whole(out, |file, damaged| {
            perfetto::write(&capture, &selection, file, damaged)
        }),
        (_, None) => Err(Failure::new("cannot write this format to standard output")
            .hint("name a file: --out trace.perfetto")),
    }
}

fn create(path: &Path) -> Result<BufWriter<Output>, TraceError> {
    Output::create(path)
        .map(BufWriter::new)
        .map_err(TraceError::file("create", path))
}

fn finish(out: BufWriter<Output>, path: &Path) -> Result<(), TraceError> {
    let whole = out
        .into_inner()
        .map_err(std::io::IntoInnerError::into_error);
    whole
        .and_then(Output::finish)
        .map(drop)
        .map_err(TraceError::file("write", path))
}

fn lines(capture: &Capture, selection: Selection, style: Style, out: Option<&Path>) -> Outcome {
    let wanted = stream::Wanted {
        selection,
        events: &[],
        tasks: &[],
    };
    match out {
        None => stream::to_standard_output(capture, &wanted, style, false),
        Some(path) => {
            let mut out = create(path)?;
            let printed = stream::lines(capture, &wanted, style, false, &mut out);
            let printed = printed.map_err(|cut| match cut {
                stream::Cut::Choice(error) => error,
                stream::Cut::Written(cause) => TraceError::file("write", path)(cause),
            })?;
            finish(out, path)?;
            // Damaged places are an error at the end; what was read is kept.
            printed.end()
        }
    }
}

/// A file that is written as a whole; damaged places are reported at its end.
fn whole(
    path: &Path,
    write: impl FnOnce(&mut BufWriter<Output>, &mut dyn FnMut(TraceError)) -> std::io::Result<()>,
) -> Outcome {
    let mut out = create(path)?;
    let mut damaged = stream::Reported::default();
    write(&mut out, &mut |error| damaged.damage(&error))
        .map_err(TraceError::file("write", path))?;
    finish(out, path)?;
    harness::message!("pontage: wrote {}", path.display());
    damaged.end().map(|_| DONE)
}
