//! # syscall/clock - The time, with and without entering the kernel
//!
//! What does it cost to read a clock, and does the vDSO answer without a system call?
//!
//! ## Counts
//! One clock_gettime: through the C library, which asks the vDSO, or by the system
//! call.
//!
//! ## Does not count
//! What the program does with the answer. The loop reads back to back, so the
//! kernel's time page is always in the first cache level; a program that reads the
//! time once in a while may pay for bringing it there.
//!
//! ## Origin
//! clock_gettime(2), vdso(7). lmbench has no such figure.
//!
//! ## Theory
//! The kernel maps a page of its own code and one of its timekeeping data into every
//! process (the vDSO). The code reads the processor's counter, scales it by the
//! factors that the kernel renews at each tick, and returns: the same arithmetic as in
//! the kernel, without the crossing. A sequence counter in the data tells the reader to
//! begin again where the kernel was just renewing them.
//!
//! That works for a clock that is made of the counter (monotonic, monotonic_raw,
//! realtime, boottime, tai) where the kernel's clock source can be read from user space
//! (tsc, arch_sys_counter, and on some hypervisors theirs). With hpet or acpi_pm as the
//! clock source, or a counter that the kernel has found unstable, the same function
//! falls back to the system call: both ways cost the same then, and every program that
//! timestamps its work pays for it. The machine card names the clock source.
//!
//! Coarse clocks are the time of the last tick: no counter is read, so they are the
//! cheapest and step by milliseconds. The CPU time of a thread is known to the
//! scheduler alone and always needs the kernel.

use analysis::claims::{Quoted, one};
use analysis::sentence::{between, estimated};
use analysis::{ExperimentTable, PointView, compared};
use catalogue::{AxisSpec, Claim, Experiment, Grid};
use engines::verdict;
use harness::widths::whole;
use harness::{Context, Fault, Point, SetupError, Subject};
use record::{Finding, Unit};
use std::io;

const CLOCKS: &[&str] = &[
    "monotonic",
    "monotonic_raw",
    "monotonic_coarse",
    "realtime",
    "boottime",
    "tai",
    "thread_cputime",
];
const WAYS: &[&str] = &["vdso", "system_call"];

fn number_of(clock: &str) -> libc::clockid_t {
    match clock {
        "monotonic_raw" => libc::CLOCK_MONOTONIC_RAW,
        "monotonic_coarse" => libc::CLOCK_MONOTONIC_COARSE,
        "realtime" => libc::CLOCK_REALTIME,
        "boottime" => libc::CLOCK_BOOTTIME,
        "tai" => libc::CLOCK_TAI,
        "thread_cputime" => libc::CLOCK_THREAD_CPUTIME_ID,
        _ => libc::CLOCK_MONOTONIC,
    }
}

/// Whether the clock was read.
type Way = fn(libc::clockid_t, &mut libc::timespec) -> bool;

#[expect(clippy::disallowed_methods, reason = "see `clock` in the form")]
fn by_library(number: libc::clockid_t, now: &mut libc::timespec) -> bool {
    // SAFETY: fills the structure that it is given.
    unsafe { libc::clock_gettime(number, now) == 0 }
}

fn by_system_call(number: libc::clockid_t, now: &mut libc::timespec) -> bool {
    // SAFETY: fills the structure that it is given, which has the layout of this call.
    unsafe { libc::syscall(libc::SYS_clock_gettime, number, &raw mut *now) == 0 }
}

const ZERO: libc::timespec = libc::timespec {
    tv_sec: 0,
    tv_nsec: 0,
};

struct ReadClock {
    number: libc::clockid_t,
    way: Way,
    /// Whether the clock can be set back between two readings.
    can_be_set: bool,
    failed: u64,
}

impl ReadClock {
    /// Seconds and nanoseconds, which compare as moments do.
    fn read(&self, way: Way) -> Option<(u64, u64)> {
        let mut now = ZERO;
        way(self.number, &mut now).then(|| (whole(now.tv_sec), whole(now.tv_nsec)))
    }
}

impl Subject for ReadClock {
    fn batch(&mut self, _part: u16, ops: u64) {
        let mut now = ZERO;
        for _ in 0..ops {
            self.failed += u64::from(!(self.way)(self.number, &mut now));
            std::hint::black_box(&mut now);
        }
    }

    /// A reading by one way is between two by the other.
    fn verify(&mut self) -> Result<(), Fault> {
        verdict::none(self.failed, "readings of the clock failed")?;
        let three = [by_library, by_system_call, by_library].map(|way: Way| self.read(way));
        let in_order = match three {
            [Some(a), Some(b), Some(c)] => self.can_be_set || (a <= b && b <= c),
            _ => false,
        };
        let why = format!("three readings are not in order: {three:?}");
        verdict::must(in_order, why)
    }
}

