//! Events as sentences: what the kernel's `print fmt:` says, evaluated. What
//! cannot be evaluated is printed field by field.

mod binary;
mod call;
mod constants;
mod convert;
mod error;
mod evaluate;
mod expression;
mod fields;
mod number;
mod parse;
mod pointer;
mod sentence;
mod stack;
mod symbols;
mod template;
mod token;

pub use error::SentenceError;
pub(crate) use evaluate::hex;
pub use fields::write_fields;
pub(crate) use sentence::constant;

use crate::bytes::Order;
use crate::capture::Capture;
use crate::format::EventFormat;
use crate::page::Event;
use binary::Binary;
use evaluate::Context;
use sentence::Sentence;
use stack::Stack;
use std::collections::BTreeMap;
use symbols::Names;

/// Of one sentence; the kernel's longest have 5,000. Understood, a byte of text takes
/// up to 80 bytes of memory.
const SENTENCE_BYTES: usize = 64 << 10;
/// Of all sentences; a kernel with 2,300 events has 700,000.
const SENTENCES_BYTES: usize = 4 << 20;

/// Prints the events of one capture.
pub struct Printer<'c> {
    order: Order,
    long_bytes: usize,
    names: Names<'c>,
    /// By ID; events have few IDs, and small ones.
    events: Vec<Option<Box<PrintedEvent<'c>>>>,
}

/// Takes the sentence's bytes from those that are left; else why it is not understood.
fn fits(print: &str, left: &mut usize) -> Result<(), SentenceError> {
    let bytes = print.len();
    if bytes > SENTENCE_BYTES {
        return Err(SentenceError::TooLarge { bytes });
    }
    *left = left.checked_sub(bytes).ok_or(SentenceError::AllTooLarge)?;
    Ok(())
}

struct PrintedEvent<'c> {
    format: &'c EventFormat,
    /// Else why there is none.
    sentence: Result<Sentence, SentenceError>,
    /// Of `trace_printk()`.
    binary: Option<Binary>,
    stack: Option<Stack>,
}

impl PrintedEvent<'_> {
    /// None where its sentence is not known or cannot be evaluated for this event.
    fn write(&self, context: Context<'_>, out: &mut String) -> Option<()> {
        match (&self.binary, &self.stack, &self.sentence) {
            (Some(binary), ..) => binary.write(context, out),
            (_, Some(stack), _) => stack.write(context, out),
            (_, _, Ok(sentence)) => sentence.write(context, out),
            (_, _, Err(_)) => None,
        }
    }
}

impl<'c> Printer<'c> {
    /// Parses the sentences of all events of the capture.
    pub fn new(capture: &'c Capture) -> Printer<'c> {
        let head = &capture.head;
        let mut events = Vec::new();
        let mut left = SENTENCES_BYTES;
        for format in capture.formats.iter() {
            let id = usize::from(format.id);
            events.resize_with(events.len().max(id + 1), || None);
            let sentence = fits(&format.print, &mut left)
                .and_then(|()| Sentence::parse(format, usize::from(head.long_bytes)));
            events[id] = Some(Box::new(PrintedEvent {
                format,
                sentence,
                binary: Binary::parse(format),
                stack: Stack::parse(format),
            }));
        }
        Printer {
            order: head.order,
            long_bytes: usize::from(head.long_bytes),
            names: Names::new(&head.kallsyms, &head.printk_formats),
            events,
        }
    }

    /// The event's format; None where the trace has none for it.
    #[inline]
    pub fn format(&self, event: &Event<'_>) -> Option<&'c EventFormat> {
        Some(self.known(event)?.format)
    }

    fn known(&self, event: &Event<'_>) -> Option<&PrintedEvent<'c>> {
        let id = usize::from(event.id(self.order));
        self.events.get(id)?.as_deref()
    }

    /// Appends the kernel's sentence, else all fields.
    pub fn write(&self, event: &Event<'_>, out: &mut String) {
        let Some(known) = self.known(event) else {
            return self.write_unknown(event, out);
        };
        let context = Context {
            event: event.payload,
            order: self.order,
            long_bytes: self.long_bytes,
            names: &self.names,
        };
        let begin = out.len();
        if known.write(context, out).is_some() {
            return;
        }
        out.truncate(begin);
        write_fields(known.format, event.payload, self.order, out);
    }

    /// Appends all fields as `name=value`.
    pub fn write_raw(&self, event: &Event<'_>, out: &mut String) {
        match self.known(event) {
            Some(known) => write_fields(known.format, event.payload, self.order, out),
            None => self.write_unknown(event, out),
        }
    }

    fn write_unknown(&self, event: &Event<'_>, out: &mut String) {
        use std::fmt::Write;
        let id = event.id(self.order);
        let bytes = event.payload.len();
        let _ = write!(out, "(no format with ID {id}; {bytes} bytes)");
    }

    /// Why the event is printed field by field; None where its sentence is known.
    pub fn not_understood(&self, event: &Event<'_>) -> Option<&SentenceError> {
        let known = self.known(event).filter(|known| known.stack.is_none())?;
        known.sentence.as_ref().err()
    }

    /// Events whose sentence cannot be evaluated, and why, by name.
    pub fn all_not_understood(&self) -> BTreeMap<String, &SentenceError> {
        let known = self.events.iter().flatten();
        let failed = known.filter_map(|known| {
            let name = format!("{}:{}", known.format.system, known.format.name);
            Some((name, known.sentence.as_ref().err()?))
        });
        failed.collect()
    }
}

#[cfg(test)]
mod tests;
