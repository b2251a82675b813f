//! The last lines of `pontage advise`: what to take, and what another choice costs.

use ::report::document::{Document, Text};
use ::report::format::{significant, time_ns};
use ::report::sheet::{Sheet, number};
use engines::transport::advise::Advice;
use engines::transport::recommend::{Choice, Chosen, Instead, Recommendation};
use engines::transport::semantics::Promise;

/// Names of one list, more are counted.
const MOST_NAMES: usize = 4;

/// Short sentences, the choice first.
pub fn document(found: &Recommendation, measured: usize) -> Document {
    let mut document = Document::new();
    document.line("Recommendation");
    let mut say = |sentence: String| document.text(Text::new(sentence).lead("  "));
    let Some(take) = &found.take else {
        say(format!(
            "None of {measured} measured ways keeps {}.",
            words(&found.keep)
        ));
        return document;
    };
    let kept = match found.keep.as_slice() {
        [] => String::new(),
        keep => format!(" It keeps {}.", words(keep)),
    };
    say(format!(
        "Take {}: {} a message.{kept}",
        named(take),
        time_ns(take.time_ns.center, 3)
    ));
    say(match found.indistinguishable.as_slice() {
        [] => "No other way is as cheap: no interval overlaps.".to_owned(),
        others => format!(
            "As cheap within the intervals: {}.",
            few(others.iter().map(named).collect())
        ),
    });
    for instead in &found.instead {
        say(cost(instead));
    }
    if !found.left_out.is_empty() {
        say(format!(
            "Left out, because they do not keep {}: {}.",
            words(&found.keep),
            found.left_out.join(", ")
        ));
    }
    document
}

fn named(way: &Chosen) -> String {
    format!("{} {}", way.experiment, way.conditions)
}

fn cost(instead: &Instead) -> String {
    let which = match instead.choice {
        Choice::Next => "The next one",
        Choice::Usual => "The usual choice",
    };
    format!(
        "{which}, {}, costs {} times as much: {} more a message.",
        named(&instead.way),
        significant(instead.factor, 3),
        time_ns(instead.more_ns, 3)
    )
}

fn few(names: Vec<String>) -> String {
    match names.len().checked_sub(MOST_NAMES) {
        None | Some(0) => names.join("; "),
        Some(more) => format!("{}; and {more} more", names[..MOST_NAMES].join("; ")),
    }
}

/// `boundaries and order`.
pub fn words(keep: &[Promise]) -> String {
    let words: Vec<&str> = keep.iter().map(|p| p.word()).collect();
    match words.split_last() {
        Some((last, before)) if !before.is_empty() => {
            format!("{} and {last}", before.join(", "))
        }
        _ => words.concat(),
    }
}

/// A row for each way, cheapest first.
pub fn sheet(advice: &Advice, found: &Recommendation, bytes: u64) -> Sheet {
    let mut sheet = Sheet::new([
        "experiment",
        "conditions",
        "bytes",
        "median_ns",
        "low_ns",
        "high_ns",
        "gb_per_s",
        "measured",
        "standing",
        "copies",
        "boundaries",
        "ordering",
        "needs",
        "keeps",
    ]);
    for way in &advice.ways {
        let this = |c: &Chosen| c.experiment == way.experiment && c.conditions == way.conditions;
        let standing = match &found.take {
            Some(take) if this(take) => "recommended",
            _ if found.indistinguishable.iter().any(this) => "indistinguishable",
            _ if found.left_out.contains(&way.experiment) => "left_out",
            _ => "costlier",
        };
        let text = |of: fn(&engines::transport::semantics::Semantics) -> &'static str| {
            way.semantics.map_or("", of).to_owned()
        };
        let keeps = way.semantics.map_or(&[][..], |s| s.keeps);
        let keeps: Vec<&str> = keeps.iter().map(|p| p.word()).collect();
        sheet.row([
            way.experiment.clone(),
            way.conditions.clone(),
            bytes.to_string(),
            number(way.time_ns.center),
            number(way.time_ns.low),
            number(way.time_ns.high),
            number(bytes as f64 / way.time_ns.center),
            way.measured.to_string(),
            standing.to_owned(),
            text(|s| s.copies),
            text(|s| s.boundaries),
            text(|s| s.ordering),
            text(|s| s.needs),
            keeps.join(" "),
        ]);
    }
    sheet
}
