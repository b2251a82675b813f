//! `pontage trace callpath`: the calls below a function, by time.

use super::arguments::Callpath;
use super::profile::{EVENTS, RECORD};
use super::{lacks, open, shown};
use crate::failure::{Failure, Outcome};
use ::trace::analyse::functions::CallTree;
use ::trace::analyse::{Known, Pass, Symbols};
use report::analyses::functions;
use serde_json::json;

/// # Errors
/// A file that is no trace, or in which the function was not called.
pub fn callpath(arguments: &Callpath) -> Outcome {
    let capture = open(&arguments.trace)?;
    let (known, symbols) = (Known::of(&capture), Symbols::parse(&capture.head.kallsyms));
    let mut tree = CallTree::new(&known, &symbols, arguments.root.as_deref());
    let pass = Pass::over(&capture, &known, &mut [&mut tree]);
    let lines = tree.lines(&symbols, arguments.least / 100.0);
    if lines.is_empty() {
        return Err(match &arguments.root {
            Some(root) => {
                let file = arguments.trace.file.display();
                Failure::new(format!(
                    "cannot show calls below {root}: {file} holds no whole call of it"
                ))
                .hint(format!(
                    "functions that were called: pontage trace profile {file}"
                ))
            }
            None => lacks("show calls", &arguments.trace.file, EVENTS, RECORD),
        });
    }
    let document = || {
        let mut document = functions::calls(&lines);
        document.append(functions::left_out(tree.dropped(), &pass));
        document
    };
    let facts = || {
        json!({
            "capture": pass, "lines": lines, "dropped_calls": tree.dropped(),
            "paths_left_off": tree.left_off,
        })
    };
    shown(arguments.format, document, facts, &pass)
}
