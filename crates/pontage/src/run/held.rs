//! What a run holds on the machine while it measures: a load, changed
//! settings. Dropping it gives everything back.

use crate::arguments;
use crate::failure::{Failure, NOTHING_RUNS};
use harness::journal::{self, Journal};
use harness::load::{Heavy, HeavyError, Load, Quiet};
use harness::settings;
use probe::cpu_time::{CpuTime, Stat};
use record::Conditions;
use std::path::Path;
use std::time::Duration;

/// Long enough for 20 clock ticks a CPU at HZ = 100.
const WINDOW: Duration = Duration::from_millis(200);

pub struct Held {
    /// Dropped first: the load ends before settings go back.
    load: Option<Heavy>,
    journal: Journal,
    began: Option<CpuTime>,
}

/// Why a run does not begin.
pub enum Refused {
    /// The load that was asked for cannot be had here.
    Skip(Failure),
    Failed(Failure),
}

impl Held {
    /// Notes how quiet the machine is, changes what was asked for, starts the
    /// load. `measuring`: the CPUs under test.
    ///
    /// # Errors
    /// A load that cannot be had.
    pub fn take(
        arguments: &arguments::Run,
        wanted: Load,
        allowed: &[u32],
        measuring: &[u32],
        conditions: &mut Conditions,
    ) -> Result<Self, Refused> {
        let root = Path::new("/");
        let quiet = Quiet::measure(root, WINDOW);
        conditions.loadavg_before = quiet.loadavg;
        conditions.busy_before = quiet.busy;
        conditions.notes.extend(quiet.notes());
        let mut journal = Journal::new(&journal::default_dir());
        if let Some(governor) = &arguments.set_governor {
            let notes = settings::set_governor(&mut journal, root, measuring, governor);
            conditions.notes.extend(notes);
        }
        if let Some(pages) = arguments.huge_pages {
            let got = settings::reserve_huge_pages(&mut journal, root, pages);
            conditions.notes.push(match got {
                Ok(got) => format!("huge pages of the default size: {got} of {pages}"),
                Err(cause) => cause,
            });
        }
        wanted.name().clone_into(&mut conditions.load);
        let load = start(wanted, allowed, measuring, root)?;
        if let Some(load) = &load {
            conditions.load_detail.clone_from(&load.detail);
        }
        let began = Stat::read(root).ok().map(|stat| stat.all);
        Ok(Held {
            load,
            journal,
            began,
        })
    }

    /// Ends the load, puts settings back, and notes how the machine was.
    pub fn give_back(mut self, conditions: &mut Conditions) {
        let root = Path::new("/");
        let passed = self
            .began
            .zip(Stat::read(root).ok())
            .map(|(a, b)| b.all.since(&a));
        conditions.steal_share = passed.map(|time| time.share(time.steal));
        conditions.loadavg_after = probe::cpu_time::LoadAverage::read(root)
            .ok()
            .map(|l| l.one_minute);
        drop(self.load.take());
        for restored in self
            .journal
            .undo()
            .iter()
            .filter(|r| r.outcome.is_trouble())
        {
            eprintln!("pontage: {restored}\nhint: pontage restore");
            conditions.notes.push(restored.to_string());
        }
    }
}

/// The load that the arguments ask for.
#[must_use]
pub fn load(asked: arguments::Load) -> Load {
    match asked {
        arguments::Load::Light => Load::Light,
        arguments::Load::Heavy => Load::Heavy,
        arguments::Load::HeavyAll => Load::HeavyAll,
    }
}

fn start(
    wanted: Load,
    allowed: &[u32],
    measuring: &[u32],
    root: &Path,
) -> Result<Option<Heavy>, Refused> {
    if wanted == Load::Light {
        return Ok(None);
    }
    match Heavy::start(&wanted.cpus(allowed, measuring), root) {
        Ok(load) => Ok(Some(load)),
        Err(HeavyError::Skip(skip)) => Err(Refused::Skip(
            Failure::new(format!("SKIP: cannot load the machine: {}", skip.reason))
                .hint(skip.remedy),
        )),
        Err(HeavyError::Fail(error)) => Err(Refused::Failed(error.into())),
    }
}

impl Refused {
    /// The exit status, or the failure.
    ///
    /// # Errors
    /// Always, for what is not a skip.
    pub fn outcome(self) -> crate::failure::Outcome {
        match self {
            Refused::Skip(failure) => {
                eprintln!("{failure}");
                Ok(NOTHING_RUNS)
            }
            Refused::Failed(failure) => Err(failure),
        }
    }
}
