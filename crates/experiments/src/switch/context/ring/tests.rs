//! Order and death of the ring; never time.

use super::{Plan, Ring, fork_error};
use harness::SetupError;
use testbed::{cpus, exists, pin_here};

fn ring(members: usize, footprint_bytes: usize) -> Ring {
    let cpu = cpus()[0];
    pin_here(cpu);
    Ring::start(&Plan {
        cpus: vec![cpu; members],
        footprint_bytes,
        line_bytes: 64,
        polling: false,
    })
    .expect("these tests may start a few processes")
}

#[test]
fn the_token_counts_every_member_of_every_lap() {
    for (members, footprint) in [(2, 0), (3, 64), (7, 8192)] {
        let mut ring = ring(members, footprint);
        assert_eq!(ring.hops(), members as u64, "one lap at the start");
        ring.laps(10);
        assert_eq!(ring.check(), Ok(()));
        assert_eq!(ring.hops(), 11 * members as u64);
    }
}

#[test]
fn a_wrong_token_is_refused_by_the_first_member_that_gets_it() {
    let mut ring = ring(3, 0);
    ring.token += 1;
    ring.laps(1);
    let cause = ring.check().unwrap_err().to_string();
    assert!(cause.starts_with("the ring broke"), "{cause}");
}

#[test]
fn a_killed_child_breaks_the_ring_and_does_not_hang_it() {
    for victim in 0..3 {
        let mut ring = ring(4, 0);
        let pid = ring.children[victim].id();
        ring.children[victim].kill();
        ring.laps(5);
        let cause = ring.check().unwrap_err().to_string();
        // The first child's death can also be met while writing to it.
        assert!(
            cause.contains("a member left") || cause.contains("cannot send"),
            "{cause}"
        );
        // Its departure may be seen only a moment later.
        while !ring
            .check()
            .unwrap_err()
            .to_string()
            .contains(&format!("process {pid} was killed"))
        {
            std::thread::yield_now();
        }
    }
}

#[test]
fn dropping_a_ring_reaps_its_children() {
    let whole = ring(5, 4096);
    let ids = whole
        .children
        .iter()
        .map(super::Child::id)
        .collect::<Vec<_>>();
    assert!(ids.iter().all(|pid| exists(*pid)));
    drop(whole);
    assert!(ids.iter().all(|pid| !exists(*pid)), "zombies or survivors");
}

#[test]
fn a_limit_on_processes_is_a_skip_and_other_errors_are_not() {
    let of = |code| fork_error(&std::io::Error::from_raw_os_error(code), 96);
    assert!(matches!(of(libc::EAGAIN), SetupError::Skip { reason, .. } if reason.contains("96")));
    assert!(matches!(of(libc::EINVAL), SetupError::Fail(_)));
}

#[test]
fn a_broken_ring_stays_broken() {
    let mut ring = ring(2, 0);
    ring.children[0].kill();
    ring.laps(3);
    assert!(ring.check().is_err());
    let hops = ring.hops();
    ring.laps(3);
    assert!(ring.check().is_err());
    assert_eq!(ring.hops(), hops);
}

#[test]
fn two_rings_side_by_side_do_not_hold_each_others_pipes() {
    let mut first = ring(3, 0);
    let second = ring(3, 0);
    first.children[0].kill();
    // Would hang if a child of `second` had kept an end of `first`.
    first.laps(2);
    assert!(first.check().is_err());
    drop(second);
}

#[test]
fn a_polling_pair_passes_the_token_roused_or_not_and_notices_a_death() {
    let cpus = cpus();
    let Some(partner) = cpus.get(1) else {
        // Polling needs two CPUs, and there is one.
        return;
    };
    pin_here(cpus[0]);
    let mut ring = Ring::start(&Plan {
        cpus: vec![cpus[0], *partner],
        footprint_bytes: 0,
        line_bytes: 64,
        polling: true,
    })
    .unwrap();
    ring.rouse();
    ring.laps(10);
    ring.rest();
    ring.laps(10);
    assert_eq!(ring.check(), Ok(()));
    // One lap at the start, one by `rouse`.
    assert_eq!(ring.hops(), 44);
    ring.rouse();
    ring.children[0].kill();
    ring.laps(1_000_000);
    assert!(ring.check().is_err());
}
