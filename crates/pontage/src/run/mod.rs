//! `pontage run`: measure, record, show.

mod axes;
mod both;
mod clock_time;
pub mod close;
mod closing;
mod counting;
pub mod flags;
mod held;
mod jobs;
mod label;
mod pace;
mod preview;
mod progress;
mod regions;
mod request;
mod sink;
mod start;
mod trust;

use crate::commands;
use crate::failure::{Failure, Outcome};
use crate::{output, runs};
use analysis::RunView;
use catalogue::plan::{Plan, PlanError, plan};
use catalogue::recipe::{self, figure};
use harness::load::Load;
use harness::scratch::Scratch;
use harness::{Context, Ending, HarnessError};
use held::Held;
pub use held::Refused;
use pace::{Around, Pace};
use record::{RunHead, RunState, RunWriter};
pub use request::Request;
use start::Surroundings;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

impl From<HarnessError> for Failure {
    fn from(error: HarnessError) -> Self {
        Failure::new(&error).hinted(error.hint())
    }
}

/// Measures what was asked for.
///
/// # Errors
/// Usage, an unreadable recipe, a record that cannot be written. What was
/// measured until then is kept.
pub fn run(arguments: &flags::Run) -> Outcome {
    match &arguments.resume {
        Some(asked) => resume(arguments, &runs::find(asked)?),
        None if arguments.load == flags::Load::Both => both::run(arguments),
        None => fresh(arguments, stop_flag()?.as_ref(), show(arguments))?.outcome,
    }
}

/// How a run ended, and where it lies; nowhere when nothing was begun.
struct Ended {
    folder: Option<PathBuf>,
    outcome: Outcome,
}

impl Ended {
    fn without_run(outcome: Outcome) -> Self {
        let folder = None;
        Ended { folder, outcome }
    }
}

/// What is done with a run when it is closed: its record and its folder.
pub type Show = fn(&RunView, &Path) -> Outcome;

fn show(arguments: &flags::Run) -> Show {
    match arguments.quiet {
        true => close::show_quietly,
        false => close::shown_as(arguments.format),
    }
}

fn stop_flag() -> Result<Arc<AtomicBool>, Failure> {
    harness::signals::stop_flag().map_err(|e| Failure::new(format!("cannot catch signals: {e}")))
}

fn fresh(arguments: &flags::Run, stop: &AtomicBool, show: Show) -> Result<Ended, Failure> {
    let request = request::from_arguments(arguments)?;
    for note in axes::notes(&request.recipe.experiments, &axes::read(&arguments.axis)?) {
        harness::message!("{note}");
    }
    begin(arguments, |_| Ok(request), stop, show)
}

/// How many points these arguments ask for on this machine.
///
/// # Errors
/// As `run`, of what cannot be measured.
pub fn points(arguments: &flags::Run) -> Result<usize, Failure> {
    let request = request::from_arguments(arguments)?;
    let surroundings = Surroundings::read(arguments)?;
    commands::check(&recipe::commands(experiments::all(), &request.recipe))?;
    Ok(planned(&request.recipe, &surroundings.card)?.points())
}

/// Measures what `request` asks for once it has seen the machine; `arguments` tell
/// how, not what.
///
/// # Errors
/// As `run`.
pub fn of(
    arguments: &flags::Run,
    request: impl FnOnce(&Context) -> Result<Request, Refused>,
    show: Show,
) -> Outcome {
    if arguments.load == flags::Load::Both {
        return Err(
            Failure::new("cannot measure this under both loads at once").hint(
                "measure with --load light, then with --load heavy, then: pontage report LIGHT \
                 --under-load HEAVY",
            ),
        );
    }
    begin(arguments, request, stop_flag()?.as_ref(), show)?.outcome
}

