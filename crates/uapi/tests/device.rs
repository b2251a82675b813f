//! The wrappers against a loaded module with a free channel; without one they
//! are a SKIP. In a guest: insmod cftu.ko and swdma.ko, then run this program.

use uapi::trace::{Capture, CaptureSettings};
use uapi::{
    Buffer, Class, Copying, Device, Engine, Error, Measuring, Placement, Policy, PolicyKind,
    Reason, Registration, User, Wait,
};

const LENGTH: usize = 300_000;

/// One test at a time: policies are the machine's.
static ALONE: std::sync::Mutex<()> = std::sync::Mutex::new(());

fn with_device(test: impl FnOnce(&Device)) {
    let _alone = ALONE.lock().unwrap_or_else(|e| e.into_inner());
    let device = match Device::open() {
        Ok(device) => device,
        Err(error) => return skip(&error),
    };
    let mut policy = Policy::new(PolicyKind::Shared);
    policy.replace = true;
    match device.start_policy(&policy) {
        Ok(started) => assert!(started.channels > Some(0)),
        Err(error) => return skip(&error),
    }
    test(&device);
}

fn skip(error: &Error) {
    let (reason, remedy) = error.skip().unwrap_or_else(|| panic!("{error}"));
    eprintln!("SKIP copies through /dev/cftu: {reason}\nenable: {remedy}");
}

fn pattern() -> Vec<u8> {
    (0..LENGTH).map(|i| (i * 7 + i / 251) as u8).collect()
}

fn copying<'a>(user: User<'a>, buffer: &'a Buffer, engine: Engine) -> Copying<'a> {
    Copying {
        user,
        buffer,
        kernel_offset: 0,
        registration: None,
        engine,
        wait: Wait::Interrupt,
        class: Class::Low,
    }
}

#[test]
fn bytes_go_there_and_back_by_either_engine() {
    with_device(|device| {
        let buffer = Buffer::new(device, LENGTH as u64, Placement::default()).unwrap();
        assert!(buffer.extents() > 0);
        let mapping = buffer.map().unwrap();
        for engine in [Engine::Cpu, Engine::Policy] {
            let sent = pattern();
            let there = device
                .copy(&mut copying(User::Source(&sent), &buffer, engine))
                .unwrap();
            assert_eq!(there.not_copied_bytes, 0);
            assert_eq!(there.dma_bytes + there.cpu_bytes, LENGTH as u64);
            assert_eq!(there.dma_bytes > 0, engine == Engine::Policy, "{there:?}");
            let mut seen = vec![0; LENGTH];
            assert!(mapping.read(0, &mut seen) && seen == sent);
            let mut back = vec![0; LENGTH];
            device
                .copy(&mut copying(User::Destination(&mut back), &buffer, engine))
                .unwrap();
            assert!(back == sent);
        }
        assert!(!mapping.read(LENGTH, &mut vec![0; LENGTH]));
    });
}

#[test]
fn a_registration_pins_once_and_covers_what_it_covers() {
    with_device(|device| {
        let buffer = Buffer::new(device, LENGTH as u64, Placement::default()).unwrap();
        let mut memory = pattern();
        let registration = Registration::writable(device, &mut memory).unwrap();
        let mut request = copying(User::Source(&memory), &buffer, Engine::Policy);
        request.registration = Some(&registration);
        let copied = device.copy(&mut request).unwrap();
        assert_eq!((copied.not_copied_bytes, copied.phases.pin_ns), (0, 0));
        let other = pattern();
        let mut request = copying(User::Source(&other), &buffer, Engine::Policy);
        request.registration = Some(&registration);
        let refused = device.copy(&mut request).unwrap_err().to_string();
        assert!(refused.contains("does not cover"), "{refused}");
        registration.end().unwrap();
    });
}

#[test]
fn samples_come_in_order_of_time() {
    with_device(|device| {
        let buffer = Buffer::new(device, LENGTH as u64, Placement::default()).unwrap();
        let mut memory = pattern();
        let measuring = Measuring {
            repetitions: 20,
            copies_per_sample: 2,
            begin_at_ns: None,
            flush: device.features().flush,
            phases: true,
        };
        let mut request = copying(User::Both(&mut memory), &buffer, Engine::Policy);
        let measured = device.measure(&mut request, measuring).unwrap();
        assert_eq!(measured.samples.len(), 20);
        for pair in measured.samples.windows(2) {
            assert!(pair[0].start_ns <= pair[0].end_ns && pair[0].end_ns <= pair[1].start_ns);
        }
        assert_eq!(
            measured.dma_bytes + measured.cpu_bytes,
            20 * 2 * 2 * LENGTH as u64
        );
        assert!(memory == pattern());
    });
}

