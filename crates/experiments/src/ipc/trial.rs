//! What the tests of all transports share: every mode moves every byte, a
//! partner that dies hangs no other, what cannot be had is skipped.

use catalogue::Experiment;
use engines::crew::child::NoPipeSignal;
use engines::placement::existing;
use engines::transport::axes::PARTNERS;
use engines::transport::control::ControlBlock;
use engines::transport::end::{End, Options, Transport, Wait};
use harness::{SetupError, Subject};
use record::AxisValue;
use testbed::turn::{card, point};
use testbed::{context, pin_here};

/// What a pair of ends is asked for where nothing depends on it.
pub const ALONE: Options = Options {
    message_bytes: 1,
    buffer_bytes: None,
    alone: true,
    polling: false,
    processes: false,
    port: 0,
};

/// Settings of a point with all axes that the transports share; sizes in bytes.
pub fn settings(
    size: i64,
    [pattern, mode, placement, partner]: [&str; 4],
    buffer: i64,
    total: i64,
) -> [(&'static str, AxisValue); 7] {
    [
        ("size", size.into()),
        ("pattern", pattern.into()),
        ("mode", mode.into()),
        ("placement", placement.into()),
        ("partner", partner.into()),
        ("buffer", buffer.into()),
        ("total", total.into()),
    ]
}

/// Sets a point up on the calling thread's CPU.
pub fn set_up(
    experiment: &Experiment,
    size: i64,
    words: [&str; 4],
    buffer: i64,
) -> Result<Box<dyn Subject>, SetupError> {
    set_up_with(experiment, size, words, buffer, 0)
}

/// The same, by portions of `total` bytes.
pub fn set_up_with(
    experiment: &Experiment,
    size: i64,
    words: [&str; 4],
    buffer: i64,
    total: i64,
) -> Result<Box<dyn Subject>, SetupError> {
    let (mut context, _scratch) = context();
    context.card = card(std::env::consts::ARCH, 2);
    pin_here(context.test_cpu);
    let point = point(&settings(size, words, buffer, total));
    (experiment.setup)(&point, &context)
}

/// Every mode, pattern, placement and state of the partner that exists here,
/// with each size and buffer: contents are verified before and after batches,
/// and the tallies are plausible.
pub fn every_mode(experiment: &Experiment, sizes: &[i64], buffers: &[i64]) {
    let (here, _scratch) = context();
    let placements = existing(&here);
    let mut ran = 0;
    for mode in ["1thread", "2threads", "2processes"] {
        for pattern in ["stream", "round_trip"] {
            for placement in &placements {
                for partner in PARTNERS {
                    for size in sizes {
                        for buffer in buffers {
                            let words = [pattern, mode, placement, partner];
                            ran += u32::from(runs(experiment, *size, words, *buffer));
                        }
                    }
                }
            }
        }
    }
    assert!(ran > 0, "nothing could run");
}

/// Whether the point runs here; what runs has to be right.
pub fn runs(experiment: &Experiment, size: i64, words: [&str; 4], buffer: i64) -> bool {
    let what = format!("size={size} {words:?} buffer={buffer}");
    let mut subject = match set_up(experiment, size, words, buffer) {
        Ok(subject) => subject,
        Err(SetupError::Skip { reason, remedy }) => {
            assert!(!reason.is_empty() && !remedy.is_empty(), "{what}");
            return false;
        }
        Err(SetupError::Fail(why)) => panic!("{what}: {why}"),
    };
    assert_eq!(subject.verify(), Ok(()), "{what}, before");
    for ops in [1, 7] {
        subject.prepare(0);
        subject.batch(0, ops);
        let tallies = subject.tally(0);
        assert_eq!(tallies.len(), experiment.tallies.len(), "{what}");
        let (one_way_ns, counts) = tallies.split_last().expect("tallies");
        assert!(counts.iter().all(|t| t.is_finite() && *t >= 0.0), "{what}");
        assert!(one_way_ns.is_nan() || *one_way_ns > 0.0, "{what}");
    }
    assert_eq!(subject.verify(), Ok(()), "{what}, after");
    true
}

/// The point is skipped with a remedy that names `remedy`.
pub fn skipped(experiment: &Experiment, size: i64, buffer: i64, remedy: &str) {
    let words = ["stream", "2threads", "same_cpu", "idle"];
    match set_up(experiment, size, words, buffer) {
        Err(SetupError::Skip { remedy: given, .. }) => {
            assert!(given.contains(remedy), "{given}");
        }
        Err(other) => panic!("{other}"),
        Ok(_) => panic!("a buffer of {buffer} bytes was given"),
    }
}

/// An end whose other end goes while it waits neither sends nor receives for
/// ever, asleep or spinning.
pub fn abandoned<T: Transport>(message_bytes: usize) {
    let _held = NoPipeSignal::hold();
    for polling in [false, true] {
        let options = Options {
            message_bytes,
            alone: false,
            polling,
            ..ALONE
        };
        let (mut here, there) = match T::pair(&options) {
            Ok(ends) => ends,
            Err(SetupError::Skip { .. }) => return,
            Err(SetupError::Fail(why)) => panic!("{why}"),
        };
        here.settle().expect("this end can be used");
        let board = ControlBlock::map().expect("a page can be mapped");
        board.keep_awake(polling);
        let wait = match polling {
            true => Wait::Awake(&board),
            false => Wait::Asleep(&board),
        };
        let leaver = std::thread::spawn(move || {
            // Most likely the other waits by then; either way it must end.
            std::thread::park_timeout(std::time::Duration::from_millis(20));
            drop(there);
        });
        let message = vec![7; message_bytes];
        let refused = (0..1 << 20).any(|_| here.send(&message, wait).is_err());
        assert!(refused, "a million messages were sent without a receiver");
        let got = here.receive(&mut vec![0; message_bytes], wait);
        assert!(!matches!(got, Ok(1..)), "{got:?} without a sender");
        leaver.join().expect("dropping an end does not panic");
    }
}
