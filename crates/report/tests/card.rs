//! The card of a run: its size, what stands on it, and nothing else.

mod synthetic;

use report::card::Card;
use report::{png, svg};

#[test]
fn the_picture_has_the_size_of_a_link_preview() {
    let card = Card::of(&synthetic::run());
    let svg = svg::card(&card).expect("it draws");
    assert!(svg.starts_with("<svg ") && svg.contains("width=\"1200\" height=\"630\""));
    for said in [card.run.as_str(), card.version.as_str(), card.letter.name()] {
        assert!(svg.contains(said), "{said}");
    }
    let png = png::card(&card).expect("it draws");
    assert_eq!(png[..8], *b"\x89PNG\r\n\x1a\n");
    let side = |at: usize| u32::from_be_bytes(png[at..at + 4].try_into().expect("four bytes"));
    assert_eq!((side(16), side(20)), (2400, 1260));
}

#[test]
fn no_text_leaves_the_card() {
    let svg = svg::card(&Card::of(&synthetic::run())).expect("it draws");
    let places = svg.split("<text ").skip(1).map(|text| {
        let field = |name: &str| {
            let from = text.find(&format!("{name}=\"")).expect("a place") + name.len() + 2;
            let number = text[from..].split('"').next().unwrap_or_default();
            number.parse::<f64>().expect("a number")
        };
        let words = text.split('>').nth(1).unwrap_or_default();
        let words = words.split('<').next().unwrap_or_default().trim();
        let width = words.chars().count() as f64 * field("font-size") * 0.62;
        let x = field("x");
        let from = match text.contains("text-anchor=\"end\"") {
            true => x - width,
            false if text.contains("text-anchor=\"middle\"") => x - width / 2.0,
            false => x,
        };
        (from, from + width, field("y"), words.to_owned())
    });
    for (from, to, y, words) in places {
        // Four units to a pixel.
        assert!(from >= 0.0 && to <= 4800.0, "{words}: {from} to {to}");
        assert!((0.0..=2520.0).contains(&y), "{words} at {y}");
    }
}

#[test]
fn nothing_in_the_markdown_is_markup_of_a_record() {
    let mut view = synthetic::run();
    view.head.machine.cpu_model = "<b>*evil*|\n# x".to_owned();
    let card = Card::of(&view);
    let text = card.markdown();
    assert!(text.starts_with("### \\<b\\>\\*evil\\*\\| \\# x"), "{text}");
    assert!(!text.contains("\n# x"));
    let rows: Vec<&str> = text.lines().filter(|line| line.starts_with("| ")).collect();
    assert!(rows.len() > 2, "{text}");
    assert!(text.contains("**"), "the cheapest is marked");
    assert!(text.contains(&view.head.id.replace('_', "\\_")));
}
