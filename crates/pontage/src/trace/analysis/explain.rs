//! `pontage trace explain` and `compare`: sentences, and two traces side by side.

use super::arguments::{Compare, Explain};
use super::{open, shown};
use crate::failure::Outcome;
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
    let document = || sentences::document(&found);
    let facts = || json!({"capture": summary.pass, "sentences": found});
    shown(arguments.format, document, facts, &summary.pass)
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
    shown(
        arguments.format,
        || pair.document(),
        || pair.json(),
        &a.pass,
    )?;
    super::super::unread(b.pass.damaged_pages)
}
