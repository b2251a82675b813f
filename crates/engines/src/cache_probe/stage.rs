//! The victim and its copiers: shared by the points of a block, so that all have the
//! same memory and differ only in which copier is at work.

use crate::copier::{Copier, Wanted};
use crate::crew::body::Host;
use crate::crew::in_use::InUse;
use crate::placement::partner_cpu;
use crate::tasks::kinds::{Program, WorkKind, found};
use crate::tasks::occupancy::{Footprint, Look, Watched, occupancy};
use crate::tasks::task::{Seat, Task};
use catalogue::moment;
use harness::clock::monotonic_now_ns;
use harness::{Context, Fault, Point, SetupError, Subject};
use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;
use workload::{Workload, WrongResult};

/// Bytes copied between two checks whether to go on.
const UNIT_BYTES: u64 = 64 << 10;
/// A walk goes through more than the caches of most machines.
const WALK_BYTES: usize = 64 << 20;

struct Stage {
    victim: Program,
    /// Units that make a run.
    units: u64,
    /// The thread that runs it.
    watched: Watched,
    notes: Vec<String>,
    copiers: Vec<Copying>,
    at_work: Option<usize>,
    failed: Option<Fault>,
}

/// What copies while, or before, the victim runs.
enum Copying {
    /// On another CPU, at the same time.
    Concurrent {
        task: Task,
        unit_bytes: u64,
    },
    /// On the same CPU, before.
    Before(Copier),
    None,
}

thread_local! {
    static STAGE: InUse<String, RefCell<Stage>> = const { InUse::none() };
}

/// The victim with one copier.
struct Victim {
    stage: Rc<RefCell<Stage>>,
    copier: usize,
    began_ns: u64,
    copied_before: u64,
    /// Of the victim and of its copier.
    filled_before: [Option<Look>; 2],
}

impl Stage {
    /// Starts this copier and stops the one before.
    fn bring(&mut self, wanted: usize) -> Result<(), Fault> {
        if self.at_work != Some(wanted) {
            if let Some(before) = self.at_work.take()
                && let Copying::Concurrent { task, .. } = &mut self.copiers[before]
            {
                task.rest()?;
            }
            if let Copying::Concurrent { task, .. } = &mut self.copiers[wanted] {
                task.accompany()?;
            }
            self.at_work = Some(wanted);
            // The caches still hold what the copier before left there: the first run
            // with a new copier is not measured.
            if let Program::Steps(victim) = &mut self.victim {
                victim.run(self.units);
            }
        }
        if let Copying::Before(copier) = &mut self.copiers[wanted] {
            copier.run(1);
        }
        Ok(())
    }

    /// Bytes that a concurrent copier has copied since it began.
    fn copied(&self, copier: usize) -> u64 {
        match &self.copiers[copier] {
            Copying::Concurrent { task, unit_bytes } => task.units() * unit_bytes,
            Copying::Before(_) | Copying::None => 0,
        }
    }

    fn look(&mut self, copier: usize) -> [Option<Look>; 2] {
        let there = match &mut self.copiers[copier] {
            Copying::Concurrent { task, .. } => task.watched.look(),
            Copying::Before(_) | Copying::None => None,
        };
        [self.watched.look(), there]
    }

    /// What was filled and moved since `before`.
    fn filled(&mut self, copier: usize, before: [Option<Look>; 2]) -> [f64; 4] {
        let after = self.look(copier);
        let [here, there] = [0, 1].map(|at| {
            let mut footprint = Footprint::default();
            footprint.add(before[at], after[at], None);
            footprint
        });
        let mut all = occupancy(&here, &there);
        if let Copying::Before(_) = self.copiers[copier] {
            // One thread: the cache is its copies' as well.
            all[0] = f64::NAN;
        }
        all
    }

    /// Watches the copier as well. Where that fails, the victim's group would include
    /// the copier, a child of this thread, so it is given up too.
    fn watch(&mut self, copying: &mut Copying) {
        if let Copying::Concurrent { task, .. } = copying
            && self.watched.is_in_a_group()
        {
            task.watch();
            if let Some(why) = task.watched.note() {
                self.watched = Watched::given_up(why);
            }
        }
    }

    fn verify(&mut self, copier: usize) -> Result<(), Fault> {
        if let Some(why) = &self.failed {
            return Err(why.clone());
        }
        match &self.victim {
            Program::Steps(steps) => steps.verify().map_err(wrong)?,
            Program::Command(command) => command.verify()?,
        }
        if self.at_work == Some(copier) {
            self.at_work = None;
        }
        match &mut self.copiers[copier] {
            Copying::Concurrent { task, .. } => {
                task.rest()?;
                task.verify()
            }
            Copying::Before(copier) => copier.verify().map_err(wrong),
            Copying::None => Ok(()),
        }
    }
}

