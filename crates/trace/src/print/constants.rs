//! Constants that sentences name and formats do not define. Only those
//! that the kernel has never changed: include/linux/hrtimer.h.

const HRTIMER_MODES: [(&str, u64); 12] = [
    ("HRTIMER_MODE_ABS", 0),
    ("HRTIMER_MODE_REL", 1),
    ("HRTIMER_MODE_ABS_PINNED", 2),
    ("HRTIMER_MODE_REL_PINNED", 3),
    ("HRTIMER_MODE_ABS_SOFT", 4),
    ("HRTIMER_MODE_REL_SOFT", 5),
    ("HRTIMER_MODE_ABS_PINNED_SOFT", 6),
    ("HRTIMER_MODE_REL_PINNED_SOFT", 7),
    ("HRTIMER_MODE_ABS_HARD", 8),
    ("HRTIMER_MODE_REL_HARD", 9),
    ("HRTIMER_MODE_ABS_PINNED_HARD", 10),
    ("HRTIMER_MODE_REL_PINNED_HARD", 11),
];

/// The value of a name that the kernel's headers define.
pub fn value(name: &str) -> Option<u64> {
    let known = HRTIMER_MODES.iter().find(|(known, _)| *known == name);
    known.map(|(_, value)| *value)
}
