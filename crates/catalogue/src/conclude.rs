//! From a measured run to what it says: findings, and claims held, broken or unclear.

use crate::catalogue::Catalogue;
use crate::experiment::Listed;
use analysis::claims::Outcome;
use analysis::inference::{self, Answer, Concluded, Patterns};
use analysis::{ExperimentTable, RunView, in_parallel};
use record::{ClaimOutcome, Finding, MachineCard};

/// Findings and claims of every experiment of a run, in the run's order.
/// Experiments that this program does not know (a newer or older record) say
/// nothing here; what they concluded when measured is in their record.
pub fn conclude(catalogue: &Catalogue, view: &RunView) -> (Vec<Finding>, Vec<ClaimOutcome>) {
    conclude_by(
        catalogue,
        &view.tables,
        &view.head.machine,
        &Patterns::counted(),
    )
}

/// The same of tables alone, with another record of which agreement of methods was right.
pub fn conclude_by(
    catalogue: &Catalogue,
    tables: &[ExperimentTable],
    machine: &MachineCard,
    patterns: &Patterns,
) -> (Vec<Finding>, Vec<ClaimOutcome>) {
    let each = in_parallel(tables, |measured| {
        let listed = catalogue.find(&measured.head.id);
        listed.map(|listed| of_experiment(listed, measured, machine))
    });
    let each: Vec<Said> = each.into_iter().flatten().collect();
    let answers = each.iter().flat_map(|said| said.answers.clone()).collect();
    let concluded = from_answers(catalogue, answers, machine, patterns);
    let mut all = (Vec::new(), Vec::new());
    for said in each {
        let of_it = concluded.iter().filter(|c| c.experiment == said.experiment);
        let of_it = of_it.map(|c| c.finding.clone()).chain(said.findings);
        all.0.extend(of_it.map(|finding| Finding {
            experiment: said.experiment.clone(),
            sentence: capitalised(&finding.sentence),
            brief: finding.brief.as_deref().map(capitalised),
            ..finding
        }));
        all.1.extend(said.claims);
    }
    all
}

/// What the methods of these experiments say, each by itself.
pub fn answers(
    catalogue: &Catalogue,
    tables: &[ExperimentTable],
    machine: &MachineCard,
) -> Vec<Answer> {
    let of = |measured: &ExperimentTable| {
        let listed = catalogue.find(&measured.head.id);
        listed.map(|listed| (listed.experiment.answers)(measured, machine))
    };
    tables.iter().filter_map(of).flatten().collect()
}

/// What is concluded from all that methods said of a machine.
pub fn from_answers(
    catalogue: &Catalogue,
    mut answers: Vec<Answer>,
    machine: &MachineCard,
    patterns: &Patterns,
) -> Vec<Concluded> {
    let quantities = catalogue.quantities();
    let derived = (quantities.derived)(&answers);
    let same = |a: &Answer, b: &Answer| a.quantity == b.quantity && a.method == b.method;
    answers.retain(|answer| !derived.iter().any(|other| same(answer, other)));
    answers.extend(derived);
    let all = quantities.all.iter();
    all.filter_map(|q| inference::conclude(q, &answers, machine, patterns))
        .collect()
}

/// What one experiment of a run says.
struct Said {
    experiment: String,
    findings: Vec<Finding>,
    answers: Vec<Answer>,
    claims: Vec<ClaimOutcome>,
}

fn of_experiment(listed: &Listed, measured: &ExperimentTable, machine: &MachineCard) -> Said {
    let experiment = &measured.head.id;
    let claims = listed.experiment.claims.iter().map(|claim| {
        let outcome = (claim.check)(measured);
        ClaimOutcome {
            experiment: experiment.clone(),
            claim: claim.text.to_owned(),
            held: outcome.as_ref().and_then(Outcome::held),
            unclear: outcome.as_ref().is_some_and(Outcome::is_unclear),
            evidence: outcome.map_or_else(
                || "the points it needs were not measured".to_owned(),
                |outcome| outcome.evidence,
            ),
        }
    });
    Said {
        experiment: experiment.clone(),
        findings: (listed.experiment.findings)(measured, machine),
        answers: (listed.experiment.answers)(measured, machine),
        claims: claims.collect(),
    }
}

/// A finding is read alone, so it begins as a sentence does.
fn capitalised(sentence: &str) -> String {
    let mut rest = sentence.chars();
    let first = rest.next().into_iter().flat_map(char::to_uppercase);
    first.chain(rest).collect()
}
