//! `pontage advise`: the cheapest measured way to hand bytes over.

use crate::arguments::{self, TextOrJson};
use crate::failure::{Failure, NOTHING_RUNS, Outcome};
use crate::{output, runs};
use engines::transport::advise::{Advice, Between, BreakEven, Way, advise};
use record::axis::human_bytes;
use std::fmt::Write;

/// # Errors
/// No run to read, or a size that is none.
pub fn run(arguments: &arguments::Advise) -> Outcome {
    let folder = runs::given_or_newest(arguments.run.as_ref())?;
    let (_, view) = runs::open(&folder)?;
    let between = match arguments.between {
        arguments::Sides::Threads => Between::Threads,
        arguments::Sides::Processes => Between::Processes,
    };
    let advice = advise(&view.tables, arguments.bytes, between);
    if advice.ways.is_empty() {
        let mode = match between {
            Between::Threads => "2threads",
            Between::Processes => "2processes",
        };
        harness::message!(
            "{}",
            Failure::new(format!(
                "run {} has no stream of {} between two {}",
                view.head.id,
                human_bytes(arguments.bytes),
                words(between)
            ))
            .hint(format!(
                "measure it with: pontage run 'ipc/*' --axis pattern=stream --axis mode={mode} \
                 --axis size={}",
                arguments.bytes
            ))
        );
        return Ok(NOTHING_RUNS);
    }
    if arguments.format == TextOrJson::Json {
        return output::json(&serde_json::json!({
            "run": view.head.id,
            "bytes": arguments.bytes,
            "copies": arguments.copies,
            "between": between,
            "ways": advice.ways,
            "break_evens": advice.break_evens,
        }));
    }
    output::data(&text(&view.head.id, arguments, between, &advice))
}

fn words(between: Between) -> &'static str {
    match between {
        Between::Threads => "threads",
        Between::Processes => "processes",
    }
}

fn text(run: &str, arguments: &arguments::Advise, between: Between, advice: &Advice) -> String {
    let mut text = format!(
        "{} of {} between two {}, cheapest first  (run {run}; medians with 95 % intervals)\n\n",
        match arguments.copies {
            1 => "One message".to_owned(),
            n => format!("{n} messages, each"),
        },
        human_bytes(arguments.bytes),
        words(between),
    );
    for way in &advice.ways {
        entry(&mut text, way, arguments);
    }
    if !advice.break_evens.is_empty() {
        text.push_str("\nBreak-even\n");
        advice
            .break_evens
            .iter()
            .for_each(|b| crossing(&mut text, b));
    }
    text.push_str("\nWhat they promise\n");
    let mut told: Vec<&str> = Vec::new();
    for s in advice.ways.iter().filter_map(|way| way.semantics) {
        if !told.contains(&s.id) {
            told.push(s.id);
            // Writing to a String cannot fail.
            let _ = writeln!(
                text,
                "  {:<20} copies: {}; {}; {}; needs {}",
                s.id, s.copies, s.boundaries, s.ordering, s.needs
            );
        }
    }
    text
}

fn entry(text: &mut String, way: &Way, arguments: &arguments::Advise) {
    let share = (way.high_ns - way.median_ns).max(way.median_ns - way.low_ns) / way.median_ns;
    let copies = f64::from(arguments.copies);
    // Writing to a String cannot fail.
    let _ = writeln!(
        text,
        "  {:<20} {:>10}  {}  {:.2} GB/s  {}{}",
        way.experiment,
        ::report::format::time_ns(way.median_ns * copies, 3),
        format_args!("±{}", ::report::format::percent(share)),
        arguments.bytes as f64 / way.median_ns,
        way.conditions,
        if way.measured {
            ""
        } else {
            "; read between measured sizes"
        },
    );
}

fn crossing(text: &mut String, b: &BreakEven) {
    let _ = writeln!(
        text,
        "  from {} on ({} to {}): {} rather than {}  (confidence {:.0} %)",
        human_bytes(b.bytes as u64),
        human_bytes(b.low_bytes as u64),
        human_bytes(b.high_bytes as u64),
        b.above,
        b.below,
        100.0 * b.confidence
    );
}
