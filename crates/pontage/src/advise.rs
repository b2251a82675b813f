//! `pontage advise`: the cheapest measured way to hand bytes over.

mod recommendation;

use crate::arguments;
use crate::failure::{Failure, NOTHING_RUNS, Outcome};
use crate::{output, runs};
use ::report::document::{Column, Document, Table, Text};
use analysis::whole;
use engines::transport::advise::{Advice, Between, advise};
use engines::transport::recommend::recommend;
use record::axis::human_bytes;

/// Columns of an experiment's name.
const ID: usize = 20;

/// # Errors
/// No run to read, or a size that is none.
pub fn run(arguments: &arguments::Advise) -> Outcome {
    let folder = runs::given_or_newest(arguments.run.as_ref())?;
    let (_, view) = runs::open(&folder)?;
    let between = arguments.between;
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
    let mut keep = arguments.keep.clone();
    keep.dedup();
    let found = recommend(&advice.ways, &keep);
    let facts = || {
        serde_json::json!({
            "run": view.head.id,
            "bytes": arguments.bytes,
            "copies": arguments.copies,
            "between": between,
            "ways": advice.ways,
            "break_evens": advice.break_evens,
            "recommendation": found,
        })
    };
    let table = || {
        Document::sections([
            document(&view.head.id, arguments, between, &advice),
            recommendation::document(&found, advice.ways.len()),
        ])
    };
    let rows = || recommendation::sheet(&advice, &found, arguments.bytes);
    let shown = output::tabled(arguments.format, table, facts, rows)?;
    if found.take.is_none() {
        harness::message!(
            "{}",
            Failure::new(format!(
                "cannot recommend a way: none in run {} keeps {}",
                view.head.id,
                recommendation::words(&found.keep)
            ))
            .hint("leave one --keep out; the table shows what each way promises")
        );
        return Ok(NOTHING_RUNS);
    }
    Ok(shown)
}

fn words(between: Between) -> &'static str {
    match between {
        Between::Threads => "threads",
        Between::Processes => "processes",
    }
}

fn document(
    run: &str,
    arguments: &arguments::Advise,
    between: Between,
    advice: &Advice,
) -> Document {
    let head = format!(
        "{} of {} between two {}, cheapest first  (run {run}; medians with 95 % intervals)",
        match arguments.copies {
            1 => "One message".to_owned(),
            n => format!("{n} messages, each"),
        },
        human_bytes(arguments.bytes),
        words(between),
    );
    Document::sections([
        Document::lines([head]),
        ways(advice, arguments),
        crossings(advice),
        promises(advice),
    ])
}

fn ways(advice: &Advice, arguments: &arguments::Advise) -> Document {
    let columns = [
        Column::words("").least(ID),
        Column::number("").least(10).gap(1),
        Column::words(""),
    ];
    let mut table = Table::new(columns).indent(2);
    for way in &advice.ways {
        let share = (way.time_ns.high - way.time_ns.center)
            .max(way.time_ns.center - way.time_ns.low)
            / way.time_ns.center;
        let rest = format!(
            "±{}  {} GB/s  {}{}",
            ::report::format::percent(share),
            ::report::format::significant(arguments.bytes as f64 / way.time_ns.center, 3),
            way.conditions,
            match way.measured {
                true => "",
                false => "; read between measured sizes",
            },
        );
        let all_ns = way.time_ns.center * f64::from(arguments.copies);
        let time = ::report::format::time_ns(all_ns, 3);
        table.row([way.experiment.to_string(), time, rest]);
    }
    table.into()
}

fn crossings(advice: &Advice) -> Document {
    let mut document = Document::new();
    if !advice.break_evens.is_empty() {
        document.line("Break-even");
    }
    for b in &advice.break_evens {
        document.line(format!(
            "  from {} on ({} to {}): {} rather than {}  (confidence {:.0} %)",
            human_bytes(whole(b.bytes.center)),
            human_bytes(whole(b.bytes.low)),
            human_bytes(whole(b.bytes.high)),
            b.above,
            b.below,
            100.0 * b.bytes.level
        ));
    }
    document
}

fn promises(advice: &Advice) -> Document {
    let mut document = Document::new();
    document.line("What they promise");
    let mut named: Vec<&str> = Vec::new();
    for s in advice.ways.iter().filter_map(|way| way.semantics) {
        if named.contains(&s.id) {
            continue;
        }
        named.push(s.id);
        let promise = format!(
            "copies: {}; {}; {}; needs {}",
            s.copies, s.boundaries, s.ordering, s.needs
        );
        document.text(Text::line(promise).label(2, s.id, ID + 1));
    }
    document
}
