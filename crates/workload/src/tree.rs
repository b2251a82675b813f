//! A document transformed by rules and written out.
//!
//! Stands for xalancbmk (SPEC CPU), which applies a style sheet. Like it: nodes
//! reached by references, from parent to child to sibling, all over the memory of the
//! document; for each node rules tried one after the other, by its name, its parent,
//! its ancestors and its children; then text copied and escaped byte by byte into an
//! output that grows. Unlike it: names are numbers where they are compared, there is
//! no parser and no virtual call, and nothing is allocated.
//!
//! Working set: the nodes, their attributes, the text, the output; some 2 MB. A
//! unit is about a millisecond.

use crate::Workload;
use crate::digest;
use crate::unit::{Unit, program};

mod document;
mod rules;
#[cfg(test)]
mod tests;

use document::{Document, NONE};
use rules::Action;

struct Transformer {
    document: Document,
    output: Vec<u8>,
    /// Children of the elements under way whose children are put in order.
    ordered: Vec<u32>,
}

/// What the document becomes; `tests` writes it with trees and strings of their own.
const KNOWN: u64 = 0xbcc1_e057_9c09_1fa8;

/// Makes it ready to run; the list of all programs states its unit.
pub fn build() -> Box<dyn Workload> {
    let mut transformer = Transformer {
        document: Document::new(),
        output: Vec::new(),
        ordered: Vec::new(),
    };
    // The first run shows how much memory the output takes.
    transformer.transform();
    transformer.output.shrink_to_fit();
    program(transformer, KNOWN)
}

impl Unit for Transformer {
    fn once(&mut self) -> u64 {
        self.transform();
        digest::of_bytes(&self.output)
    }

    fn bytes(&self) -> u64 {
        let ordered = self.ordered.capacity() * size_of::<u32>();
        self.document.bytes() + (self.output.capacity() + ordered) as u64
    }
}

impl Transformer {
    fn transform(&mut self) {
        self.output.clear();
        self.apply(self.document.root());
    }

    fn apply(&mut self, at: u32) {
        let tag = self.document.node(at).tag;
        match rules::action(&self.document, at) {
            Action::Drop => {}
            Action::Unwrap => {
                self.text(at);
                self.children(at);
            }
            Action::Value => self.value(at),
            Action::Count(counted) => {
                let count = self.count(at, counted);
                self.open(tag, "count", count);
                self.output.extend_from_slice(b"/>");
            }
            Action::Copy => self.element(at, tag, Transformer::children),
            Action::Rename(other) => self.element(at, other, Transformer::children),
            Action::Sort => self.element(at, tag, Transformer::sorted),
        }
    }

    fn element(&mut self, at: u32, tag: u8, inner: fn(&mut Transformer, u32)) {
        let node = self.document.node(at);
        let is_empty = node.text_bytes == 0 && node.first == NONE;
        self.open(tag, "key", u32::from(self.document.key(at)));
        if is_empty {
            self.output.extend_from_slice(b"/>");
            return;
        }
        self.output.push(b'>');
        self.text(at);
        inner(self, at);
        self.output.extend_from_slice(b"</");
        self.output.extend_from_slice(self.document.name(tag));
        self.output.push(b'>');
    }

    fn open(&mut self, tag: u8, attribute: &str, value: u32) {
        self.output.push(b'<');
        self.output.extend_from_slice(self.document.name(tag));
        self.output.push(b' ');
        self.output.extend_from_slice(attribute.as_bytes());
        self.output.extend_from_slice(b"=\"");
        self.number(value);
        self.output.push(b'"');
    }

    fn children(&mut self, at: u32) {
        let mut child = self.document.node(at).first;
        while child != NONE {
            self.apply(child);
            child = self.document.node(child).next;
        }
    }

    /// By key; those of the same key as in the document.
    fn sorted(&mut self, at: u32) {
        let from = self.ordered.len();
        let mut child = self.document.node(at).first;
        while child != NONE {
            let key = self.document.key(child);
            let after = |other: &u32| self.document.key(*other) > key;
            let behind = self.ordered[from..].iter().rev().take_while(|c| after(c));
            let place = self.ordered.len() - behind.count();
            self.ordered.insert(place, child);
            child = self.document.node(child).next;
        }
        for index in from..self.ordered.len() {
            self.apply(self.ordered[index]);
        }
        self.ordered.truncate(from);
    }

    /// The text of the element and of all below it.
    fn value(&mut self, at: u32) {
        self.text(at);
        let mut child = self.document.node(at).first;
        while child != NONE {
            self.value(child);
            child = self.document.node(child).next;
        }
    }

    fn count(&self, at: u32, counted: u8) -> u32 {
        let mut count = 0;
        let mut child = self.document.node(at).first;
        while child != NONE {
            count += u32::from(self.document.node(child).tag == counted);
            count += self.count(child, counted);
            child = self.document.node(child).next;
        }
        count
    }

    fn text(&mut self, at: u32) {
        for byte in self.document.text(at) {
            match byte {
                b'<' => self.output.extend_from_slice(b"&lt;"),
                b'>' => self.output.extend_from_slice(b"&gt;"),
                b'&' => self.output.extend_from_slice(b"&amp;"),
                byte => self.output.push(*byte),
            }
        }
    }

    fn number(&mut self, number: u32) {
        if number > 9 {
            self.number(number / 10);
        }
        self.output.push(b'0' + (number % 10) as u8);
    }
}
