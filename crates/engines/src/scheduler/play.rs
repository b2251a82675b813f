//! One scene: the tasks are forked, begin at the same moment, work for a time,
//! and leave their slices.

use super::policy::Policy;
use super::work::Work;
use crate::crew::child::{Child, Departure, not_started};
use harness::clock::{monotonic_now_ns, sleep_until};
use harness::name::be_called;
use harness::slices::{Slice, SliceLog};
use harness::{Context, SetupError, affinity};
use std::ffi::CStr;
use std::fs::File;
use std::os::fd::AsRawFd;

/// From the fork of the first task to the common begin.
const LEAD_NS: u64 = 30_000_000;
/// A task that computes on for so long is ended by the kernel.
const GRACE_NS: u64 = 5_000_000_000;
/// Others, which may not have been given their CPU, are waited for so long.
const PATIENCE_NS: u64 = 30_000_000_000;
const LOOK_NS: u64 = 5_000_000;
/// Slices that a task can leave.
const CAPACITY: usize = 1 << 16;

/// One task of a scene.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Task {
    pub policy: Policy,
    /// Whether it writes and reads a file; else it computes.
    pub files: bool,
}

/// What is to be played.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Script {
    pub tasks: Vec<Task>,
    /// The CPU that all of them want.
    pub cpu: u32,
    pub length_ns: u64,
}

/// What a task left.
#[derive(Debug, Clone, PartialEq)]
pub struct Played {
    pub pid: i32,
    /// When it began to work and when it was to end, CLOCK_MONOTONIC.
    pub began_ns: u64,
    pub until_ns: u64,
    pub slices: Vec<Slice>,
    /// Slices beyond what could be kept.
    pub dropped: u32,
    /// Looks that came late without a switch: number, ns.
    pub interruptions: (u64, u64),
}

/// Plays it to the end. The tasks end by themselves; a real-time task that
/// does not is ended by the kernel (RLIMIT_RTTIME), and all of them when this
/// process dies.
///
/// # Errors
/// `Skip` where the policy is not permitted or no process can be had.
pub fn play(script: &Script, context: &Context) -> Result<Vec<Played>, SetupError> {
    harness::affinity::bindable(script.cpu)?;
    let prepared = |(number, task): (usize, &Task)| {
        let log = SliceLog::map(CAPACITY);
        let log = log.map_err(|e| SetupError::fail("map memory for slices", e))?;
        let file = task.files.then(|| scratch(context, number)).transpose()?;
        Ok((task.policy, log, file))
    };
    let tasks = script.tasks.iter().enumerate().map(prepared);
    let tasks = tasks.collect::<Result<Vec<_>, SetupError>>()?;
    let begin_ns = monotonic_now_ns() + LEAD_NS;
    let until_ns = begin_ns + script.length_ns;
    let mut children = Vec::new();
    for (number, (policy, log, file)) in tasks.iter().enumerate() {
        let work = file
            .as_ref()
            .map_or(Work::Compute, |f| Work::File(f.as_raw_fd()));
        let keep: Vec<i32> = file.iter().map(AsRawFd::as_raw_fd).collect();
        let child = Child::fork(script.cpu, &keep, || {
            if let Some(name) = NAMES.get(number) {
                be_called(name);
            }
            act(*policy, work, log, (begin_ns, until_ns))
        });
        children.push(child.map_err(|e| not_started("start a task", &e))?);
    }
    let pids: Vec<i32> = children.iter().map(Child::id).collect();
    wait(&mut children, until_ns + PATIENCE_NS)?;
    for (policy, log, _) in &tasks {
        if let Some(cause) = log.failure() {
            return Err(refused(*policy, &cause));
        }
    }
    let left = |((_, log, _), pid): (&(Policy, SliceLog, Option<File>), i32)| Played {
        pid,
        began_ns: begin_ns,
        until_ns,
        slices: log.taken(),
        dropped: log.dropped(),
        interruptions: log.interruptions(),
    };
    Ok(tasks.iter().zip(pids).map(left).collect())
}

/// What a trace calls the tasks; those beyond keep their program's name.
const NAMES: [&CStr; 4] = [c"first", c"second", c"third", c"fourth"];

/// The child's part. Allocates nothing.
fn act(policy: Policy, work: Work, log: &SliceLog, (begin_ns, until_ns): (u64, u64)) -> Departure {
    if !policy.is_bound() {
        // Where a sandbox forbids it the child is where its parent is.
        let _ = affinity::unpin();
    }
    if policy.is_real_time() {
        limit_real_time(until_ns - begin_ns);
    }
    if let Err(cause) = policy.take() {
        log.fail(&cause);
        return Departure::NotScheduled;
    }
    sleep_until(begin_ns);
    let mut watch = log.watch();
    let well = work.until(until_ns, &mut watch);
    watch.end();
    if !well {
        log.fail(&std::io::Error::last_os_error());
    }
    Departure::Done
}

