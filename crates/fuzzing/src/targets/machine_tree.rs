//! What a computer says of itself: parts are files below `/proc` and `/sys`.

use crate::parts::{parts, write_below};

/// Runs the target on one input; a panic is a finding.
pub fn body(input: &[u8]) {
    let folder = tempfile::tempdir().expect("a folder");
    write_below(folder.path(), &parts(input));
    let machine = machine::read(folder.path());
    assert_eq!(
        machine,
        machine::read(folder.path()),
        "one tree, one machine"
    );
    let card = harness::card::card(&machine);
    assert!(card.cores <= card.cpus.max(card.cores), "{card:?}");
    let _ = machine.usable_cpus();
    serde_json::to_string(&machine).expect("a machine has a JSON form");
}
