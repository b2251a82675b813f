//! One field of an event: where it lies, what it is, what it holds.

use crate::bytes::{Order, Words, text_until_nul};
use std::borrow::Cow;

/// No event is larger: a page's length has 27 bits.
const LARGEST: usize = 1 << 27;
/// Bytes of a declaration in C; the kernel's have 60.
const LONGEST: usize = 512;

/// Where a field lies and what it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field {
    /// Without brackets.
    pub name: String,
    /// As in C, without the name: `pid_t`, `char[16]`.
    pub c_type: String,
    /// In bytes from the event's begin.
    pub offset: usize,
    /// In bytes; 0 where the field reaches to the event's end.
    pub size: usize,
    /// As the format says; of arrays, that of the items.
    pub signed: bool,
    /// What it holds.
    pub kind: FieldKind,
    /// Where that lies.
    pub place: Place,
}

/// What a field is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldKind {
    /// 1, 2, 4 or 8 bytes.
    Number,
    /// Characters up to the first NUL.
    Text,
    /// Numbers of `item_bytes` each.
    Array {
        /// Bytes of an item.
        item_bytes: usize,
    },
    /// A structure or something else of a size that is no number's.
    Bytes,
}

/// Where the bytes of a field lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// Inside the event, at its offset.
    Fixed,
    /// `__data_loc`: at its offset is a u32 with length (high half) and offset (low half)
    /// from the event's begin.
    Dynamic,
    /// `__rel_loc`: likewise, from behind the field.
    Relative,
}

/// What a field holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value<'a> {
    /// A number.
    Unsigned(u64),
    /// A number with a sign.
    Signed(i64),
    /// Up to its NUL; bytes that are no UTF-8 replaced.
    Text(Cow<'a, str>),
    /// The items of an array.
    Numbers(Vec<u64>),
    /// As they are.
    Bytes(&'a [u8]),
}

impl Field {
    /// Lines of a format that describe a field, and what stands behind `field:` in each.
    pub(super) fn lines(text: &str) -> impl Iterator<Item = (&str, &str)> {
        text.lines()
            .filter_map(|line| Some((line, line.trim_start().strip_prefix("field:")?)))
    }

    /// What stands behind `field:` in a line of a format.
    pub(super) fn parse(rest: &str) -> Option<Field> {
        let mut parts = rest.split(';').map(str::trim);
        // It is kept wherever a sentence names the field.
        let declaration = parts.next().filter(|d| d.len() <= LONGEST)?;
        let (mut offset, mut size, mut signed) = (None, None, false);
        for part in parts {
            match part.split_once(':') {
                Some(("offset", n)) => offset = n.parse::<usize>().ok(),
                Some(("size", n)) => size = n.parse::<usize>().ok(),
                Some(("signed", n)) => signed = n == "1",
                _ => {}
            }
        }
        let inside = |n: &usize| *n <= LARGEST;
        let (offset, size) = (offset.filter(inside)?, size.filter(inside)?);
        let (c_type, name) = split_name(declaration)?;
        let (kind, place) = kind_of(&c_type, size);
        Some(Field {
            name,
            c_type,
            offset,
            size,
            signed,
            kind,
            place,
        })
    }

    /// The field as a number; None for one that is none or lies outside.
    #[inline]
    pub fn unsigned(&self, event: &[u8], order: Order) -> Option<u64> {
        event.unsigned_at(self.offset, self.size, order)
    }

    /// Sign-extended from its size.
    #[inline]
    pub fn signed(&self, event: &[u8], order: Order) -> Option<i64> {
        event.signed_at(self.offset, self.size, order)
    }

    /// Its bytes, wherever they lie; None where they would lie outside.
    pub fn bytes<'a>(&self, event: &'a [u8], order: Order) -> Option<&'a [u8]> {
        let base = match self.place {
            Place::Dynamic => 0,
            Place::Relative => self.offset + self.size,
            // `char buf[]`, a stack's callers: up to the event's end.
            _ if self.size == 0 => return event.get(self.offset..),
            _ => return event.get(self.offset..self.offset.checked_add(self.size)?),
        };
        let location = event.u32_at(self.offset, order)?;
        let (length, at) = ((location >> 16) as usize, (location & 0xffff) as usize);
        event.get(base + at..base + at + length)
    }

    /// The text up to its NUL; None for a field that is none.
    pub fn text<'a>(&self, event: &'a [u8], order: Order) -> Option<Cow<'a, str>> {
        self.bytes(event, order).map(text_until_nul)
    }

    /// Whatever it is; None where the event is too short.
    pub fn value<'a>(&self, event: &'a [u8], order: Order) -> Option<Value<'a>> {
        Some(match self.kind {
            FieldKind::Number if self.signed => Value::Signed(self.signed(event, order)?),
            FieldKind::Number => Value::Unsigned(self.unsigned(event, order)?),
            FieldKind::Text => Value::Text(self.text(event, order)?),
            FieldKind::Array { item_bytes } => {
                let items = self.bytes(event, order)?.chunks_exact(item_bytes);
                let numbers = items.filter_map(|i| i.unsigned_at(0, item_bytes, order));
                Value::Numbers(numbers.collect())
            }
            FieldKind::Bytes => Value::Bytes(self.bytes(event, order)?),
        })
    }
}

/// `char prev_comm[16]` -> (`char[16]`, `prev_comm`).
fn split_name(declaration: &str) -> Option<(String, String)> {
    let (front, array) = match (declaration.strip_suffix(']'), declaration.rfind('[')) {
        // `__data_loc char[] filename` has its brackets in the type.
        (Some(_), Some(at)) => declaration.split_at(at),
        _ => (declaration, ""),
    };
    let front = front.trim_end();
    let begin = front.rfind(|c: char| c.is_ascii_whitespace() || c == '*' || c == ']')? + 1;
    let name = &front[begin..];
    let c_type = format!("{}{array}", front[..begin].trim_end());
    (!name.is_empty()).then(|| (c_type, name.to_owned()))
}

