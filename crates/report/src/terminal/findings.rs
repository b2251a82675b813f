//! Findings and claims in plain sentences.

use super::Page;
use super::paint::{painted, wrapped};
use crate::format::quantity;
use analysis::RunView;
use record::{ClaimOutcome, Finding, Verdict};

pub(super) fn render(view: &RunView, page: &Page) -> String {
    let mut text = String::new();
    if !view.head.findings.is_empty() {
        text.push_str(&page.paint.bold("Findings"));
        text.push('\n');
        for finding in &view.head.findings {
            text.push_str(&finding_text(finding, page));
        }
    }
    if !view.head.claims.is_empty() {
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(&page.paint.bold("Claims"));
        text.push('\n');
        for claim in &view.head.claims {
            text.push_str(&claim_text(claim, page));
        }
    }
    text
}

fn finding_text(finding: &Finding, page: &Page) -> String {
    let mut text = wrapped(&finding.sentence, page.width, "  - ", "    ");
    let support = support(finding);
    text.push_str(&match finding.verdict {
        Verdict::Disagree => painted(&support, page.width, "    ", "    ", |l| {
            page.paint.yellow(l)
        }),
        _ => painted(&support, page.width, "    ", "    ", |l| page.paint.dim(l)),
    });
    text
}

/// What the finding rests on: `mem/latency; confidence 94 %; agrees with
/// 2 MiB from sysfs`.
#[must_use]
pub fn support(finding: &Finding) -> String {
    let mut parts = vec![finding.experiment.clone()];
    if finding.confidence.share.is_finite() {
        parts.push(format!(
            "confidence {:.0} %",
            finding.confidence.share * 100.0
        ));
    }
    if let Some(compared) = comparison(finding) {
        parts.push(compared);
    }
    parts.join("; ")
}

/// How the finding stands to its reference.
#[must_use]
pub fn comparison(finding: &Finding) -> Option<String> {
    let verb = match finding.verdict {
        Verdict::Stated => return None,
        Verdict::Agree => "agrees with",
        Verdict::Disagree => "DISAGREES with",
        Verdict::Undecided => return Some("undecided".to_owned()),
    };
    let source = finding
        .reference_source
        .as_deref()
        .unwrap_or("the reference");
    Some(match finding.reference {
        Some(value) => format!("{verb} {} from {source}", quantity(value, finding.unit, 4)),
        None => format!("{verb} {source}"),
    })
}

fn claim_text(claim: &ClaimOutcome, page: &Page) -> String {
    let word = match claim.held {
        Some(true) => "held      ",
        Some(false) => "NOT HELD  ",
        None => "not tested",
    };
    let sentence = format!("{}: {} ({})", claim.experiment, claim.claim, claim.evidence);
    let first = format!("  {word}  ");
    let text = wrapped(&sentence, page.width, &first, "              ");
    let painted = match claim.held {
        Some(true) => page.paint.green(word),
        Some(false) => page.paint.yellow(word),
        None => page.paint.dim(word),
    };
    text.replacen(word, &painted, 1)
}
