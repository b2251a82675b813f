//! From a recipe to points: which experiments, on which settings, in which
//! blocks, with which limits.

mod blocks;
mod product;

pub use product::MOST_POINTS;

use crate::axis_text::{AxisTextError, parse_values};
use crate::catalogue::Catalogue;
use crate::experiment::Listed;
use crate::grid::Grid;
use crate::recipe::{Entry, Recipe};
use crate::selection::Unknown;
use blocks::Blocks;
use harness::{Point, Sampling, Shape};
use record::{AxisValue, MachineCard, PointHead, PointState, Shared};
use std::collections::HashMap;

/// Everything a run will visit, in order.
#[derive(Clone)]
pub struct Plan {
    /// Processes that repeat each point.
    pub processes: u32,
    /// Time for all of it, s; None: as long as it takes.
    pub within_s: Option<u64>,
    pub experiments: Vec<Planned>,
}

/// One experiment of the plan.
#[derive(Clone)]
pub struct Planned {
    pub listed: Listed,
    pub blocks: Vec<Block>,
}

/// Points that are set up together and sampled interleaved: they differ only
/// in axes marked as compared.
#[derive(Debug, Clone, PartialEq)]
pub struct Block {
    pub points: Vec<Point>,
    pub sampling: Sampling,
}

impl Block {
    /// Time of its samples at most, and of what its set-up records, ns.
    fn budget_ns(&self) -> u64 {
        self.sampled_ns().saturating_add(self.lasts_ns())
    }

    /// Time of its samples at most, ns.
    pub fn sampled_ns(&self) -> u64 {
        let points = self.points.len() as u64;
        self.sampling.budget_ns.saturating_mul(points)
    }

    /// Time of what its set-up records, ns.
    pub fn lasts_ns(&self) -> u64 {
        self.sampling.shape.lasts_ns()
    }
}

/// Why there is no plan.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    #[error(transparent)]
    Unknown(#[from] Unknown),
    #[error(
        "cannot set axis {axis} of {experiment}: it has {}",
        if .known.is_empty() { "no axes".to_owned() } else { .known.join(", ") }
    )]
    UnknownAxis {
        experiment: String,
        axis: String,
        known: Vec<String>,
    },
    #[error(transparent)]
    Axis(#[from] AxisTextError),
    #[error(
        "cannot plan {experiment}: {points} points{}, and a run has at most {MOST_POINTS}",
        if *.before > 0 { format!("  and {before} of others") } else { String::new() }
    )]
    TooMany {
        experiment: String,
        points: u64,
        /// Points of the experiments before it.
        before: u32,
    },
    #[error("cannot draw a figure of the recipe: there is no {0}")]
    Figure(String),
}

/// Builds the plan of a recipe on a machine.
///
/// # Errors
/// Unknown ids (with the nearest ones), unknown axes, malformed values.
pub fn plan(catalogue: &Catalogue, recipe: &Recipe, card: &MachineCard) -> Result<Plan, PlanError> {
    let mut plan = Plan {
        processes: processes(recipe),
        within_s: recipe.within_s,
        experiments: Vec::new(),
    };
    if let Some(unknown) = recipe.figures.iter().find_map(|f| f.unknown(catalogue)) {
        return Err(PlanError::Figure(unknown));
    }
    let mut next_index = 0;
    for entry in &recipe.experiments {
        let matched = catalogue.matching(&entry.id)?;
        known_axes(entry, &matched)?;
        for listed in matched {
            let planned = planned(recipe, entry, listed.clone(), card, &mut next_index)?;
            // An entry for everything does not include what this preset leaves out.
            let alone = entry.id == planned.listed.id;
            if alone || !planned.blocks.is_empty() {
                plan.experiments.push(planned);
            }
        }
    }
    Ok(plan)
}

fn planned(
    recipe: &Recipe,
    entry: &Entry,
    listed: Listed,
    card: &MachineCard,
    next_index: &mut u32,
) -> Result<Planned, PlanError> {
    let grids = asked_grids(recipe, entry, &listed, card)?;
    let asked = grids.iter().map(product::count);
    let asked = asked.fold(0, u64::saturating_add);
    if asked.saturating_add(u64::from(*next_index)) > MOST_POINTS {
        return Err(PlanError::TooMany {
            experiment: listed.id.to_owned(),
            points: asked,
            before: *next_index,
        });
    }
    let mut blocks = Blocks::new(&listed, recipe);
    for grid in &grids {
        for settings in product::product(grid) {
            if !blocks.is_new(&settings) {
                continue;
            }
            let point = Point {
                index: *next_index,
                experiment: listed.id.to_owned(),
                settings,
            };
            *next_index += 1;
            blocks.place(point, grid.budget_ns);
        }
    }
    let blocks = blocks.into_blocks();
    Ok(Planned { listed, blocks })
}

