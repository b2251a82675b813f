//! The kernel's sentences: parts `format` (a `format` file), `kallsyms`,
//! `printk_formats`, `long` (4: a kernel of 32 bits), and `event` for each
//! payload, whose ID is put in.

use crate::parts::{Part, parts};
use trace::format::PageLayout;
use trace::page::PageWriter;
use trace::{Capture, CpuPages, Head, Item, Order, Printer, System};

const PAGE_BYTES: u32 = 4096;

/// Runs the target on one input; a panic is a finding.
pub fn body(input: &[u8]) {
    let parts = parts(input);
    let text = |name: &str| {
        let found = parts.iter().find(|p| p.name == name);
        found.map_or(String::new(), |p| {
            String::from_utf8_lossy(p.bytes).into_owned()
        })
    };
    for order in [Order::Little, Order::Big] {
        let long_bytes = if text("long").trim() == "4" { 4 } else { 8 };
        let mut head = Head::empty(order, long_bytes, PAGE_BYTES);
        head.kallsyms = text("kallsyms");
        head.printk_formats = text("printk_formats");
        head.systems.push(System {
            name: "ftrace".to_owned(),
            formats: vec![text("format")],
        });
        let Ok(known) = Capture::new(head.clone(), Vec::new()) else {
            return;
        };
        let id = known.formats.iter().next().map_or(0, |f| f.id);
        let pages = CpuPages::owned(0, pages(&parts, id, order, long_bytes));
        print(&Capture::new(head, vec![pages]).expect("as before"));
    }
}

fn pages(parts: &[Part<'_>], id: u16, order: Order, long_bytes: u8) -> Vec<u8> {
    let layout = PageLayout::usual(long_bytes);
    let mut writer = PageWriter::new(PAGE_BYTES as usize, layout, order);
    for part in parts.iter().filter(|p| p.name == "event") {
        let mut payload = part.bytes.to_vec();
        if let Some(first) = payload.first_chunk_mut() {
            *first = match order {
                Order::Little => id.to_le_bytes(),
                Order::Big => id.to_be_bytes(),
            };
        }
        writer.push(1, &payload);
    }
    writer.finish()
}

fn print(capture: &Capture) {
    let printer = Printer::new(capture);
    let mut sentence = String::new();
    let mut items = capture.merged();
    while let Some(item) = items.next() {
        let Ok(Item::Event(event)) = item else {
            continue;
        };
        printer.write(&event, &mut sentence);
        printer.write_raw(&event, &mut sentence);
        let _ = printer.not_understood(&event);
    }
}
