//! One worker, or all of them together, as a point of a block in which all copy
//! at the same time.

use super::axes::{self, CHANNELS_MOST};
use super::crew::{self, Achieved, CopyCrew, Job, Turn};
use super::desk::{self, Copier};
use super::ends::{Manner, Material};
use catalogue::{Tally, moment};
use harness::{Context, Fault, Point, Reading, SetupError, Subject};
use std::cell::RefCell;
use std::rc::Rc;
use uapi::Class;

/// The metric that the tallies follow.
pub const PARTS: &[(&str, &str)] = &[(
    "time",
    "time of one copy, from the worker's rate; for the total, from the rate of all workers",
)];

/// When a worker began.
pub const TALLIES: &[Tally] = &moment::OF_WALL_CLOCK;

/// Which row a point is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Row {
    Worker(usize),
    Total,
}

struct Channel {
    row: Row,
    crew: Rc<RefCell<CopyCrew>>,
    /// Until samples count, one turn serves all points: it warms every worker.
    counting: bool,
    /// The last turn that this point has a sample of; 0 is none.
    seen: u64,
    /// Number of the last turn that it looked at.
    number: u64,
    last: Option<Rc<Turn>>,
    fault: Option<Fault>,
    /// How many tallies there are, the moment's two included.
    tallies: usize,
}

impl Subject for Channel {
    fn batch(&mut self, _part: u16, _ops: u64) {
        let (number, turn) = self.crew.borrow_mut().turn_after(self.seen);
        self.number = number;
        if self.counting {
            self.seen = number;
        }
        self.last = match turn {
            Ok(turn) => Some(turn),
            Err(why) => {
                self.fault.get_or_insert(why);
                None
            }
        };
    }

    fn sampling_begins(&mut self) {
        self.counting = true;
        self.seen = self.crew.borrow().number();
    }

    fn reading(&mut self, _part: u16) -> Option<Reading> {
        let turn = self.last.as_ref()?;
        let (ops, elapsed_ns, cpu) = match self.row {
            Row::Worker(index) => {
                let s = turn.stretches.get(index)?;
                (u64::from(s.copies), s.elapsed_ns as f64, Some(s.cpu))
            }
            Row::Total => {
                let (copies, elapsed_ns) = crew::total(&turn.stretches);
                (copies, elapsed_ns, None)
            }
        };
        Some(Reading {
            ops,
            elapsed_ns,
            // Two readings of the clock around hundreds of copies.
            floor_ns: 0.0,
            cpu,
            turn: Some(self.number),
        })
    }

    fn tally(&mut self, _part: u16) -> Vec<f64> {
        let mut all = vec![f64::NAN; self.tallies];
        let Some(turn) = &self.last else {
            return all;
        };
        match self.row {
            Row::Worker(index) => {
                if let Some(s) = turn.stretches.get(index) {
                    all[..2].copy_from_slice(&moment::tallies(s.began_ns, u64::from(s.copies)));
                }
            }
            Row::Total => {
                let copies = crew::total(&turn.stretches).0;
                if let Some(windows) = &turn.windows {
                    all[2..].copy_from_slice(&of_windows(windows, copies, self.tallies - 2));
                }
            }
        }
        all
    }

    fn quantum(&self) -> u64 {
        u64::from(self.crew.borrow().copies())
    }

    fn verify(&mut self) -> Result<(), Fault> {
        if let Some(fault) = &self.fault {
            return Err(fault.clone());
        }
        self.crew.borrow_mut().check()
    }

    fn notes(&self) -> Vec<String> {
        match self.row {
            Row::Total => self.crew.borrow().notes(),
            Row::Worker(_) => Vec::new(),
        }
    }
}

/// Achieved windows as tallies, in the order of the experiment's; tallies are
/// divided by the operations, which these are not meant for.
fn of_windows(windows: &Achieved, ops: u64, wanted: usize) -> Vec<f64> {
    let all = [
        windows.quantum_ns,
        windows.window_ns,
        windows.windows as f64,
        windows.missed as f64,
    ];
    all.iter().take(wanted).map(|v| v * ops as f64).collect()
}

/// The point of one worker or of the total, under this copier.
///
/// # Errors
/// `Skip` without module or channel, and for workers beyond what there is.
pub fn setup(
    point: &Point,
    context: &Context,
    copier: Copier,
    tallies: usize,
) -> Result<Box<dyn Subject>, SetupError> {
    let desk = desk::opened(copier)?;
    let most = desk.channels().unwrap_or(CHANNELS_MOST).min(CHANNELS_MOST);
    let cpus = workers(context, most);
    let row = row_of(point, cpus.len(), desk.channels())?;
    let job = Job {
        manner: Manner {
            direction: axes::direction_of(point),
            engine: copier.engine(),
            wait: axes::wait_of(point),
            class: Class::Low,
        },
        material: Material::of(point),
        cpus,
        first_is_high: matches!(copier, Copier::Priority { .. }),
    };
    Ok(Box::new(Channel {
        row,
        crew: crew::shared(&desk, job, context)?,
        counting: false,
        seen: 0,
        number: 0,
        last: None,
        fault: None,
        tallies,
    }))
}

/// CPUs to work on, the calling thread's first.
fn workers(context: &Context, most: usize) -> Vec<u32> {
    let others = context.cpus.iter().filter(|cpu| **cpu != context.test_cpu);
    std::iter::once(context.test_cpu)
        .chain(others.copied())
        .take(most.max(1))
        .collect()
}

fn row_of(point: &Point, workers: usize, channels: Option<usize>) -> Result<Row, SetupError> {
    let word = point.word("channel");
    let Ok(number) = word.parse::<usize>() else {
        return Ok(Row::Total);
    };
    if number < workers {
        return Ok(Row::Worker(number));
    }
    let (have, what) = match channels {
        Some(channels) if channels == workers => (channels, "channels"),
        _ => (workers, "CPUs"),
    };
    Err(SetupError::skip(
        format!("there is no channel {number}: {have} {what} are available"),
        "nothing to do on this machine: the total covers the available ones",
    ))
}

#[cfg(test)]
mod tests {
    use super::{Row, row_of, workers};
    use harness::SetupError;
    use testbed::{context, point, word};

    #[test]
    fn workers_are_as_many_as_cpus_and_channels_and_begin_here() {
        let (mut context, _scratch) = context();
        (context.cpus, context.test_cpu) = (vec![0, 1, 2, 3], 2);
        assert_eq!(workers(&context, 64), [2, 0, 1, 3]);
        assert_eq!(workers(&context, 2), [2, 0]);
    }

    #[test]
    fn a_channel_that_is_not_there_is_skipped() {
        let of = |channel| point("offload/bandwidth", &[word("channel", channel)]);
        assert_eq!(row_of(&of("1"), 2, Some(2)), Ok(Row::Worker(1)));
        assert_eq!(row_of(&of("total"), 2, Some(2)), Ok(Row::Total));
        let Err(SetupError::Skip { reason, .. }) = row_of(&of("2"), 2, Some(2)) else {
            panic!("two channels have no channel 2");
        };
        assert_eq!(reason, "there is no channel 2: 2 channels are available");
    }
}
