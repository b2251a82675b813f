//! The tasks of a scene, played once and handed out slice by slice.

use super::{TALLIES, TASKS};
use crate::scene::kernel_told::Told;
use crate::scene::play::{Played, Script, Task, play};
use crate::scene::policy::Policy;
use crate::scene::traced::play_traced;
use crate::scene::turns::{Taken, whole};
use harness::slices::Slice;
use harness::{Context, Point, Reading, SetupError, Subject};
use std::cell::RefCell;
use std::path::Path;
use std::rc::{Rc, Weak};

/// What the tasks of a scene left, and what the kernel says.
struct Scene {
    script: Script,
    played: Vec<Played>,
    notes: Vec<String>,
    told_ns: Option<u64>,
    spared_ns: Option<u64>,
}

thread_local! {
    static LAST: RefCell<Option<(String, Weak<Scene>)>> = const { RefCell::new(None) };
}

/// The tasks of a block are of one scene; whoever comes first plays it.
fn scene(point: &Point, context: &Context) -> Result<Rc<Scene>, SetupError> {
    let key: Vec<String> = point
        .settings
        .iter()
        .filter(|s| s.axis != "task")
        .map(|s| s.value.to_string())
        .collect();
    let key = key.join(" ");
    let last = LAST.with_borrow(|last| {
        let (of, scene) = last.as_ref()?;
        (*of == key).then(|| scene.upgrade())?
    });
    if let Some(scene) = last {
        return Ok(scene);
    }
    let scene = Rc::new(Scene::play(point, context)?);
    LAST.set(Some((key, Rc::downgrade(&scene))));
    Ok(scene)
}

impl Scene {
    fn play(point: &Point, context: &Context) -> Result<Scene, SetupError> {
        let (policy, rank) = (point.word("policy"), point.word("rank"));
        let policies = Policy::of_rank(policy, rank).ok_or_else(|| {
            SetupError::Fail(format!("policy {policy} has no ranks like {rank:?}"))
        })?;
        let workload = point.word("workload");
        let task = |(number, policy): (usize, &Policy)| Task {
            policy: *policy,
            files: workload == "files" || (workload == "mixed" && number % 2 == 1),
        };
        let script = Script {
            tasks: policies.iter().enumerate().map(task).collect(),
            // Not where this process waits, if it can be helped.
            cpu: context.partner_cpu.unwrap_or(context.test_cpu),
            length_ns: point.size("length") as u64,
        };
        let traced = point.word("source") == "trace";
        let played = match traced {
            true => play_traced(&script, context)?,
            false => play(&script, context)?,
        };
        let told = Told::read(Path::new("/"));
        let mut notes = vec![
            match traced {
                true => "slices from the kernel's sched_switch events, own tracefs instance",
                false => "slices by gaps that the tasks saw themselves, without tracing",
            }
            .to_owned(),
            match policies[0].is_bound() {
                true => format!("{} tasks on CPU {}", policies.len(), script.cpu),
                false => format!(
                    "{} deadline tasks, which may not be bound: on any CPU",
                    policies.len()
                ),
            },
        ];
        notes.extend(told.sentence(policy));
        Ok(Scene {
            told_ns: match policies[0] {
                Policy::RoundRobin { .. } => told.rr_slice_ns,
                Policy::Other { .. } | Policy::Batch { .. } => told.fair_slice_ns,
                Policy::Deadline { runtime_ns, .. } => Some(runtime_ns),
                Policy::Fifo { .. } => None,
            },
            spared_ns: told
                .rt_share
                .map(|(runtime, period)| period.saturating_sub(runtime)),
            script,
            played,
            notes,
        })
    }
}

/// Begins the note on what the kernel did not show of a task.
pub const UNSEEN: &str = "the trace does not show where the CPU went: ";

/// One task's slices, handed out one by one.
struct Slices {
    scene: Rc<Scene>,
    task: usize,
    whole: Vec<Taken>,
    /// The only slice, which the end of the run cut.
    cut: bool,
    next: usize,
}

