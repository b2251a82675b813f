//! The forms: a quantity with its methods, what a method says of it in a run, and what all of
//! them come to.

use record::{MachineCard, MethodSays, Unit};

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
    /// What one CPU finds in the caches that the other has just brought there.
    Handover,
    /// Work that two CPUs do at the same time, against work alone.
    Corun,
    /// What the kernel states.
    Statement,
    /// When a clock of the kernel moves on.
    Clock,
    /// When a loop that looks at the counter does not have the CPU.
    Gaps,
    /// How late a thread wakes.
    Lateness,
    /// What the kernel records of itself.
    Trace,
    /// What the processor's counters count.
    Counter,
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
    /// As a sentence names it that has no answer.
    pub name: &'static str,
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

/// What the methods of a quantity come to.
#[derive(Debug, Clone, PartialEq)]
pub struct Agreement {
    /// None: there is no conclusion.
    pub value: Option<f64>,
    pub low: f64,
    pub high: f64,
    pub methods: Vec<MethodSays>,
    /// Which agree and how others differ, of an answer: `coherence+flush, pair larger`.
    pub pattern: Option<String>,
}

impl Agreement {
    /// Of a value that is only to be shown.
    pub fn of(value: f64) -> Agreement {
        Agreement {
            value: Some(value),
            low: value,
            high: value,
            methods: Vec::new(),
            pattern: None,
        }
    }
}

impl Quantity {
    /// The method of this name.
    pub fn method(&self, name: &str) -> Option<&'static Method> {
        self.methods.iter().find(|m| m.name == name)
    }
}
