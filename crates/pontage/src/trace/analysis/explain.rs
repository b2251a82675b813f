//! `pontage trace explain` and `compare`: sentences, and two traces side by side.

use super::arguments::{Compare, Explain};
use super::{ended, open};
use crate::failure::Outcome;
use crate::output;
use crate::trace::arguments::TraceFile;
use ::trace::analyse::summary::Summary;
use report::analyses::comparison::Pair;
use report::analyses::sentences;
use serde_json::json;
use std::path::Path;

/// # Errors
/// A file that is no trace.
pub fn explain(arguments: &Explain) -> Outcome {
    let summary = Summary::of(&open(&arguments.trace)?);
    let found = ::trace::analyse::explain::explain(&summary);
    let written = output::study(
        arguments.format,
        || sentences::document(&found),
        || json!({"capture": summary.pass, "sentences": found}),
    );
    ended(written, &summary.pass)
}

/// # Errors
/// A file that is no trace.
pub fn compare(arguments: &Compare) -> Outcome {
    let of = |file: &Path| {
        let trace = TraceFile {
            file: file.to_owned(),
            instance: arguments.instance.clone(),
        };
        open(&trace).map(|capture| Summary::of(&capture))
    };
    let (a, b) = (of(&arguments.a)?, of(&arguments.b)?);
    let names = [&arguments.a, &arguments.b].map(|file| file.display().to_string());
    let pair = Pair {
        names,
        a: &a,
        b: &b,
    };
    let written = output::study(arguments.format, || pair.document(), || pair.json());
    ended(ended(written, &a.pass), &b.pass)
}
