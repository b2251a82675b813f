//! `pontage pollute`: a program beside copies, as a run of `pollute/victim`; without
//! a program, what copies leave of a resident set, as one of `pollute/probe`.

pub mod arguments;

use crate::failure::Outcome;
use crate::kinds;
use crate::run::{self, close};
use crate::study::entry;
use arguments::Pollute;
use catalogue::recipe::{AxisText, Entry};
use engines::placement::near;
use engines::tasks::kinds::sizes;
use harness::Context;
use std::collections::BTreeMap;

const SAME: &str = "same_cpu";
const SECOND: i64 = 1_000_000_000;
const TITLE: &str = "What copies do to the caches of others";

/// # Errors
/// Kinds that there are not, and whatever a run may meet.
pub fn run(arguments: &Pollute) -> Outcome {
    let victims = kinds::values("victim", &arguments.victim)?;
    let study = &arguments.study;
    let request = |context: &Context| {
        let asked = match arguments.victim.is_empty() {
            true => probe(arguments, context),
            false => victim(arguments, victims, context),
        };
        Ok(study.request("pollute", TITLE, vec![asked]))
    };
    run::of(&study.run(), request, close::show)
}

fn victim(arguments: &Pollute, victims: AxisText, context: &Context) -> Entry {
    let mut axes = common(arguments, near(&context.card));
    axes.insert("victim".to_owned(), victims);
    axes.insert("direction".to_owned(), list(&arguments.direction));
    axes.insert("size".to_owned(), AxisText::Text(arguments.size.clone()));
    let deadline = arguments.deadline.map(|s| AxisText::Int(s * SECOND));
    axes.extend(deadline.map(|ns| ("deadline".to_owned(), ns)));
    let total = arguments.total.clone().map(AxisText::Text);
    axes.extend(total.map(|bytes| ("total".to_owned(), bytes)));
    entry("pollute/victim", axes)
}

/// On the same CPU, where a second-level cache is reached.
fn probe(arguments: &Pollute, context: &Context) -> Entry {
    let mut axes = common(arguments, SAME);
    let half = sizes(&context.card).l2_bytes / 2;
    axes.insert("set".to_owned(), AxisText::Int(half as i64));
    let methods = arguments
        .direction
        .iter()
        .flat_map(|word| [word.clone(), format!("dma_{word}")].map(AxisText::Text));
    axes.insert("method".to_owned(), AxisText::List(methods.collect()));
    axes.insert("block".to_owned(), AxisText::Text(arguments.size.clone()));
    let total = arguments.total.clone().map(AxisText::Text);
    axes.extend(total.map(|bytes| ("copied".to_owned(), bytes)));
    entry("pollute/probe", axes)
}

fn common(arguments: &Pollute, placement: &str) -> BTreeMap<String, AxisText> {
    let placements = match arguments.placement.is_empty() {
        true => AxisText::Text(placement.to_owned()),
        false => list(&arguments.placement),
    };
    BTreeMap::from([
        ("buffer".to_owned(), list(&arguments.buffer)),
        ("placement".to_owned(), placements),
    ])
}

fn list(words: &[String]) -> AxisText {
    AxisText::List(words.iter().cloned().map(AxisText::Text).collect())
}
