//! Named sets of events: what a question needs, and no more, because every
//! event costs time on the traced CPU.

/// Who ran, who waited, who woke whom.
const SCHED: &[&str] = &[
    "sched:sched_switch",
    "sched:sched_waking",
    "sched:sched_wakeup_new",
    "sched:sched_migrate_task",
    "sched:sched_process_fork",
    "sched:sched_process_exec",
    "sched:sched_process_exit",
];

/// Interrupts and softirqs, with x86's own events for the timer's.
const IRQ: &[&str] = &[
    "irq:irq_handler_entry",
    "irq:irq_handler_exit",
    "irq:softirq_raise",
    "irq:softirq_entry",
    "irq:softirq_exit",
    "irq_vectors:local_timer_entry",
    "irq_vectors:local_timer_exit",
];

const EXPIRIES: &[&str] = &[
    "timer:timer_expire_entry",
    "timer:timer_expire_exit",
    "timer:hrtimer_expire_entry",
    "timer:hrtimer_expire_exit",
    "timer:tick_stop",
];

/// The life of timers.
const ARMING: &[&str] = &[
    "timer:timer_init",
    "timer:timer_start",
    "timer:timer_cancel",
    "timer:hrtimer_init",
    "timer:hrtimer_setup",
    "timer:hrtimer_start",
    "timer:hrtimer_cancel",
];

/// What is recorded where nothing is asked.
pub const DEFAULT: &str = "default";

/// Events of a set, as SYSTEM:EVENT; those that a kernel does not have are
/// left out.
pub fn members(name: &str) -> Option<Vec<&'static str>> {
    let parts: &[&[&str]] = match name {
        DEFAULT => &[SCHED, IRQ, EXPIRIES],
        "sched" => &[SCHED],
        "irq" => &[IRQ],
        "timer" => &[ARMING, EXPIRIES],
        _ => return None,
    };
    Some(parts.concat())
}

/// Every event of the kernel.
pub const ALL: &str = "all";

/// Names of all sets.
pub const NAMES: [&str; 4] = [DEFAULT, "sched", "irq", "timer"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_has_events_and_none_twice() {
        for name in NAMES {
            let events = members(name).unwrap();
            let mut once = events.clone();
            once.sort_unstable();
            once.dedup();
            assert_eq!(once.len(), events.len(), "{name}");
            assert!(events.iter().all(|e| e.contains(':')));
        }
        assert_eq!(members("syscalls"), None);
    }
}