fn setup(point: &Point, _: &Context) -> Result<Box<dyn Subject>, SetupError> {
    let clock = point.word("clock");
    let subject = ReadClock {
        number: number_of(clock),
        way: match point.word("way") {
            "system_call" => by_system_call,
            _ => by_library,
        },
        can_be_set: matches!(clock, "realtime" | "tai"),
        failed: 0,
    };
    if subject.read(by_system_call).is_none() {
        let cause = io::Error::last_os_error();
        return Err(SetupError::fail(&format!("read the clock {clock}"), cause));
    }
    Ok(Box::new(subject))
}

pub static EXPERIMENT: Experiment = Experiment {
    axes: &[
        AxisSpec::word("clock", "which clock, clock_gettime(2)", CLOCKS),
        AxisSpec::word(
            "way",
            "vdso: the C library's function, which asks the vDSO; system_call: the call",
            WAYS,
        )
        .compared(),
    ],
    parts: &[("latency", "time of one reading")],
    grids: |preset, _| {
        let clocks = preset.choose(&["monotonic", "thread_cputime"][..], CLOCKS);
        vec![Grid::new(100).words("clock", clocks).words("way", WAYS)]
    },
    setup,
    clock: Some("the operation is clock_gettime(2)"),
    claims: &[Claim {
        text: "The vDSO reads the monotonic clock in less than half of the system call's time",
        check: |table| {
            let [vdso, call] = WAYS else { return None };
            let (vdso, call) = (monotonic(table, vdso)?, monotonic(table, call)?);
            let (vdso, call) = (Quoted::latency(vdso)?, Quoted::latency(call)?);
            one(call
                .named("system call")
                .above(vdso.named("vDSO"))
                .times(2.0))
        },
    }],
    findings: |table, _| {
        let vdso = monotonic(table, "vdso");
        let cost = compared::cost(vdso, "vdso_clock", "Reading the monotonic clock");
        cost.into_iter().chain(by_call(table)).collect()
    },
    in_cycles: true,
    singly: true,
    ..Experiment::EMPTY
};

fn monotonic<'t>(table: &'t ExperimentTable, way: &str) -> Option<&'t PointView> {
    table.point(&[("clock", "monotonic"), ("way", way)])
}

fn by_call(table: &ExperimentTable) -> Option<Finding> {
    let (vdso, call) = (monotonic(table, "vdso")?, monotonic(table, "system_call")?);
    let times = compared::ratio(vdso, call)?;
    let text = format!(
        "Reading the monotonic clock by system call takes {:.1} times as long as through the \
         vDSO ({})",
        times.center,
        between(&times, 1)
    );
    Some(estimated("clock_by_system_call", Unit::Ratio, times, text))
}

#[cfg(test)]
mod tests {
    use super::{CLOCKS, EXPERIMENT, ReadClock, WAYS, by_library};
    use crate::testing::table;
    use harness::Subject;
    use testbed::turn::run;
    use testbed::{measured, word};

    #[test]
    fn every_clock_is_read_by_both_ways() {
        for clock in CLOCKS {
            for way in WAYS {
                let settings = [("clock", (*clock).into()), ("way", (*way).into())];
                run(&EXPERIMENT, &settings).unwrap_or_else(|e| panic!("{clock} {way}: {e}"));
            }
        }
    }

    #[test]
    fn a_clock_that_does_not_exist_is_no_reading() {
        let mut subject = ReadClock {
            number: 1000,
            way: by_library,
            can_be_set: false,
            failed: 0,
        };
        assert!(subject.verify().is_err());
        subject.batch(0, 3);
        let why = subject.verify().expect_err("there is none").to_string();
        assert!(why.contains("3 readings"), "{why}");
    }

    #[test]
    fn the_system_call_is_held_against_the_vdso() {
        let at = |way: &str, ns: f64| {
            let settings = [word("clock", "monotonic"), word("way", way)];
            measured("syscall/clock", &settings, &[ns])
        };
        let of = |vdso_ns| {
            let points = vec![at("vdso", vdso_ns), at("system_call", 100.0)];
            table("syscall/clock", points)
        };
        let held = |vdso_ns| {
            (EXPERIMENT.claims[0].check)(&of(vdso_ns)).map(|o| o.held().expect(&o.evidence))
        };
        assert_eq!(held(25.0), Some(true));
        // A clock source that user space cannot read: the function makes the call.
        assert_eq!(held(99.0), Some(false));
        let found = (EXPERIMENT.findings)(&of(25.0), &record::MachineCard::default());
        assert_eq!(found.len(), 2);
        assert!(found[1].sentence.contains("4.0 times"), "{found:?}");
    }
}