#[test]
fn channels_policy_and_counters_agree() {
    with_device(|device| {
        let before = device.stats().unwrap();
        let buffer = Buffer::new(device, LENGTH as u64, Placement::default()).unwrap();
        let sent = pattern();
        device
            .copy(&mut copying(
                User::Source(&sent[..100]),
                &buffer,
                Engine::Policy,
            ))
            .unwrap();
        let after = device.stats().unwrap();
        assert_eq!(after.copies, before.copies + 1);
        assert!(
            after
                .cpu_chunks
                .iter()
                .any(|(r, _)| *r == Reason::BelowThreshold)
        );
        let state = device.policy_state().unwrap();
        let ours = device.channels().unwrap().iter().filter(|c| c.ours).count();
        assert_eq!(
            (state.policy.kind, state.channels_held as usize),
            (PolicyKind::Shared, ours)
        );
        device.stop_policy().unwrap();
        let none = device.stop_policy().unwrap_err();
        assert!(
            matches!(
                none,
                Error::Call {
                    reason: Some(Reason::NoPolicy),
                    ..
                }
            ),
            "{none}"
        );
    });
}

#[test]
fn refusals_have_their_reasons() {
    with_device(|device| {
        let buffer = Buffer::new(device, 4096, Placement::default()).unwrap();
        let sent = pattern();
        let outside = device.copy(&mut copying(User::Source(&sent), &buffer, Engine::Cpu));
        assert!(
            matches!(
                outside,
                Err(Error::Call {
                    reason: Some(Reason::OutOfRange),
                    ..
                })
            ),
            "{outside:?}"
        );
        let started = device
            .start_policy(&Policy::new(PolicyKind::Shared))
            .unwrap_err();
        assert_eq!(
            started.to_string(),
            "cannot start the policy: another policy is running"
        );
    });
}

#[test]
fn a_capture_counts_every_loss() {
    with_device(|device| {
        if !device.features().trace {
            eprintln!("SKIP recorder: module cftu was built without it");
            return;
        }
        let recording = CaptureSettings {
            records_per_cpu: 1024,
            slots_per_cpu: 256,
            ..CaptureSettings::default()
        };
        let capture = match Capture::start(device, &recording) {
            Ok(capture) => capture,
            Err(error) => return skip(&error),
        };
        let mut ring = capture.ring(0).unwrap();
        let (mut records, mut read) = (0, vec![0; 4096]);
        for _ in 0..64 {
            let mut file = std::fs::File::open("/proc/self/maps").unwrap();
            std::io::Read::read(&mut file, &mut read).unwrap();
            ring.take(&mut |_| records += 1).unwrap();
        }
        capture.stop().unwrap();
        let taken = ring.finish(&mut |_| records += 1).unwrap();
        assert_eq!(ring.sequences().lost_in_all(), taken.dropped);
        assert_eq!(ring.sequences().backwards(), 0);
        let slots = capture.histogram(0).unwrap();
        assert!(slots.iter().all(|slot| slot.count > 0));
    });
}

/// A ring that nobody reads keeps its first records and reports the rest as gaps.
#[test]
fn a_full_ring_drops_and_every_drop_is_a_gap() {
    with_device(|device| {
        if !device.features().trace {
            return;
        }
        let recording = CaptureSettings {
            records_per_cpu: 16,
            ..CaptureSettings::default()
        };
        let capture = match Capture::start(device, &recording) {
            Ok(capture) => capture,
            Err(error) => return skip(&error),
        };
        let mut read = vec![0; 4096];
        for _ in 0..1000 {
            let mut file = std::fs::File::open("/proc/self/maps").unwrap();
            std::io::Read::read(&mut file, &mut read).unwrap();
        }
        capture.stop().unwrap();
        let mut rings: Vec<_> = (0..64).map_while(|cpu| capture.ring(cpu).ok()).collect();
        let mut dropped = 0;
        for ring in &mut rings {
            let taken = ring.finish(&mut |_| ()).unwrap();
            assert!(taken.records <= 4096 / 16, "{taken:?}");
            assert_eq!(ring.sequences().lost_in_all(), taken.dropped);
            assert_eq!(ring.sequences().backwards(), 0);
            dropped += taken.dropped;
        }
        assert!(dropped > 0);
    });
}
