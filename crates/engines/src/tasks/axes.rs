//! Axes that all comparisons of neighbours have in common.

use super::kinds::{COMMAND, NEAR};
use crate::crew::body::Host;
use catalogue::AxisSpec;
use harness::Point;
use record::{Placement, Unit};

const PROGRAMS: usize = workload::ALL.len();
const NAMED: usize = PROGRAMS + NEAR.len();

/// Every kind of task, in the order of tables.
pub const KINDS: &[&str] = &{
    let mut names = [COMMAND; NAMED + 1];
    let mut at = 0;
    while at < NAMED {
        names[at] = match at < PROGRAMS {
            true => workload::ALL[at].name,
            false => NEAR[at - PROGRAMS].name,
        };
        at += 1;
    }
    names
};

/// Where the other task runs.
pub const PLACEMENT: AxisSpec = AxisSpec::word(
    "placement",
    "CPU of the neighbour, relative to the measured task",
    Placement::WORDS,
);

/// Whether tasks share an address space.
pub const MM: AxisSpec = AxisSpec::word(
    "mm",
    "tasks are processes (separate) or threads of one process (same), which share an address \
     space and therefore TLB shootdowns",
    &["separate", "same"],
);

/// Time of one window, ns.
pub const WINDOW: AxisSpec = AxisSpec::number(
    "window",
    Unit::Nanoseconds,
    "length of one window; a turn has two with the task alone and two with its neighbour",
);

/// Time after which a command is given up, ns.
pub const DEADLINE: AxisSpec = AxisSpec::number(
    "deadline",
    Unit::Nanoseconds,
    "time limit of a command (cmd:...); a command that takes longer is killed with all its \
     children, and the point fails",
);
/// Of a grid that does not say otherwise.
pub const DEADLINE_NS: i64 = 60_000_000_000;

/// Windows are so much longer where two share a CPU: each shall have it several times.
const TAKING_TURNS: u64 = 5;

/// Length of a window of this point, ns.
pub fn window_ns(point: &Point, shared: bool) -> u64 {
    point.size("window") as u64 * if shared { TAKING_TURNS } else { 1 }
}

/// What tasks of this point are.
pub fn host(point: &Point) -> Host {
    match point.word("mm") {
        "same" => Host::Thread,
        _ => Host::Process,
    }
}

#[cfg(test)]
mod tests {
    use super::KINDS;
    use crate::tasks::kinds::{COMMAND, all};

    #[test]
    fn the_words_are_the_kinds() {
        let mut names: Vec<&str> = all().iter().map(|k| k.name).collect();
        names.push(COMMAND);
        assert_eq!(KINDS, names);
    }
}
