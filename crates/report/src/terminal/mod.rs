//! A run in the terminal: what `pontage run` ends with and `pontage report`
//! prints.

pub(crate) mod beside;
pub mod card;
mod colocation;
mod comparison;
pub mod findings;
mod matrix;
use crate::document::terminal::paint;
pub mod skips;
mod summary;
mod toll_table;

use crate::instrument::{Weight, remarks};
use crate::toll::TollMap;
use analysis::RunView;
pub use comparison::render_comparison;
pub use paint::{Paint, wrapped};

/// Narrowest layout; below this, lines may be longer than the window.
const LEAST_WIDTH: usize = 40;

/// The whole report as text, `width` columns wide, with ANSI colours when
/// `colour` is set. Ends with a line feed.
#[must_use]
pub fn render(view: &RunView, width: usize, colour: bool) -> String {
    let page = Page {
        width: width.max(LEAST_WIDTH),
        paint: Paint::new(colour),
    };
    let map = TollMap::of(view);
    let sections = [
        remarks_text(view, &page, Weight::Alarm),
        card::render(view, &page),
        remarks_text(view, &page, Weight::Caution),
        toll_table::render(&map, &page),
        findings::render(view, &page),
        summary::render(view, &page),
        skips::render(view, &page),
    ];
    let mut text = sections
        .into_iter()
        .filter(|s| !s.is_empty())
        .collect::<Vec<_>>()
        .join("\n");
    if !text.ends_with('\n') {
        text.push('\n');
    }
    text
}

/// Only the toll map, for programs that print the rest themselves.
#[must_use]
pub fn render_toll(view: &RunView, width: usize, colour: bool) -> String {
    let page = Page {
        width: width.max(LEAST_WIDTH),
        paint: Paint::new(colour),
    };
    toll_table::render(&TollMap::of(view), &page)
}

/// Width and colour of the output.
#[derive(Debug, Clone, Copy)]
struct Page {
    width: usize,
    paint: Paint,
}

fn remarks_text(view: &RunView, page: &Page, weight: Weight) -> String {
    let mut text = String::new();
    for remark in remarks(&view.head).iter().filter(|r| r.weight == weight) {
        let word = if weight == Weight::Alarm {
            "!! "
        } else {
            "!  "
        };
        text.push_str(&paint::painted(
            &remark.text,
            page.width,
            word,
            "   ",
            |line| match weight {
                Weight::Alarm => page.paint.red(line),
                _ => page.paint.yellow(line),
            },
        ));
    }
    text
}

/// The command that enables something, on one line however long: it is there
/// to be copied.
fn remedy(command: &str, indent: &str) -> String {
    format!("{indent}enable: {}\n", escape::terminal(command))
}
