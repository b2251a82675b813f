//! Machine card, conditions, instrument.

use crate::document::{self, Document, Text};
use crate::instrument::{Weight, condition_lines, instrument_lines, remarks, speed_lines};
use crate::terminal::card::machine_lines;
use analysis::RunView;
use maud::{Markup, html};

/// The machine's card.
pub fn render(view: &RunView) -> Markup {
    let head = &view.head;
    let conditions = [condition_lines(head), speed_lines(view)].concat();
    let found = remarks(head).into_iter();
    let found = found.filter(|r| r.weight == Weight::Fact);
    let mut facts = Document::new();
    facts.list("facts", found.map(|fact| Text::new(fact.text)));
    html! {
        section {
            div.cards {
                (list("Machine", machine_lines(head)))
                (list("Conditions", conditions))
                (list("Instrument", instrument_lines(head)))
            }
            (document::html::write(&facts))
        }
    }
}

fn list<L: AsRef<str>>(title: &str, lines: Vec<(L, String)>) -> Markup {
    html! {
        @if !lines.is_empty() {
            div.card {
                h3 { (title) }
                dl {
                    @for (label, value) in &lines {
                        div { dt { (label.as_ref()) } dd { (value) } }
                    }
                }
            }
        }
    }
}
