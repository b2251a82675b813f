//! What a conclusion about the machine rests on: its methods, what misleads each, and how
//! often such an agreement was right on simulated machines.

use ::report::document::{Document, Text};
use analysis::inference::{Fooler, Makes, Method, Patterns, Quantity};
use catalogue::recipe;
use experiments::built_in::BUILT_IN;
use record::Pattern;

/// The page of one quantity.
pub fn page(quantity: &Quantity) -> Document {
    let mut head = Document::new();
    head.line(format!("{} - a conclusion about the machine", quantity.key));
    head.gap();
    head.line(
        "It is said where methods of two kinds agree that no one thing misleads alike, and where \
         something known explains every other answer. How sure it is was counted on simulated \
         machines whose truth is known.",
    );
    let mut foot = Document::new();
    foot.line(format!("Measure it: pontage run {}", measured_by(quantity)));
    let methods = quantity.methods.iter().map(method);
    let mut all = vec![head];
    all.extend(methods);
    all.push(record_of(quantity));
    all.push(foot);
    Document::sections(all)
}

/// The short recipe where it runs one of the methods, else an experiment in full.
fn measured_by(quantity: &Quantity) -> String {
    let mut recipes = BUILT_IN.iter();
    let short = recipes.find(|(name, _)| *name == "inference");
    let short = short.and_then(|(name, text)| recipe::parse(name, text).ok());
    let entries = short.map_or(Vec::new(), |recipe| recipe.experiments);
    let runs = |m: &&Method| entries.iter().any(|entry| entry.id == m.experiment);
    let mut methods = quantity.methods.iter();
    match (methods.find(runs), quantity.methods.first()) {
        (None, Some(method)) => format!("{} --full", method.experiment),
        _ => "inference".to_owned(),
    }
}

fn method(method: &Method) -> Document {
    let mut of = Document::new();
    of.line(format!("By {} ({})", method.name, method.experiment));
    of.text(Text::line(format!("{}.", method.how)).lead("  "));
    for fooler in method.fooled_by {
        of.text(Text::line(misled(fooler)).lead("  "));
    }
    of
}

fn misled(fooler: &Fooler) -> String {
    let answer = match fooler.makes {
        Makes::Larger => "too large",
        Makes::Smaller => "too small",
        Makes::Either => "wrong",
    };
    format!("- {answer} because of {}", fooler.by)
}

fn record_of(quantity: &Quantity) -> Document {
    let mut of = Document::new();
    of.line("Agreement on simulated machines, right of all");
    let patterns = Patterns::counted().of(quantity.key);
    if patterns.is_empty() {
        of.text(Text::line("none was counted, so nothing is concluded").lead("  "));
    }
    for Pattern {
        text,
        right,
        of: all,
    } in patterns
    {
        of.text(Text::line(format!("{right} of {all}: {text}")).lead("  "));
    }
    of
}
