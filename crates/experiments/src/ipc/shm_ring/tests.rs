use super::{EXPERIMENT, ShmRing, capacity};
use crate::ipc::{death, trial};
use engines::transport::{End, Options, Transport, Wait};
use proptest::prelude::*;
use std::io::ErrorKind;

#[test]
fn a_sleeping_partner_is_let_go_at_once() {
    death::is_let_go::<ShmRing>(5000);
}

#[test]
fn an_end_left_alone_gives_up() {
    trial::abandoned::<ShmRing>(100_000);
}

#[test]
fn a_ring_that_nobody_can_mean_is_skipped() {
    trial::skipped(&EXPERIMENT, 64, 1 << 40, "--axis buffer");
}

#[test]
fn the_capacity_is_a_power_of_two() {
    let of = |asked| capacity(asked).unwrap();
    assert_eq!((of(None), of(Some(1))), (256 << 10, 64));
    assert_eq!((of(Some(4096)), of(Some(5000))), (4096, 8192));
}

fn alone(buffer: usize) -> Options {
    Options {
        message_bytes: 1,
        buffer_bytes: Some(buffer),
        alone: true,
        polling: false,
        processes: false,
        port: 0,
    }
}

proptest! {
    /// Messages of any size, taken in and out in pieces of any size, across the
    /// end of the ring again and again, leave in the order in which they came.
    #[test]
    fn bytes_leave_in_the_order_in_which_they_came(
        steps in proptest::collection::vec((1usize..700, 1usize..700), 1..200),
    ) {
        let (mut here, mut there) = ShmRing::pair(&alone(256)).unwrap();
        let (mut sent, mut received) = (0u32, 0u32);
        for (offered, wanted) in steps {
            let message: Vec<u8> = (0..offered).map(|i| byte(sent + i as u32)).collect();
            match here.send(&message, Wait::Never) {
                Ok(some) => sent += some as u32,
                Err(e) => prop_assert_eq!(e.kind(), ErrorKind::WouldBlock),
            }
            let mut into = vec![0; wanted];
            match there.receive(&mut into, Wait::Never) {
                Ok(some) => {
                    let expected: Vec<u8> = (0..some).map(|i| byte(received + i as u32)).collect();
                    prop_assert_eq!(&into[..some], &expected[..]);
                    received += some as u32;
                }
                Err(e) => prop_assert_eq!(e.kind(), ErrorKind::WouldBlock),
            }
            prop_assert!(received <= sent && sent - received <= 256);
        }
    }
}

/// The byte at this place of the stream; neighbours and multiples of the ring's
/// size differ.
fn byte(at: u32) -> u8 {
    (at.wrapping_mul(0x9e37_79b1) >> 24) as u8
}
