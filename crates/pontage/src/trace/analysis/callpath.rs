//! `pontage trace callpath`: the calls below a function, by time.

use super::arguments::Callpath;
use super::columns::{Columns, time};
use super::profile::{EVENTS, RECORD, dropped_calls};
use super::{ended, lacks, losses, open};
use crate::arguments::TextOrJson;
use crate::failure::{Failure, Outcome};
use crate::output;
use ::trace::analyse::functions::{CallTree, Line};
use ::trace::analyse::{Known, Pass, Symbols};
use report::format::percent;
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
            Some(root) => Failure::new(format!(
                "cannot show calls below {root}: {} holds no whole call of it",
                arguments.trace.file.display()
            ))
            .hint(format!(
                "functions that were called: pontage trace profile {}",
                arguments.trace.file.display()
            )),
            None => lacks("show calls", &arguments.trace.file, EVENTS, RECORD),
        });
    }
    let written = match arguments.format {
        TextOrJson::Json => output::json(&json!({
            "capture": pass, "lines": lines, "dropped_calls": tree.dropped(), "paths_left_off": tree.left_off,
        })),
        TextOrJson::Text => {
            let text = path(&lines) + &tree_text(&lines);
            output::data(&(text + &dropped_calls(tree.dropped()) + &losses(&pass, None)))
        }
    };
    ended(written, &pass)
}

/// From the root along the costliest child each time.
fn path(lines: &[Line]) -> String {
    let names: Vec<String> = lines
        .iter()
        .filter(|l| l.on_path)
        .map(|l| escape::terminal(&l.function).into_owned())
        .collect();
    format!("costliest path: {}\n\n", names.join(" -> "))
}

fn tree_text(lines: &[Line]) -> String {
    let mut table = Columns::new(0, &["share", "total", "self", "calls", "average"]);
    for line in lines {
        table.row(vec![
            percent(line.share),
            time(line.total_ns),
            time(line.self_ns),
            line.calls.to_string(),
            time(line.total_ns / line.calls.max(1)),
        ]);
    }
    let numbers = table.text();
    let mut text = String::new();
    for (at, numbers) in numbers.lines().enumerate() {
        text += numbers;
        if let Some(line) = at.checked_sub(1).and_then(|at| lines.get(at)) {
            let mark = if line.on_path { "> " } else { "  " };
            let off = match line.off_ns {
                0 => String::new(),
                ns => format!("  ({} off the CPU)", time(ns)),
            };
            text += &format!(
                "  {mark}{}{}{off}",
                "  ".repeat(line.depth as usize),
                escape::terminal(&line.function)
            );
        }
        text.push('\n');
    }
    text
}
