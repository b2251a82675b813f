//! # syscall/getppid - The cheapest system call
//!
//! What does it cost to enter the kernel and come back, when the kernel does
//! next to nothing there?
//!
//! ## Counts
//! One `getppid` system call: the user/kernel crossing, the system call table,
//! reading the parent's id, and the way back with its mitigations.
//!
//! ## Does not count
//! Seccomp filters that this process does not have, and any data that is
//! copied: there is none. The C library's function is one instruction around
//! the call, under a nanosecond.
//!
//! ## Origin
//! lmbench `lat_syscall null` (McVoy and Staelin, USENIX 1996); getppid(2),
//! which no C library caches.
//!
//! ## Theory
//! A lower bound for everything that has to interact with the operating
//! system. The figure depends on the processor's SYSCALL/SVC instruction and,
//! on many machines more, on the mitigations that run at kernel entry and exit
//! (page table isolation, branch predictor barriers): compare it only between
//! machines whose cards list the same mitigations.
//!
//! Why this call: getpid was once remembered by the C library, gettimeofday is
//! answered in user space by the vDSO, and most others do work worth more than
//! the crossing. getppid follows one pointer and reads one number. What remains
//! of its time is the crossing itself, so every other call of this area can be
//! read as this figure plus the work that the call is for.
//!
//! The loop calls back to back, so branch predictors and the first cache level
//! are as warm as they ever get. A program that makes one call every
//! millisecond pays more than this.

use analysis::ExperimentTable;
use analysis::claims::{Outcome, Quoted, is_contaminated, one};
use analysis::compared;
use analysis::sentence::list;
use catalogue::{Claim, Experiment, Grid};
use engines::verdict;
use harness::{Context, Fault, Point, SetupError, Subject};
use stats::modes::FEWEST_SAMPLES;

struct Getppid {
    parent: libc::pid_t,
    /// Calls that returned anything but `parent`.
    wrong: u64,
}

impl Subject for Getppid {
    fn batch(&mut self, _part: u16, ops: u64) {
        for _ in 0..ops {
            // SAFETY: getppid takes no arguments and cannot fail.
            let parent = unsafe { libc::getppid() };
            self.wrong += u64::from(parent != self.parent);
        }
    }

    fn verify(&mut self) -> Result<(), Fault> {
        let what = format!(
            "calls of getppid returned another parent than {}",
            self.parent
        );
        verdict::none(self.wrong, &what)
    }
}

fn setup(_: &Point, _: &Context) -> Result<Box<dyn Subject>, SetupError> {
    let parent = std::os::unix::process::parent_id().cast_signed();
    Ok(Box::new(Getppid { parent, wrong: 0 }))
}

pub static EXPERIMENT: Experiment = Experiment {
    parts: &[("latency", "time of one call")],
    grids: |_, _| vec![Grid::new(200)],
    setup,
    claims: &[
        Claim {
            text: "An empty system call takes less than a microsecond",
            check: |table| {
                let call = Quoted::latency(table.points.first()?)?.named("latency");
                one(call.below(Quoted::limit(1000.0, "ns")))
            },
        },
        Claim {
            text: "The call has one speed: its samples form one mode",
            check: one_speed,
        },
    ],
    findings: |table, _| {
        let point = table.points.first();
        let what = "Entering the kernel and coming back";
        Vec::from_iter(compared::cost(point, "crossing", what))
    },
    in_cycles: true,
    singly: true,
    ..Experiment::EMPTY
};

/// Modes are counted, not estimated: what leaves the count open is too few samples, or other
/// work on the CPU.
fn one_speed(table: &ExperimentTable) -> Option<Outcome> {
    let point = table.points.first()?;
    let call = point.primary()?;
    let centers = call.modes.iter().map(|m| format!("{:.1} ns", m.center));
    let text = format!("modes at {}", list(centers, ", "));
    let one = call.modes.len() <= 1;
    let few = one && call.effective < FEWEST_SAMPLES as f64;
    Some(match (few, is_contaminated(point)) {
        (true, _) => Outcome::unclear(format!("{text}; too few samples to see others")),
        (_, true) => Outcome::unclear(format!("{text}; the point is contaminated")),
        _ => Outcome::exactly(one, text),
    })
}

#[cfg(test)]
mod tests {
    use super::{EXPERIMENT, Getppid};
    use harness::Subject;
    use testbed::{context, point};

    #[test]
    fn every_call_returns_the_parent() {
        let (ctx, _keep) = context();
        let mut subject = (EXPERIMENT.setup)(&point("syscall/getppid", &[]), &ctx).unwrap();
        subject.batch(0, 1000);
        assert_eq!(subject.verify(), Ok(()));
    }

    #[test]
    fn a_wrong_answer_is_reported() {
        let mut subject = Getppid {
            parent: -1,
            wrong: 0,
        };
        subject.batch(0, 3);
        assert!(
            subject
                .verify()
                .unwrap_err()
                .to_string()
                .starts_with("3 calls")
        );
    }
}
