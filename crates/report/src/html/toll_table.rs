//! The toll map.

use super::anchor;
use crate::document::{self, Cell, Document, Phrase, Span, Table, Text};
use crate::format::significant;
use crate::toll::{COLUMNS_BYTES, Standing, Toll, TollCell, TollMap, TollNote, legend};
use analysis::view::ContaminationLevel;
use analysis::whole_index;
use maud::{Markup, html};
use record::axis::human_bytes;

/// The toll map.
pub fn render(map: &TollMap) -> Markup {
    if map.rows.is_empty() {
        return html! {};
    }
    html! {
        section #toll {
            h2 { "Toll map" @if map.emulated { " (emulated)" } }
            p.lead {
                "What one operation costs by bytes moved: median time, its interval, and the rate. "
                "The deeper the shade, the further from the cheapest way of the column."
            }
            (document::html::table(&table(map)))
            (below(map))
        }
    }
}

fn table(map: &TollMap) -> Table {
    let sizes = COLUMNS_BYTES.iter().map(|bytes| human_bytes(*bytes));
    let heads = std::iter::once("way".to_owned()).chain(sizes);
    let mut table = Table::of(1, heads).on_page("toll", "Toll map, scrollable");
    for row in &map.rows {
        let way = Span::new(row.label.as_str()).link(anchor(&row.experiment));
        let cells = row.cells.iter().map(|toll| cell(toll, &map.notes));
        table.row(std::iter::once(Cell::from(way).names_row()).chain(cells));
    }
    table
}

fn cell(toll: &TollCell, notes: &[TollNote]) -> Cell {
    match toll {
        TollCell::Missing => Cell::from("–").kind("none"),
        TollCell::Absent { note } => {
            let (number, note) = (note + 1, &notes[*note]);
            let word = Span::new(note.word).title(note.reason.as_str());
            let link = word.link(format!("toll-note-{number}")).note(number);
            Cell::from(link).kind("none")
        }
        TollCell::Measured(t) => {
            let shade = t.ratio.map_or("", shade_class);
            Cell::of([time(t), detail(t)]).kind(shade)
        }
    }
}

fn time(t: &Toll) -> Phrase {
    let standing = match t.standing {
        Standing::Cheapest => Some(("★", "best", "cheapest of its column")),
        Standing::Tied => Some(("≈", "tied", "not distinguishable from the cheapest")),
        Standing::Costlier | Standing::NotRanked => None,
    };
    let disturbed = match t.flag {
        ContaminationLevel::Clean => None,
        ContaminationLevel::Disturbed => Some(("○", "flag", "some samples disturbed")),
        ContaminationLevel::Contaminated => Some(("×", "flag bad", "contaminated")),
    };
    let modes = t
        .several_modes
        .then_some(("m", "flag", "more than one mode"));
    let sign = |(sign, kind, title)| Span::new(sign).kind(kind).title(title);
    let standing = standing
        .into_iter()
        .flat_map(|mark| [sign(mark), Span::new(" ")]);
    let marks = disturbed.into_iter().chain(modes);
    let marks = marks.flat_map(|mark| [Span::new(" "), sign(mark)]);
    let time = [
        Span::new(t.time() + " "),
        Span::new(t.uncertainty()).kind("pm"),
    ];
    let spans = standing.chain(time).chain(marks);
    Phrase::of(spans).kind("time")
}

fn detail(t: &Toll) -> Phrase {
    let rate = t.gb_per_s.map(|_| t.rate());
    let ratio = t.ratio.filter(|r| *r > 1.0);
    let ratio = ratio.map(|r| format!(" · {}×", significant(r, 2)));
    Phrase::of(rate.into_iter().chain(ratio).map(Span::new)).kind("detail")
}

/// One shade for each doubling over the cheapest, up to five.
fn shade_class(ratio: f64) -> &'static str {
    const SHADES: [&str; 6] = ["h0", "h1", "h2", "h3", "h4", "h5"];
    let doublings = ratio.max(1.0).log2();
    SHADES[whole_index(doublings.round()).min(5)]
}

fn below(map: &TollMap) -> Markup {
    let mut marks = Document::new();
    let mark = |(mark, meaning)| {
        let sign = Span::new(page_mark(mark)).kind("mark");
        Text::new(Phrase::of([sign, Span::new(" "), Span::new(meaning)]))
    };
    marks.list("legend", legend(map).into_iter().map(mark));
    html! {
        (document::html::write(&marks))
        @if !map.notes.is_empty() {
            ol.notes {
                @for (i, note) in map.notes.iter().enumerate() {
                    li id={ "toll-note-" (i + 1) } {
                        b { (note.word) } " " (note.reason)
                        @if !note.remedy.is_empty() { " " code { (note.remedy) } }
                    }
                }
            }
        }
    }
}

/// The page has more signs to choose from than a terminal.
fn page_mark(mark: &str) -> &str {
    match mark {
        "*" => "★",
        "~" => "≈",
        "'" => "○",
        "!" => "×",
        "-" => "–",
        other => other,
    }
}
