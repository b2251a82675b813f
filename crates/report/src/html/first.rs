//! The head of the page: which machine, which run, how far to trust it; and the findings that
//! change most.

use super::anchor;
use crate::format::significant;
use crate::instrument::{Weight, machine_title, remarks};
use maud::{Markup, html};
use record::{RunHead, RunState};
use summary::{Class, Grade, Letter, Ranked, RunSummary, Trust};

/// Machine, run, grade.
pub fn masthead(head: &RunHead, summary: &RunSummary) -> Markup {
    let found = remarks(head);
    let of = |weight: Weight| found.iter().filter(move |r| r.weight == weight);
    html! {
        header.masthead {
            div.title {
                h1 { (machine_title(head)) }
                p.sub { (run(head)) }
            }
            (grade(&summary.grade))
            button #theme.theme type="button" hidden { "Dark" }
            @for remark in of(Weight::Alarm) { p.alarm role="alert" { (remark.text) } }
            @if head.state != RunState::Complete {
                p.caution { "Finish it with " code { (format!("pontage run --resume {}", head.id)) } }
            }
            @for remark in of(Weight::Caution).filter(|r| !r.graded) { p.caution { (remark.text) } }
        }
    }
}

fn run(head: &RunHead) -> Markup {
    let m = &head.machine;
    let memory = (m.memory_bytes > 0).then(|| record::axis::human_bytes(m.memory_bytes));
    let took = head.took_s().map(|s| format!(", {} s", significant(s, 3)));
    html! {
        span.host { (m.host) } " · Linux " (m.kernel)
        @if let Some(memory) = memory { " · " (memory) }
        " · " (head.recipe.name) (took.unwrap_or_default()) " · "
        time datetime=(head.started_utc) { (super::when(&head.started_utc)) }
    }
}

fn grade(grade: &Grade) -> Markup {
    let letter = grade.letter.name();
    let class = match grade.letter {
        Letter::A | Letter::B => "letter good",
        Letter::C => "letter fair",
        Letter::D => "letter poor",
    };
    html! {
        div.grade {
            b class=(class) role="img" aria-label={ "Trust grade " (letter) } { (letter) }
            div {
                strong { (good_for(grade)) }
                ul {
                    @for check in grade.lowered_by() { li { (check.found) } }
                    @for name in grade.good() { li.good { (name) } }
                }
            }
        }
    }
}

fn good_for(grade: &Grade) -> String {
    let sentence = grade.good_for();
    let mut rest = sentence.chars();
    let first = rest.next().into_iter().flat_map(char::to_uppercase);
    first.chain(rest).collect()
}

/// The findings that change most for the reader, each with the way to what it rests on.
pub fn findings(summary: &RunSummary) -> Markup {
    let shown = summary.first_findings();
    html! {
        section.know #findings {
            h2 { "What to know"
                small { (shown.len()) " of " (summary.recorded_findings) " findings, most consequential first" }
            }
            @if shown.is_empty() { p.foot { "Nothing was found that changes a choice." } }
            ol.finds { @for finding in shown { (row(finding)) } }
        }
    }
}

fn row(finding: &Ranked) -> Markup {
    let (class, word) = match finding.class {
        Class::Contradicts => ("k bad", "contradicts"),
        Class::Choice => ("k be", "choice"),
        Class::Figure => ("k", "figure"),
    };
    let dots = match finding.trust {
        Trust::Low => 1,
        Trust::Medium => 2,
        Trust::High => 3,
    };
    html! {
        li {
            a.tx href={ "#" (anchor(&finding.experiment)) } { (finding.sentence) }
            span class=(class) { (word) }
            span.cf role="img" aria-label={ "trust " (finding.trust.name()) }
                title={ "trust: " (finding.trust.name()) } {
                @for at in 0..3 { i class=(if at < dots { "on" } else { "" }) {} }
            }
        }
    }
}
