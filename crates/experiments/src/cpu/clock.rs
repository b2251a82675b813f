//! # cpu/clock - Clock rate from the length of instructions
//!
//! At how many cycles a second does this processor really run, while it works?
//!
//! ## Counts
//! One step of a chain of instructions each of which needs the result of the
//! one before: `add` one addition, `xor_add` an exclusive or and an addition,
//! and so on; `load` one load that hits the first cache.
//!
//! ## Does not count
//! Loop counters, which run in parallel with the chain on any processor that can start
//! two instructions at once, and throughput: independent additions would be
//! several times faster.
//!
//! ## Origin
//! lmbench `mhz` (Staelin and McVoy, "mhz: Anatomy of a micro-benchmark",
//! USENIX 1998) for the greatest common divisor of dependent chains. Chains
//! and fit are our own.
//!
//! ## Theory
//! A processor does nothing in half a cycle. If each instruction of a chain
//! must wait for the one before, then a step of the chain lasts a whole number
//! of cycles: t = n T, where T is the cycle time and n an integer that depends
//! on the instruction. One chain alone tells nothing, for n is unknown: 1 ns
//! may be three cycles at 3 GHz or one at 1 GHz. Several chains with different
//! n tell everything: **the cycle time is their greatest common divisor**.
//! From 1.0 ns and 1.33 ns follows 0.33 ns, and n = 3 and 4. The divisor must
//! be sought with the errors in mind, for of measured numbers every tiny one
//! is a divisor; we want the largest T for which all t/T are integers within
//! what the measurement can resolve. Nothing makes a chain shorter than its
//! cycles, but an interrupt or a neighbour on the same core makes it longer, so
//! the divisor is sought in the fastest sample of each chain.
//!
//! The instructions must be what their name says. An optimiser turns `a ^= a`
//! into zero and 64 equal additions into one multiplication; so here they are
//! written in assembly, or on rarer architectures mix operations that no
//! algebra joins. Processors optimise too: recent ones carry out additions of
//! small constants while renaming registers, in zero cycles, so all operands
//! here are registers.
//!
//! What comes out is the rate of *this core, busy like this, just now*. The
//! rates on the card mean something else each: the time stamp counter ticks at
//! a fixed rate near the nominal one, cpuid leaf 0x16 and the model name give
//! the base rate, cpufreq the range allowed. Turbo lifts the core above its
//! base and heat or power pulls it below. A measured rate that differs from
//! the nominal one is no error of either, and cycles computed from the time
//! stamp counter are then not cycles of the core.

mod chains;
mod findings;

use catalogue::{AxisSpec, Experiment, Figure, Grid};
use chains::{State, UNROLL, WORDS};
use harness::{Context, Point, SetupError, Subject};
use record::FigureHead;

// The clock may change in the meantime: all chains are sampled in turn.
const AXES: &[AxisSpec] = &[AxisSpec::word(
    "chain",
    "instructions of one step; each needs the result of the one before",
    WORDS,
)
.compared()];

struct Clock {
    chain: chains::Chain,
    state: State,
}

impl Subject for Clock {
    fn batch(&mut self, _part: u16, ops: u64) {
        (self.chain)(&mut self.state, ops / UNROLL);
    }

    fn quantum(&self) -> u64 {
        UNROLL
    }
}

fn setup(point: &Point, context: &Context) -> Result<Box<dyn Subject>, SetupError> {
    let name = point.word("chain");
    let chain = chains::find(name).ok_or_else(|| {
        let arch = &context.card.arch;
        let reason = format!("the chain {name} has no reliable form on {arch}");
        SetupError::skip(reason, "none: the other chains are enough")
    })?;
    let state = State::new();
    Ok(Box::new(Clock { chain, state }))
}

fn figures() -> Vec<FigureHead> {
    let figure = Figure::of("Time of one step of each chain", "chain", "latency");
    vec![figure.reading(
        "Every bar is a whole number of cycles; their greatest common divisor is the cycle time.",
    )]
}

pub static EXPERIMENT: Experiment = Experiment {
    axes: AXES,
    parts: &[("latency", "time of one step of the chain")],
    grids: |preset, _| vec![Grid::new(preset.choose(40, 500)).words("chain", WORDS)],
    setup,
    figures,
    claims: findings::CLAIMS,
    findings: findings::findings,
    ..Experiment::EMPTY
};
