//! Real-time scheduling and locked memory for the measuring thread, on
//! request, and the nets below it. What cannot be set is a note, no error.

use crate::clock::raw_now_ns;
use machine::CpuList;
use machine::tunable::{ONLINE_CPUS, RT_RUNTIME_US};
use rustix::process::{Resource, Rlimit, setrlimit};
use serde::{Deserialize, Serialize};
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

/// Priority of the measuring thread under SCHED_FIFO: above ordinary
/// real-time work, below the kernel's own threads (50 and above).
pub const FIFO_PRIORITY: i32 = 10;
/// Not armed.
const NEVER: u64 = u64::MAX;
/// How often the watchdog looks.
const LOOK: Duration = Duration::from_millis(20);

/// What the measuring thread asks of the scheduler.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Scheduling {
    /// SCHED_FIFO instead of SCHED_OTHER.
    pub fifo: bool,
    /// Lock the process's memory as it stands before the first set-up.
    pub lock_memory: bool,
}

/// What was obtained.
#[derive(Debug, Default)]
pub struct Granted {
    /// `SCHED_OTHER` or `SCHED_FIFO 10`.
    pub policy: String,
    pub memory_locked: bool,
    pub notes: Vec<String>,
    watchdog: Option<Watchdog>,
}

impl Granted {
    /// The measuring thread must reach its next `arm` or `disarm` before
    /// `within_ns` from now, or it loses its real-time priority.
    pub fn arm(&self, within_ns: u64) {
        if let Some(watchdog) = &self.watchdog {
            let at = raw_now_ns().saturating_add(within_ns).min(NEVER - 1);
            watchdog.shared.deadline_ns.store(at, Ordering::Relaxed);
        }
    }

    /// The measuring thread may take as long as it likes.
    pub fn disarm(&self) {
        if let Some(watchdog) = &self.watchdog {
            watchdog.shared.deadline_ns.store(NEVER, Ordering::Relaxed);
        }
    }

    /// Whether the watchdog has taken the priority away.
    pub fn demoted(&self) -> bool {
        self.watchdog
            .as_ref()
            .is_some_and(|w| w.shared.fired.load(Ordering::Relaxed))
    }
}

/// Sets up the calling thread. `longest_ns` bounds the time it may compute
/// without ever sleeping (RLIMIT_RTTIME, the second net: the kernel ends the
/// process when even the watchdog cannot run).
pub fn apply(wanted: Scheduling, longest_ns: u64) -> Granted {
    let mut granted = Granted {
        policy: "SCHED_OTHER".to_owned(),
        ..Granted::default()
    };
    if wanted.lock_memory {
        match lock_memory() {
            Ok(()) => granted.memory_locked = true,
            Err(e) => granted.notes.push(format!(
                "cannot lock memory: {e} (raise `ulimit -l` or run as root)"
            )),
        }
    }
    if wanted.fifo {
        match enter_fifo(longest_ns) {
            Ok(watchdog) => {
                granted.policy = format!("SCHED_FIFO {FIFO_PRIORITY}");
                granted.watchdog = Some(watchdog);
                granted.notes.extend(throttling_note());
            }
            Err(e) => granted.notes.push(format!(
                "cannot use SCHED_FIFO: {e} (run as root or `ulimit -r {}`)",
                FIFO_PRIORITY + 1
            )),
        }
    }
    granted
}

fn throttling_note() -> Option<String> {
    let runtime = RT_RUNTIME_US.word()?;
    (runtime != "-1").then(|| {
        format!(
            "the kernel lets real-time threads run at most {} us per second; longer periods are \
             interrupted",
            runtime
        )
    })
}

/// The nets first, then the priority.
fn enter_fifo(longest_ns: u64) -> io::Result<Watchdog> {
    let watchdog = Watchdog::start()?;
    limit_rt_time(longest_ns)?;
    set_policy(0, libc::SCHED_FIFO, FIFO_PRIORITY)?;
    Ok(watchdog)
}

/// `thread` 0 is the calling one.
fn set_policy(thread: libc::pid_t, policy: i32, priority: i32) -> io::Result<()> {
    let param = libc::sched_param {
        sched_priority: priority,
    };
    // SAFETY: the pointer is to a live sched_param.
    if unsafe { libc::sched_setscheduler(thread, policy, &raw const param) } < 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(())
}

fn limit_rt_time(longest_ns: u64) -> io::Result<()> {
    // The limit counts microseconds without a blocking system call.
    let limit_us = Some(longest_ns / 1000);
    let limit = Rlimit {
        current: limit_us,
        maximum: limit_us,
    };
    Ok(setrlimit(Resource::Rttime, limit)?)
}

