//! From a recipe to points: which experiments, on which settings, in which
//! blocks, with which limits.

use crate::axis_text::{AxisTextError, parse_values};
use crate::experiment::Listed;
use crate::recipe::{Entry, Preset, Recipe};
use crate::{Grid, nearest, table};
use harness::{Point, Sampling, Shape};
use record::{AxisValue, MachineCard, PointHead, PointState, Setting};

/// Everything a run will visit, in order.
#[derive(Clone)]
pub struct Plan {
    /// Processes that repeat each point.
    pub processes: u32,
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

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    #[error("cannot find experiment {id}: no such id or glob{}", nearest::hint(.near))]
    Unknown { id: String, near: Vec<String> },
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
    #[error("cannot draw a figure of the recipe: there is no {0}")]
    Figure(String),
}

/// Builds the plan of a recipe on a machine.
///
/// # Errors
/// Unknown ids (with the nearest ones), unknown axes, malformed values.
pub fn plan(recipe: &Recipe, card: &MachineCard) -> Result<Plan, PlanError> {
    let processes = recipe.processes.unwrap_or(recipe.preset.processes());
    let mut plan = Plan {
        processes: processes.max(1),
        experiments: Vec::new(),
    };
    let all = table::all();
    if let Some(unknown) = recipe.figures.iter().find_map(|f| f.unknown(&all)) {
        return Err(PlanError::Figure(unknown));
    }
    let mut next_index = 0;
    for entry in &recipe.experiments {
        let matched = matching(&entry.id)?;
        known_axes(entry, &matched)?;
        for listed in matched {
            let planned = planned(recipe, entry, listed, card, &mut next_index)?;
            // Whoever asks for everything does not ask for what this preset leaves out.
            if !(planned.blocks.is_empty() && entry.id.contains('*')) {
                plan.experiments.push(planned);
            }
        }
    }
    Ok(plan)
}

/// Experiments whose id equals or matches `pattern`.
///
/// # Errors
/// When none does.
pub fn matching(pattern: &str) -> Result<Vec<Listed>, PlanError> {
    let all = table::all();
    let found: Vec<Listed> = all
        .iter()
        .filter(|l| glob(pattern, l.experiment.id))
        .cloned()
        .collect();
    if found.is_empty() {
        let ids = all.iter().map(|l| l.experiment.id);
        return Err(PlanError::Unknown {
            id: pattern.to_owned(),
            near: nearest::nearest(pattern, ids),
        });
    }
    Ok(found)
}

fn planned(
    recipe: &Recipe,
    entry: &Entry,
    listed: Listed,
    card: &MachineCard,
    next_index: &mut u32,
) -> Result<Planned, PlanError> {
    let overrides = overrides(entry, &listed)?;
    let mut blocks: Vec<Block> = Vec::new();
    let mut seen: Vec<Vec<Setting>> = Vec::new();
    for mut grid in (listed.experiment.grids)(recipe.preset, card) {
        for (axis, values) in &mut grid.values {
            if let Some((_, replaced)) = overrides.iter().find(|(name, _)| name == axis) {
                values.clone_from(replaced);
            }
        }
        if let Some(ms) = entry.budget_ms {
            grid.budget_ns = ms.saturating_mul(1_000_000);
        }
        for settings in product(&grid) {
            if seen.contains(&settings) {
                continue;
            }
            seen.push(settings.clone());
            let point = Point {
                index: *next_index,
                experiment: listed.experiment.id.to_owned(),
                settings,
            };
            *next_index += 1;
            place(&mut blocks, &listed, point, recipe, grid.budget_ns);
        }
    }
    Ok(Planned { listed, blocks })
}

