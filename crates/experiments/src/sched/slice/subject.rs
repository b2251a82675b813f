//! The tasks of a scene, played once and handed out slice by slice.

use super::TASKS;
use engines::crew::in_use::InUse;
use engines::reading::of_events;
use engines::scheduler::play::{Played, Script, Task, play};
use engines::scheduler::policy::Policy;
use engines::scheduler::replay::{Recorded, Replay};
use engines::scheduler::settings::Settings;
use engines::scheduler::traced::play_traced;
use engines::scheduler::turns::{Taken, whole};
use harness::slices::Slice;
use harness::{Context, Point, Reading, SetupError, Simulated, Subject};
use std::path::Path;
use std::rc::Rc;

/// What the tasks of a scene left, and what the kernel says.
struct Scene {
    script: Script,
    played: Vec<Played>,
    notes: Vec<String>,
    nominal_ns: Option<u64>,
    spared_ns: Option<u64>,
    rt_period_ns: Option<u64>,
}

thread_local! {
    /// The tasks of a block are of one scene.
    static SCENE: InUse<String, Scene> = const { InUse::none() };
}

impl Scene {
    fn play(point: &Point, context: &Context) -> Result<Scene, SetupError> {
        let (policy, rank) = (point.word("policy"), point.word("rank"));
        let policies = Policy::of_rank(policy, rank).ok_or_else(|| {
            SetupError::Fail(format!("policy {policy} has no ranks like {rank:?}"))
        })?;
        if let Some(machine) = context.measured.in_numbers() {
            return Scene::in_numbers(point, context, &policies, machine);
        }
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
        let settings = Settings::read(Path::new("/"));
        let source = match traced {
            true => "slices from the kernel's sched_switch events, own tracefs instance",
            false => "slices from gaps that the tasks observed themselves, without tracing",
        };
        let (count, cpu) = (policies.len(), script.cpu);
        let place = match policies[0].is_bound() {
            true => format!("{count} tasks on CPU {cpu}"),
            false => format!("{count} deadline tasks, which cannot be pinned: on any CPU"),
        };
        let mut notes = vec![source.to_owned(), place];
        notes.extend(settings.sentence(policy));
        let rt_share = settings.rt_share;
        Ok(Scene {
            nominal_ns: match policies[0] {
                Policy::RoundRobin { .. } => settings.rr_slice_ns,
                Policy::Other { .. } | Policy::Batch { .. } => settings.fair_slice_ns,
                Policy::Deadline { runtime_ns, .. } => Some(runtime_ns),
                Policy::Fifo { .. } => None,
            },
            spared_ns: rt_share.map(|(runtime, period)| period.saturating_sub(runtime)),
            rt_period_ns: rt_share.map(|(_, period)| period),
            script,
            played,
            notes,
        })
    }
}

impl Scene {
    /// What a simulated machine does with real-time tasks of equal rank.
    fn in_numbers(
        point: &Point,
        context: &Context,
        policies: &[Policy],
        machine: &dyn Simulated,
    ) -> Result<Scene, SetupError> {
        let in_turns = matches!(policies[0], Policy::RoundRobin { .. });
        let even = policies.iter().all(|policy| *policy == policies[0]);
        let is_simulated = (in_turns || matches!(policies[0], Policy::Fifo { .. }))
            && even
            && point.word("workload") == "compute"
            && point.word("source") == "gaps";
        if !is_simulated {
            return Err(SetupError::skip(
                "simulated machines have no such tasks",
                "none: choose real-time tasks of equal rank that compute",
            ));
        }
        let length_ns = point.size("length") as u64;
        let slices = machine.compute_in_real_time(policies.len(), in_turns, length_ns);
        let stated = machine.real_time_limits();
        let task = |policy: &Policy| Task {
            policy: *policy,
            files: false,
        };
        let played = (0..).zip(slices).map(|(pid, slices)| Played {
            pid,
            began_ns: 0,
            until_ns: length_ns,
            slices,
            dropped: 0,
            interruptions: (0, 0),
        });
        Ok(Scene {
            script: Script {
                tasks: policies.iter().map(task).collect(),
                cpu: context.test_cpu,
                length_ns,
            },
            played: played.collect(),
            notes: Vec::new(),
            nominal_ns: in_turns.then_some(stated.rr_slice_ns),
            spared_ns: Some(stated.period_ns.saturating_sub(stated.runtime_ns)),
            rt_period_ns: Some(stated.period_ns),
        })
    }
}

