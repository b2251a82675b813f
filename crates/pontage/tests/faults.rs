//! The short ones of the faults that `cargo xtask faults` injects.

use faults::{Bench, FAULTS, Verdict};
use std::path::Path;

#[test]
fn each_fault_ends_with_its_status_and_its_cause() {
    let bench = Bench::new(Path::new(env!("CARGO_BIN_EXE_pontage"))).unwrap();
    let mut wrong = Vec::new();
    for fault in FAULTS.iter().filter(|fault| fault.everyday) {
        match bench.inject(fault).unwrap() {
            Verdict::AsExpected { .. } => {}
            Verdict::Skipped { reason } => eprintln!("SKIP {}: {reason}", fault.name),
            Verdict::Differs {
                status,
                why,
                stderr,
                ..
            } => wrong.push(format!(
                "{}: {why} ({status})\n$ {}\n{stderr}",
                fault.name,
                fault.shown()
            )),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn names_are_folders_and_stand_once() {
    for (at, fault) in FAULTS.iter().enumerate() {
        assert!(!fault.name.is_empty() && !fault.status.is_empty());
        let twice = FAULTS[..at].iter().any(|other| other.name == fault.name);
        assert!(!twice, "{}", fault.name);
    }
}
