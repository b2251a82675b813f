//! How much of the last-level cache a task has filled and what it moved to and from
//! memory, where the processor reports it (resctrl). Elsewhere nothing, at no cost.

use catalogue::Tally;
use harness::clock::monotonic_now_ns;
use harness::resctrl::{Absence, Group, LOCAL, Monitor, OCCUPANCY as FILLED, TOTAL, growth};
use record::Unit;
use std::rc::Rc;

/// In the order of [`occupancy`]. Absent where the processor does not report it.
pub const OCCUPANCY: [Tally; 4] = [
    Tally::new(
        "occupancy",
        Unit::Bytes,
        "last-level cache occupied by the measured task at the end (resctrl)",
    )
    .explains(),
    Tally::new(
        "occupancy_there",
        Unit::Bytes,
        "the same of its neighbour (resctrl)",
    )
    .explains(),
    Tally::new(
        "memory_bandwidth",
        Unit::GigabytesPerSecond,
        "memory traffic of the measured task (resctrl)",
    )
    .explains(),
    Tally::new(
        "memory_bandwidth_there",
        Unit::GigabytesPerSecond,
        "the same of its neighbour (resctrl)",
    )
    .explains(),
];

/// The values of a measured task and its neighbour; NAN where it is not counted.
pub fn occupancy(here: &Footprint, there: &Footprint) -> [f64; 4] {
    [
        here.occupancy_bytes(),
        there.occupancy_bytes(),
        here.gb_per_s(),
        there.gb_per_s(),
    ]
}

/// A task in a monitoring group of its own; or why it is in none, unless this
/// machine has none.
#[derive(Debug, Default)]
pub struct Watched {
    group: Option<Group>,
    why: Option<String>,
}

/// A group at one moment.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Look {
    at_ns: u64,
    filled_bytes: f64,
    moved_bytes: Option<u64>,
}

/// What a task filled and moved in the windows with one set of neighbours.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Footprint {
    windows: u32,
    filled_bytes: f64,
    moved_bytes: f64,
    over_ns: u64,
}

impl Watched {
    /// A process with all that it starts.
    pub fn process(number: Option<u32>) -> Watched {
        Watched::of(|group| match number {
            Some(number) => group.add(number),
            None => Err(Absence::new(
                "threads of one process share one footprint here",
                "mm=separate",
            )),
        })
    }

    /// The calling thread, and what it starts.
    pub fn this_thread() -> Watched {
        // SAFETY: takes nothing and cannot fail.
        let thread = unsafe { libc::gettid() }.unsigned_abs();
        Watched::of(|group| group.add_thread(thread))
    }

    fn of(add: impl FnOnce(&Group) -> Result<(), Absence>) -> Watched {
        match Monitor::here() {
            Ok(None) => Watched::default(),
            Ok(Some(monitor)) => Watched::within(&monitor, add),
            Err(absent) => Watched::given_up(&no_occupancy(&absent)),
        }
    }

    fn within(monitor: &Rc<Monitor>, add: impl FnOnce(&Group) -> Result<(), Absence>) -> Watched {
        let group = monitor.group();
        match group.and_then(|group| add(&group).map(|()| group)) {
            Ok(group) => Watched {
                group: Some(group),
                why: None,
            },
            Err(absent) => Watched::given_up(&no_occupancy(&absent)),
        }
    }

    /// In no group any more, since another could not be had.
    pub fn given_up(why: &str) -> Watched {
        Watched {
            group: None,
            why: Some(why.to_owned()),
        }
    }

    /// Whether its cache occupancy is counted.
    pub fn is_in_a_group(&self) -> bool {
        self.group.is_some()
    }

    /// None where it is in no group.
    pub fn look(&mut self) -> Option<Look> {
        let group = self.group.as_ref()?;
        let why = &mut self.why;
        let mut read = |event| match group.read(event)? {
            Ok(value) => Some(value),
            Err(reason) => {
                why.get_or_insert_with(|| format!("occupancy is incomplete: {reason}"));
                None
            }
        };
        Some(Look {
            filled_bytes: read(FILLED).map_or(f64::NAN, |bytes| bytes as f64),
            moved_bytes: read(if group.counts(TOTAL) { TOTAL } else { LOCAL }),
            at_ns: monotonic_now_ns(),
        })
    }

    /// Why something is missing, for the record.
    pub fn note(&self) -> Option<&str> {
        self.why.as_deref()
    }
}

fn no_occupancy(absent: &Absence) -> String {
    format!("no occupancy: {absent}")
}

impl Footprint {
    /// A window between two looks. A task that worked for a part of it only says for
    /// how long.
    pub fn add(&mut self, before: Option<Look>, after: Option<Look>, worked_ns: Option<u64>) {
        let Some((before, after)) = before.zip(after) else {
            return;
        };
        let moved = before.moved_bytes.zip(after.moved_bytes);
        let moved = moved.and_then(|(before, after)| growth(before, after));
        self.windows += 1;
        self.filled_bytes += after.filled_bytes;
        self.moved_bytes += moved.map_or(f64::NAN, |bytes| bytes as f64);
        self.over_ns += worked_ns.unwrap_or(after.at_ns.saturating_sub(before.at_ns));
    }

    /// At the ends of the windows, on average.
    fn occupancy_bytes(&self) -> f64 {
        self.filled_bytes / f64::from(self.windows)
    }

    fn gb_per_s(&self) -> f64 {
        match self.over_ns {
            0 => f64::NAN,
            ns => self.moved_bytes / ns as f64,
        }
    }
}

#[cfg(test)]
pub mod tests;
