//! `pontage pollute`: a program during copies, as a run of `pollute/victim`; without
//! a program, what copies leave of a resident set, as one of `pollute/probe`.

pub mod arguments;

use crate::failure::Outcome;
use crate::kinds;
use crate::run::{self, close};
use crate::study::{Axes, word, words};
use arguments::Pollute;
use catalogue::recipe::{AxisText, Entry};
use engines::placement::near;
use engines::tasks::kinds::sizes;
use harness::Context;

const SAME: &str = "same_cpu";
/// Processes that share the 300 runs of a program.
const RUNNING: u32 = 5;
/// Of a probe: each finds for itself which loads are of a cache.
const PROBING: u32 = 3;
const SECOND: i64 = 1_000_000_000;
const TITLE: &str = "Effect of copies on the caches";

/// # Errors
/// Kinds that there are not, and whatever a run may meet.
pub fn run(arguments: &Pollute) -> Outcome {
    let victims = kinds::values("victim", &arguments.victim)?;
    let study = &arguments.study;
    let request = |context: &Context| {
        let (asked, processes) = match arguments.victim.is_empty() {
            true => (probe(arguments, context), PROBING),
            false => (victim(arguments, victims, context), RUNNING),
        };
        Ok(study.request("pollute", TITLE, vec![asked], processes))
    };
    run::of(&study.run(), request, close::show)
}

fn victim(arguments: &Pollute, victims: AxisText, context: &Context) -> Entry {
    common(arguments, near(&context.card))
        .at("victim", victims)
        .at("direction", words(&arguments.direction))
        .at("size", word(&arguments.size))
        .at_any(
            "deadline",
            arguments.deadline.map(|s| AxisText::Int(s * SECOND)),
        )
        .at_any("total", arguments.total.as_ref().map(word))
        .of("pollute/victim")
}

/// On the same CPU, where a second-level cache is reached.
fn probe(arguments: &Pollute, context: &Context) -> Entry {
    let half = sizes(&context.card).l2_bytes / 2;
    let directions = arguments.direction.iter();
    let methods = directions.flat_map(|word| [word.clone(), format!("dma_{word}")]);
    common(arguments, SAME)
        .at("set", AxisText::Int(half as i64))
        .at("method", words(methods))
        .at("block", word(&arguments.size))
        .at_any("copied", arguments.total.as_ref().map(word))
        .of("pollute/probe")
}

fn common(arguments: &Pollute, placement: &str) -> Axes {
    let placements = match arguments.placement.is_empty() {
        true => word(placement),
        false => words(&arguments.placement),
    };
    Axes::default()
        .at("buffer", words(&arguments.buffer))
        .at("placement", placements)
}
