//! From a measured run to what it says: findings, and claims held or not held.

use crate::catalogue::Catalogue;
use crate::experiment::Listed;
use analysis::{ExperimentTable, RunView, in_parallel};
use record::{ClaimOutcome, Finding, MachineCard};

/// Findings and claims of every experiment of a run, in the run's order.
/// Experiments that this program does not know (a newer or older record) say
/// nothing here; what they concluded when measured is in their record.
pub fn conclude(catalogue: &Catalogue, view: &RunView) -> (Vec<Finding>, Vec<ClaimOutcome>) {
    let each = in_parallel(&view.tables, |measured| {
        let listed = catalogue.find(&measured.head.id);
        listed.map(|listed| of_experiment(listed, measured, &view.head.machine))
    });
    let (findings, claims): (Vec<_>, Vec<_>) = each.into_iter().flatten().unzip();
    (findings.concat(), claims.concat())
}

fn of_experiment(
    listed: &Listed,
    measured: &ExperimentTable,
    machine: &MachineCard,
) -> (Vec<Finding>, Vec<ClaimOutcome>) {
    let found = (listed.experiment.findings)(measured, machine);
    let findings = found.into_iter().map(|finding| Finding {
        experiment: measured.head.id.clone(),
        sentence: capitalised(&finding.sentence),
        ..finding
    });
    let claims = listed.experiment.claims.iter().map(|claim| {
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
    });
    (findings.collect(), claims.collect())
}

/// A finding is read alone, so it begins as a sentence does.
fn capitalised(sentence: &str) -> String {
    let mut rest = sentence.chars();
    let first = rest.next().into_iter().flat_map(char::to_uppercase);
    first.chain(rest).collect()
}
