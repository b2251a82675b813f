//! What holds of every transport in the table.

use super::trial;
use crate::all;
use crate::testing::table;
use analysis::PointView;
use catalogue::Listed;
use engines::transport::semantics;
use record::MachineCard;
use testbed::{int, measured, word};

fn transports() -> impl Iterator<Item = &'static Listed> {
    all().iter().filter(|l| l.id.starts_with("ipc/"))
}

#[test]
fn every_transport_says_what_it_promises() {
    for Listed { id, .. } in transports() {
        assert!(semantics::of(id).is_some(), "{id} has no semantics");
    }
}

/// One byte, a page, no multiple of anything, more than the kernel's buffers hold.
fn sizes(id: &str) -> &'static [i64] {
    match id {
        "ipc/mq_posix" | "ipc/mq_sysv" => &[1, 4096, 5000],
        "ipc/udp" => &[1, 4096, 5001, 65_507],
        "ipc/unix_dgram" | "ipc/unix_seqpacket" => &[1, 4096, 5001, 100_000],
        "ipc/shm_ring" => &[1, 64, 5000, 100_001],
        "ipc/splice" | "ipc/vmsplice" | "ipc/pipe" => &[1, 4096, 5000, 200_001],
        "ipc/tcp" | "ipc/tcp_zerocopy" | "ipc/unix_stream" | "ipc/io_uring" => {
            &[1, 4096, 5001, 300_000]
        }
        _ => &[1, 4096, 5000, 100_001],
    }
}

fn buffers(id: &str) -> &'static [i64] {
    match id {
        "ipc/eventfd" | "ipc/futex" | "ipc/process_vm" | "ipc/memcpy" => &[0],
        _ => &[0, 4096],
    }
}

#[test]
fn every_byte_arrives_in_every_mode_of_every_transport() {
    // Its size and its ends are its own.
    for Listed { id, experiment, .. } in transports().filter(|l| l.id != "ipc/unix_hot_potato") {
        eprintln!("{id}");
        trial::every_mode(experiment, sizes(id), buffers(id));
    }
}

#[test]
fn every_transport_claims_something_and_nothing_of_an_empty_table() {
    for listed in transports() {
        let claims = listed.experiment.claims;
        assert!((1..=3).contains(&claims.len()), "{}", listed.id);
        for claim in claims {
            let empty = table(listed.id, Vec::new());
            assert!((claim.check)(&empty).is_none(), "{}", claim.text);
        }
    }
    assert!(transports().count() > 10);
}

/// A stream whose bandwidth falls to a third from 64 KiB on.
fn fallen(id: &str, power: u32) -> PointView {
    let size = 1i64 << power;
    let settings = [
        int("size", size),
        word("pattern", "stream"),
        word("mode", "2threads"),
        word("placement", "same_cache"),
        word("partner", "idle"),
        int("buffer", 0),
    ];
    let slower = if power < 16 { 1.0 } else { 3.0 };
    let mut point = measured(id, &settings, &[(300.0 + size as f64 / 10.0) * slower]);
    point.head.notes = vec!["loopback mtu in bytes: 65536".to_owned()];
    point
}

#[test]
fn a_knee_at_the_largest_packet_is_set_beside_it() {
    for id in ["ipc/tcp", "ipc/tcp_zerocopy", "ipc/udp"] {
        let measured = table(id, (0..=24).map(|power| fallen(id, power)).collect());
        let listed = all().find(id).unwrap();
        let found = (listed.experiment.findings)(&measured, &MachineCard::default());
        let named = found.iter().any(|f| f.sentence.contains("lo MTU (64 KiB)"));
        assert!(named, "{id}: {found:#?}");
    }
}
