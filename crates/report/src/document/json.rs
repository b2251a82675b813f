//! A document as data: its blocks in order, tables as heads and rows of texts. What a
//! study knows in numbers it exports by itself, under keys of its own.

use super::{Block, Cell, Document, Phrase, Table};
use serde_json::{Value, json};

#[must_use]
pub fn write(document: &Document) -> Value {
    let parted = |block: &&Block| **block != Block::Gap;
    let blocks = document.blocks.iter().filter(parted).map(block);
    json!({ "blocks": blocks.collect::<Vec<_>>() })
}

fn block(block: &Block) -> Value {
    match block {
        Block::Heading(h) => json!({ "heading": h.words.words(), "level": h.level }),
        Block::Text(text) => json!({ "text": text.words.words() }),
        Block::List(list) => {
            let items = list.items.iter().map(|item| item.words.words());
            json!({ "list": items.collect::<Vec<_>>() })
        }
        Block::Table(table) => self::table(table),
        Block::Figure(figure) => json!({ "figure": figure.id, "title": figure.title }),
        Block::Gap => Value::Null,
    }
}

fn table(table: &Table) -> Value {
    let heads = table.columns.iter().map(|column| column.head.words());
    let rows = table.rows.iter().map(|row| row.iter().map(cell).collect());
    json!({ "heads": heads.collect::<Vec<_>>(), "rows": rows.collect::<Vec<Vec<_>>>() })
}

fn cell(cell: &Cell) -> String {
    let lines: Vec<String> = cell.lines.iter().map(Phrase::words).collect();
    lines.join(" ")
}

#[cfg(test)]
mod tests {
    use super::super::{Document, Table, Text};
    use super::write;

    #[test]
    fn blocks_become_values_and_texts_stay_as_they_are() {
        let mut document = Document::new();
        document.heading(2, "Head");
        document.gap();
        document.list("facts", [Text::new("\"quoted\"\n\x1b[2J")]);
        let mut table = Table::of(1, ["way", "time"]);
        table.row(["read", "12 ns"]);
        document.table(table);
        let value = write(&document);
        assert_eq!(value["blocks"].as_array().map(Vec::len), Some(3));
        assert_eq!(value["blocks"][1]["list"][0], "\"quoted\"\n\x1b[2J");
        assert_eq!(value["blocks"][2]["rows"][0][1], "12 ns");
        // serde_json and escape::json see to what a terminal would obey.
        assert!(
            !escape::json(&value.to_string())
                .chars()
                .any(char::is_control)
        );
    }
}
