//! Findings and claims in plain sentences.

use crate::document::{Document, Phrase, Span, Text, Tone};
use crate::format::quantity;
use analysis::RunView;
use record::{ClaimOutcome, Finding, Verdict};

pub(super) fn document(view: &RunView) -> Document {
    let (mut findings, mut claims) = (Document::new(), Document::new());
    if !view.head.findings.is_empty() {
        findings.heading(2, "Findings");
    }
    for finding in &view.head.findings {
        findings.text(Text::new(finding.sentence.as_str()).lead("  - "));
        let tone = match finding.verdict {
            Verdict::Disagree => Tone::Caution,
            _ => Tone::Soft,
        };
        findings.text(Text::new(support(finding)).lead("    ").tone(tone));
    }
    if !view.head.claims.is_empty() {
        claims.heading(2, "Claims");
    }
    view.head.claims.iter().for_each(|c| claims.text(claim(c)));
    Document::sections([findings, claims])
}

/// What the finding rests on: `mem/latency; confidence 94 %; agrees with
/// 2 MiB from sysfs`.
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

fn claim(claim: &ClaimOutcome) -> Text {
    let (word, tone) = match claim.held {
        Some(true) => ("held      ", Tone::Good),
        Some(false) => ("NOT HELD  ", Tone::Caution),
        None => ("not tested", Tone::Soft),
    };
    let sentence = format!("{}: {} ({})", claim.experiment, claim.claim, claim.evidence);
    let lead = [Span::new("  "), Span::new(word).tone(tone), Span::new("  ")];
    Text::new(sentence).lead(Phrase::of(lead))
}
