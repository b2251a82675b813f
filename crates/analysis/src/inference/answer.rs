//! The forms: a quantity with its methods, and what a method says of it in a run.

use super::agree::{Agreement, agree};
use super::patterns::Patterns;
use crate::conclusion::Conclusion;
use record::{Finding, MachineCard, MethodSays, Stand, Unit, Verdict};

/// What a method looks at. Two methods of one kind are misled by the same things, so that
/// their agreement says little.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// The time of a chain of loads over sets that grow.
    Sweep,
    /// Lines or pages chosen to compete for one set.
    Conflict,
    /// How often base pages at random places overfill a set.
    Placement,
    /// The time of two loads near each other.
    Neighbours,
    /// The processor's instruction that drops a line.
    Flush,
    /// What two CPUs cost each other.
    Coherence,
    /// Work of two CPUs at the same time.
    Corun,
    /// Counters of the processor.
    Counter,
    /// Gaps in the time of a thread that spins.
    Gaps,
    /// Events of the kernel.
    Trace,
    /// What the kernel says of itself.
    Statement,
}

/// Something that misleads a method.
#[derive(Debug, Clone, Copy)]
pub struct Fooler {
    pub by: &'static str,
    pub makes: Makes,
}

/// What becomes of the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Makes {
    Larger,
    Smaller,
    Either,
}

/// A way to measure a quantity.
#[derive(Debug, Clone, Copy)]
pub struct Method {
    /// Stable and short: it stands in patterns.
    pub name: &'static str,
    pub kind: Kind,
    /// Experiment that it is measured in.
    pub experiment: &'static str,
    /// A sentence: what is done, and what shows the quantity.
    pub how: &'static str,
    pub fooled_by: &'static [Fooler],
}

/// Something that is concluded about the machine.
#[derive(Clone, Copy)]
pub struct Quantity {
    /// Stable key of its finding.
    pub key: &'static str,
    pub unit: Unit,
    /// Answers that differ by more than this share, with their intervals, differ; 0: they
    /// must be equal.
    pub within: f64,
    /// An answer whose bounds are farther apart than this factor decides nothing.
    pub widest: f64,
    /// Those whose answer is taken first come first.
    pub methods: &'static [Method],
    /// The sentence without its source, from the answer.
    pub say: fn(&Agreement) -> String,
    /// What the machine card says, and where it has it from.
    pub card: fn(&MachineCard) -> Option<(f64, String)>,
    /// What a difference from the card means; the answer is the first, the card's the second.
    pub differs: fn(f64, f64) -> &'static str,
}

/// What a method said of a quantity in a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// Key of the quantity.
    pub quantity: &'static str,
    /// Name of the method.
    pub method: &'static str,
    pub says: Says,
}

/// An answer, or none.
#[derive(Debug, Clone, PartialEq)]
pub enum Says {
    /// In the quantity's unit.
    Value { value: f64, low: f64, high: f64 },
    /// Why not.
    Nothing(String),
}

impl Answer {
    /// One value without an interval: a size that is a power of two, a count.
    pub fn exactly(quantity: &'static str, method: &'static str, value: f64) -> Answer {
        Answer::between(quantity, method, value, value, value)
    }

    /// A value that lies between two bounds.
    pub fn between(
        quantity: &'static str,
        method: &'static str,
        value: f64,
        low: f64,
        high: f64,
    ) -> Answer {
        Answer {
            quantity,
            method,
            says: Says::Value { value, low, high },
        }
    }

    /// The method cannot say: why.
    pub fn nothing(quantity: &'static str, method: &'static str, why: impl Into<String>) -> Answer {
        Answer {
            quantity,
            method,
            says: Says::Nothing(why.into()),
        }
    }
}

/// Answers that were right less often than this are given as undecided: of what is said with
/// 95 %, 95 % shall be right.
const SURE_ENOUGH: f64 = 0.95;

