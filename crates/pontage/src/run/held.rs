//! What a run holds on the machine while it measures: a load, changed
//! settings. Dropping it gives everything back.

use super::flags;
use crate::failure::{Failure, NOTHING_RUNS};
use harness::journal::Journal;
use harness::load::{Heavy, HeavyError, Load, Quiet};
use harness::settings;
use probe::cpu_time::Stat;
use record::Conditions;
use std::path::Path;
use std::time::Duration;

/// Long enough for 20 clock ticks a CPU at HZ = 100.
const WINDOW: Duration = Duration::from_millis(200);

pub struct Held {
    /// Dropped first: the load ends before settings go back.
    load: Option<Heavy>,
    journal: Journal,
    began: Option<Stat>,
    /// The CPUs under load.
    loaded: Vec<u32>,
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
        arguments: &flags::Run,
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
        let mut journal = Journal::here();
        if let Some(governor) = &arguments.set_governor {
            let notes = settings::set_governor(&mut journal, root, measuring, governor);
            conditions.notes.extend(notes);
        }
        if let Some(pages) = arguments.huge_pages {
            let got = settings::reserve_huge_pages(&mut journal, root, pages);
            conditions.notes.push(match got {
                Ok(got) => format!("huge pages of the default size: {got} of {pages}"),
                Err(cause) => cause.to_string(),
            });
        }
        wanted.name().clone_into(&mut conditions.load);
        let loaded = wanted.cpus(allowed, measuring);
        let load = match wanted {
            Load::Light => None,
            _ => Some(Heavy::start(&loaded, root)?),
        };
        if let Some(load) = &load {
            conditions.load_detail.clone_from(&load.detail);
        }
        Ok(Held {
            load,
            journal,
            began: Stat::read(root).ok(),
            loaded,
        })
    }

    /// Ends the load, puts settings back, and notes how the machine was.
    pub fn give_back(mut self, conditions: &mut Conditions) {
        let root = Path::new("/");
        let ended = Stat::read(root).ok();
        let both = self.began.as_ref().zip(ended.as_ref());
        let passed = both.map(|(a, b)| b.all.since(&a.all));
        conditions.steal_share = passed.map(|time| time.share(time.steal));
        let busy = harness::load::lowest_use(self.began.as_ref(), ended.as_ref(), &self.loaded);
        // A resumed run had its load each time, or it had not.
        let before = conditions.load_busy.unwrap_or(1.0);
        conditions.load_busy = busy.map(|busy| busy.min(before));
        let average = probe::cpu_time::LoadAverage::read(root).ok();
        conditions.loadavg_after = average.map(|l| l.one_minute);
        drop(self.load.take());
        let undone = self.journal.undo();
        for restored in undone.iter().filter(|r| r.outcome.is_trouble()) {
            harness::message!("pontage: {restored}\nhint: pontage restore");
            conditions.notes.push(restored.to_string());
        }
    }
}

/// The load that the arguments ask for.
pub fn load(asked: flags::Load) -> Load {
    match asked {
        flags::Load::Light => Load::Light,
        flags::Load::Heavy => Load::Heavy,
        flags::Load::HeavyAll => Load::HeavyAll,
        // The second half; the first is asked for by itself.
        flags::Load::Both => Load::Heavy,
    }
}

impl From<HeavyError> for Refused {
    fn from(error: HeavyError) -> Self {
        match error {
            HeavyError::Skip(skip) => Refused::Skip(
                Failure::new(format!("SKIP: cannot load the machine: {}", skip.reason))
                    .hint(skip.remedy),
            ),
            HeavyError::Fail(error) => Refused::Failed(error.into()),
        }
    }
}

impl From<Failure> for Refused {
    fn from(failure: Failure) -> Self {
        Refused::Failed(failure)
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
                harness::message!("{failure}");
                Ok(NOTHING_RUNS)
            }
            Refused::Failed(failure) => Err(failure),
        }
    }
}
