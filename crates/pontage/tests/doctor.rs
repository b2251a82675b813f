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

fn brief(report: &Report, width: usize) -> String {
    let document = pontage::doctor::brief::document(report, width);
    report::document::terminal::write(&document, width, false)
}

#[test]
fn one_screen_of_80_and_100_columns() {
    for name in ["epyc-container", "raspberry-pi-4", "xeon-two-socket"] {
        let text = |width| brief(&report(name), width);
        let both = format!("{}\n\n{}", text(80), text(100));
        expect_golden(&format!("doctor-brief-{name}.txt"), &both);
    }
}

#[test]
fn one_screen_holds_every_machine_and_names_every_capability() {
    let stored = MACHINES.iter().map(|name| (*name, report(name)));
    let live = ("this machine", gather(Path::new("/")).unwrap());
    for (name, report) in stored.chain([live]) {
        for (width, most) in [(80, 36), (100, 30), (140, 30)] {
            let text = brief(&report, width);
            assert!(text.lines().count() <= most, "{name} at {width}:\n{text}");
            for line in text.lines() {
                assert!(line.chars().count() <= width, "{name} at {width}: {line}");
                assert_eq!(line.trim_end(), line, "{name} at {width}");
            }
            // Each is counted in one of the groups.
            let number = |title: &str| {
                let behind = text.split(title).nth(1).unwrap_or("0");
                let number: String = behind.chars().take_while(char::is_ascii_digit).collect();
                number.parse::<usize>().unwrap()
            };
            let groups = ["Ready: ", "You can change: ", "boot option: ", "hardware: "];
            let counted: usize = groups.iter().map(|title| number(title)).sum();
            assert_eq!(counted, report.capabilities.len(), "{name}:\n{text}");
        }
    }
}

#[test]
fn what_one_command_opens_is_one_line_named_by_its_area() {
    let mut report = report("epyc-container");
    let tracefs = report.capabilities.iter().find(|c| c.name == "tracefs");
    let mut other = tracefs.unwrap().clone();
    other.area = probe::capability::Area::Counters;
    other.name = "perf tracepoint".to_owned();
    report.capabilities.insert(0, other);
    let text = brief(&report, 100);
    let line = text.lines().find(|line| line.contains("mount -t tracefs"));
    let line = line.unwrap_or_else(|| panic!("{text}"));
    assert!(
        line.starts_with("  tracefs and 5 more  not mounted "),
        "{text}"
    );
    assert_eq!(text.matches("mount -t tracefs").count(), 1, "{text}");
}

#[test]
fn commands_without_room_are_named_and_none_is_cut() {
    let report = report("epyc-container");
    let mut crowded = report.clone();
    for number in 0..40 {
        let mut more = report.capabilities[3].clone();
        more.name = format!("extra {number}");
        more.remedy = format!("echo {number} | sudo tee /sys/{}", "x".repeat(number));
        crowded.capabilities.push(more);
    }
    let text = brief(&crowded, 100);
    assert!(text.contains(": pontage doctor --all"), "{text}");
    for line in text.lines().filter(|line| line.contains("sudo tee")) {
        let command = &line[line.find("echo").unwrap()..];
        let known = crowded.capabilities.iter().any(|c| c.remedy == command);
        assert!(known, "{line}");
    }
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
