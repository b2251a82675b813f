//! The tasks of a block on their seats, and a member with both kinds of neighbour.

use super::TALLIES;
use analysis::sentence::list;
use engines::crew::in_use::InUse;
use engines::reading::of_events;
use engines::tasks::axes::{host, window_ns};
use engines::tasks::corun::{CoRun, Stay};
use engines::tasks::crew::Crew;
use engines::tasks::evidence::evidence;
use engines::tasks::seats::seats;
use engines::tasks::task::Seat;
use engines::verdict::kept;
use harness::{Context, Fault, Point, Reading, SetupError, Subject};
use std::cell::RefCell;
use std::rc::Rc;

/// A member, for both of its points.
struct Stage {
    crew: Rc<RefCell<Crew>>,
    /// Homogeneous, and mixed.
    coruns: [CoRun; 2],
    ops_per_unit: u64,
    window_ns: u64,
    of_cpu: bool,
    /// Time of an operation in the homogeneous window just before, ns, unless a mixed
    /// one was held against it.
    homogeneous_ns: Option<f64>,
    failed: Option<Fault>,
    notes: Vec<String>,
}

thread_local! {
    static CREW: InUse<String, RefCell<Crew>> = const { InUse::none() };
    static STAGES: [InUse<String, RefCell<Stage>>; 2] = const { [InUse::none(), InUse::none()] };
}

/// One member with one kind of neighbour.
struct Place {
    stage: Rc<RefCell<Stage>>,
    mixed: bool,
    last: Stay,
}

impl Stage {
    fn stay(&mut self, mixed: bool) -> Option<Stay> {
        let tenants = &self.coruns[usize::from(mixed)];
        let tasks = &mut self.crew.borrow_mut().tasks;
        match tenants.stay(tasks, self.window_ns) {
            Ok(stay) => Some(stay),
            Err(why) => {
                self.failed = Some(why);
                None
            }
        }
    }

    fn op_ns(&self, stay: &Stay) -> f64 {
        stay.op_ns(self.ops_per_unit, self.of_cpu)
    }

    /// Each homogeneous window is used once: ratios must not share their noise. Where
    /// the pass goes backwards there is none before a mixed window, and one is made.
    fn reference(&mut self) {
        if self.homogeneous_ns.is_none()
            && self.failed.is_none()
            && let Some(stay) = self.stay(false)
        {
            self.homogeneous_ns = Some(self.op_ns(&stay));
        }
    }

    /// NAN where there is nothing to hold it against.
    fn speedup(&mut self, mixed: &Stay) -> f64 {
        let homogeneous_ns = self.homogeneous_ns.take().unwrap_or(f64::NAN);
        homogeneous_ns / self.op_ns(mixed)
    }
}

impl Subject for Place {
    fn prepare(&mut self, _part: u16) {
        if self.mixed {
            self.stage.borrow_mut().reference();
        }
    }

    fn batch(&mut self, _part: u16, _ops: u64) {
        let mut stage = self.stage.borrow_mut();
        if stage.failed.is_none()
            && let Some(stay) = stage.stay(self.mixed)
        {
            self.last = stay;
        }
    }

    fn reading(&mut self, _part: u16) -> Option<Reading> {
        let mut stage = self.stage.borrow_mut();
        let ops = self.last.ops(stage.ops_per_unit);
        let op_ns = stage.op_ns(&self.last);
        if !self.mixed {
            stage.homogeneous_ns = Some(op_ns);
        }
        let cpu = stage.coruns[0].cpus.0;
        Some(of_events(ops, op_ns * ops as f64, Some(cpu)))
    }

    fn tally(&mut self, _part: u16) -> Vec<f64> {
        let mut stage = self.stage.borrow_mut();
        let speedup = match self.mixed {
            true => stage.speedup(&self.last),
            false => f64::NAN,
        };
        // Tallies are divided by the operations, which these are not meant for.
        let ops = self.last.ops(stage.ops_per_unit) as f64;
        let all = std::iter::once(speedup).chain(evidence(&self.last));
        let all: Vec<f64> = all.map(|value| value * ops).collect();
        debug_assert_eq!(all.len(), TALLIES.len());
        all
    }

    fn counted_threads(&self) -> Vec<u32> {
        let stage = self.stage.borrow();
        let crew = stage.crew.borrow();
        let measured = stage.coruns[0].measured;
        crew.tasks[measured].counted().into_iter().collect()
    }

