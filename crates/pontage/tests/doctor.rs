//! What `pontage doctor` prints for the stored machines. After a wanted change:
//!
//!     UPDATE_GOLDEN=1 cargo test -p pontage --test doctor

use pontage::doctor::{DoctorError, Report, document, gather, json};
use std::path::{Path, PathBuf};

const MACHINES: [&str; 7] = [
    "beaglebone-black",
    "epyc-container",
    "firecracker-vm",
    "malformed",
    "qemu-tcg-pc",
    "raspberry-pi-4",
    "xeon-two-socket",
];

fn table(report: &Report, width: usize) -> String {
    report::document::terminal::write(&document(report, width), width, false)
}

fn here(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// Without the place of this checkout in it.
fn report(name: &str) -> Report {
    let root = here("../../fixtures/machines").join(name).join("root");
    let mut report = gather(&root).unwrap();
    report.root = PathBuf::from("FIXTURE");
    for note in &mut report.notes {
        *note = note.replace(&root.display().to_string(), "FIXTURE");
    }
    report
}

#[track_caller]
fn expect_golden(name: &str, text: &str) {
    let path = here("tests/golden").join(name);
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&path, text).unwrap();
    }
    let golden = std::fs::read_to_string(&path).unwrap_or_default();
    let differs = golden.lines().zip(text.lines()).find(|(a, b)| a != b);
    assert!(
        golden == text,
        "{} differs, first in {differs:?}",
        path.display()
    );
}

#[test]
fn tables_of_80_columns() {
    for name in MACHINES {
        expect_golden(&format!("doctor-{name}.txt"), &table(&report(name), 80));
    }
}

#[test]
fn a_wide_table_parts_purpose_and_finding() {
    let text = table(&report("raspberry-pi-4"), 140);
    expect_golden("doctor-raspberry-pi-4-wide.txt", &text);
}

#[test]
fn everything_but_commands_and_notes_fits_the_width() {
    for name in MACHINES {
        for width in [60, 80, 100, 119, 120, 200] {
            let text = table(&report(name), width);
            let is_free = |line: &&str| !line.starts_with("    ") && !line.starts_with("note: ");
            let bound = width;
            let table = text.split("To enable:").next().unwrap();
            let table = table.split(" available, ").next().unwrap();
            for line in table.lines().filter(is_free) {
                assert!(line.chars().count() <= bound, "{name} at {width}: {line}");
            }
        }
    }
}

#[test]
fn every_command_stands_unwrapped_on_a_line_of_its_own() {
    for name in MACHINES {
        let report = report(name);
        let text = table(&report, 80);
        for c in report
            .capabilities
            .iter()
            .filter(|c| !c.remedy.starts_with("none: "))
        {
            let line = format!("    {}", c.remedy);
            assert!(
                c.remedy.is_empty() || text.lines().any(|l| l == line),
                "{name}: {line}"
            );
        }
    }
}

#[test]
fn no_colour_without_a_terminal() {
    assert!(!table(&report("xeon-two-socket"), 80).contains('\u{1b}'));
}

#[test]
fn json_is_the_whole_report() {
    let report = report("xeon-two-socket");
    let document = json(&report);
    let machine = serde_json::from_value(document["machine"].clone());
    assert_eq!(report.machine, machine.unwrap());
    let capabilities = document["capabilities"].as_array().unwrap();
    assert_eq!(capabilities.len(), report.capabilities.len());
    assert_eq!(capabilities[0]["state"], "available");
    // A stored tree is never asked for counters, and says so.
    assert!(document["perf"].is_null() && document["tools"].is_null());
    assert!(
        document["notes"][0]
            .as_str()
            .unwrap()
            .starts_with("perf events and programs")
    );
}

#[test]
fn this_machine_can_be_examined() {
    let report = gather(Path::new("/")).unwrap();
    assert!(report.perf.is_some() && report.tools.is_some());
    assert!(
        report
            .capabilities
            .iter()
            .any(|c| c.name == "perf software")
    );
    assert!(table(&report, 80).contains("cache description"));
}

#[test]
fn a_root_that_is_none_is_refused_with_a_hint() {
    let error = gather(Path::new("/nowhere/at/all")).unwrap_err();
    let text = error.to_string();
    assert!(
        text.starts_with("cannot read the machine below /nowhere/at/all: "),
        "{text}"
    );
    assert!(error.hint().unwrap().contains("--root"));
    let file = gather(&here("Cargo.toml")).unwrap_err();
    assert!(matches!(file, DoctorError::Root { .. }));
}