/// An axis that no matched experiment has is a typing error; one that only
/// some of a glob's experiments have is set where it exists.
fn known_axes(entry: &Entry, matched: &[Listed]) -> Result<(), PlanError> {
    let mut known: Vec<String> = matched
        .iter()
        .flat_map(|l| l.experiment.axes)
        .map(|axis| axis.name.to_owned())
        .collect();
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

fn overrides(
    entry: &Entry,
    listed: &Listed,
) -> Result<Vec<(String, Vec<AxisValue>)>, AxisTextError> {
    let axes = listed.experiment.axes;
    let mut found = Vec::new();
    for (name, text) in &entry.axes {
        let Some(spec) = axes.iter().find(|a| a.name == name) else {
            continue;
        };
        found.push((name.clone(), parse_values(spec, &text.text())?));
    }
    Ok(found)
}

/// Every combination of a grid's values, the last axis fastest.
fn product(grid: &Grid) -> Vec<Vec<Setting>> {
    let mut rows: Vec<Vec<Setting>> = vec![Vec::new()];
    for (axis, values) in &grid.values {
        rows = rows
            .iter()
            .flat_map(|row| {
                values.iter().map(move |value| {
                    let mut longer = row.clone();
                    longer.push(Setting {
                        axis: (*axis).to_owned(),
                        value: value.clone(),
                    });
                    longer
                })
            })
            .collect();
    }
    rows
}

/// Puts a point into the block it is compared in, or opens a new one.
fn place(blocks: &mut Vec<Block>, listed: &Listed, point: Point, recipe: &Recipe, budget_ns: u64) {
    let shape = (listed.experiment.shape)(&point);
    let sampling = sampling(shape, recipe, budget_ns);
    let compared = |s: &Setting| {
        listed
            .experiment
            .axes
            .iter()
            .any(|a| a.compared && a.name == s.axis)
    };
    let fixed = |p: &Point| -> Vec<Setting> {
        p.settings
            .iter()
            .filter(|s| !compared(s))
            .cloned()
            .collect()
    };
    let has_compared = point.settings.iter().any(compared);
    let home = blocks
        .iter_mut()
        .find(|b| has_compared && b.sampling == sampling && fixed(&b.points[0]) == fixed(&point));
    match home {
        Some(block) => block.points.push(point),
        None => blocks.push(Block {
            points: vec![point],
            sampling,
        }),
    }
}

fn sampling(shape: Shape, recipe: &Recipe, budget_ns: u64) -> Sampling {
    let (target_width, min_samples, max_samples) = match recipe.preset {
        Preset::Quick => (0.01, 20, 500),
        Preset::Full => (0.005, 50, 5000),
    };
    let most = recipe.samples.unwrap_or(max_samples).max(1);
    // Long enough that two clock reads vanish, short enough that most batches
    // pass between two timer ticks.
    let batch_ns = (budget_ns / 60).clamp(100_000, 2_000_000);
    Sampling {
        shape,
        batch_ns,
        budget_ns,
        deadline_ns: budget_ns * 4 + 2_000_000_000,
        min_samples: most.min(min_samples),
        max_samples: most.min(max_samples),
        target_width,
    }
}

/// `*` stands for any run of characters.
fn glob(pattern: &str, text: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == text,
        Some((head, rest)) => {
            let Some(tail) = text.strip_prefix(head) else {
                return false;
            };
            (0..=tail.len()).any(|i| tail.is_char_boundary(i) && glob(rest, &tail[i..]))
        }
    }
}

impl Plan {
    /// Heads of all points, in order of their index, still to be measured.
    #[must_use]
    pub fn point_heads(&self) -> Vec<PointHead> {
        self.points()
            .map(|(planned, point)| PointHead {
                index: point.index,
                experiment: point.experiment.clone(),
                settings: point.settings.clone(),
                bytes_per_op: (planned.listed.experiment.bytes_per_op)(point),
                state: PointState::Pending,
                notes: Vec::new(),
                traces: Vec::new(),
                interrupts: None,
            })
            .collect()
    }

    /// Upper bound of the time all samples take, ns.
    #[must_use]
    pub fn budget_ns(&self) -> u64 {
        let of = |p: &Planned| {
            p.blocks
                .iter()
                .map(|b| b.sampling.budget_ns * b.points.len() as u64)
                .sum::<u64>()
                * u64::from(self.processes)
        };
        self.experiments.iter().map(of).sum()
    }

    fn points(&self) -> impl Iterator<Item = (&Planned, &Point)> {
        let mut all: Vec<(&Planned, &Point)> = self
            .experiments
            .iter()
            .flat_map(|e| e.blocks.iter().flat_map(|b| &b.points).map(move |p| (e, p)))
            .collect();
        all.sort_by_key(|(_, p)| p.index);
        all.into_iter()
    }
}
