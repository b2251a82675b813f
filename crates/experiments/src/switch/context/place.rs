//! Where the members of a ring run.

use harness::{Context, SetupError, affinity};

/// CPU of each member, the caller first.
///
/// # Errors
/// `Skip` where the machine or the placement cannot hold so many, `Fail` for a
/// ring that is none.
pub fn cpus_of_members(
    members: usize,
    placement: &str,
    context: &Context,
) -> Result<Vec<u32>, SetupError> {
    if members < 2 {
        let cause = format!("it has {members} processes, at least 2 are needed");
        return Err(SetupError::fail("build a ring", cause));
    }
    if placement == "same_cpu" {
        return Ok(vec![context.test_cpu; members]);
    }
    let Some(partner) = context.partner_cpu else {
        return Err(SetupError::skip(
            "crossing CPUs needs two, and this process may run on one only",
            "run on a machine with two CPUs, or allow a second one: taskset -c 0,1 pontage run",
        ));
    };
    if members % 2 == 1 {
        return Err(SetupError::skip(
            format!("in a ring of {members} on two CPUs one hop would not cross"),
            "pontage run switch/context --axis processes=2,4,8",
        ));
    }
    if placement == "cross_cpu_awake" && members > 2 {
        return Err(SetupError::skip(
            format!("{members} processes that never sleep do not fit two CPUs"),
            "pontage run switch/context --axis processes=2 --axis placement=cross_cpu_awake",
        ));
    }
    let pair = [context.test_cpu, partner];
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
        format!("this process is not pinned to CPU {cpu}, so the ring has no known place"),
        format!("taskset -c {cpu} true (must succeed: allow sched_setaffinity)"),
    ))
}

/// What decides how deep an idle CPU sleeps.
pub fn idle_states() -> String {
    let read = |name: &str| {
        std::fs::read_to_string(format!("/sys/devices/system/cpu/cpuidle/{name}"))
            .map_or_else(|_| "unknown".to_owned(), |text| text.trim().to_owned())
    };
    format!(
        "idle driver {}, governor {}",
        read("current_driver"),
        read("current_governor_ro")
    )
}