/// The finding on a quantity from what its methods said; None where no method was measured.
pub fn conclude(
    quantity: &Quantity,
    answers: &[Answer],
    card: &MachineCard,
    patterns: &Patterns,
) -> Option<Finding> {
    let mine: Vec<&Answer> = answers
        .iter()
        .filter(|r| r.quantity == quantity.key)
        .collect();
    let first = mine.first()?;
    let experiment = method(quantity, first.method)?.experiment;
    let agreed = agree(quantity, &mine);
    let wide = agreed.high > quantity.widest * agreed.low;
    let finding = match &agreed.value {
        Some(_) if wide => too_wide(quantity, &agreed),
        Some(_) => answered(quantity, &agreed, card, patterns),
        None => Conclusion::undecided(quantity.key, quantity.unit, why_none(quantity, &agreed)),
    };
    let pattern = agreed
        .pattern
        .map(|text| patterns.record(quantity.key, text));
    Some(Finding {
        experiment: experiment.to_owned(),
        methods: agreed.methods,
        pattern,
        ..finding
    })
}

fn too_wide(quantity: &Quantity, agreed: &Agreement) -> Finding {
    let ends = [agreed.low, agreed.high].map(|end| (quantity.say)(&Agreement::of(end)));
    let why = format!(
        "methods agree, and leave open too much: {} to {}",
        ends[0], ends[1]
    );
    Conclusion::undecided(quantity.key, quantity.unit, why)
}

/// The method of this name.
pub(super) fn method(quantity: &Quantity, name: &str) -> Option<&'static Method> {
    quantity.methods.iter().find(|m| m.name == name)
}

fn answered(
    quantity: &Quantity,
    agreed: &Agreement,
    card: &MachineCard,
    patterns: &Patterns,
) -> Finding {
    let value = agreed.value.unwrap_or(f64::NAN);
    let text = agreed.pattern.clone().unwrap_or_default();
    let share = patterns.share(quantity.key, &text);
    let of = Conclusion::on(quantity.key).unit(quantity.unit).sure(share);
    let of = of.between(value, agreed.low, agreed.high);
    let said = (quantity.card)(card);
    let of = match &said {
        Some((known, source)) => of.against(Some(*known), source, quantity.within),
        None => of,
    };
    let sentence = (quantity.say)(agreed) + &misled(agreed);
    if share < SURE_ENOUGH {
        let record = patterns.record(quantity.key, text);
        let why = match record.of {
            0 => "methods never agreed in this way on a simulated machine".to_owned(),
            of => format!(
                "when methods agreed in this way on simulated machines, {} of {of} were right",
                record.right
            ),
        };
        return of
            .verdict(Verdict::Undecided)
            .say(format!("perhaps {sentence}: {why}"));
    }
    let against = match said {
        Some((known, _)) if of.disagrees() => {
            let shown = (quantity.say)(&Agreement::of(known));
            format!(
                "; on the machine card {shown}: {}",
                (quantity.differs)(value, known)
            )
        }
        _ => String::new(),
    };
    of.say(sentence + &against)
}

/// What other methods say, and why they are not believed.
fn misled(agreed: &Agreement) -> String {
    let misled = agreed.methods.iter().filter(|m| m.stand == Stand::Misled);
    misled.map(|m| format!("; {}", m.why)).collect()
}

fn why_none(quantity: &Quantity, agreed: &Agreement) -> String {
    let said = |m: &&MethodSays| m.value.is_some();
    let speaking: Vec<&MethodSays> = agreed.methods.iter().filter(said).collect();
    let silent = agreed.methods.iter().filter(|m| m.value.is_none());
    let silent: Vec<String> = silent.map(|m| format!("{}: {}", m.method, m.why)).collect();
    let shown = |m: &&MethodSays| {
        let value = Agreement::of(m.value.unwrap_or(f64::NAN));
        format!("by {} {}", m.method, (quantity.say)(&value))
    };
    let answers: Vec<String> = speaking.iter().map(shown).collect();
    match (answers.as_slice(), silent.as_slice()) {
        ([], silent) => format!("no method could decide ({})", silent.join("; ")),
        ([one], []) => format!("one method alone decides nothing: {one}"),
        ([one], silent) => format!(
            "one method alone decides nothing: {one} ({})",
            silent.join("; ")
        ),
        (several, _) => format!("methods do not agree: {}", several.join(", ")),
    }
}
