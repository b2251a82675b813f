//! `format` files of events: parts of the name of the event's system; and
//! `header_page`.

use crate::parts::parts;
use trace::format::{Formats, PageLayout};
use trace::{Head, Order, System};

/// Runs the target on one input; a panic is a finding.
pub fn body(input: &[u8]) {
    let mut head = Head::empty(Order::Little, 8, 4096);
    for part in parts(input) {
        let text = String::from_utf8_lossy(part.bytes).into_owned();
        if part.name == "header_page" {
            let _ = PageLayout::parse(&text);
            continue;
        }
        head.systems.push(System {
            name: part.name.to_owned(),
            formats: vec![text],
        });
    }
    let Ok(formats) = Formats::of(&head) else {
        return;
    };
    for format in formats.iter() {
        assert!(formats.by_id(format.id) == Some(format));
        for field in format.common.iter().chain(&format.fields) {
            for order in [Order::Little, Order::Big] {
                let _ = field.value(&[], order);
                let _ = field.value(&[0xa5; 64], order);
            }
        }
    }
}
