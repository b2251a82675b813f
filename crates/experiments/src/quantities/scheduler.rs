//! What the scheduler gives to real-time tasks.

use analysis::inference::{Fooler, Kind, Makes, Method, Quantity};
use record::Unit;

pub(crate) const STATED: &str = "stated";
pub(crate) const SEEN: &str = "seen";
pub(crate) const SWITCHES: &str = "switches";

const ANOTHER: Fooler = Fooler {
    by: "a kernel that does otherwise than it states",
    makes: Makes::Either,
};
const STOLEN: Fooler = Fooler {
    by: "a hypervisor that takes the CPU away, and ticks with it",
    makes: Makes::Larger,
};

/// How long a computing task keeps the CPU from another of its rank under SCHED_RR.
pub const TURN: Quantity = Quantity {
    key: "rr_turn",
    name: "turn under round robin",
    unit: Unit::Nanoseconds,
    // A turn ends at a tick.
    within: 0.1,
    widest: 1.3,
    methods: &[
        Method {
            name: SEEN,
            kind: Kind::Gaps,
            experiment: "sched/slice",
            how: "two tasks of equal rank compute on one CPU and look at the clock all the time: \
                  what each has of the CPU until the other has it",
            fooled_by: &[
                STOLEN,
                Fooler {
                    by: "turns that the end of the measurement or the limit on real-time tasks cuts",
                    makes: Makes::Smaller,
                },
            ],
        },
        Method {
            name: SWITCHES,
            kind: Kind::Trace,
            experiment: "sched/slice",
            how: "the same from switch to switch as the kernel records them (sched_switch)",
            fooled_by: &[STOLEN],
        },
        Method {
            name: STATED,
            kind: Kind::Statement,
            experiment: "sched/slice",
            how: "the turn as the kernel states it (sched_rr_timeslice_ms)",
            fooled_by: &[ANOTHER],
        },
    ],
    say: |of| {
        let ms = of.value.unwrap_or(f64::NAN) / 1e6;
        format!("under round robin a computing task of equal rank has {ms:.1} ms of CPU per turn")
    },
    card: |_| None,
    differs: |_, _| "",
};

/// Which share of the time the kernel keeps real-time tasks off a CPU that ordinary tasks want.
pub const LIMIT: Quantity = Quantity {
    key: "rt_limit",
    name: "limit on real-time tasks",
    unit: Unit::Ratio,
    within: 0.0,
    widest: 1.5,
    methods: &[
        Method {
            name: SEEN,
            kind: Kind::Gaps,
            experiment: "sched/slice",
            how: "a task that no other of its kind may take the CPU from computes and looks at the \
                  clock all the time: how long it is kept waiting",
            fooled_by: &[
                Fooler {
                    by: "ordinary tasks that want less than they may have",
                    makes: Makes::Smaller,
                },
                STOLEN,
            ],
        },
        Method {
            name: SWITCHES,
            kind: Kind::Trace,
            experiment: "sched/slice",
            how: "the same from switch to switch as the kernel records them (sched_switch)",
            fooled_by: &[Fooler {
                by: "ordinary tasks that want less than they may have",
                makes: Makes::Smaller,
            }],
        },
        Method {
            name: STATED,
            kind: Kind::Statement,
            experiment: "sched/slice",
            how: "what sched_rt_runtime_us leaves of sched_rt_period_us",
            fooled_by: &[
                ANOTHER,
                Fooler {
                    by: "a kernel that serves ordinary tasks by a server of its own (Linux 6.12), \
                         which has its own share",
                    makes: Makes::Either,
                },
            ],
        },
    ],
    say: |of| {
        let percent = of.value.unwrap_or(f64::NAN) * 100.0;
        format!(
            "real-time tasks are kept off a CPU for {percent:.1} % of the time where ordinary tasks \
             want it"
        )
    },
    card: |_| None,
    differs: |_, _| "",
};
