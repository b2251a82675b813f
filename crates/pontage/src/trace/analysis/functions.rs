//! `pontage trace profile` and `callpath`: where the kernel spent its time.

use super::arguments::{Callpath, Profile};
use super::columns::{Columns, time};
use super::{lacks, losses, open};
use crate::arguments::TextOrJson;
use crate::failure::{Failure, Outcome};
use crate::output;
use ::trace::analyse::functions::{CallTree, Line, Profile as Functions};
use ::trace::analyse::{Known, Pass, Symbols};
use report::format::{percent, significant, time_ns};
use report::terminal::clean;
use serde_json::json;

const EVENTS: &str = "funcgraph_entry and funcgraph_exit";
const RECORD: &str = "trace-cmd record -p function_graph -g FUNCTION --max-graph-depth 8";

/// # Errors
/// A file that is no trace, or holds no functions.
pub fn profile(arguments: &Profile) -> Outcome {
    let capture = open(&arguments.trace)?;
    let (known, symbols) = (Known::of(&capture), Symbols::parse(&capture.head.kallsyms));
    let mut functions = Functions::new(&known, &symbols);
    let pass = Pass::over(&capture, &known, &mut [&mut functions]);
    let rows = functions.finish(&symbols);
    if rows.is_empty() {
        return Err(lacks(
            "show the profile",
            &arguments.trace.file,
            EVENTS,
            RECORD,
        ));
    }
    let dropped = functions.stacks.dropped;
    if arguments.format == TextOrJson::Json {
        return output::json(&json!({
            "capture": pass, "cpus": known.cpus, "functions": rows, "dropped_calls": dropped,
        }));
    }
    let mut table = Columns::new(
        1,
        &[
            "function",
            "hits",
            "total",
            "self",
            "average",
            "s^2 (µs²)",
            "max",
            "",
        ],
    );
    for row in rows.iter().take(arguments.top) {
        table.row(vec![
            row.function.clone(),
            row.hits.to_string(),
            time(row.total_ns),
            time(row.self_ns),
            time_ns(row.average_ns, 4),
            significant(row.variance_ns2 / 1e6, 4),
            time(row.max_ns),
            if row.sleeps() {
                format!("sleeps: {} off the CPU", time(row.off_ns))
            } else {
                String::new()
            },
        ]);
    }
    let mut text = table.text();
    if rows.len() > arguments.top {
        text += &format!(
            "{} more: --top {}\n",
            rows.len() - arguments.top,
            rows.len()
        );
    }
    output::data(&(text + &dropped_calls(dropped) + &losses(&pass, None)))
}

fn dropped_calls(dropped: u64) -> String {
    match dropped {
        0 => String::new(),
        n => format!("{n} calls are left out: their entry or their exit was not seen\n"),
    }
}

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
    match arguments.format {
        TextOrJson::Json => output::json(&json!({
            "capture": pass, "lines": lines, "dropped_calls": tree.dropped(), "paths_left_off": tree.left_off,
        })),
        TextOrJson::Text => {
            let text = path(&lines) + &tree_text(&lines);
            output::data(&(text + &dropped_calls(tree.dropped()) + &losses(&pass, None)))
        }
    }
}

/// From the root along the costliest child each time.
fn path(lines: &[Line]) -> String {
    let names: Vec<String> = lines
        .iter()
        .filter(|l| l.on_path)
        .map(|l| clean(&l.function))
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
                clean(&line.function)
            );
        }
        text.push('\n');
    }
    text
}