    /// This thread only asks and waits. The task sleeps but in its windows.
    fn counted_alone(&self) -> bool {
        true
    }

    fn verify(&mut self) -> Result<(), Fault> {
        let stage = self.stage.borrow();
        kept(stage.failed.as_ref())?;
        let tasks = &mut stage.crew.borrow_mut().tasks;
        tasks.iter_mut().try_for_each(|task| task.verify())
    }

    fn notes(&self) -> Vec<String> {
        let stage = self.stage.borrow();
        let unwatched = stage.crew.borrow().unwatched();
        stage.notes.iter().cloned().chain(unwatched).collect()
    }
}

/// The subject of one member; the members share a crew, and each keeps its stage from
/// point to point.
pub fn setup(point: &Point, context: &Context) -> Result<Box<dyn Subject>, SetupError> {
    let crew = CREW.with(|crew| {
        // Shared by both members and both kinds of neighbour.
        let mut either = point.clone();
        either.settings.retain(|s| s.axis != "member");
        let empty = || Ok::<_, SetupError>(RefCell::new(Crew::of(point)));
        crew.across(&either, "pairing", empty)
    })?;
    let member = usize::from(point.word("member") == "b");
    let make = || stage(point, context, crew).map(RefCell::new);
    let stage = STAGES.with(|stages| stages[member].across(point, "pairing", make))?;
    Ok(Box::new(Place {
        stage,
        mixed: point.word("pairing") == "mixed",
        last: Stay::default(),
    }))
}

fn stage(point: &Point, context: &Context, crew: Rc<RefCell<Crew>>) -> Result<Stage, SetupError> {
    let counts = [point.size("a_tasks"), point.size("b_tasks")];
    if counts.contains(&0) {
        let reason = "a pair needs at least one task of each kind";
        return Err(SetupError::skip(reason, "--tasks 1+1"));
    }
    let (placement, all) = (point.word("placement"), counts.iter().sum());
    let seats = seats(placement, all, host(point), context)?;
    let (a, b) = ((point.word("a"), counts[0]), (point.word("b"), counts[1]));
    let (own, other) = match point.word("member") {
        "b" => (b, a),
        _ => (a, b),
    };
    let mut tasks = crew.borrow_mut();
    let mut members_of = |mixed| -> Result<Vec<usize>, SetupError> {
        let words = seating(own, other, mixed);
        let on = words.iter().zip(&seats);
        on.map(|(word, seat)| tasks.member(word, *seat, context))
            .collect()
    };
    let (homogeneous, mixed) = (members_of(false)?, members_of(true)?);
    let mut notes = Vec::new();
    for at in homogeneous.iter().chain(&mixed) {
        notes.push(tasks.ready(*at)?);
    }
    notes.sort();
    notes.dedup();
    notes.retain(|note| !note.is_empty());
    let ops_per_unit = tasks.kind(mixed[0]).ops_per_unit;
    drop(tasks);
    let shared = seats[0].shared;
    notes.push(seated(&seats));
    let of = |members: &[usize]| CoRun {
        measured: members[0],
        others: members[1..].to_vec(),
        cpus: (seats[0].cpu, seats[1].cpu),
    };
    Ok(Stage {
        coruns: [of(&homogeneous), of(&mixed)],
        ops_per_unit,
        window_ns: window_ns(point, shared),
        of_cpu: shared,
        homogeneous_ns: None,
        failed: None,
        notes,
        crew,
    })
}

fn seated(seats: &[Seat]) -> String {
    let (here, there) = (seats[0].cpu, seats[1].cpu);
    let others = match &seats[2..] {
        [] => "none".to_owned(),
        others => list(others.iter().map(|seat| seat.cpu), ", "),
    };
    format!("measured on CPU {here}, neighbour on CPU {there}, others on {others}")
}

/// Who sits on each seat: the measured one, its neighbour, then what is left of its
/// own kind and of the other.
pub(super) fn seating<'a>(
    (own, own_count): (&'a str, usize),
    (other, other_count): (&'a str, usize),
    mixed: bool,
) -> Vec<&'a str> {
    let all = own_count + other_count;
    let neighbour = if mixed { other } else { own };
    let more_own = own_count.saturating_sub(if mixed { 1 } else { 2 });
    let mut seated = vec![own, neighbour];
    seated.extend(std::iter::repeat_n(own, more_own.min(all - 2)));
    seated.resize(all, other);
    seated
}
