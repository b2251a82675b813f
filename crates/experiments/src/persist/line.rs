//! # persist/line - Does a line stay in the cache when it is written back?
//!
//! A program has brought a line to memory and reads it again. Does the read hit a
//! cache, or does it go to memory, and does the processor keep to what the name of
//! the instruction promises?
//!
//! ## Counts
//! One load of a chain in which each load needs the one before, over lines that
//! were just loaded, written from end to end, named to an instruction and waited
//! for, line by line. Between them: *store*, lines that were only written, and
//! *flushed*, lines that were dropped from all caches. All are set up together and
//! take turns.
//!
//! ## Does not count
//! The writing, the instruction and the fence, which end before the clock starts
//! (`persist/flush` has them). Prefetchers: the lines are far apart, one in each
//! KiB, and come in a random order. Which cache level a line stays in is not
//! asked; the time compared with that of *store* shows it (and `mem/latency` has all levels).
//!
//! ## Origin
//! The manuals leave it open: CLWB "may retain" the line. Intel's first
//! processors with CLWB dropped it like CLFLUSHOPT, AMD's and later ones of
//! Intel keep it; users of persistent memory ask which is which.
//!
//! ## Theory
//! To outlive the power a line has to be in memory; nothing says that it must
//! leave the caches for that. CLFLUSH and CLFLUSHOPT drop it by definition, DC
//! CIVAC as well ("clean and invalidate"); CLWB, DC CVAC and DC CVAP only have to
//! write it back. A processor may implement them by dropping it all the same, and
//! then a log that reads its own head, or a tree that flushes a node and goes on
//! to use it, pays for a miss at each step. That is the difference between two
//! instructions which cost the same in `persist/flush`. A non-temporal store to a
//! line that is cached may update it or drop it; that, too, is left open, and some
//! processors do now the one and now the other.
//!
//! The verdict is taken half way between *store* and *flushed* on a logarithmic
//! scale, and only if the whole interval is on one side of it.

use catalogue::{AxisSpec, Experiment, Figure, Grid, Preset};
use engines::loops::flush::Flusher;
use engines::loops::writeback::{Fence, Instruction, Writeback, full_fence, holds};
use engines::memory::{Chain, Mapping, Pages};
use engines::verdict::must;
use harness::{Context, Fault, Point, SetupError, Shape, Subject};
use record::{FigureHead, MachineCard};
use stats::Rng;
use std::rc::Rc;

mod findings;

/// Lines of the chain: together smaller than a first-level cache.
const LINES: usize = 256;

/// One line in each of so many bytes.
const STEP_BYTES: usize = 1024;

/// The word for lines that were dropped on purpose.
const FLUSHED: &str = "flushed";

const METHODS: &[&str] = &[
    "store",
    FLUSHED,
    "clflush",
    "clflushopt",
    "clwb",
    "ntstore",
    "dc_cvac",
    "dc_cvap",
    "dc_civac",
];

const AXES: &[AxisSpec] = &[AxisSpec::word(
    "method",
    "what was done to the line before: only written, invalidated, or written back by an \
     instruction",
    METHODS,
)
.compared()];

/// What is done to each line before it is loaded.
enum Before {
    Instruction(Writeback),
    Flush(Flusher),
}

struct Lines {
    chain: Chain,
    mapping: Rc<Mapping>,
    offsets: Vec<usize>,
    before: Before,
}

impl Subject for Lines {
    fn batch(&mut self, _part: u16, ops: u64) {
        self.chain.walk(ops);
    }

    fn quantum(&self) -> u64 {
        LINES as u64
    }

    fn prepare(&mut self, _part: u16) {
        // Resident first, so that what an instruction leaves is its doing. A
        // whole turn: the walk is then where it was.
        self.chain.walk(LINES as u64);
        for offset in &self.offsets {
            let line = self.mapping.base().as_ptr().wrapping_add(*offset);
            // SAFETY: each line of the chain lies in the mapping, begins with an
            // address of the chain, and belongs to nobody else.
            unsafe {
                match &self.before {
                    // The words begin with the address, so the chain stays.
                    Before::Instruction(way) => {
                        let address = line.cast::<u64>().read();
                        way.write(line, address, way.line_bytes(), Fence::Block);
                    }
                    Before::Flush(flusher) => flusher.flush(line, 1),
                }
            }
        }
        full_fence();
    }