impl Slices {
    /// Slices in the middle whose begin or end is not known, and their time.
    fn unseen(&self) -> Option<(usize, u64)> {
        let slices = &self.scene.played[self.task].slices;
        let (_, before_end) = slices.split_last()?;
        let cut = || before_end.iter().filter(|slice| slice.cut == 1);
        let ns = cut().map(|slice| slice.ended_ns - slice.began_ns).sum();
        (cut().count() > 0).then(|| (cut().count(), ns))
    }
}

impl Subject for Slices {
    fn batch(&mut self, _part: u16, _ops: u64) {
        self.next += 1;
    }

    fn sampling_begins(&mut self) {
        self.next = 0;
    }

    fn recorded(&self) -> Option<u32> {
        u32::try_from(self.whole.len()).ok()
    }

    fn reading(&mut self, _part: u16) -> Option<Reading> {
        let slice = self.whole.get(self.next.checked_sub(1)?)?;
        let bound = self.scene.script.tasks[self.task].policy.is_bound();
        Some(Reading {
            ops: 1,
            elapsed_ns: slice.length_ns as f64,
            floor_ns: 0.0,
            cpu: bound
                .then(|| u16::try_from(self.scene.script.cpu).ok())
                .flatten(),
            turn: None,
        })
    }

    fn tally(&mut self, _part: u16) -> Vec<f64> {
        let slice = self.next.checked_sub(1).and_then(|at| self.whole.get(at));
        let Some(slice) = slice else {
            return vec![f64::NAN; TALLIES.len()];
        };
        let taken_away = match self.cut {
            true => f64::NAN,
            false => f64::from(u8::from(slice.taken_away)),
        };
        vec![
            slice.wait_ns.map_or(f64::NAN, |ns| ns as f64),
            taken_away,
            slice.turn_ns.map_or(f64::NAN, |ns| ns as f64),
            self.scene.told_ns.map_or(f64::NAN, |ns| ns as f64),
            self.scene.spared_ns.map_or(f64::NAN, |ns| ns as f64),
        ]
    }

    fn notes(&self) -> Vec<String> {
        let played = &self.scene.played[self.task];
        let mut notes = self.scene.notes.clone();
        if self.cut {
            notes
                .push("it kept the CPU to the end of the run, which cut its only slice".to_owned());
        }
        if let Some((count, ns)) = self.unseen() {
            notes.push(format!(
                "{UNSEEN}{count} slices, {:.1} ms in all as far as known, are left out",
                ns as f64 / 1e6
            ));
        }
        if played.dropped > 0 {
            notes.push(format!(
                "{} slices had no room and are missing",
                played.dropped
            ));
        }
        let (count, ns) = played.interruptions;
        if count > 0 {
            notes.push(format!(
                "{count} interruptions of more than 5 us without a switch, {:.1} ms in all",
                ns as f64 / 1e6
            ));
        }
        notes
    }
}

pub fn setup(point: &Point, context: &Context) -> Result<Box<dyn Subject>, SetupError> {
    let scene = scene(point, context)?;
    let task = TASKS
        .iter()
        .position(|t| *t == point.word("task"))
        .unwrap_or(0);
    let played = &scene.played;
    let Some(own) = played.get(task) else {
        return Err(SetupError::Fail(format!(
            "rank {:?} is of {} tasks: it has no {} one",
            point.word("rank"),
            played.len(),
            point.word("task")
        )));
    };
    let others = played.iter().filter(|other| other.pid != own.pid);
    let mut others: Vec<Slice> = others.flat_map(|o| o.slices.iter().copied()).collect();
    others.sort_by_key(|slice| slice.ended_ns);
    let (whole, cut) = whole(&own.slices, &others);
    Ok(Box::new(Slices {
        scene,
        task,
        whole,
        cut,
        next: 0,
    }))
}
