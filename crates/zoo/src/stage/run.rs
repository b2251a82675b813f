//! A recipe on a simulated machine.

use super::instruments::{Pace, Refills, Watching};
use super::machine::Stage;
use crate::cores::Core;
use crate::hierarchy::{Memory, Surroundings};
use analysis::{ExperimentTable, summarise};
use catalogue::Catalogue;
use catalogue::plan::{Plan, PlanError, Planned, plan};
use catalogue::recipe::Recipe;
use harness::self_test::{floor_ns, resolution_ns};
use harness::yardstick::Yardstick;
use harness::{Bench, Context, Measured, Member, SetupError, Simulated, Subject, sample_block};
use record::{Cache, CacheKind, MachineCard, PointHead, PointState, Sample, Shared};
use stats::Rng;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Memory that experiments may take.
const AVAILABLE_BYTES: u64 = 8 << 30;

/// The tables of a run, and the card that it was planned with.
pub struct Ran {
    pub card: MachineCard,
    pub tables: Vec<ExperimentTable>,
}

/// Runs a recipe: each experiment in processes of their own, as a run does; what such a
/// machine draws anew for each process comes from the seed.
///
/// # Errors
/// The recipe has no plan.
pub fn run(
    catalogue: &Catalogue,
    recipe: &Recipe,
    core: &Core,
    around: &Surroundings,
    seed: u64,
) -> Result<Ran, PlanError> {
    let card = card(core);
    let plan = plan(catalogue, recipe, &card)?;
    let mut heads = plan.point_heads();
    let mut samples: BTreeMap<u32, Vec<Sample>> = BTreeMap::new();
    for planned in &plan.experiments {
        for process in 0..plan.processes {
            let own = own_seed(seed, planned.listed.id, process);
            let memory = Memory::new(core.clone(), around.clone(), own);
            let worker = Worker::new(Stage::new(memory), &card, process);
            worker.measure(planned, &mut heads, &mut samples);
        }
    }
    Ok(Ran {
        tables: tables(&plan, &card, &heads, &samples),
        card,
    })
}

/// The tables of such a run in which nothing is measured yet.
///
/// # Errors
/// As of [`run`].
pub fn unmeasured(catalogue: &Catalogue, recipe: &Recipe, core: &Core) -> Result<Ran, PlanError> {
    let card = card(core);
    let plan = plan(catalogue, recipe, &card)?;
    Ok(Ran {
        tables: tables(&plan, &card, &plan.point_heads(), &BTreeMap::new()),
        card,
    })
}

/// What an experiment draws does not depend on the others of the recipe.
fn own_seed(seed: u64, experiment: &str, process: u32) -> u64 {
    let each = experiment.bytes().map(u64::from);
    let name = each.fold(0, |all: u64, byte| all.wrapping_mul(31).wrapping_add(byte));
    Rng::new(name ^ seed << 32 ^ u64::from(process)).next_u64()
}

fn tables(
    plan: &Plan,
    card: &MachineCard,
    heads: &[Shared<PointHead>],
    samples: &BTreeMap<u32, Vec<Sample>>,
) -> Vec<ExperimentTable> {
    let table = |planned: &Planned| {
        let mut head = planned.listed.head(card);
        if Refills::are_counted(&head.id) {
            head.metrics.push(Refills::head());
        }
        let of = |index: &u32| {
            heads
                .iter()
                .any(|h| h.index == *index && h.experiment == head.id)
        };
        let own = samples.iter().filter(|(index, _)| of(index));
        let own = own.map(|(index, taken)| (*index, taken.clone())).collect();
        summarise(&head, heads, &own)
    };
    let mut seen = BTreeSet::new();
    let each = plan.experiments.iter();
    each.filter(|planned| seen.insert(planned.listed.id))
        .map(table)
        .collect()
}

/// One measuring process.
struct Worker {
    stage: Arc<Stage>,
    context: Context,
    process: u16,
}