    fn verify(&mut self) -> Result<(), Fault> {
        let Before::Instruction(way) = self.before else {
            self.prepare(0);
            return self.chain.verify();
        };
        let base = self.mapping.base().as_ptr();
        for offset in &self.offsets {
            // SAFETY: the last word of a line of the mapping, which is written anew.
            unsafe {
                let word = base.add(offset + way.line_bytes() - 8);
                word.cast::<u64>().write(0);
            }
        }
        self.prepare(0);
        self.chain.verify()?;
        self.offsets.iter().try_for_each(|at| {
            // SAFETY: lies in the mapping; nothing writes meanwhile.
            let line = unsafe { std::slice::from_raw_parts(base.add(*at), way.line_bytes()) };
            let address = line.first_chunk().copied().map(u64::from_le_bytes);
            let right = address.is_some_and(|address| holds(line, address));
            must(right, format!("the line at {at} B was not written"))
        })
    }

    fn notes(&self) -> Vec<String> {
        let before = match &self.before {
            Before::Instruction(way) => {
                let instruction = way.instruction();
                format!("{instruction} on each line, {}", instruction.fence_name())
            }
            Before::Flush(flusher) => flusher.describe(),
        };
        vec![before, self.chain.note()]
    }
}

/// Starts of the lines in random order. The line moves on within its KiB, so
/// that all sets of a cache are used alike.
fn offsets(line_bytes: usize, seed: u64) -> Vec<usize> {
    let slots = (STEP_BYTES / line_bytes).max(1);
    let mut all: Vec<usize> = (0..LINES)
        .map(|i| i * STEP_BYTES + (i / (4096 / STEP_BYTES) + i) % slots * line_bytes)
        .collect();
    let mut random = Rng::new(seed);
    for last in (1..all.len()).rev() {
        all.swap(last, random.below(last + 1));
    }
    all
}

fn setup(point: &Point, context: &Context) -> Result<Box<dyn Subject>, SetupError> {
    let word = point.word("method");
    let skip = |missing: engines::loops::Missing| SetupError::skip(missing.reason, missing.remedy);
    let before = match Instruction::from_word(word) {
        Some(instruction) => Before::Instruction(Writeback::find(instruction).map_err(skip)?),
        None => {
            let flusher = Flusher::best(&context.card, context.memory_available_bytes);
            let fail = |e| SetupError::fail("map memory to flush by", e);
            Before::Flush(flusher.map_err(fail)?)
        }
    };
    let store = Writeback::find(Instruction::Store).map_err(skip)?;
    let line_bytes = store.line_bytes();
    let mapping = Rc::new(Mapping::new(LINES * STEP_BYTES, Pages::Base, context)?);
    let offsets = offsets(line_bytes, u64::from(point.index) + 1);
    Ok(Box::new(Lines {
        chain: Chain::visiting(Rc::clone(&mapping), &offsets)?,
        mapping,
        offsets,
        before,
    }))
}

fn grids(preset: Preset, card: &MachineCard) -> Vec<Grid> {
    let here = Instruction::of(&card.arch).into_iter().map(|i| i.word());
    let methods: Vec<&str> = std::iter::once(FLUSHED).chain(here).collect();
    vec![Grid::new(preset.choose(4, 200)).words("method", &methods)]
}

fn figures() -> Vec<FigureHead> {
    let figure = Figure::of("Loading a line again", "method", "latency");
    vec![
        figure
            .log_y()
            .reading("Near store: the line stayed in a cache. Near flushed: it left all of them."),
    ]
}

pub static EXPERIMENT: Experiment = Experiment {
    axes: AXES,
    parts: &[(
        "latency",
        "time of one load of a line that was written back",
    )],
    shape: |_| Shape::Single { repetitions: 300 },
    grids,
    setup,
    figures,
    claims: findings::CLAIMS,
    findings: |table, _| findings::findings(table),
    ..Experiment::EMPTY
};

#[cfg(test)]
mod tests {
    use super::{EXPERIMENT, LINES, METHODS, offsets};
    use harness::SetupError;
    use std::collections::BTreeSet;
    use testbed::turn::run;

    #[test]
    fn every_line_is_written_or_the_instruction_is_missing() {
        let mut ran = 0;
        for method in METHODS {
            match run(&EXPERIMENT, &[("method", (*method).into())]) {
                Ok(()) => ran += 1,
                Err(SetupError::Skip { reason, .. }) => {
                    assert!(reason.contains("needs"), "{reason}")
                }
                Err(other) => panic!("{method}: {other}"),
            }
        }
        assert!(ran >= 2);
    }

    #[test]
    fn the_lines_use_all_sets_and_lie_apart() {
        for line in [32, 64, 128] {
            let all = offsets(line, 1);
            let pages: BTreeSet<usize> = all.iter().map(|o| o / 1024).collect();
            assert_eq!(pages.len(), LINES, "one in each KiB");
            let sets: BTreeSet<usize> = all.iter().map(|o| o % 4096 / line).collect();
            assert_eq!(sets.len(), 4096 / line, "{line}");
        }
    }
}
