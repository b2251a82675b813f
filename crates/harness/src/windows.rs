//! How much a task does in a window of time, counted by itself: it reads the clock
//! after each unit of its work. For tasks that run during a measurement and whose
//! batches no other thread can time.

use crate::clock::monotonic_now_ns;
use crate::widths::whole;
use probe::process_time::ProcessTime;
use probe::thread_usage::ThreadUsage;

/// What a window held.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Window {
    pub units: u64,
    /// Done right before it, in no time of it.
    pub units_before: u64,
    pub elapsed_ns: u64,
    /// On a CPU, in it: the thread and the processes that it has waited for.
    pub cpu_ns: u64,
    /// The longest unit: what took the CPU away, or a slow unit.
    pub longest_ns: u64,
    pub usage: ThreadUsage,
}

/// Does units of work until `window_ns` have passed, and one at least. Allocates
/// nothing.
pub fn pass(window_ns: u64, mut unit: impl FnMut()) -> Window {
    let (usage, cpu_ns) = (ThreadUsage::now(), cpu_now_ns());
    let began_ns = monotonic_now_ns();
    let (mut units, mut longest_ns, mut last_ns) = (0, 0, began_ns);
    loop {
        unit();
        units += 1;
        let now_ns = monotonic_now_ns();
        longest_ns = longest_ns.max(now_ns - last_ns);
        last_ns = now_ns;
        if now_ns - began_ns >= window_ns {
            break;
        }
    }
    Window {
        units,
        units_before: 0,
        elapsed_ns: last_ns - began_ns,
        cpu_ns: cpu_now_ns() - cpu_ns,
        longest_ns,
        usage: ThreadUsage::now().since(&usage),
    }
}

/// CPU time of the calling thread and of the children it has reaped, ns.
fn cpu_now_ns() -> u64 {
    let mut now = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: writes into a live structure; on failure it stays zero.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut now) };
    let children = ProcessTime::of_children();
    whole(now.tv_sec) * 1_000_000_000 + whole(now.tv_nsec) + children.total_ns()
}

#[cfg(test)]
mod tests {
    use super::pass;
    use std::time::Duration;

    #[test]
    fn sleeping_takes_time_and_no_cpu() {
        let once = || {
            let slept = pass(4_000_000, || std::thread::sleep(Duration::from_millis(2)));
            assert!((1..=2).contains(&slept.units), "{slept:?}");
            assert!(slept.elapsed_ns >= 4_000_000 && slept.longest_ns >= 2_000_000);
            assert!(slept.usage.voluntary_switches >= slept.units);
            slept.cpu_ns < slept.elapsed_ns / 2
        };
        // The children of other tests, which end meanwhile, count too.
        assert!((0..1000).any(|_| once()), "sleeping takes a CPU");
    }

    #[test]
    fn one_unit_is_done_at_least() {
        let mut done = 0;
        let window = pass(0, || done += 1);
        assert_eq!((window.units, done), (1, 1));
    }

    #[test]
    fn a_child_that_was_waited_for_counts() {
        let command = "i=0; while [ $i -lt 60000 ]; do i=$((i+1)); done";
        let window = pass(0, || {
            let mut shell = std::process::Command::new("sh");
            assert!(shell.args(["-c", command]).status().unwrap().success());
        });
        // Its own time on a CPU, which no other load shortens.
        assert!(window.cpu_ns > 1_000_000, "{window:?}");
    }
}
