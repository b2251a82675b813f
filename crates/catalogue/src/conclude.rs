//! From a measured run to what it says: findings, and claims held or not held.

use crate::catalogue::Catalogue;
use analysis::RunView;
use record::{ClaimOutcome, Finding};

/// Findings and claims of every experiment of a run, in the run's order.
/// Experiments that this program does not know (a newer or older record) say
/// nothing here; what they concluded when measured is in their record.
pub fn conclude(catalogue: &Catalogue, view: &RunView) -> (Vec<Finding>, Vec<ClaimOutcome>) {
    let mut findings = Vec::new();
    let mut claims = Vec::new();
    for measured in &view.tables {
        let Some(listed) = catalogue.find(&measured.head.id) else {
            continue;
        };
        let found = (listed.experiment.findings)(measured, &view.head.machine);
        findings.extend(found.into_iter().map(|finding| Finding {
            experiment: measured.head.id.clone(),
            sentence: capitalised(&finding.sentence),
            ..finding
        }));
        claims.extend(listed.experiment.claims.iter().map(|claim| {
            let (held, evidence) = (claim.check)(measured).map_or_else(
                || (None, "the points it needs were not measured".to_owned()),
                |(held, evidence)| (Some(held), evidence),
            );
            ClaimOutcome {
                experiment: measured.head.id.clone(),
                claim: claim.text.to_owned(),
                held,
                evidence,
            }
        }));
    }
    (findings, claims)
}

/// A finding is read alone, so it begins as a sentence does.
fn capitalised(sentence: &str) -> String {
    let mut rest = sentence.chars();
    let first = rest.next().into_iter().flat_map(char::to_uppercase);
    first.chain(rest).collect()
}
