//! Findings and claims in plain sentences.

use crate::document::{Document, Phrase, Span, Text, Tone};
use crate::format::quantity;
use analysis::RunView;
use record::{ClaimOutcome, ClaimState, Finding, Verdict};

pub(super) fn document(view: &RunView) -> Document {
    let finding = |finding: &Finding| {
        let tone = match finding.verdict {
            Verdict::Disagree => Tone::Caution,
            _ => Tone::Soft,
        };
        let sentence = Text::new(finding.sentence.as_str()).lead("  - ");
        [
            sentence,
            Text::new(support(finding)).lead("    ").tone(tone),
        ]
    };
    let findings: Document = view.head.findings.iter().flat_map(finding).collect();
    let claims: Document = view.head.claims.iter().map(claim).collect();
    Document::sections([findings.headed("Findings"), claims.headed("Claims")])
}

/// What the finding rests on: `mem/latency; confidence 94 %; agrees with
/// 2 MiB from sysfs`.
pub fn support(finding: &Finding) -> String {
    let mut parts = vec![finding.experiment.clone()];
    let percent = finding.confidence.percent();
    parts.extend(percent.map(|percent| format!("confidence {percent:.0} %")));
    parts.extend(comparison(finding));
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
    let source = finding.reference_source.as_deref();
    let source = source.unwrap_or("the reference");
    Some(match finding.reference {
        Some(value) => format!("{verb} {} from {source}", quantity(value, finding.unit, 4)),
        None => format!("{verb} {source}"),
    })
}

fn claim(claim: &ClaimOutcome) -> Text {
    let (word, tone) = match claim.state() {
        ClaimState::Held => ("held      ", Tone::Good),
        ClaimState::Broken => ("BROKEN    ", Tone::Caution),
        ClaimState::Unclear => ("unclear   ", Tone::Plain),
        ClaimState::NotTested => ("not tested", Tone::Soft),
    };
    let sentence = format!("{}: {} ({})", claim.experiment, claim.claim, claim.evidence);
    let lead = [Span::new("  "), Span::new(word).tone(tone), Span::new("  ")];
    Text::new(sentence).lead(Phrase::of(lead))
}