/// The grids of the preset, with what the entry sets on them.
fn asked_grids(
    recipe: &Recipe,
    entry: &Entry,
    listed: &Listed,
    card: &MachineCard,
) -> Result<Vec<Grid>, PlanError> {
    let overrides = overrides(entry, listed)?;
    let mut grids = (listed.experiment.grids)(recipe.preset, card);
    for grid in &mut grids {
        for (axis, values) in &mut grid.values {
            if let Some(replaced) = overrides.get(axis) {
                values.clone_from(replaced);
            }
        }
        grid.budget_ns = match entry.budget_ms {
            // As it was asked for.
            Some(ms) => ms.saturating_mul(1_000_000),
            None => part(grid.budget_ns, recipe),
        };
    }
    Ok(grids)
}

/// An axis that no matched experiment has is a typing error; one that only
/// some of a glob's experiments have is set where it exists.
fn known_axes(entry: &Entry, matched: &[&Listed]) -> Result<(), PlanError> {
    let axes = matched.iter().flat_map(|l| l.experiment.axes);
    let mut known: Vec<String> = axes.map(|axis| axis.name.to_owned()).collect();
    known.sort();
    known.dedup();
    match entry.axes.keys().find(|name| !known.contains(name)) {
        None => Ok(()),
        Some(axis) => Err(PlanError::UnknownAxis {
            experiment: entry.id.clone(),
            axis: axis.clone(),
            known,
        }),
    }
}

/// Values that the entry sets, by the axes that this experiment has.
fn overrides(
    entry: &Entry,
    listed: &Listed,
) -> Result<HashMap<&'static str, Vec<AxisValue>>, AxisTextError> {
    let spec = |name: &String| listed.experiment.axes.iter().find(|a| a.name == name);
    let known = entry.axes.iter();
    let known = known.filter_map(|(name, text)| Some((spec(name)?, text.text())));
    known
        .map(|(spec, text)| Ok((spec.name, parse_values(spec, &text)?)))
        .collect()
}

/// Processes that repeat each point of a recipe.
fn processes(recipe: &Recipe) -> u32 {
    recipe.processes.unwrap_or(recipe.preset.processes()).max(1)
}

/// Budgets of a point that its processes share.
fn shared(recipe: &Recipe) -> u32 {
    recipe.budgets.unwrap_or(recipe.preset.budgets()).max(1)
}

/// The part of `whole` that each process is given, of what all of them share.
fn part(whole: u64, recipe: &Recipe) -> u64 {
    let (processes, shared) = (processes(recipe), shared(recipe));
    match processes > shared {
        true => whole.saturating_mul(shared.into()) / u64::from(processes),
        false => whole,
    }
}

fn sampling(shape: Shape, recipe: &Recipe, budget_ns: u64) -> Sampling {
    let (target_width, min_samples, max_samples) =
        recipe.preset.choose((0.01, 20, 500), (0.005, 50, 5000));
    let min_samples = u32::try_from(part(min_samples, recipe)).unwrap_or(u32::MAX);
    let most = recipe.samples.unwrap_or(max_samples).max(1);
    let shape = match shape {
        Shape::Single { repetitions } if recipe.budgets.is_some() => {
            let own = part(repetitions.into(), recipe).max(1);
            let repetitions = u32::try_from(own).unwrap_or(u32::MAX);
            Shape::Single { repetitions }
        }
        shape => shape,
    };
    // Long enough that two clock reads vanish, short enough that most batches
    // pass between two timer ticks.
    let batch_ns = (budget_ns / 60).clamp(100_000, 2_000_000);
    Sampling {
        shape,
        batch_ns,
        budget_ns,
        deadline_ns: budget_ns.saturating_mul(4).saturating_add(2_000_000_000),
        min_samples: most.min(min_samples),
        max_samples: most.min(max_samples),
        target_width,
        singly: false,
    }
}

impl Plan {
    /// Heads of all points, in order of their index, still to be measured.
    pub fn point_heads<'a>(&'a self) -> Vec<Shared<PointHead>> {
        let head = |(planned, point): (&Planned, &Point)| PointHead {
            index: point.index,
            experiment: point.experiment.clone(),
            settings: point.settings.clone(),
            bytes_per_op: (planned.listed.experiment.bytes_per_op)(point),
            state: PointState::Pending,
            notes: Vec::new(),
            traces: Vec::new(),
            interrupts: None,
        };
        let of = |e: &'a Planned| e.blocks.iter().flat_map(|b| &b.points).map(move |p| (e, p));
        let mut all: Vec<(&Planned, &Point)> = self.experiments.iter().flat_map(of).collect();
        all.sort_by_key(|(_, p)| p.index);
        all.into_iter().map(head).map(Shared::from).collect()
    }

    /// Upper bound of the time that all samples and recordings take, ns.
    pub fn budget_ns(&self) -> u64 {
        let of = self.experiments.iter().map(|p| self.budget_of_ns(p));
        of.fold(0, u64::saturating_add)
    }

    /// The same, of one experiment.
    pub fn budget_of_ns(&self, planned: &Planned) -> u64 {
        let once = planned.blocks.iter().map(Block::budget_ns);
        let once = once.fold(0, u64::saturating_add);
        once.saturating_mul(self.processes.into())
    }

    /// How many points there are.
    pub fn points(&self) -> usize {
        let blocks = self.experiments.iter().flat_map(|e| &e.blocks);
        blocks.map(|b| b.points.len()).sum()
    }
}
