//! # task/create - A new thread, process or program
//!
//! What does it cost to have something done by a task of its own, from asking for it
//! until it is gone again?
//!
//! ## Counts
//! Making the task, its one or no instruction, its end, and learning of that end
//! (pthread_join, waitpid).
//!
//! ## Does not count
//! Any work of the task. The program (`true`) is in the page cache and linked anew each
//! time. Nobody else has to be displaced: the CPU is the caller's, so the caller sleeps
//! while the new task runs, and both switches are in the time.
//!
//! ## Origin
//! lmbench `lat_proc` (fork, exec, shell; McVoy and Staelin, USENIX 1996); fork(2),
//! pthread_create(3), posix_spawn(3).
//!
//! ## Theory
//! A thread shares the address space: the kernel makes a task and a stack is mapped. A
//! forked process gets a copy of the page tables, so its price grows with the memory
//! that the parent has touched (`memory`): about a page-table entry of 8 bytes for each
//! page of 4 KiB, plus write protection of the parent's own entries, which it pays for
//! again as it writes. A page itself is copied when either process writes to it.
//!
//! posix_spawn borrows the parent's address space until the program is loaded (vfork
//! semantics), so that it does not depend on the parent's size; what it pays for is
//! execve: a new address space, the program's pages mapped, the dynamic linker's work.
//! A shell between the two is a program more, and a search along PATH.
//!
//! Where a service starts a program for each request, compare `spawn` with what a
//! request may take; where its process is large, compare `fork` over `memory`.

use analysis::compared;
use analysis::sentence::{estimated, timed};
use analysis::{ExperimentTable, PointView};
use catalogue::{AxisSpec, Claim, Experiment, Grid, MIB};
use engines::crew::child::not_started;
use engines::memory::buffer::Buffer;
use engines::memory::mapping::fits;
use harness::{Context, Fault, Point, SetupError, Subject};
use record::{Finding, Unit};
use std::io;
use std::process::{Command, Stdio};

const WAYS: &[&str] = &["thread", "fork", "spawn", "shell"];
/// Memory that the parent has touched in the large points, bytes.
const LARGE: i64 = 64 * MIB;

type Make = fn() -> io::Result<()>;

fn thread() -> io::Result<()> {
    let task = std::thread::Builder::new().spawn(|| ())?;
    task.join().map_err(|_| io::Error::other("it panicked"))
}

fn fork() -> io::Result<()> {
    // SAFETY: the child makes one system call and is gone.
    match unsafe { libc::fork() } {
        -1 => Err(io::Error::last_os_error()),
        // SAFETY: ends the child; nothing of the parent's runs in it.
        0 => unsafe { libc::_exit(0) },
        child => {
            let mut status = 0;
            // SAFETY: waits for our own child and writes one int.
            let reaped = unsafe { libc::waitpid(child, &raw mut status, 0) };
            ended(reaped == child && status == 0)
        }
    }
}

fn spawn() -> io::Result<()> {
    program("true", &[])
}

fn shell() -> io::Result<()> {
    program("sh", &["-c", "true; exit 0"])
}

fn program(name: &str, arguments: &[&str]) -> io::Result<()> {
    let mut command = Command::new(name);
    command.args(arguments).stdin(Stdio::null());
    ended(command.status()?.success())
}

fn ended(well: bool) -> io::Result<()> {
    match well {
        true => Ok(()),
        false => Err(io::Error::other("it did not end with status 0")),
    }
}

struct Create {
    make: Make,
    /// What the parent has, copied or not.
    _memory: Option<Buffer>,
    failed: Option<Fault>,
}

impl Subject for Create {
    fn batch(&mut self, _part: u16, ops: u64) {
        for _ in 0..ops {
            if let Err(cause) = (self.make)() {
                self.failed
                    .get_or_insert_with(|| Fault::wrong(cause.to_string()));
            }
        }
    }

    fn verify(&mut self) -> Result<(), Fault> {
        self.batch(0, 1);
        match &self.failed {
            Some(cause) => Err(Fault::wrong(format!("cannot create a task: {cause}"))),
            None => Ok(()),
        }
    }
}

