//! Curves of real machines: what is concluded from them is right or undecided, and what they
//! decide is not undecided.

use analysis::inference::Patterns;
use catalogue::conclude_by;
use record::Finding;
use std::path::Path;
use zoo::curves::Curves;
use zoo::truth::{Outcome, SIZE_SLACK, Truth, outcome};

fn all() -> Vec<(String, Curves)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/curves");
    let files = folder.read_dir().expect("the fixtures").flatten();
    let json = files.filter(|f| f.path().extension().is_some_and(|e| e == "json"));
    let read = |f: std::fs::DirEntry| {
        let text = std::fs::read_to_string(f.path()).expect("text");
        let curves = Curves::parse(&text).expect("as zoo writes it");
        (f.file_name().to_string_lossy().into_owned(), curves)
    };
    json.map(read).collect()
}

/// What is concluded from the curves, with every pattern of agreement believed.
fn concluded(curves: &Curves) -> Vec<Finding> {
    let patterns = Patterns::untested();
    conclude_by(
        experiments::all(),
        &curves.tables,
        &curves.machine,
        &patterns,
    )
    .0
}

#[test]
fn conclusions_from_real_curves_are_right_and_decide_what_can_be_decided() {
    let all = all();
    assert!(all.len() >= 2, "the fixtures are there");
    for (name, curves) in &all {
        let findings = concluded(curves);
        for (key, [low, high]) in &curves.truth {
            let found = findings.iter().find(|f| f.key == *key);
            let Some((from, to)) = found.and_then(|f| f.low.zip(f.high)) else {
                continue;
            };
            let exact = low == high && from == to;
            let truth = Truth {
                low: *low,
                high: *high,
                slack: if exact { 0.0 } else { SIZE_SLACK },
            };
            let is_right = outcome(from, to, truth) == Outcome::Right;
            assert!(
                is_right,
                "{name}: {key} is {low} to {high}, said {from} to {to}"
            );
        }
        for key in &curves.decided {
            let found = findings.iter().find(|f| f.key == *key);
            let found = found.unwrap_or_else(|| panic!("{name}: {key} was not measured"));
            assert!(found.value.is_some(), "{name}: {key}: {}", found.sentence);
        }
    }
}

#[test]
fn what_is_written_can_be_read() {
    let (_, curves) = all().remove(0);
    let text = curves.text().expect("plain data");
    let read = Curves::parse(&text).expect("as written");
    assert_eq!(read.truth, curves.truth);
    assert!(read.tables == curves.tables, "tables differ");
}
