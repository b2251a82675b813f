//! Where the members of a ring run.

use engines::placement::partner_cpu;
use harness::{Context, SetupError, affinity};
use machine::tunable::{IDLE_DRIVER, IDLE_GOVERNOR, Tunable};

/// CPU of each member, the caller first.
///
/// # Errors
/// `Skip` where the machine or the placement cannot hold so many, `Fail` for a
/// ring that is none.
pub fn cpus_of_members(
    members: usize,
    placement: &str,
    partner: &str,
    context: &Context,
) -> Result<Vec<u32>, SetupError> {
    if members < 2 {
        let cause = format!("it has {members} processes; at least 2 are needed");
        return Err(SetupError::fail("build a ring", cause));
    }
    let there = partner_cpu(placement, context)?;
    if there == context.test_cpu {
        if partner != "idle" {
            return Err(SetupError::skip(
                format!("a partner that is {partner} needs a CPU of its own"),
                "pontage run switch/context --axis placement=same_cpu --axis partner=idle",
            ));
        }
        return Ok(vec![there; members]);
    }
    if members % 2 == 1 {
        return Err(SetupError::skip(
            format!("in a ring of {members} on two CPUs one hop would not cross"),
            "pontage run switch/context --axis processes=2,4,8",
        ));
    }
    if partner == "awake" && members > 2 {
        return Err(SetupError::skip(
            format!("{members} processes that never sleep do not fit on two CPUs"),
            "pontage run switch/context --axis processes=2 --axis partner=awake",
        ));
    }
    let pair = [context.test_cpu, there];
    Ok((0..members).map(|member| pair[member % 2]).collect())
}

/// The caller is a member of the ring: it must be where the plan says.
///
/// # Errors
/// `Skip` where it is not pinned to `cpu`.
pub fn require_pinned(cpu: u32) -> Result<(), SetupError> {
    if affinity::allowed_cpus().is_ok_and(|cpus| cpus == [cpu]) {
        return Ok(());
    }
    Err(SetupError::skip(
        format!("this process is not pinned to CPU {cpu}, so the CPU of the ring is unknown"),
        format!("taskset -c {cpu} true (must succeed: allow sched_setaffinity)"),
    ))
}

/// What decides how deep an idle CPU sleeps.
pub fn idle_states() -> String {
    let read = |file: Tunable| file.word().unwrap_or_else(|| "unknown".to_owned());
    let (driver, governor) = (read(IDLE_DRIVER), read(IDLE_GOVERNOR));
    format!("idle driver {driver}, governor {governor}")
}
