//! A document as Markdown, for an issue or a page of a repository.

use super::{Align, Block, Cell, Document, Phrase, Span, Table, Text, Tone};

/// The blocks, an empty line between two.
pub fn write(document: &Document) -> String {
    let mut out = String::new();
    let mut after_item = false;
    for block in &document.blocks {
        let text = self::block(block);
        if text.is_empty() {
            continue;
        }
        let is_item = is_item(block);
        let one_list = after_item && is_item;
        if !one_list && !out.is_empty() {
            out.push('\n');
        }
        out += &text;
        after_item = is_item;
    }
    out
}

/// A text behind a mark or a label is one of a list.
fn is_item(block: &Block) -> bool {
    matches!(block, Block::Text(text) if !phrase(&text.lead).is_empty())
}

fn block(block: &Block) -> String {
    match block {
        Block::Heading(heading) => {
            let level = usize::from(heading.level.clamp(1, 6));
            format!("{} {}\n", "#".repeat(level), phrase(&heading.words))
        }
        Block::Text(text) if is_item(block) => item(text),
        Block::Text(text) => phrase(&text.words) + "\n",
        Block::List(list) => list.items.iter().map(item).collect(),
        Block::Table(table) => self::table(table),
        Block::Figure(figure) => format!("*{}*\n", safe(&figure.title)),
        Block::Gap => String::new(),
    }
}

fn item(text: &Text) -> String {
    let (lead, words) = (phrase(&text.lead), phrase(&text.words));
    format!("- {}\n", format!("{lead} {words}").trim())
}

fn table(table: &Table) -> String {
    let heads = table.columns.iter().map(|column| phrase(&column.head));
    let rules = table.columns.iter().map(|column| match column.align {
        Align::Left => "---".to_owned(),
        Align::Right => "---:".to_owned(),
    });
    let mut text = row(heads) + &row(rules);
    for cells in &table.rows {
        text += &row(cells.iter().map(cell));
    }
    text
}

fn row(cells: impl Iterator<Item = String>) -> String {
    let cells: Vec<String> = cells.collect();
    format!("| {} |\n", cells.join(" | "))
}

fn cell(cell: &Cell) -> String {
    let lines: Vec<String> = cell.lines.iter().map(phrase).collect();
    lines.join("<br>")
}

fn phrase(phrase: &Phrase) -> String {
    let words: String = phrase.spans.iter().map(span).collect();
    words.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn span(span: &Span) -> String {
    let text = safe(&span.shown());
    match (span.code, span.tone) {
        // Whatever stands in backticks is not read, but for a bar and a backtick.
        (true, _) => {
            let text = escape::terminal(&span.text).replace('`', "'");
            format!("`{}`", text.replace('|', "\\|"))
        }
        (false, Tone::Strong | Tone::Bad) if !text.trim().is_empty() => format!("**{text}**"),
        (false, _) => text,
    }
}

/// On one line, and no markup.
fn safe(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in escape::terminal(text).chars() {
        if matches!(
            c,
            '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '|' | '#' | '&' | '~'
        ) {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::{Document, Phrase, Span, Table, Text, Tone};
    use super::write;

    #[test]
    fn blocks_become_markdown() {
        let mut document = Document::new();
        document.heading(2, "Head");
        document.text(Text::new(Phrase::of([
            Span::new("do ").tone(Tone::Soft),
            Span::new("pontage run").code(),
        ])));
        document.list("facts", [Text::new("one"), Text::new("two")]);
        let mut table = Table::of(1, ["way", "time"]);
        table.row(["read", "12 ns"]);
        document.table(table);
        let expected = "## Head\n\ndo `pontage run`\n\n- one\n- two\n\n\
                        | way | time |\n| --- | ---: |\n| read | 12 ns |\n";
        assert_eq!(write(&document), expected);
    }

    #[test]
    fn labelled_texts_are_items_of_one_list() {
        let mut document = Document::new();
        document.line("Kinds");
        document.text(Text::new("copies").label(2, "memcpy", 12));
        document.text(Text::new("reads").label(2, "read", 12));
        document.gap();
        document.line("end");
        let expected = "Kinds\n\n- memcpy copies\n- read reads\n\nend\n";
        assert_eq!(write(&document), expected);
    }

    #[test]
    fn no_text_becomes_markup_or_a_row() {
        let mut document = Document::new();
        let mut table = Table::of(1, ["a"]);
        table.row(["x | y\n| forged | <b> `c` [l](u) **s**"]);
        table.row([Span::new("`|` \u{202e}").code()]);
        document.table(table);
        let text = write(&document);
        assert_eq!(text.lines().count(), 4);
        assert!(text.contains("x \\| y \\| forged \\| \\<b\\> \\`c\\` \\[l\\](u) \\*\\*s\\*\\*"));
        assert!(text.contains("`'\\|' ?`"), "{text}");
    }
}