fn begin(
    arguments: &flags::Run,
    request: impl FnOnce(&Context) -> Result<Request, Refused>,
    stop: &AtomicBool,
    show: Show,
) -> Result<Ended, Failure> {
    let began = Instant::now();
    huge_pages_fit(arguments)?;
    let labels = label::of(arguments)?;
    let mut surroundings = Surroundings::read(arguments)?;
    tell_pending();
    let request = match request(&surroundings.context()) {
        Ok(request) => request,
        Err(refused) => return Ok(Ended::without_run(refused.outcome())),
    };
    commands::check(&recipe::commands(experiments::all(), &request.recipe))?;
    surroundings.count(&request.recipe)?;
    let plan = planned(&request.recipe, &surroundings.card)?;
    let pace = |load: Load| {
        let condition = pace::condition(load.name(), surroundings.is_counted());
        Pace::read(&condition)
    };
    if arguments.dry_run {
        let paces = match arguments.load {
            flags::Load::Both => vec![pace(Load::Light), pace(Load::Heavy)],
            one => vec![pace(held::load(one))],
        };
        let table = preview::table(&plan, &paces);
        return Ok(Ended::without_run(output::document(&table)));
    }
    preview::announce(&plan, &pace(held::load(arguments.load)));
    tell_regions(&surroundings, &plan)?;
    let mut head = surroundings.head(&request, &plan);
    head.labels = labels;
    let scratch = scratch()?;
    let load = held::load(arguments.load);
    figure::replace(&request.recipe.figures, load.name(), &mut head.experiments);
    let held = match surroundings.hold(arguments, load, &mut head.conditions) {
        Ok(held) => held,
        Err(refused) => return Ok(Ended::without_run(refused.outcome())),
    };
    harness::unbegun::sweep(&arguments.out);
    let mut writer = RunWriter::create(&arguments.out, head)
        .map_err(|error| Failure::from(error).or_hint("choose a writable folder with --out DIR"))?;
    trust::remember(writer.head());
    let measuring = Measuring {
        arguments,
        surroundings: &surroundings,
        plan: &plan,
        began,
        scratch,
        show,
    };
    Ok(Ended {
        outcome: measuring.run(held, &mut writer, stop),
        folder: Some(writer.folder().to_owned()),
    })
}

/// Asked before anything is begun: a machine without memory is no use to anybody.
fn huge_pages_fit(arguments: &flags::Run) -> Result<(), Failure> {
    let hint = "use fewer; see: grep -i huge /proc/meminfo";
    arguments.huge_pages.map_or(Ok(()), |pages| {
        harness::settings::huge_pages_fit(Path::new("/"), pages)
            .map_err(|cause| Failure::new(cause).hint(hint))
    })
}

/// Finishes an incomplete run with the plan it was begun with.
fn resume(arguments: &flags::Run, folder: &Path) -> Outcome {
    let began = Instant::now();
    huge_pages_fit(arguments)?;
    let mut writer = close::reopen(folder, |head| trust::check(head, folder, arguments.trust))?;
    let request = request::from_record(writer.head())?;
    commands::check(&recipe::commands(experiments::all(), &request.recipe))?;
    let mut surroundings = Surroundings::read(arguments)?;
    tell_pending();
    surroundings.same_machine(writer.head())?;
    surroundings.count_as(writer.head())?;
    let plan = planned(&request.recipe, &writer.head().machine)?;
    same_points(&plan, writer.head())?;
    tell_regions(&surroundings, &plan)?;
    let scratch = scratch()?;
    let mut head = writer.head().clone();
    // Under the load it was begun with: one record, one condition.
    let load = known_load(&head.conditions.load, folder)?;
    let held = match surroundings.hold(arguments, load, &mut head.conditions) {
        Ok(held) => held,
        Err(refused) => return refused.outcome(),
    };
    writer.update_head(&head)?;
    trust::remember(writer.head());
    let measuring = Measuring {
        arguments,
        surroundings: &surroundings,
        plan: &plan,
        began,
        scratch,
        show: show(arguments),
    };
    measuring.run(held, &mut writer, stop_flag()?.as_ref())
}

fn known_load(word: &str, folder: &Path) -> Result<Load, Failure> {
    Load::parse(word).ok_or_else(|| {
        Failure::new(format!(
            "cannot resume {}: it was started under load {word:?}, which this program does not know",
            folder.display()
        ))
        .hint("start a new run: pontage run")
    })
}

/// What is measured on a machine that a killed run has left changed is of that
/// machine.
fn tell_pending() {
    if let Some(note) = pontage::pending::note() {
        harness::message!("{note}");
    }
}

fn tell_regions(surroundings: &Surroundings, plan: &Plan) -> Result<(), Failure> {
    if surroundings.marks() {
        harness::messages::part(&regions::lines(&plan.point_heads())?);
    }
    Ok(())
}

fn planned(recipe: &recipe::Recipe, card: &record::MachineCard) -> Result<Plan, Failure> {
    plan(experiments::all(), recipe, card).map_err(|e| {
        let hint = match &e {
            PlanError::TooMany { .. } => {
                "use fewer values of an axis, or wider steps: --axis size=64..1MiB:x4"
            }
            PlanError::Axis(wrong) => &*wrong.accepts,
            _ => "pontage list; pontage explain ID",
        }
        .to_owned();
        Failure::new(e).hint(hint)
    })
}