/// What is mapped now; not what comes, which would make every mapping of an
/// experiment resident behind its back.
fn lock_memory() -> io::Result<()> {
    // SAFETY: takes flags only.
    if unsafe { libc::mlockall(libc::MCL_CURRENT) } < 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(())
}

/// Read and written Relaxed: each value is complete in itself, and the watchdog may see
/// one a [`LOOK`] late anyway.
#[derive(Debug)]
struct Shared {
    deadline_ns: AtomicU64,
    fired: AtomicBool,
    ended: AtomicBool,
}

/// A thread above the measuring one that takes its priority away when it
/// overruns, so that the rest of the machine, and the coordinator that will
/// end it, get the CPU back.
#[derive(Debug)]
struct Watchdog {
    shared: Arc<Shared>,
}

impl Watchdog {
    /// Started from the thread it watches.
    fn start() -> io::Result<Self> {
        let shared = Arc::new(Shared {
            deadline_ns: AtomicU64::new(NEVER),
            fired: AtomicBool::new(false),
            ended: AtomicBool::new(false),
        });
        // SAFETY: takes nothing and touches no memory.
        let watched = unsafe { libc::gettid() };
        let (ready, is_ready) = std::sync::mpsc::channel();
        let its = Arc::clone(&shared);
        std::thread::Builder::new()
            .name("watchdog".to_owned())
            .spawn(move || {
                leave_the_test_cpu();
                let raised = set_policy(0, libc::SCHED_FIFO, FIFO_PRIORITY + 1);
                let armed = raised.is_ok();
                // A receiver that is gone has given up; so does this thread.
                if ready.send(raised).is_ok() && armed {
                    watch(&its, watched);
                }
            })?;
        is_ready
            .recv()
            .unwrap_or_else(|_| Err(io::Error::other("the watchdog ended at once")))?;
        Ok(Watchdog { shared })
    }
}

/// Any CPU but the one it was started on, where there is another: the kernel's
/// real-time throttling would stop it together with the thread it watches.
fn leave_the_test_cpu() {
    let here = crate::watch::current_cpu();
    let Some(online) = ONLINE_CPUS.value::<CpuList>() else {
        return;
    };
    let others: Vec<u32> = online.iter().filter(|cpu| Some(*cpu) != here).collect();
    if !others.is_empty() {
        // Refused by a cpuset of one CPU: then it stays, which still works.
        let _ = crate::affinity::pin(&others);
    }
}

fn watch(shared: &Shared, watched: libc::pid_t) {
    while !shared.ended.load(Ordering::Relaxed) {
        std::thread::sleep(LOOK);
        if raw_now_ns() > shared.deadline_ns.load(Ordering::Relaxed) {
            // Demoting a thread of our own cannot be refused; if it is, the
            // thread is gone and so is the danger.
            let _ = set_policy(watched, libc::SCHED_OTHER, 0);
            shared.fired.store(true, Ordering::Relaxed);
            return;
        }
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        self.shared.ended.store(true, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn policy_of_this_thread() -> i32 {
        // SAFETY: takes a number only.
        unsafe { libc::sched_getscheduler(0) }
    }

    #[test]
    fn asking_for_nothing_changes_nothing() {
        let granted = apply(Scheduling::default(), 1);
        assert_eq!(granted.policy, "SCHED_OTHER");
        assert!(!granted.memory_locked && granted.notes.is_empty());
        assert!(!granted.demoted());
    }

    /// Where SCHED_FIFO is refused this checks that the refusal is a note.
    #[test]
    fn a_thread_that_overruns_loses_its_priority() {
        std::thread::spawn(|| {
            let fifo = Scheduling {
                fifo: true,
                lock_memory: false,
            };
            let granted = apply(fifo, 60_000_000_000);
            if granted.policy == "SCHED_OTHER" {
                assert!(
                    granted.notes[0].contains("SCHED_FIFO"),
                    "{:?}",
                    granted.notes
                );
                return;
            }
            assert_eq!(policy_of_this_thread(), libc::SCHED_FIFO);
            granted.arm(1_000_000);
            let limit = raw_now_ns() + 5_000_000_000;
            while !granted.demoted() && raw_now_ns() < limit {
                std::hint::spin_loop();
            }
            assert!(granted.demoted());
            assert_eq!(policy_of_this_thread(), libc::SCHED_OTHER);
        })
        .join()
        .unwrap();
    }
}
