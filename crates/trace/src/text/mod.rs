//! Events as lines: for people, as JSON, as CSV.

mod choice;
mod flags;
mod json;

pub use choice::Choice;
pub use flags::letters;
pub use json::quote;

use crate::capture::Capture;
use crate::format::{Field, Value};
use crate::page::{Event, Item, Lost};
use crate::print::Printer;
use std::fmt::Write;

/// What a line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// As the kernel's own text, with nanoseconds: task, CPU, what it was doing,
    /// seconds, event.
    Text,
    /// One object a line.
    Json,
    /// Comma-separated, one event a line.
    Csv,
}

/// Makes lines of one capture's events.
pub struct Lines<'c> {
    capture: &'c Capture,
    /// Prints the events' own fields.
    pub printer: Printer<'c>,
    style: Style,
    /// Fields instead of the kernel's sentence, in text and CSV.
    raw: bool,
    scratch: String,
}

impl<'c> Lines<'c> {
    /// `raw`: fields instead of the kernel's sentence, in text and CSV.
    pub fn new(capture: &'c Capture, style: Style, raw: bool) -> Lines<'c> {
        Lines {
            capture,
            printer: Printer::new(capture),
            style,
            raw,
            scratch: String::new(),
        }
    }

    /// What comes before the first line.
    pub fn heading(&self) -> &'static str {
        match self.style {
            Style::Csv => "at_ns,cpu,pid,task,event,text,flags\n",
            Style::Text | Style::Json => "",
        }
    }

    /// Appends the line of an event or of a gap, with its end.
    pub fn write(&mut self, item: &Item<'_>, out: &mut String) {
        match (item, self.style) {
            (Item::Event(event), Style::Text) => self.text(event, out),
            (Item::Event(event), Style::Json) => self.json(event, out),
            (Item::Event(event), Style::Csv) => self.csv(event, out),
            (Item::Lost(lost), style) => gap(lost, style, out),
        }
        out.push('\n');
    }

    fn task(&self, pid: i32) -> &'c str {
        self.capture.task_name(pid).unwrap_or("<...>")
    }

    fn name(&self, event: &Event<'_>) -> &'c str {
        self.printer.format(event).map_or("?", |f| f.name.as_str())
    }

    fn sentence(&self, event: &Event<'_>, out: &mut String) {
        match self.raw {
            true => self.printer.write_raw(event, out),
            false => self.printer.write(event, out),
        }
    }

    fn text(&mut self, event: &Event<'_>, out: &mut String) {
        let pid = event.pid(self.capture.head.order);
        let (task, cpu) = (escape::terminal(self.task(pid)), event.cpu);
        let _ = write!(out, "{task:>16}-{pid:<5} [{cpu:03}] ");
        push_letters(event, out);
        out.push(' ');
        let (seconds, ns) = (event.at_ns / 1_000_000_000, event.at_ns % 1_000_000_000);
        // A clock that counts something else has no seconds.
        let _ = match self.capture.head.in_nanoseconds() {
            true => write!(out, "{seconds:>5}.{ns:09}: "),
            false => write!(out, "{:>15}: ", event.at_ns),
        };
        let mut text = std::mem::take(&mut self.scratch);
        text.clear();
        let _ = write!(text, "{}:", self.name(event));
        let _ = write!(out, "{:<21} ", escape::terminal(&text));
        text.clear();
        self.sentence(event, &mut text);
        line(&text, out);
        self.scratch = text;
    }

    fn csv(&mut self, event: &Event<'_>, out: &mut String) {
        let pid = event.pid(self.capture.head.order);
        let _ = write!(out, "{},{},{pid},", event.at_ns, event.cpu);
        cell(self.task(pid), out);
        out.push(',');
        cell(self.name(event), out);
        out.push(',');
        let mut text = std::mem::take(&mut self.scratch);
        text.clear();
        self.sentence(event, &mut text);
        cell(&text, out);
        self.scratch = text;
        out.push(',');
        push_letters(event, out);
    }

    fn json(&mut self, event: &Event<'_>, out: &mut String) {
        let order = self.capture.head.order;
        let pid = event.pid(order);
        let _ = write!(
            out,
            "{{\"at_ns\":{},\"cpu\":{},\"pid\":{pid},\"task\":",
            event.at_ns, event.cpu
        );
        quote(self.task(pid), out);
        out.push_str(",\"flags\":\"");
        push_letters(event, out);
        out.push('"');
        let Some(format) = self.printer.format(event) else {
            let _ = write!(out, ",\"id\":{}}}", event.id(order));
            return;
        };
        out.push_str(",\"event\":");
        self.scratch.clear();
        let _ = write!(self.scratch, "{}:{}", format.system, format.name);
        quote(&self.scratch, out);
        out.push_str(",\"fields\":{");
        for (index, field) in format.fields.iter().enumerate() {
            if index > 0 {
                out.push(',');
            }
            quote(&field.name, out);
            out.push(':');
            json_value(field, event, order, out);
        }
        out.push_str("}}");
    }
}

fn json_value(field: &Field, event: &Event<'_>, order: crate::Order, out: &mut String) {
    let _ = match field.value(event.payload, order) {
        None => write!(out, "null"),
        // Larger ones are not exact in every reader of JSON; they are addresses
        // and masks, whose digits matter.
        Some(Value::Unsigned(n)) if n > 1 << 53 => write!(out, "\"0x{n:x}\""),
        Some(Value::Unsigned(n)) => write!(out, "{n}"),
        Some(Value::Signed(n)) => write!(out, "{n}"),
        Some(Value::Text(text)) => return quote(&text, out),
        Some(Value::Numbers(numbers)) => {
            let all: Vec<String> = numbers.iter().map(u64::to_string).collect();
            write!(out, "[{}]", all.join(","))
        }
        Some(Value::Bytes(bytes)) => {
            let all: Vec<String> = bytes.iter().map(u8::to_string).collect();
            write!(out, "[{}]", all.join(","))
        }
    };
}

/// A gap, where the events behind it stand.
fn gap(lost: &Lost, style: Style, out: &mut String) {
    let cpu = lost.cpu;
    let missing = match lost.count {
        Some(1) => "1 event lost".to_owned(),
        Some(count) => format!("{count} events lost"),
        None => "events lost, count unknown".to_owned(),
    };
    let _ = match style {
        Style::Text => write!(out, "CPU {cpu}: {missing}"),
        Style::Json => {
            let count = lost.count.map_or("null".to_owned(), |n| n.to_string());
            let until = lost.until_ns;
            write!(
                out,
                "{{\"lost\":{count},\"cpu\":{cpu},\"until_ns\":{until}}}"
            )
        }
        Style::Csv => write!(out, "{},{cpu},,,lost,\"{missing}\",", lost.until_ns),
    };
}

fn push_letters(event: &Event<'_>, out: &mut String) {
    out.extend(letters(event).map(char::from));
}

/// A sentence is a line and no more, whatever a task's name or a program wrote.
fn line(text: &str, out: &mut String) {
    match text.bytes().all(|b| (b' '..=b'~').contains(&b)) {
        true => out.push_str(text),
        false => out.push_str(&escape::terminal(text)),
    }
}

/// Quoted where it must be, as RFC 4180 says.
fn cell(text: &str, out: &mut String) {
    let text = escape::csv(text);
    if !text.contains(['"', ',', '\n', '\r']) {
        return out.push_str(&text);
    }
    out.push('"');
    out.push_str(&text.replace('"', "\"\""));
    out.push('"');
}

#[cfg(test)]
mod tests;