/// A record continues only with the very points it was begun with.
fn same_points(plan: &Plan, head: &RunHead) -> Result<(), Failure> {
    let points = plan.point_heads();
    let same = points.iter().zip(&head.points).all(|(planned, recorded)| {
        planned.experiment == recorded.experiment && planned.settings == recorded.settings
    });
    if same && points.len() == head.points.len() {
        return Ok(());
    }
    Err(Failure::new(format!(
        "cannot resume {}: this program plans other points than version {}, which started it",
        head.id, head.tool_version
    ))
    .hint("start a new run: pontage run"))
}

/// What is measured, on what, and how it is shown.
struct Measuring<'a> {
    arguments: &'a flags::Run,
    surroundings: &'a Surroundings,
    plan: &'a Plan,
    began: Instant,
    scratch: Scratch,
    show: Show,
}

/// Where measuring processes put files. Made before there is a record: a run that
/// cannot have one leaves nothing.
fn scratch() -> Result<Scratch, Failure> {
    Scratch::make().map_err(|e| {
        Failure::new(format!("cannot create a scratch folder: {e}"))
            .hint("set TMPDIR to a writable folder that you own")
    })
}

impl Measuring<'_> {
    fn run(&self, held: Held, writer: &mut RunWriter, stop: &AtomicBool) -> Outcome {
        let folder = writer.folder().to_owned();
        let jobs = jobs::without(self.plan, &writer.done());
        let scratch = self.scratch.path();
        let instrument = &writer.head().instrument;
        let mut session = self.surroundings.session(
            self.arguments,
            self.plan,
            scratch,
            &folder,
            instrument,
            stop,
        );
        let recipe = writer.head().recipe.name.clone();
        let within = self.plan.within_s.map(Duration::from_secs);
        session.limit = within.map(|within| closing::left(&recipe, within, self.began.elapsed()));
        let guest = writer.head().machine.hypervisor.is_some();
        let load = writer.head().conditions.load.clone();
        let condition = pace::condition(&load, self.surroundings.is_counted());
        let mut expected = jobs::expected(self.plan, &jobs, &Pace::read(&condition));
        if let Some(limit) = session.limit {
            // What was kept of the limit.
            let closing = within.map(|w| w.saturating_sub(self.began.elapsed() + limit));
            expected.closing_ns = closing.unwrap_or_default().as_nanos() as f64;
        }
        let mut bar = progress::Bar::new(self.plan, expected);
        let start = self.began.elapsed();
        let ended = session.run(&jobs, &mut sink::Recording { writer, guest }, &mut bar);
        bar.finish();
        let measured = Instant::now();
        let mut head = writer.head().clone();
        held.give_back(&mut head.conditions);
        head.ended_utc = Some(record::rfc3339_utc(std::time::SystemTime::now()));
        let (failed, ended) = finish(&mut head, ended);
        let failed = failed.map(|failure| {
            failure.or_hint(format!(
                "what was measured is kept; remove the cause, then: pontage run --resume {}",
                folder.display()
            ))
        });
        let view = close::close(writer, head)?;
        if view.head.state == RunState::Complete {
            trust::forget(&view.head);
        }
        let shown = (self.show)(&view, &folder);
        let closing = measured.elapsed();
        if within.is_some() {
            closing::learn(&recipe, closing);
        }
        if let Some(ended) = ended.filter(|ended| !ended.stopped) {
            Pace::learn(&condition, &ended, Around { start, closing });
        }
        failed.map_or(shown, Err)
    }
}

/// Writes into the head how the session ended. Returns the failure that ended
/// it early, or how it ended.
fn finish(
    head: &mut RunHead,
    ended: Result<Ending, HarnessError>,
) -> (Option<Failure>, Option<Ending>) {
    match ended {
        Ok(ending) => {
            head.conditions.scheduling.clone_from(&ending.scheduling);
            head.conditions.memory_locked = ending.memory_locked;
            head.conditions.notes.extend(ending.notes.iter().cloned());
            let reason = "interrupted by a signal".to_owned();
            head.state = match ending.stopped {
                true => RunState::Incomplete { reason },
                false => RunState::Complete,
            };
            (None, Some(ending))
        }
        Err(error) => {
            let reason = error.to_string();
            head.state = RunState::Incomplete { reason };
            (Some(error.into()), None)
        }
    }
}
