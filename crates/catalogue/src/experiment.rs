//! The form every experiment fills in.

use crate::grid::{AxisSpec, Grid};
pub use crate::preset::Preset;
use crate::prose::Prose;
use analysis::ExperimentTable;
use analysis::claims::Outcome;
use analysis::inference::Answer;
use harness::{Context, Point, SetupError, Shape, Subject};
use record::{
    AxisHead, ExperimentHead, FigureHead, Finding, KindHead, MachineCard, MetricHead, TollHead,
    Unit,
};

/// A statement about the shape of the result, checked and reported, never
/// asserted.
#[derive(Clone, Copy)]
pub struct Claim {
    pub text: &'static str,
    /// `None` when the points it needs are missing; else whether their intervals say that it
    /// held, that it is broken, or neither, and the figures that decided it.
    pub check: fn(&ExperimentTable) -> Option<Outcome>,
}

/// Something that a subject counts in addition to the time of its operations
/// (`Subject::tally`).
#[derive(Clone, Copy)]
pub struct Tally {
    pub name: &'static str,
    pub unit: Unit,
    pub doc: &'static str,
    /// As `MetricHead::explains`: true of everything that is only counted.
    pub explains: bool,
}

impl Tally {
    /// A tally of this unit.
    pub const fn new(name: &'static str, unit: Unit, doc: &'static str) -> Tally {
        Tally {
            name,
            unit,
            doc,
            explains: matches!(unit, Unit::Count),
        }
    }

    /// The same, where it is not what an operation costs.
    pub const fn explains(self) -> Tally {
        Tally {
            explains: true,
            ..self
        }
    }

    /// A tally that counts.
    pub const fn count(name: &'static str, doc: &'static str) -> Tally {
        Tally::new(name, Unit::Count, doc)
    }

    /// A tally that is a ratio.
    pub const fn ratio(name: &'static str, doc: &'static str) -> Tally {
        Tally::new(name, Unit::Ratio, doc)
    }

    /// A time in nanoseconds.
    pub const fn time(name: &'static str, doc: &'static str) -> Tally {
        Tally::new(name, Unit::Nanoseconds, doc)
    }
}

/// Builds the subject of one point, or says why it cannot be had here.
pub type Setup = fn(&Point, &Context) -> Result<Box<dyn Subject>, SetupError>;

/// One experiment: description, set-up and reading. The prose (question,
/// counts, does not count, origin, theory) is the head comment of its file, and
/// its id is the file's place: `area/name`.
///
/// Only `setup` has no default: fill in what differs from [`Experiment::EMPTY`].
#[derive(Clone, Copy)]
pub struct Experiment {
    pub axes: &'static [AxisSpec],
    /// Names and meanings of the timed parts, in the order of
    /// `Subject::batch`'s `part`; the first is primary. With exactly two, the
    /// harness also records the paired difference as metric `net`.
    pub parts: &'static [(&'static str, &'static str)],
    /// Metrics behind the parts (and `net`): what `Subject::tally` counts.
    pub tallies: &'static [Tally],
    pub shape: fn(&Point) -> Shape,
    /// Bytes one operation moves, counted once.
    pub bytes_per_op: fn(&Point) -> Option<u64>,
    pub grids: fn(Preset, &MachineCard) -> Vec<Grid>,
    pub setup: Setup,
    pub figures: fn() -> Vec<FigureHead>,
    pub toll: fn(&MachineCard) -> Vec<TollHead>,
    pub claims: &'static [Claim],
    pub findings: fn(&ExperimentTable, &MachineCard) -> Vec<Finding>,
    /// What its methods say of quantities of the machine; they are concluded from what all
    /// experiments of a run say.
    pub answers: fn(&ExperimentTable, &MachineCard) -> Vec<Answer>,
    /// Why it names a clock or a sleep, where its operation is one: the instrument owns
    /// the clock of all others.
    pub clock: Option<&'static str>,
    /// What the words of its axes mean, where they name kinds of work.
    pub kinds: fn() -> Vec<KindHead>,
    /// Its time goes with the core's clock, or is usually held against it: cycles are given
    /// as well.
    pub in_cycles: bool,
    /// Its operations are the same one by one as in a batch: after the batches some are timed so,
    /// because a batch averages operations of two kinds.
    pub singly: bool,
    /// It describes how the system is set or behaves, so that no value is better than another:
    /// the period of a tick, the length of a slice.
    pub describes: bool,
}

impl Experiment {
    /// The defaults: one timed part, the latency of batched operations, at one
    /// point, with nothing to draw, claim or conclude.
    pub const EMPTY: Experiment = Experiment {
        axes: &[],
        parts: &[("latency", "time of one operation")],
        tallies: &[],
        shape: |_| Shape::Batched,
        bytes_per_op: |_| None,
        grids: |_, _| vec![Grid::new(200)],
        setup: |point, _| Err(no_setup(point)),
        figures: Vec::new,
        toll: |_| Vec::new(),
        claims: &[],
        findings: |_, _| Vec::new(),
        answers: |_, _| Vec::new(),
        clock: None,
        kinds: Vec::new,
        in_cycles: false,
        singly: false,
        describes: false,
    };

    /// The number of a timed part, by its name.
    ///
    /// # Panics
    /// While it is compiled, where no part has that name.
    pub const fn part(&self, name: &str) -> u16 {
        part(self.parts, name)
    }

