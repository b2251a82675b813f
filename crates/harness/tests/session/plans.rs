//! Plans of such points, and where their samples go.

use super::NoProgress;
use harness::Block;
use harness::ClockSpec;
use harness::Context;
use harness::Ending;
use harness::Launcher;
use harness::PlannedExperiment;
use harness::PlannedPoint;
use harness::Point;
use harness::Sampling;
use harness::Scheduling;
use harness::Session;
use harness::Shape;
use harness::Sink;
use harness::session::Patience;
use record::AxisValue;
use record::MachineCard;
use record::PointHead;
use record::PointState;
use record::Sample;
use record::Setting;
use std::error::Error;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering;

pub fn planned(index: u32, experiment: &str, kind: &str) -> PlannedPoint {
    PlannedPoint {
        point: Point {
            index,
            experiment: experiment.to_owned(),
            settings: vec![Setting {
                axis: "kind".to_owned(),
                value: AxisValue::from(kind),
            }],
        },
        sampling: Sampling {
            shape: Shape::Batched,
            batch_ns: 100_000,
            budget_ns: 5_000_000,
            // Who works for all of it keeps the test waiting.
            deadline_ns: match kind {
                "toil-by-child" => 400_000_000,
                _ => 4_000_000_000,
            },
            min_samples: 5,
            max_samples: 20,
            target_width: 0.0,
            singly: false,
        },
        parts: 1,
        bytes_per_op: Some(64),
    }
}

/// One block for each list of kinds.
pub fn plan(blocks: &[&[&str]]) -> Vec<PlannedExperiment> {
    vec![experiment("test/acting", 0, blocks)]
}

pub fn experiment(id: &str, first: u32, blocks: &[&[&str]]) -> PlannedExperiment {
    let mut index = first..;
    let blocks = blocks
        .iter()
        .map(|kinds| Block {
            points: kinds
                .iter()
                .map(|kind| planned(index.next().unwrap(), id, kind))
                .collect(),
        })
        .collect();
    PlannedExperiment {
        id: id.to_owned(),
        blocks,
    }
}

#[derive(Debug, Clone)]
pub struct Kept {
    pub process: u16,
    pub head: PointHead,
    pub samples: Vec<Sample>,
    pub notes: Vec<String>,
}

#[derive(Default)]
pub struct Shelf {
    pub kept: Vec<Kept>,
    pub stop_after: Option<(usize, &'static AtomicBool)>,
    pub full_after: Option<usize>,
}

impl Sink for Shelf {
    fn point(
        &mut self,
        process: u16,
        head: &PointHead,
        samples: &[Sample],
        notes: &[String],
    ) -> Result<(), Box<dyn Error + Send + Sync>> {
        if self.full_after == Some(self.kept.len()) {
            return Err("no space left on device".into());
        }
        self.kept.push(Kept {
            process,
            head: head.clone(),
            samples: samples.to_vec(),
            notes: notes.to_vec(),
        });
        if let Some((count, stop)) = self.stop_after
            && self.kept.len() >= count
        {
            stop.store(true, Ordering::Relaxed);
        }
        Ok(())
    }
}

impl Shelf {
    pub fn of(&self, index: u32) -> &Kept {
        let found: Vec<&Kept> = self.kept.iter().filter(|k| k.head.index == index).collect();
        assert_eq!(found.len(), 1, "point {index} kept {} times", found.len());
        found[0]
    }

    pub fn failure(&self, index: u32) -> &str {
        match &self.of(index).head.state {
            PointState::Failed { reason } => reason,
            other => panic!("point {index} is {other:?}"),
        }
    }

    pub fn is_done(&self, index: u32) -> bool {
        let kept = self.of(index);
        kept.head.state == PointState::Done && kept.samples.len() >= 5
    }
}

pub static NEVER: AtomicBool = AtomicBool::new(false);

pub fn session(scratch: &Path) -> Session<'static> {
    let allowed = harness::affinity::allowed_cpus().unwrap();
    let chosen = harness::affinity::choose(&allowed, Path::new("/"));
    Session {
        launcher: Launcher::this_executable(),
        clock: ClockSpec::posix(None),
        floor_ns: None,
        scheduling: Scheduling::default(),
        counters: None,
        interrupts: false,
        context: Context {
            card: MachineCard::default(),
            test_cpu: chosen.test_cpu,
            partner_cpu: chosen.partner_cpu,
            cpus: allowed,
            memory_available_bytes: 1 << 30,
            scratch: scratch.join("work"),
            traces: None,
            measured: harness::Measured::default(),
        },
        processes: 1,
        patience: Patience::default(),
        limit: None,
        again: false,
        stop: &NEVER,
    }
}

pub fn run(plan: &[PlannedExperiment]) -> (Shelf, Ending) {
    run_for(Patience::default(), plan)
}

/// Runs a plan of which a part hangs, with little patience. On a machine that
/// stands still what does not hang runs out of it too: then with more.
pub fn run_till(done: impl Fn(&Shelf) -> bool, plan: &[PlannedExperiment]) -> Shelf {
    let seconds = [1, 8, 60].map(|s: u64| s * 1_000_000_000);
    let mut shelves = seconds.into_iter().map(|limit_ns| {
        let patience = Patience {
            setup_ns: limit_ns,
            grace_ns: limit_ns,
            ..Patience::default()
        };
        run_for(patience, plan).0
    });
    shelves.find(done).expect("done with the most patience")
}

pub fn run_for(patience: Patience, plan: &[PlannedExperiment]) -> (Shelf, Ending) {
    let scratch = tempfile::tempdir().unwrap();
    let foreign = scratch.path().join("work/not ours");
    std::fs::create_dir_all(&foreign).unwrap();
    let mut shelf = Shelf::default();
    let mut session = session(scratch.path());
    session.patience = patience;
    let ending = session.run(plan, &mut shelf, &mut NoProgress);
    assert!(
        foreign.exists(),
        "the scratch folder belongs to who made it"
    );
    (shelf, ending.unwrap())
}
