//! A document on a page: markup without a frame. Every text is escaped by maud, and
//! `escape::page` sees the whole page.

mod drawn;

use super::{Block, Cell, Column, Document, Heading, List, Phrase, Span, Table, Text, Tone};
use maud::{Markup, html};

/// The blocks, one behind the other.
pub fn write(document: &Document) -> Markup {
    html! { @for block in &document.blocks { (self::block(block)) } }
}

fn block(block: &Block) -> Markup {
    match block {
        Block::Heading(heading) => self::heading(heading),
        Block::Text(text) => html! { p class=[class(text.kind)] { (phrase(&text.words)) } },
        Block::List(list) => self::list(list),
        Block::Table(table) => self::table(table),
        Block::Figure(figure) => drawn::render(figure),
        Block::Gap => html! {},
    }
}

/// None leaves the attribute out.
fn class(kind: &str) -> Option<&str> {
    (!kind.is_empty()).then_some(kind)
}

fn heading(heading: &Heading) -> Markup {
    let words = phrase(&heading.words);
    match heading.level {
        0 | 1 => html! { h1 { (words) } },
        2 => html! { h2 { (words) } },
        _ => html! { h3 { (words) } },
    }
}

fn list(list: &List) -> Markup {
    let item = |text: &Text| html! { li class=[class(text.kind)] { (phrase(&text.words)) } };
    html! { ul class=[class(list.kind)] { @for text in &list.items { (item(text)) } } }
}

/// A table that scrolls by itself where it is wider than the page.
pub fn table(table: &Table) -> Markup {
    let scroll = if table.tall { "scroll tall" } else { "scroll" };
    html! {
        div class=(scroll) tabindex="0" role="region" aria-label=(table.name) {
            table class=[class(table.kind)] {
                thead { tr { @for column in &table.columns { (head(column)) } } }
                tbody {
                    @for row in &table.rows {
                        tr { @for cell in row { (self::cell(cell)) } }
                    }
                }
            }
        }
    }
}

fn head(column: &Column) -> Markup {
    let (kind, title) = (class(column.head.kind), class(&column.doc));
    html! { th class=[kind] scope="col" title=[title] { (spans(&column.head)) } }
}

fn cell(cell: &Cell) -> Markup {
    let title = class(&cell.title);
    let span = (cell.span > 1).then_some(cell.span);
    html! {
        @if cell.head {
            th class=[class(cell.kind)] scope="row" title=[title] { (lines(cell)) }
        } @else {
            td class=[class(cell.kind)] title=[title] colspan=[span] { (lines(cell)) }
        }
    }
}

fn lines(cell: &Cell) -> Markup {
    html! { @for line in &cell.lines { (phrase(line)) } }
}

fn phrase(phrase: &Phrase) -> Markup {
    match phrase.kind {
        "" => spans(phrase),
        kind => html! { span class=(kind) { (spans(phrase)) } },
    }
}

fn spans(phrase: &Phrase) -> Markup {
    html! { @for span in &phrase.spans { (self::span(span)) } }
}

fn span(span: &Span) -> Markup {
    let kind = match (span.kind, span.tone) {
        ("", Tone::Soft) => Some("soft"),
        (kind, _) => class(kind),
    };
    let title = class(&span.title);
    let words = html! {
        (span.text) @if let Some(number) = span.note { sup { (number) } }
    };
    match (span.link.as_str(), span.code, span.tone) {
        ("", true, _) => html! { code { (words) } },
        ("", false, Tone::Strong) => html! { b class=[kind] title=[title] { (words) } },
        ("", false, _) if kind.is_none() && title.is_none() => words,
        ("", false, _) => html! { span class=[kind] title=[title] { (words) } },
        (anchor, _, _) => html! { a href={ "#" (anchor) } title=[title] { (words) } },
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Cell, Column, Document, Phrase, Span, Table, Text, Tone};
    use super::write;

    fn shown(build: impl FnOnce(&mut Document)) -> String {
        let mut document = Document::new();
        build(&mut document);
        write(&document).into_string()
    }

    #[test]
    fn blocks_become_elements() {
        let text = shown(|d| {
            d.heading(2, "Head");
            d.text(Text::new("said").kind("support").lead("  - "));
            d.list("facts", [Text::new("one"), Text::new("two")]);
            d.gap();
            d.line(Phrase::of([
                Span::new("see ").tone(Tone::Strong),
                Span::new("it").link("there"),
                Span::new(" or "),
                Span::new("cmd").code(),
            ]));
        });
        let expected = "<h2>Head</h2><p class=\"support\">said</p>\
                        <ul class=\"facts\"><li>one</li><li>two</li></ul>\
                        <p><b>see </b><a href=\"#there\">it</a> or <code>cmd</code></p>";
        assert_eq!(text, expected);
    }

    #[test]
    fn a_table_says_what_its_cells_are() {
        let text = shown(|d| {
            let way = Phrase::from("way").kind("word");
            let columns = [Column::words(way), Column::number("ns").doc("time")];
            let mut table = Table::new(columns).on_page("points", "Ways");
            table.row([Cell::from("a").names_row(), Cell::from("1").kind("median")]);
            table.row([Cell::from("why").kind("absent").span(2)]);
            d.table(table);
        });
        let expected = "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Ways\">\
                        <table class=\"points\"><thead><tr><th class=\"word\" scope=\"col\">way</th>\
                        <th scope=\"col\" title=\"time\">ns</th></tr></thead><tbody>\
                        <tr><th scope=\"row\">a</th><td class=\"median\">1</td></tr>\
                        <tr><td class=\"absent\" colspan=\"2\">why</td></tr></tbody></table></div>";
        assert_eq!(text, expected);
    }

    #[test]
    fn no_text_becomes_markup() {
        let evil = "</td><script>\"'&";
        let text = shown(|d| {
            d.heading(3, evil);
            d.text(Text::new(Span::new(evil).title(evil)));
            let mut table = Table::new([Column::words(evil).doc(evil)]).on_page("plain", evil);
            table.row([Cell::from(Span::new(evil).link(evil)).title(evil)]);
            d.table(table);
        });
        assert!(
            !text.contains("<script>") && !text.contains("=\"</td>"),
            "{text}"
        );
        assert_eq!(text.matches("</td>").count(), 1);
    }
}
