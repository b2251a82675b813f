//! README.txt next to the files: where they come from, and what did not fit.

use super::FileSet;
use crate::format::counted;
use crate::instrument::EMULATED;
use record::{MachineCard, Run};
use std::fmt::Write;

pub(super) fn text(run: &Run, set: &FileSet) -> String {
    let head = run.head();
    let machine = &head.machine;
    let mut text = String::from(
        "Written by pontage from a recorded run, in the form of the .dat files of the\n\
         I/OAT-CFTU measurements (Tor Vergata, 2013). MB are 2^20 bytes. Read them back\n\
         with: pontage import cftu FOLDER\n",
    );
    let clocks = head
        .experiments
        .iter()
        .flat_map(|e| e.metrics.iter().map(move |m| (e, m)))
        .filter(|(_, m)| m.name == record::moment::START_SECONDS)
        .map(|(e, m)| (format!("start of {}", e.id), m.doc.clone()));
    let mut origin: Vec<(String, String)> = vec![
        ("run".into(), head.id.clone()),
        ("measured".into(), head.started_utc.clone()),
        ("program".into(), head.tool_version.clone()),
        ("command".into(), head.command_line.join(" ")),
        ("host".into(), machine.host.clone()),
        ("processor".into(), machine.cpu_model.clone()),
        ("kernel".into(), machine.kernel.clone()),
        (
            "hypervisor".into(),
            machine.hypervisor.clone().unwrap_or_default(),
        ),
        ("emulated".into(), emulated(machine)),
        ("load".into(), head.conditions.load.clone()),
    ];
    origin.extend(clocks);
    origin.retain(|(_, value)| !value.is_empty());
    let origin = origin.iter().map(|(k, v)| format!("{k}: {v}")).collect();
    let files = set.files.iter();
    let files = files
        .map(|(name, text)| format!("{name}: {}", counted(text.lines().count(), "line", "lines")))
        .collect();
    let skipped = set.skipped.iter();
    let skipped = skipped
        .map(|s| format!("{}: {} ({})", s.what, s.reason, s.remedy))
        .collect();
    let lists: [(&str, Vec<String>); 5] = [
        ("Origin", origin),
        ("Conditions", head.conditions.notes.clone()),
        ("Files", files),
        ("What the files do not say", set.remarks.clone()),
        ("Not written", skipped),
    ];
    for (title, items) in lists.iter().filter(|(_, items)| !items.is_empty()) {
        let _ = writeln!(text, "\n{title}");
        for item in items {
            // One item, one line, whatever a foreign record holds.
            let _ = writeln!(text, "- {}", item.replace(['\n', '\r'], " "));
        }
    }
    text
}

/// Empty where the processor is a real one.
fn emulated(machine: &MachineCard) -> String {
    match machine.is_emulated() {
        true => EMULATED.to_owned(),
        false => String::new(),
    }
}