fn wrong(result: WrongResult) -> Fault {
    Fault::wrong(result.to_string())
}

impl Subject for Victim {
    fn prepare(&mut self, _part: u16) {
        let mut stage = self.stage.borrow_mut();
        if let Err(why) = stage.bring(self.copier) {
            stage.failed.get_or_insert(why);
        }
        self.filled_before = stage.look(self.copier);
        self.copied_before = stage.copied(self.copier);
        self.began_ns = monotonic_now_ns();
    }

    fn batch(&mut self, _part: u16, ops: u64) {
        let mut stage = self.stage.borrow_mut();
        let units = ops * stage.units;
        match &mut stage.victim {
            Program::Steps(steps) => steps.run(units),
            Program::Command(command) => (0..ops).for_each(|_| command.run()),
        }
    }

    fn tally(&mut self, _part: u16) -> Vec<f64> {
        let mut stage = self.stage.borrow_mut();
        let copied = stage.copied(self.copier) - self.copied_before;
        let [seconds, ns] = moment::tallies(self.began_ns, 1);
        let mut all = vec![seconds, ns, copied as f64];
        all.extend(stage.filled(self.copier, self.filled_before));
        all
    }

    fn verify(&mut self) -> Result<(), Fault> {
        self.stage.borrow_mut().verify(self.copier)
    }

    /// A command works in processes of its own, which come and go: its events cannot be had,
    /// and those of this thread, which waits for it, are not its.
    fn counted_alone(&self) -> bool {
        matches!(self.stage.borrow().victim, Program::Command(_))
    }

    fn notes(&self) -> Vec<String> {
        let stage = self.stage.borrow();
        let unwatched = stage.watched.note().map(str::to_owned);
        stage.notes.iter().cloned().chain(unwatched).collect()
    }
}

/// A victim of `pollute/victim` with its copier.
pub fn setup(point: &Point, context: &Context) -> Result<Box<dyn Subject>, SetupError> {
    let make = || stage(point, context).map(RefCell::new);
    let stage = STAGE.with(|stage| stage.across(point, "copier", make))?;
    let copier = {
        let mut stage = stage.borrow_mut();
        let (mut copying, note) = copying(point, context)?;
        stage.watch(&mut copying);
        stage.notes.extend(noted(note));
        stage.copiers.push(copying);
        stage.copiers.len() - 1
    };
    Ok(Box::new(Victim {
        stage,
        copier,
        began_ns: 0,
        copied_before: 0,
        filled_before: [None; 2],
    }))
}

/// A note, unless it is empty.
fn noted(note: String) -> Vec<String> {
    Some(note)
        .filter(|note| !note.is_empty())
        .into_iter()
        .collect()
}

fn stage(point: &Point, context: &Context) -> Result<Stage, SetupError> {
    let mut kind = found(point.word("victim"))?;
    kind.deadline = Duration::from_nanos(point.size("deadline") as u64);
    let built = kind.build(context)?;
    Ok(Stage {
        victim: built.program,
        units: built.units_per_run,
        watched: Watched::this_thread(),
        notes: noted(built.note),
        copiers: Vec::new(),
        at_work: None,
        failed: None,
    })
}

/// Who the point says, and what is to be noted of it.
fn copying(point: &Point, context: &Context) -> Result<(Copying, String), SetupError> {
    let there = partner_cpu(point.word("placement"), context)?;
    let same_cpu = there == context.test_cpu;
    let method = match point.word("copier") {
        "none" => None,
        "dma" => Some(format!("dma_{}", point.word("direction"))),
        _ => Some(point.word("direction").to_owned()),
    };
    let wanted = |method, unit_bytes| Wanted {
        method,
        block_bytes: point.size("size"),
        walk_bytes: match point.word("buffer") {
            "walking" => WALK_BYTES,
            _ => 0,
        },
        unit_bytes,
    };
    if same_cpu {
        let Some(method) = method else {
            return Ok((Copying::None, String::new()));
        };
        let copier = Copier::new(&wanted(method, point.size("total") as u64), context)?;
        let note = copier.note();
        return Ok((Copying::Before(copier), note));
    }
    let seat = Seat {
        number: 0,
        cpu: there,
        host: Host::Process,
        shared: false,
    };
    let (kind, unit_bytes) = match method {
        None => (found("spin")?, 0),
        Some(method) => {
            let wanted = wanted(method, UNIT_BYTES);
            let blocks = UNIT_BYTES.div_ceil(wanted.block_bytes.max(1) as u64);
            let bytes = blocks * wanted.block_bytes as u64;
            (WorkKind::copier(wanted), bytes)
        }
    };
    let mut task = Task::start(&kind, seat, context)?;
    let note = task.ready()?;
    Ok((Copying::Concurrent { task, unit_bytes }, note))
}