/// A task that computes on beyond its time, without ever sleeping, is killed.
fn limit_real_time(length_ns: u64) {
    // Narrower on 32-bit systems; the longest it can hold is long enough.
    let limit_us = |ns: u64| libc::rlim_t::try_from(ns / 1_000).unwrap_or(libc::rlim_t::MAX - 1);
    let limit = libc::rlimit {
        rlim_cur: limit_us(length_ns + GRACE_NS / 2),
        rlim_max: limit_us(length_ns + GRACE_NS),
    };
    // SAFETY: reads the live structure.
    unsafe { libc::setrlimit(libc::RLIMIT_RTTIME, &raw const limit) };
}

/// Until every task has left.
fn wait(children: &mut Vec<Child>, limit_ns: u64) -> Result<(), SetupError> {
    while !children.is_empty() {
        let mut wrong = None;
        children.retain_mut(|child| match child.departure() {
            None => true,
            Some(how) => {
                let expected = Departure::Done.is(&how) || Departure::NotScheduled.is(&how);
                wrong = wrong.take().or((!expected).then_some(how));
                false
            }
        });
        if let Some(how) = wrong {
            return Err(SetupError::Fail(how));
        }
        let now_ns = monotonic_now_ns();
        if now_ns > limit_ns {
            return Err(SetupError::late(&format!(
                "{} of its tasks did not come to their end in time: their CPU was not given to them",
                children.len()
            )));
        }
        sleep_until(now_ns + LOOK_NS);
    }
    Ok(())
}

fn scratch(context: &Context, number: usize) -> Result<File, SetupError> {
    let path = context.scratch.join(format!("scene-{number}"));
    let opened = File::options()
        .read(true)
        .write(true)
        .create(true)
        .truncate(true)
        .open(&path);
    let file = opened.map_err(|e| SetupError::fail(&format!("open {}", path.display()), e))?;
    // Open files live on without a name.
    let _ = std::fs::remove_file(&path);
    Ok(file)
}

fn refused(policy: Policy, cause: &std::io::Error) -> SetupError {
    match (cause.raw_os_error(), policy) {
        (Some(libc::EPERM), Policy::Deadline { .. }) => SetupError::skip(
            format!("this process may not use SCHED_DEADLINE: {cause}"),
            "sudo pontage run ...; in its own cpuset if CPUs are divided among cpusets",
        ),
        (
            Some(libc::EPERM | libc::EACCES),
            Policy::Fifo { priority } | Policy::RoundRobin { priority },
        ) => SetupError::skip(
            format!("this process may not use real-time priority {priority}: {cause}"),
            format!("run as root, or: ulimit -r {priority}"),
        ),
        (Some(libc::EBUSY), Policy::Deadline { .. }) => SetupError::skip(
            "the kernel admits no more deadline tasks",
            "cat /proc/sys/kernel/sched_rt_runtime_us (their limit together)",
        ),
        _ => SetupError::fail("play a task", cause),
    }
}

#[cfg(test)]
mod tests {
    use super::{Child, Departure, Script, SetupError, Task, monotonic_now_ns, play, sleep_until};
    use crate::scheduler::policy::Policy;
    use testbed::context;

    fn ordinary(files: bool) -> Task {
        Task {
            policy: Policy::Other { nice: 0 },
            files,
        }
    }

    #[test]
    fn two_that_compute_share_one_cpu_and_never_run_at_once() {
        let (context, _keep) = context();
        let script = Script {
            tasks: vec![ordinary(false); 2],
            cpu: context.test_cpu,
            length_ns: 150_000_000,
        };
        let played = play(&script, &context).unwrap();
        assert_eq!(played.len(), 2);
        let mut all: Vec<(u64, u64)> = Vec::new();
        for task in &played {
            assert!(!task.slices.is_empty());
            all.extend(task.slices.iter().map(|s| (s.began_ns, s.ended_ns)));
        }
        all.sort_unstable();
        let at_once: Vec<_> = all.windows(2).filter(|w| w[0].1 > w[1].0).collect();
        assert!(at_once.is_empty(), "two ran at once: {at_once:?}");
    }

    #[test]
    fn tasks_with_files_run_to_their_end() {
        let (context, _keep) = context();
        let script = Script {
            tasks: vec![ordinary(true)],
            cpu: context.test_cpu,
            length_ns: 50_000_000,
        };
        let played = play(&script, &context).unwrap();
        assert_eq!(played[0].slices.iter().filter(|s| s.cut == 1).count(), 1);
    }

    #[test]
    fn tasks_that_were_not_given_their_cpu_are_left_out_and_do_not_fail() {
        let (context, _keep) = context();
        let child = Child::fork(context.test_cpu, &[], || {
            sleep_until(monotonic_now_ns() + 60_000_000_000);
            Departure::Done
        });
        let late = super::wait(&mut vec![child.unwrap()], 0);
        let Err(SetupError::Skip { reason, .. }) = late else {
            panic!("{late:?}");
        };
        assert!(
            reason.starts_with("no time for it: 1 of its tasks"),
            "{reason}"
        );
    }
}