    /// The number of a metric in a record, by its name: a part, `net`, or a tally.
    ///
    /// # Panics
    /// While it is compiled, where no metric has that name.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "a form lists far fewer than 65536 parts and tallies"
    )]
    pub const fn metric(&self, name: &str) -> u16 {
        let parts = self.parts.len() as u16;
        let paired = (parts == 2) as u16;
        let mut at = 0;
        while at < self.tallies.len() {
            if is(self.tallies[at].name, name) {
                return parts + paired + at as u16;
            }
            at += 1;
        }
        if paired == 1 && is(name, "net") {
            return parts;
        }
        part(self.parts, name)
    }

    /// What is recorded of every sample: the parts, their paired difference where
    /// there are two, the tallies, and single operations where they are timed.
    pub fn metrics(&self) -> Vec<MetricHead> {
        let head = |name: &str, unit: Unit, doc: &str| MetricHead {
            name: name.to_owned(),
            unit,
            doc: doc.to_owned(),
            lower_is_better: !unit.is_moment(),
            explains: self.describes,
        };
        let time = |name: &str, doc: &str| head(name, Unit::Nanoseconds, doc);
        let tally = |t: &Tally| MetricHead {
            explains: t.explains || self.describes,
            ..head(t.name, t.unit, t.doc)
        };
        let parts = self.parts.iter().map(|(name, doc)| time(name, doc));
        let mut heads: Vec<MetricHead> = parts.collect();
        if let [(first, _), (second, _)] = self.parts {
            let doc = format!("{first} minus {second}, paired sample by sample");
            heads.push(time("net", &doc));
        }
        heads.extend(self.tallies.iter().map(tally));
        if self.singly {
            heads.push(time(
                record::SINGLE,
                "one operation timed by itself, where the clock is fine enough for it: no result, \
                 it shows two kinds of operations that a batch averages",
            ));
        }
        heads
    }
}

/// The number of the part with this name, for engines that several experiments share.
///
/// # Panics
/// While it is compiled, where no part has that name.
#[expect(
    clippy::cast_possible_truncation,
    reason = "a form lists far fewer than 65536 parts"
)]
pub const fn part(parts: &[(&str, &str)], name: &str) -> u16 {
    let mut at = 0;
    while at < parts.len() {
        if is(parts[at].0, name) {
            return at as u16;
        }
        at += 1;
    }
    panic!("no part or metric has this name")
}

/// Equality of texts while compiling, where `==` cannot be called.
const fn is(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let mut at = 0;
    while at < a.len() && at < b.len() && a[at] == b[at] {
        at += 1;
    }
    at == a.len() && at == b.len()
}

fn no_setup(point: &Point) -> SetupError {
    SetupError::Fail(format!("{} has no set-up", point.experiment))
}

/// An experiment with its id and the prose of its file.
#[derive(Clone)]
pub struct Listed {
    /// `area/name`, as the file's path.
    pub id: &'static str,
    pub experiment: &'static Experiment,
    pub prose: Prose,
}

impl Listed {
    /// Number of timed parts, at least 1.
    pub fn parts(&self) -> u16 {
        let parts = u16::try_from(self.experiment.parts.len());
        parts.unwrap_or(1).max(1)
    }

    /// The description that a record of this machine keeps.
    pub fn head(&self, card: &MachineCard) -> ExperimentHead {
        let e = self.experiment;
        let axis = |a: &AxisSpec| AxisHead {
            name: a.name.to_owned(),
            unit: a.unit,
            doc: a.doc.to_owned(),
        };
        ExperimentHead {
            id: self.id.to_owned(),
            title: self.prose.title.clone(),
            question: self.prose.question.clone(),
            counts: self.prose.counts.clone(),
            does_not_count: self.prose.does_not_count.clone(),
            origin: self.prose.origin.clone(),
            theory: self.prose.theory.clone(),
            axes: e.axes.iter().map(axis).collect(),
            metrics: e.metrics(),
            figures: (e.figures)(),
            toll: (e.toll)(card),
            kinds: (e.kinds)(),
            in_cycles: e.in_cycles,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Experiment, Tally};
    use record::Unit;

    const TALLIES: &[Tally] = &[Tally::new("calls", Unit::Count, "")];

    #[test]
    fn metrics_are_found_where_a_record_has_them() {
        const ONE: Experiment = Experiment {
            tallies: TALLIES,
            ..Experiment::EMPTY
        };
        const TWO: Experiment = Experiment {
            parts: &[("hop", ""), ("overhead", "")],
            ..ONE
        };
        const SINGLY: Experiment = Experiment {
            singly: true,
            ..TWO
        };
        for experiment in [ONE, TWO] {
            for (at, head) in experiment.metrics().iter().enumerate() {
                assert_eq!(usize::from(experiment.metric(&head.name)), at);
            }
        }
        assert_eq!(TWO.part("overhead"), 1);
        assert_eq!(TWO.metric("net"), 2);
        let behind = SINGLY.metrics().pop();
        assert_eq!(behind.map(|m| m.name).as_deref(), Some(record::SINGLE));
    }

    #[test]
    #[should_panic(expected = "no part or metric has this name")]
    fn a_name_that_there_is_not_ends_the_build() {
        let _ = Experiment::EMPTY.metric("net");
    }
}
