//! What the kernel does by itself.

use analysis::inference::{Agreement, Fooler, Kind, Makes, Method, Quantity};
use record::{MachineCard, Unit};
use trace::analyse::ticks::RATES;

pub(crate) const STATEMENT: &str = "statement";
pub(crate) const COARSE: &str = "coarse";
pub(crate) const GAPS: &str = "gaps";
pub(crate) const TRACE: &str = "trace";
pub(crate) const OVERSHOOT: &str = "overshoot";
pub(crate) const SAID: &str = "said";

/// Rates that kernels are built with are farther apart than this share, and the clock of a
/// guest is nearer.
const WITHIN: f64 = 0.02;

/// The time from one timer interrupt of a busy CPU to the next (CONFIG_HZ).
pub const TICK: Quantity = Quantity {
    key: "tick_period",
    name: "period of the tick",
    unit: Unit::Nanoseconds,
    within: WITHIN,
    widest: 1.05,
    methods: &[
        Method {
            name: TRACE,
            kind: Kind::Trace,
            experiment: "irq/tick",
            how: "expiries of the tick's own timer as the kernel records them \
                  (hrtimer_expire_entry), from one to the next",
            fooled_by: &[
                Fooler {
                    by: "another timer that comes in a period and is taken for the tick",
                    makes: Makes::Either,
                },
                Fooler {
                    by: "a tick that is switched off now and then (nohz_full)",
                    makes: Makes::Larger,
                },
            ],
        },
        Method {
            name: COARSE,
            kind: Kind::Clock,
            experiment: "irq/tick",
            how: "the kernel moves its coarse clock (CLOCK_MONOTONIC_COARSE) on at the tick of the \
                  CPU that keeps the time: a loop that looks at it sees the time from one move to \
                  the next",
            fooled_by: &[
                Fooler {
                    by: "ticks that do not move the clock on: lost by the CPU that keeps the time, \
                         or a little too early for a whole step",
                    makes: Makes::Larger,
                },
                Fooler {
                    by: "a kernel that moves its coarse clock on more often than it ticks",
                    makes: Makes::Smaller,
                },
            ],
        },
        Method {
            name: GAPS,
            kind: Kind::Gaps,
            experiment: "irq/tick",
            how: "a loop that only reads the counter is interrupted: gaps that come at one of the \
                  rates which kernels are built with, whatever comes in between",
            fooled_by: &[
                Fooler {
                    by: "a faster timer that is no tick",
                    makes: Makes::Smaller,
                },
                Fooler {
                    by: "other gaps among which only some ticks stand out",
                    makes: Makes::Larger,
                },
                Fooler {
                    by: "a tick that is switched off now and then (nohz_full)",
                    makes: Makes::Larger,
                },
            ],
        },
        Method {
            name: STATEMENT,
            kind: Kind::Statement,
            experiment: "irq/tick",
            how: "the step of the coarse clock as the kernel states it (clock_getres(2)), which \
                  Linux derives from CONFIG_HZ",
            fooled_by: &[Fooler {
                by: "a kernel that states another step than that of its tick",
                makes: Makes::Either,
            }],
        },
    ],
    say: tick,
    card: on_card,
    differs: |_, _| {
        "what the CPU does was seen in two ways, so the configuration is the less likely side (it \
         may be that of another kernel)"
    },
};

/// How much later than asked the timers of an ordinary thread may come.
pub const SLACK: Quantity = Quantity {
    key: "timer_slack",
    name: "timer slack",
    unit: Unit::Nanoseconds,
    within: 0.1,
    widest: 1.5,
    methods: &[
        Method {
            name: OVERSHOOT,
            kind: Kind::Lateness,
            experiment: "sched/wakeup",
            how: "how much later a thread wakes with its own slack than with one of 1 ns, where one \
                  of 200 us comes out in full",
            fooled_by: &[
                Fooler {
                    by: "an interrupt that often comes within the slack and wakes the thread",
                    makes: Makes::Smaller,
                },
                Fooler {
                    by: "an interrupt that often comes within 200 us and wakes the thread",
                    makes: Makes::Larger,
                },
            ],
        },
        Method {
            name: SAID,
            kind: Kind::Statement,
            experiment: "sched/wakeup",
            how: "the thread's slack as the kernel states it (prctl(2), PR_GET_TIMERSLACK)",
            fooled_by: &[Fooler {
                by: "a kernel that states another slack than it gives",
                makes: Makes::Either,
            }],
        },
    ],
    say: |of| {
        let us = of.value.unwrap_or(f64::NAN) / 1e3;
        format!("timer slack delays an ordinary thread's wake-ups by {us:.0} µs")
    },
    card: |_| None,
    differs: |_, _| "",
};

fn tick(of: &Agreement) -> String {
    let ms = of.value.unwrap_or(f64::NAN) / 1e6;
    let rate = match rate(of) {
        Some(hz) => format!("HZ={hz}"),
        None => "not a rate that kernels are built with".to_owned(),
    };
    format!("on a busy CPU the tick comes every {ms:.3} ms: {rate}")
}

/// The one rate whose period lies between the bounds; None where there is none, or several.
fn rate(of: &Agreement) -> Option<u32> {
    let half = 1.0 + WITHIN / 2.0;
    let between = of.low / half..=of.high * half;
    let is = |hz: &&u32| between.contains(&(1e9 / f64::from(**hz)));
    let mut rates = RATES.iter().filter(is);
    rates.next().filter(|_| rates.next().is_none()).copied()
}

fn on_card(card: &MachineCard) -> Option<(f64, String)> {
    let hz = card.configured_hz.filter(|hz| *hz > 0)?;
    Some((1e9 / f64::from(hz), "CONFIG_HZ".to_owned()))
}

#[cfg(test)]
mod tests {
    use super::{Agreement, rate};

    #[test]
    fn a_rate_is_said_where_one_alone_is_near() {
        let of = |low, high| {
            rate(&Agreement {
                low,
                high,
                ..Agreement::of(low)
            })
        };
        assert_eq!(of(4e6, 4e6), Some(250));
        assert_eq!(of(3_333_333.0, 3_333_333.0), Some(300));
        assert_eq!(of(3.97e6, 4.02e6), Some(250));
        assert_eq!(of(3.9e6, 4.0e6), None, "250 and 256");
        assert_eq!(of(2.5e6, 2.5e6), None, "400");
    }
}