/// Begins the note on what the kernel did not show of a task.
pub const UNSEEN: &str = "the trace does not show where the CPU went: ";

/// One slice of a task, and what the kernel says of its kind.
struct Sample {
    slice: Taken,
    /// It was cut by the end of the run: no task took the CPU.
    cut: bool,
    cpu: Option<u32>,
    scene: Rc<Scene>,
}

impl Recorded for Sample {
    fn reading(&self) -> Reading {
        of_events(1, self.slice.length_ns as f64, self.cpu)
    }

    fn tally(&self) -> Vec<f64> {
        let taken_away = f64::from(u8::from(self.slice.taken_away));
        let ns = |ns: Option<u64>| ns.map_or(f64::NAN, |ns| ns as f64);
        vec![
            ns(self.slice.wait_ns),
            if self.cut { f64::NAN } else { taken_away },
            ns(self.slice.turn_ns),
            ns(self.scene.nominal_ns),
            ns(self.scene.spared_ns),
            ns(self.scene.rt_period_ns),
        ]
    }
}

impl Scene {
    /// Slices of a task in the middle whose begin or end is not known, and their
    /// time.
    fn unseen(&self, task: usize) -> Option<(usize, u64)> {
        let (_, before_end) = self.played[task].slices.split_last()?;
        let cut = || before_end.iter().filter(|slice| slice.cut == 1);
        let ns = cut().map(|slice| slice.ended_ns - slice.began_ns).sum();
        (cut().count() > 0).then(|| (cut().count(), ns))
    }

    fn notes_on(&self, task: usize, cut: bool) -> Vec<String> {
        let played = &self.played[task];
        let mut notes = self.notes.clone();
        if cut {
            notes.push(
                "it kept the CPU until the end of the run, which cut its only slice".to_owned(),
            );
        }
        if let Some((count, ns)) = self.unseen(task) {
            notes.push(format!(
                "{UNSEEN}{count} slices, {:.1} ms in all as far as known, are left out",
                ns as f64 / 1e6
            ));
        }
        let dropped = played.dropped;
        if dropped > 0 {
            notes.push(format!("{dropped} slices are missing: the buffer was full"));
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

/// The subject of one task; a scene runs once and all its tasks read it.
///
/// # Errors
/// Where the scene has no such task, or could not run.
pub fn setup(point: &Point, context: &Context) -> Result<Box<dyn Subject>, SetupError> {
    let scene =
        SCENE.with(|shared| shared.across(point, "task", || Scene::play(point, context)))?;
    let number = TASKS.iter().position(|t| *t == point.word("task"));
    let task = number.unwrap_or(0);
    let played = &scene.played;
    let Some(own) = played.get(task) else {
        return Err(SetupError::Fail(format!(
            "rank {:?} is for {} tasks: there is no {} one",
            point.word("rank"),
            played.len(),
            point.word("task")
        )));
    };
    let others = played.iter().filter(|other| other.pid != own.pid);
    let mut others: Vec<Slice> = others.flat_map(|o| o.slices.iter().copied()).collect();
    others.sort_by_key(|slice| slice.ended_ns);
    let (whole, cut) = whole(&own.slices, &others);
    let bound = scene.script.tasks[task].policy.is_bound();
    let sample = |slice: Taken| Sample {
        slice,
        cut,
        cpu: bound.then_some(scene.script.cpu),
        scene: Rc::clone(&scene),
    };
    let samples = whole.into_iter().map(sample).collect();
    let replay = Replay::of(samples, scene.notes_on(task, cut));
    Ok(Box::new(replay.keeping(scene)))
}