fn setup(point: &Point, context: &Context) -> Result<Box<dyn Subject>, SetupError> {
    let make: Make = match point.word("way") {
        "fork" => fork,
        "spawn" => spawn,
        "shell" => shell,
        _ => thread,
    };
    let bytes = point.size("memory");
    fits(bytes, context)?;
    let memory = match bytes {
        0 => None,
        _ => Some(Buffer::touched(bytes).map_err(|e| SetupError::fail("map memory", e))?),
    };
    make().map_err(|cause| match cause.kind() {
        io::ErrorKind::NotFound => SetupError::skip(
            format!("the program of {} is not on PATH", point.word("way")),
            "--axis way=thread,fork",
        ),
        _ => not_started("create a task", &cause),
    })?;
    Ok(Box::new(Create {
        make,
        _memory: memory,
        failed: None,
    }))
}

pub static EXPERIMENT: Experiment = Experiment {
    axes: &[
        AxisSpec::word(
            "way",
            "thread: pthread_create; fork: a process that ends at once; spawn: posix_spawn of \
                  `true`; shell: of a shell",
            WAYS,
        ),
        AxisSpec::bytes(
            "memory",
            "memory that the parent has touched in addition to its own",
        ),
    ],
    parts: &[("latency", "time from creating a task until it has ended")],
    grids: |preset, _| {
        let small = Grid::new(150).words("way", WAYS).ints("memory", [0]);
        let sizes: &[i64] = preset.choose(&[LARGE], &[MIB, 16 * MIB, LARGE, 256 * MIB]);
        let large = Grid::new(150)
            .words("way", &["fork", "spawn"])
            .ints("memory", sizes.iter().copied());
        vec![small, large]
    },
    setup,
    claims: &[
        Claim {
            text: "Creating and ending a thread takes less time than a process",
            check: |table| compared::slower(at(table, "fork", 0), at(table, "thread", 0)),
        },
        Claim {
            text: "fork takes longer the more memory the parent has touched",
            check: |table| compared::slower(at(table, "fork", LARGE), at(table, "fork", 0)),
        },
    ],
    findings: |table, _| {
        let cost = |way, what| compared::cost(at(table, way, 0), way, what);
        let costs = [
            cost("thread", "Making and joining a thread"),
            cost("fork", "Forking a small process and waiting for its end"),
            cost("spawn", "Running a program that does nothing"),
            price_of_memory(table),
        ];
        costs.into_iter().flatten().collect()
    },
    singly: true,
    ..Experiment::EMPTY
};

fn at<'t>(table: &'t ExperimentTable, way: &str, memory: i64) -> Option<&'t PointView> {
    table.point(&[("way", way), ("memory", &memory.to_string())])
}

/// What a fork pays for each MiB that its parent has touched.
fn price_of_memory(table: &ExperimentTable) -> Option<Finding> {
    let (small, large) = (at(table, "fork", 0)?, at(table, "fork", LARGE)?);
    let price = compared::rise(small, large, (LARGE >> 20) as f64)?;
    let text = format!(
        "fork takes longer for each MiB that the parent has touched: {}",
        timed(&price)
    );
    Some(estimated("fork_per_mib", Unit::Nanoseconds, price, text))
}

#[cfg(test)]
mod tests {
    use super::{EXPERIMENT, LARGE, WAYS};
    use crate::testing::table;
    use testbed::turn::run;
    use testbed::{int, measured, word};

    #[test]
    fn every_way_makes_tasks_that_end() {
        for way in WAYS {
            for memory in [0, 1 << 20] {
                let settings = [("way", (*way).into()), ("memory", memory.into())];
                run(&EXPERIMENT, &settings).unwrap_or_else(|e| panic!("{way} {memory}: {e}"));
            }
        }
    }

    #[test]
    fn the_price_of_memory_is_that_of_a_mib() {
        let at = |memory, ns| {
            let settings = [word("way", "fork"), int("memory", memory)];
            measured("task/create", &settings, &[ns])
        };
        let points = vec![at(0, 100_000.0), at(LARGE, 740_000.0)];
        let table = table("task/create", points);
        let found = (EXPERIMENT.findings)(&table, &record::MachineCard::default());
        let price = found.iter().find(|f| f.key == "fork_per_mib");
        let value = price.and_then(|f| f.value).expect("both points are there");
        assert!((value - 10_000.0).abs() < 1e-6, "{value}");
        let held = (EXPERIMENT.claims[1].check)(&table).map(|o| o.held().expect(&o.evidence));
        assert_eq!(held, Some(true));
    }
}
