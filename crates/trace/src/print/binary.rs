//! `trace_printk()`: the event holds where its text lies, and the arguments as the
//! kernel packed them (vbin_printf() in lib/vsprintf.c). The texts are in
//! `printk_formats`.

use super::convert::convert;
use super::evaluate::{Context, Value};
use super::number::Number;
use super::template::{Conversion, Length, Part, parts};
use crate::bytes::{Order, Words};
use crate::format::{EventFormat, Field};
use std::borrow::Cow;

/// The fields of `ftrace:bprint`.
pub struct Binary {
    ip: Field,
    text: Field,
    arguments: Field,
}

impl Binary {
    /// None for every other event.
    pub fn parse(format: &EventFormat) -> Option<Binary> {
        if (format.system.as_str(), format.name.as_str()) != ("ftrace", "bprint") {
            return None;
        }
        Some(Binary {
            ip: format.field("ip")?.clone(),
            text: format.field("fmt")?.clone(),
            arguments: format.field("buf")?.clone(),
        })
    }

    /// Appends function and text; None where the text is not known.
    pub fn write(&self, context: Context<'_>, out: &mut String) -> Option<()> {
        let ip = self.ip.unsigned(context.event, context.order)?;
        let text = self.text.unsigned(context.event, context.order)?;
        let text = context.names.text(text)?;
        out.push_str(&context.names.function(ip));
        out.push_str(": ");
        let mut packed = Packed {
            bytes: self.arguments.bytes(context.event, context.order)?,
            at: 0,
            order: context.order,
        };
        for part in parts(text).ok()? {
            match part {
                Part::Literal(literal) => out.push_str(&literal),
                Part::Conversion(conversion) => packed.write(context, &conversion, out)?,
            }
        }
        out.truncate(out.trim_end_matches('\n').len());
        Some(())
    }
}

/// Arguments, one behind the other.
struct Packed<'a> {
    bytes: &'a [u8],
    at: usize,
    order: Order,
}

impl<'a> Packed<'a> {
    fn write(
        &mut self,
        context: Context<'_>,
        conversion: &Conversion,
        out: &mut String,
    ) -> Option<()> {
        let sizes = conversion.sizes(|| self.number(4))?;
        // Pointers into the kernel's memory were followed when they were packed.
        let followed = conversion.kind == 'p'
            && !conversion.pointer.is_empty()
            && !conversion.pointer.starts_with(['S', 's', 'x', 'K', 'e']);
        if followed {
            out.push_str(&self.text()?);
            return Some(());
        }
        let length = match conversion.kind {
            'c' => Length::Char,
            'p' if conversion.length != Length::Char => Length::Long,
            _ => conversion.length,
        };
        let bytes = length.bytes(context.long_bytes);
        let value = match conversion.kind {
            's' => Value::Text(self.text()?),
            _ => Value::Number(self.number(bytes)?),
        };
        convert(context, conversion, sizes, &value, out)
    }

    /// Aligned to its size, and never to more than four bytes.
    fn number(&mut self, bytes: usize) -> Option<Number> {
        let at = self.at.next_multiple_of(bytes.min(4));
        let bits = self.bytes.unsigned_at(at, bytes, self.order)?;
        self.at = at + bytes;
        Some(Number::sized(bits, bytes, true))
    }

    fn text(&mut self) -> Option<Cow<'a, str>> {
        let rest = self.bytes.get(self.at..)?;
        let end = rest.iter().position(|b| *b == 0)?;
        self.at += end + 1;
        Some(String::from_utf8_lossy(&rest[..end]))
    }
}

#[cfg(test)]
mod tests {
    use crate::bytes::Order;
    use crate::capture::Capture;
    use crate::head::{Head, System};
    use crate::page::Event;
    use crate::print::Printer;

    const FORMAT: &str = "name: bprint\nID: 6\nformat:\n\tfield:unsigned short common_type;\t\
        offset:0;\tsize:2;\tsigned:0;\n\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n\
        \tfield:unsigned long ip;\toffset:8;\tsize:8;\tsigned:0;\n\
        \tfield:const char * fmt;\toffset:16;\tsize:8;\tsigned:0;\n\
        \tfield:u32 buf[];\toffset:24;\tsize:0;\tsigned:0;\n\n\
        print fmt: \"%ps: %s\", (void *)REC->ip, REC->fmt\n";

    fn printed(text: &str, arguments: &[u8]) -> String {
        let mut head = Head::empty(Order::Little, 8, 4096);
        head.systems = vec![System {
            name: "ftrace".to_owned(),
            formats: vec![FORMAT.to_owned()],
        }];
        head.kallsyms = "1000 t probe\n2000 t other\n".to_owned();
        head.printk_formats = format!("0x77 : \"{text}\"\n");
        let capture = Capture::new(head, Vec::new()).unwrap();
        let mut payload = vec![6, 0, 0, 0, 1, 0, 0, 0];
        payload.extend(0x1004u64.to_le_bytes());
        payload.extend(0x77u64.to_le_bytes());
        payload.extend(arguments);
        let event = Event {
            at_ns: 0,
            cpu: 0,
            payload: &payload,
        };
        let mut out = String::new();
        Printer::new(&capture).write(&event, &mut out);
        out
    }

    #[test]
    fn arguments_are_unpacked_as_the_kernel_packed_them() {
        let mut packed = vec![b'x'];
        // Aligned to two, then to four: longs too.
        packed.extend([0, 0xfe, 0xff]);
        packed.extend((-3i32).to_le_bytes());
        packed.extend(b"ab\0\0");
        packed.extend(0x1010u64.to_le_bytes());
        packed.extend(5u64.to_le_bytes());
        packed.extend(b"10.0.0.1\0");
        let text = "%c %hd %d %s %pS %5lu %pI4\\n";
        assert_eq!(
            printed(text, &packed),
            "probe: x -2 -3 ab probe+0x10     5 10.0.0.1"
        );
        assert_eq!(
            printed("%*d|%.2s|", b"\x04\0\0\0\x07\0\0\0abc\0"),
            "probe:    7|ab|"
        );
    }

    #[test]
    fn what_is_not_there_is_printed_by_fields() {
        assert!(printed("%s", b"no end").starts_with("ip=4100 fmt=0x77 buf="));
        assert!(printed("%d %d", &[1, 0, 0, 0]).starts_with("ip=4100"));
    }
}