fn kind_of(c_type: &str, size: usize) -> (FieldKind, Place) {
    let dynamic = c_type.strip_prefix("__data_loc");
    let Some(item) = dynamic.or(c_type.strip_prefix("__rel_loc")) else {
        return (fixed_kind(c_type, size), Place::Fixed);
    };
    let item = item.trim().trim_end_matches("[]").trim();
    let kind = match is_char(item) {
        true => FieldKind::Text,
        false => FieldKind::Array {
            item_bytes: item_bytes(item),
        },
    };
    (
        kind,
        if dynamic.is_some() {
            Place::Dynamic
        } else {
            Place::Relative
        },
    )
}

fn fixed_kind(c_type: &str, size: usize) -> FieldKind {
    let number = |size| matches!(size, 1 | 2 | 4 | 8);
    let Some((item, count)) = c_type.strip_suffix(']').and_then(|t| t.rsplit_once('[')) else {
        return if number(size) {
            FieldKind::Number
        } else {
            FieldKind::Bytes
        };
    };
    if is_char(item.trim()) {
        return FieldKind::Text;
    }
    // The length may be a macro's name: then one item of the type's size.
    let item_bytes = match count.parse::<usize>() {
        Ok(count) if count > 0 && size.is_multiple_of(count) => size / count,
        _ => item_bytes(item.trim()),
    };
    match number(item_bytes) {
        true => FieldKind::Array { item_bytes },
        false => FieldKind::Bytes,
    }
}

fn is_char(c_type: &str) -> bool {
    matches!(
        c_type.trim_start_matches("const ").trim(),
        "char" | "unsigned char" | "signed char"
    )
}

/// Of the types that arrays in events have; 1 for what is not known.
fn item_bytes(c_type: &str) -> usize {
    let word = c_type.trim_start_matches("const ").trim();
    match word {
        "u16" | "__u16" | "s16" | "__s16" | "unsigned short" | "short" | "__be16" | "__le16" => 2,
        "u32" | "__u32" | "s32" | "__s32" | "int" | "unsigned int" | "unsigned" | "__be32"
        | "__le32" | "pid_t" => 4,
        "u64" | "__u64" | "s64" | "__s64" | "long" | "unsigned long" | "long long"
        | "unsigned long long" | "__be64" | "__le64" | "void *" => 8,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::{Field, FieldKind, Value};
    use crate::bytes::Order;

    fn field(text: &str) -> Field {
        Field::parse(text).unwrap()
    }

    #[test]
    fn declarations_of_all_sorts() {
        for (text, name, c_type, kind) in [
            (
                "pid_t next_pid; offset:0; size:4; signed:1;",
                "next_pid",
                "pid_t",
                FieldKind::Number,
            ),
            (
                "const char * fmt; offset:0; size:8; signed:0;",
                "fmt",
                "const char *",
                FieldKind::Number,
            ),
            (
                "void *timer;\toffset:0;\tsize:8;\tsigned:0;",
                "timer",
                "void *",
                FieldKind::Number,
            ),
            (
                "unsigned long args[6]; offset:0; size:48; signed:0;",
                "args",
                "unsigned long[6]",
                FieldKind::Array { item_bytes: 8 },
            ),
            (
                "char comm[TASK_COMM_LEN]; offset:0; size:16;",
                "comm",
                "char[TASK_COMM_LEN]",
                FieldKind::Text,
            ),
            (
                "u8 saddr[16]; offset:0; size:16; signed:0;",
                "saddr",
                "u8[16]",
                FieldKind::Array { item_bytes: 1 },
            ),
            (
                "struct in6 a; offset:0; size:16; signed:0;",
                "a",
                "struct in6",
                FieldKind::Bytes,
            ),
            (
                "__data_loc u8[] d; offset:0; size:4;",
                "d",
                "__data_loc u8[]",
                FieldKind::Array { item_bytes: 1 },
            ),
        ] {
            let f = field(text);
            assert_eq!(
                (f.name.as_str(), f.c_type.as_str(), f.kind),
                (name, c_type, kind),
                "{text}"
            );
        }
        assert_eq!(Field::parse("int x; size:4;"), None);
        // A blank of more than one byte.
        assert!(Field::parse("a\u{85}b *c; offset:0; size:4;").is_some());
        assert_eq!(Field::parse("a\u{85}b; offset:0; size:4;"), None);
        assert_eq!(Field::parse("; offset:0; size:4;"), None);
        // A space of several bytes is part of a name, and no panic.
        assert!(Field::parse("x !\u{a0}y; offset:0; size:4;").is_some());
    }

    #[test]
    fn dynamic_text_lies_where_its_word_says() {
        let mut event = vec![0; 8];
        event.extend(*b"\x10\x00\x05\x00");
        event.extend([0; 4]);
        event.extend(b"name\0");
        let near = field("__data_loc char[] n; offset:8; size:4; signed:0;");
        assert_eq!(near.text(&event, Order::Little).as_deref(), Some("name"));
        // 16 from the begin is 4 behind the word.
        event[8] = 4;
        let far = field("__rel_loc char[] n; offset:8; size:4; signed:0;");
        assert_eq!(
            far.value(&event, Order::Little),
            Some(Value::Text("name".into()))
        );
        let rest = field("char buf[]; offset:12; size:0; signed:0;");
        assert_eq!(
            rest.text(b"............a b\n\0\0", Order::Little)
                .as_deref(),
            Some("a b\n")
        );
        event[8] = 9;
        assert_eq!(far.value(&event, Order::Little), None);
    }
}
