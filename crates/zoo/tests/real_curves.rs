//! Curves of real machines: what is concluded from them is right or undecided, and what they
//! decide is not undecided.

use analysis::ExperimentTable;
use analysis::inference::{Answer, Patterns, conclude};
use record::Finding;
use std::path::Path;
use zoo::curves::Curves;

/// As of simulated machines.
const SLACK: f64 = 0.1;

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

/// What the rule makes of the curves, with every pattern of agreement believed.
fn concluded(curves: &Curves) -> Vec<Finding> {
    let catalogue = experiments::all();
    let of_table = |table: &ExperimentTable| {
        let listed = catalogue.find(&table.head.id).expect("listed");
        (listed.experiment.answers)(table, &curves.machine)
    };
    let mut answers: Vec<Answer> = curves.tables.iter().flat_map(of_table).collect();
    let quantities = catalogue.quantities();
    answers.extend((quantities.derived)(&answers));
    let by_rule = |q| conclude(q, &answers, &curves.machine, &Patterns::untested());
    quantities
        .all
        .iter()
        .filter_map(by_rule)
        .map(|c| c.finding)
        .collect()
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
            let slack = if low == high && from == to {
                0.0
            } else {
                SLACK
            };
            let is_right = from <= high * (1.0 + slack) && to >= low / (1.0 + slack);
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
