//! Findings, claims and absences.

use super::anchor;
use crate::document::{self, Phrase, Span, Table};
use crate::format::{counted, quantity};
use crate::terminal::findings::comparison;
use crate::terminal::skips::{self, Absence};
use analysis::RunView;
use maud::{Markup, html};
use record::{ClaimOutcome, ClaimState, Finding, Verdict};

/// Findings and claims of a run.
pub fn render(view: &RunView) -> Markup {
    let findings: Vec<&Finding> = view.head.findings.iter().collect();
    if findings.is_empty() && view.head.claims.is_empty() {
        return html! {};
    }
    html! {
        section {
            (list(&findings, true))
            (claim_summary(&view.head.claims))
        }
    }
}

/// Findings as a list; with a link to the experiment where asked.
pub fn list(findings: &[&Finding], linked: bool) -> Markup {
    html! {
        ul.findings {
            @for f in findings {
                li {
                    p { (f.sentence) }
                    p.support {
                        (badge(f.verdict))
                        @if linked {
                            " " a href={ "#" (anchor(&f.experiment)) } { (f.experiment) }
                        }
                        @if let Some(interval) = interval(f) { " · " (interval) }
                        @if let Some(percent) = f.confidence.percent() {
                            " · " (format!("confidence {percent:.0} %"))
                        }
                        @if let Some(text) = comparison(f).filter(|_| f.verdict != Verdict::Undecided) {
                            " · " (text.replace("DISAGREES", "disagrees"))
                        }
                    }
                }
            }
        }
    }
}

fn interval(f: &Finding) -> Option<String> {
    let value = quantity(f.value?, f.unit, 4);
    Some(match (f.low, f.high) {
        (Some(low), Some(high)) if low < high => {
            let [low, high] = [low, high].map(|end| quantity(end, f.unit, 4));
            format!("{value} ({low} … {high})")
        }
        _ => value,
    })
}

fn badge(verdict: Verdict) -> Markup {
    match verdict {
        Verdict::Stated => html! { span.badge { "stated" } },
        Verdict::Agree => html! { span.badge.good { "✓ agrees" } },
        Verdict::Disagree => html! { span.badge.bad { "≠ disagrees" } },
        Verdict::Undecided => html! { span.badge.open { "? undecided" } },
    }
}

fn claim_summary(claims: &[ClaimOutcome]) -> Markup {
    if claims.is_empty() {
        return html! {};
    }
    let count = |want: ClaimState| claims.iter().filter(|c| c.state() == want).count();
    let (held, unclear) = (count(ClaimState::Held), count(ClaimState::Unclear));
    let untested = count(ClaimState::NotTested);
    html! {
        p.claim-summary {
            (format!("{held} of {} claims held", claims.len()))
            @if unclear > 0 { ", " (unclear) " unclear" }
            @if untested > 0 { ", " (untested) " not tested" }
            "."
            @for claim in claims.iter().filter(|c| c.state() == ClaimState::Broken) {
                " Broken: " a href={ "#" (anchor(&claim.experiment)) } { (claim.claim) } "."
            }
        }
    }
}

/// Claims of one experiment.
pub fn claims(claims: &[&ClaimOutcome]) -> Markup {
    html! {
        ul.claims {
            @for c in claims {
                li {
                    @match c.state() {
                        ClaimState::Held => span.badge.good { "✓ held" },
                        ClaimState::Broken => span.badge.bad { "✗ broken" },
                        ClaimState::Unclear => span.badge.open { "≈ unclear" },
                        ClaimState::NotTested => span.badge.open { "? not tested" },
                    }
                    " " (c.claim)
                    @if !c.evidence.is_empty() { span.evidence { " (" (c.evidence) ")" } }
                }
            }
        }
    }
}

/// What could not be measured, with the command that would help.
pub fn absences(view: &RunView) -> Markup {
    let found = skips::absences(view);
    if found.is_empty() {
        return html! {};
    }
    html! {
        section #absent {
            (document::html::table(&absent(&found)))
        }
    }
}

fn absent(found: &[Absence]) -> Table {
    let heads = ["experiment", "", "why", "what would enable it"];
    let mut table = Table::of(4, heads).on_page("plain", "Not measured, scrollable");
    for a in found {
        let points = counted(a.points, "point", "points");
        let command = (!a.remedy.is_empty()).then(|| Span::new(a.remedy.as_str()).code());
        table.row([
            Phrase::from(Span::new(a.experiment.as_str()).link(anchor(&a.experiment))),
            Phrase::from(format!("{}, {points}", a.word)),
            Phrase::from(a.reason.as_str()),
            Phrase::of(command),
        ]);
    }
    table
}