impl Worker {
    fn new(stage: Stage, card: &MachineCard, process: u32) -> Worker {
        let stage = Arc::new(stage);
        let simulated: Arc<dyn Simulated> = Arc::clone(&stage) as Arc<dyn Simulated>;
        Worker {
            context: Context {
                card: card.clone(),
                test_cpu: 0,
                partner_cpu: (card.cpus > 1).then_some(1),
                cpus: (0..card.cpus).collect(),
                memory_available_bytes: AVAILABLE_BYTES,
                scratch: PathBuf::from("/nonexistent"),
                traces: None,
                measured: Measured::simulated(simulated),
            },
            stage,
            process: u16::try_from(process).unwrap_or(u16::MAX),
        }
    }

    fn measure(
        &self,
        planned: &Planned,
        heads: &mut [Shared<PointHead>],
        samples: &mut BTreeMap<u32, Vec<Sample>>,
    ) {
        let clock: &Stage = &self.stage;
        let (floor_ns, resolution_ns) = (floor_ns(clock), resolution_ns(clock));
        let stop = AtomicBool::new(false);
        let mut next_index = 0;
        for block in &planned.blocks {
            let mut standing: Vec<(u32, Box<dyn Subject>)> = Vec::new();
            for point in &block.points {
                match (planned.listed.experiment.setup)(point, &self.context) {
                    Ok(subject) => standing.push((point.index, subject)),
                    Err(why) => set(heads, point.index, refused(why)),
                }
            }
            let members = standing.iter_mut().map(|(_, subject)| Member {
                subject: &mut **subject,
                parts: planned.listed.parts(),
                sampling: block.sampling,
            });
            let mut members: Vec<Member<'_>> = members.collect();
            let mut gauge = Pace(clock);
            let mut watch = Watching::new(clock);
            let mut refills = Refills::new(clock);
            let counts = Refills::are_counted(planned.listed.id);
            let mut bench = Bench {
                clock,
                watch: &mut watch,
                yardstick: Some(Yardstick::begin(&mut gauge, clock)),
                counters: counts.then_some(&mut refills),
                floor_ns,
                resolution_ns,
                process: self.process,
                next_index,
                stop: &stop,
            };
            let sampled = sample_block(&mut members, &mut bench);
            next_index = bench.next_index;
            for ((index, _), result) in standing.iter().zip(sampled) {
                let state = match result.failure {
                    Some(reason) => PointState::Failed { reason },
                    None => PointState::Done,
                };
                set(heads, *index, state);
                samples.entry(*index).or_default().extend(result.samples);
            }
        }
    }
}

fn refused(why: SetupError) -> PointState {
    match why {
        SetupError::Skip { reason, remedy } => PointState::Skipped { reason, remedy },
        SetupError::Fail(reason) => PointState::Failed { reason },
    }
}

fn set(heads: &mut [Shared<PointHead>], index: u32, state: PointState) {
    let head = heads.iter_mut().find(|head| head.index == index);
    if let Some(head) = head {
        head.state = state;
    }
}

/// What the machine says of itself. A 32-bit board says nothing of its caches, and has no
/// huge pages.
pub fn card(core: &Core) -> MachineCard {
    let board = core.arch == "arm";
    let cache = |(level, of): (u32, &crate::cores::Level)| Cache {
        level,
        kind: match level {
            1 => CacheKind::Data,
            _ => CacheKind::Unified,
        },
        size_bytes: of.bytes,
        line_bytes: Some(core.line_bytes),
        ways: Some(of.ways),
        shared_by: vec![0],
        instances: 1,
    };
    let caches = match board {
        true => Vec::new(),
        false => (1..).zip(&core.levels).map(cache).collect(),
    };
    MachineCard {
        cpu_model: core.title.clone(),
        arch: core.arch.clone(),
        cpus: 2,
        cores: 2,
        caches,
        page_bytes: core.page_bytes,
        transparent_hugepages: (!board).then(|| "madvise".to_owned()),
        ..MachineCard::default()
    }
}
